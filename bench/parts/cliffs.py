"""Calls of programs that have many of something: requests, communicators, threads, names."""
import math

from statistics import median

from parts.samples import interleaved, number

# With the profiler a call takes at most twice as long, and 300 ns.
MOST_TIMES = 2
MORE_NS = 300
TIMEOUT = 100  # seconds of a run, after which it is over its bound

# What a program has, how many of it (MPICH has 2,048 communicators and some 250,000 requests, and searches some lists
# itself), on how many processes.
CLIFFS = {
    "pready": ("Pready of another thread's request: threads", 500, 500, 1),
    "sites": ("Send, 8 threads: call sites", 20_000, 20_000, 1),
    "closes": ("what 20,000 call sites add to dlopen, dlclose and Send: times", 10_000, 10_000, 1),
    "pending": ("Irecv: pending requests", 1_000_000, 100_000, 2),
    "completed": ("Waitall, each of its requests: pending requests", 1_000_000, 100_000, 2),
    "beside": ("Sendrecv: pending requests of others", 1_000_000, 30_000, 2),
    "cancelled": ("Cancel and Wait: pending receives", 20_000, 20_000, 2),
    "wildcards": ("receive from any source: communicators so far", 20_000, 20_000, 2),
    "streams": ("Sendrecv: tags", 1_000_000, 1_000_000, 2),
    "probes": ("Mprobe and Mrecv: matched messages", 100_000, 100_000, 2),
    "empty_probes": ("Iprobe: tags", 1_000_000, 1_000_000, 2),
    "names": ("Comm_set_name: names of a communicator", 1_000_000, 1_000_000, 1),
    "regions": ("a region with a Send: regions", 20_000, 20_000, 1),
}


def run(bench, table):
    program = bench.programs / "bench_cliffs"

    def count_of(name):
        _, with_openmpi, with_mpich, _ = CLIFFS[name]
        return with_mpich if bench.mpi == "mpich" else with_openmpi

    def measure(name, preload=None):
        *_, ranks = CLIFFS[name]
        try:
            return bench.values(ranks, program, name, count_of(name), preload=preload, timeout=TIMEOUT)
        except SystemExit as failed:
            print(failed)
            return {"ns": math.inf, "kib": math.inf}

    wanted = bench.cliffs or CLIFFS
    samples = interleaved(3 if bench.quick else 7, {
        name: {"without": lambda name=name: measure(name), "with": lambda name=name: measure(name, bench.library)} for name in wanted})
    table.title("Many of something: ns a call, and KiB of memory more", ("", "many", "without", "with", "bound", "", "KiB"),
                (56, 10, 10, 10, 10, 6, 8))
    for name in wanted:
        of_cliff = samples[name]
        if "ns" not in of_cliff.names():
            continue  # this MPI has no such call
        plain, profiled = (median(of_cliff.of(variant, "ns")) for variant in ("without", "with"))
        bound = MOST_TIMES * plain + MORE_NS
        table.row(CLIFFS[name][0], f"{count_of(name):,}", number(plain, 0), number(profiled, 0), number(bound, 0),
                  "ok" if profiled <= bound < math.inf else "over", number(median(of_cliff.added("kib")), 0))
