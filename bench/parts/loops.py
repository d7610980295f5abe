"""Loops of single calls: nanoseconds added to each, in units of a pair of stamps."""
import math
from statistics import median

from parts.samples import difference_and_error, interleaved, number, undisturbed, verdict

# What a loop may cost more with the profiler, in pairs of time stamps.
BOUNDS = {
    "send": ("Send to PROC_NULL", 1.25),
    "bcast": ("Bcast on SELF", 1.25),
    "allreduce": ("Allreduce on a copy of SELF", 1.25),
    "send_64_comms": ("Send, 64 communicators in turn", 1.4),
    "irecv_wait": ("Irecv from PROC_NULL, Wait", 2.8),
    "irecv_isend_waitall": ("Irecv, Isend, Waitall(2)", 4.5),
    "window": ("64 Irecv, 64 Isend, Waitall, each", 1.8),
    "test": ("Test, not complete", 1.25),
    "iprobe": ("Iprobe, nothing there", 1.25),
    "pingpong": ("Ping-pong, one way", 1.5),
    "dup_free": ("Comm_dup, Comm_free", 20),
    "dup_free_folded": ("Comm_dup, Comm_free, folded", 20),
    "split_free": ("Comm_split, Comm_free", 20),
}
COMMON = list(BOUNDS)[:6]
MULTIPLE_BOUND = 0.3  # over the same call without threads
FORTRAN_BOUND = 0.5   # over the same call from C
PEERS_BOUND = 3       # ns a send
WINDOWS_BOUND = 0.1   # a call
# What counting the messages of streams may cost, in ns at one end of a message; none for new streams, which cost most.
STREAMS = {
    "streams_64": ("64 streams", 5),
    "streams_4096": ("4,096 streams", 5),
    "streams_new": ("Each message in a stream of its own", None),
}

COLUMNS = ("", "without", "with", "added", "±", "in R", "bound", "")
PART_COLUMNS = ("", "added", "±", "bound", "")
PART_WIDTHS = (36, 9, 7, 8, 8)
WIDTHS = (36, 9, 9, 9, 7, 8, 8, 6)


def variants(bench, program, *options, bind=True, without=None):
    """Of two processes. without: further variants with the profiler, by name, with the settings that turn something off."""
    def with_library(preload, settings=None):
        return lambda: bench.values(2, bench.programs / program, *options, preload=preload, settings=settings, bind=bind)

    found = {"without": with_library(None), "with": with_library(bench.library)}
    found |= {name: with_library(bench.library, settings) for name, settings in (without or {}).items()}
    return found


def kinds_of_runs(bench):
    no_peers, no_windows = {"no peers": {"COMMPROF_PEERS": "0"}}, {"no windows": {"COMMPROF_WHEN": "0"}}
    return {
        "single": variants(bench, "bench_loops", without=no_peers | no_windows),
        "pingpong": variants(bench, "bench_loops", "pingpong", without=no_peers),
        "streams": variants(bench, "bench_loops", "streams", without={"no waits": {"COMMPROF_WAITS": "0"}}),
        "multiple": variants(bench, "bench_loops", "multiple"),
        "alone": variants(bench, "bench_loops", "threads", 1, bind=False),
        "threads": variants(bench, "bench_loops", "threads", 4, bind=False),
        "fortran": variants(bench, "bench_loops", "fortran"),
    }


def added_name(name):
    return f"{name}_added"


def is_compared_within(of_kind, name):
    """Whether each run has itself compared calls that a library sees with calls that it does not see."""
    return added_name(name) in of_kind.names()


def run(bench, table):
    samples = interleaved(5 if bench.quick else 12, kinds_of_runs(bench))
    single = samples["single"]
    pair = bench.pair_ns
    print(f"R, a pair of time stamps: {pair:.1f} ns")

    def added_by(of_kind, name, compared="without"):
        if is_compared_within(of_kind, name):
            name = added_name(name)
        return difference_and_error(of_kind.of("with", name), of_kind.of(compared, name))

    def both(of_kind, name):
        """Without and with the profiler."""
        if is_compared_within(of_kind, name):
            without = median(of_kind.of("with", name))
            return without, without + added_by(of_kind, name)[0]
        return map(median, undisturbed(of_kind.of("without", name), of_kind.of("with", name)))

    def row(kind, name, label, bound, compared_with=None):
        """bound: in R; over what the profiler adds to the same call in the runs compared_with."""
        of_kind = samples[kind]
        added, error = added_by(of_kind, name)
        already, doubt = added_by(compared_with, name) if compared_with else (0, 0)
        allowed = bound + already / pair
        table.row(label, *(f"{value:.1f}" for value in both(of_kind, name)),
                  f"{added:.1f}", number(error, 1), f"{added / pair:.2f}", f"{allowed:.2f}",
                  verdict(added / pair, allowed, math.hypot(error, doubt) / pair))

    table.title("Single calls, ns", COLUMNS, WIDTHS)
    for name, (label, bound) in BOUNDS.items():
        row("pingpong" if name == "pingpong" else "single", name, label, bound)
    table.title("Counting who sends to whom, ns a send: with COMMPROF_PEERS=1 against 0", PART_COLUMNS, PART_WIDTHS)
    for kind, name, sends in (("single", "irecv_isend_waitall", 1), ("single", "window", 0.5), ("pingpong", "pingpong", 1)):
        of_kind = samples[kind]
        added, error = (value / sends for value in added_by(of_kind, name, compared="no peers"))
        table.row(BOUNDS[name][0], f"{added:.1f}", number(error, 1), f"{PEERS_BOUND:.1f}", verdict(added, PEERS_BOUND, error))
    table.title("Windows of time, in R: with COMMPROF_WHEN=256 against 0", PART_COLUMNS, PART_WIDTHS)
    for name, calls in (("send", 1), ("bcast", 1), ("irecv_wait", 2), ("irecv_isend_waitall", 3)):
        added, error = (value / calls / pair for value in added_by(single, name, compared="no windows"))
        table.row(BOUNDS[name][0] + (", each" if calls > 1 else ""), f"{added:.2f}", number(error, 2), f"{WINDOWS_BOUND:.2f}",
                  verdict(added, WINDOWS_BOUND, error))
    table.title("Who waits for whose message, ns at one end of a message: with COMMPROF_WAITS=1 against 0", PART_COLUMNS, PART_WIDTHS)
    for name, (label, bound) in STREAMS.items():
        added, error = added_by(samples["streams"], name, compared="no waits")
        table.row(label, f"{added:.1f}", number(error, 1), *(("", "") if bound is None else (f"{bound:.1f}", verdict(added, bound, error))))
    table.title(f"MPI_THREAD_MULTIPLE, ns; the bound is {MULTIPLE_BOUND} R over the above", COLUMNS, WIDTHS)
    for name in COMMON:
        row("multiple", name, BOUNDS[name][0], MULTIPLE_BOUND, single)
    table.title("4 threads on 4 communicators, ns of processor time; the bound is one thread alone", COLUMNS, WIDTHS)
    for name in ("send", "irecv_wait"):
        row("threads", name, BOUNDS[name][0], 0, samples["alone"])
    if not samples["fortran"].names():
        print("\nFortran left out: no compiler when this was built")
        return
    table.title(f"From Fortran, ns; the bound is {FORTRAN_BOUND} R over C", COLUMNS, WIDTHS)
    for name in COMMON:
        row("fortran", name, BOUNDS[name][0], FORTRAN_BOUND, single)
