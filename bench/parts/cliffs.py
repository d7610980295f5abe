"""Calls of programs that have many of something: threads, communicators, call sites."""
from statistics import median

from parts.samples import interleaved, number

# With the profiler a call takes at most ten times as long, or 2 µs, whichever is more.
MOST_TIMES = 10
MOST_NS = 2000
CLIFFS = {
    "pready": "Pready of another thread's request, 500 threads",
    "waits": "Wait for requests of 1,000 other threads",
    "startall": "Startall and Waitall over 900 communicators",
    "callback": "Comm_dup whose copy callback duplicates another",
    "failing": "a failing Send beside 10,000 communicators",
    "sites": "Send from 20,000 places, 8 threads",
}


def run(bench, table):
    program = bench.programs / "bench_cliffs"
    samples = interleaved(3 if bench.quick else 7, {
        name: {"without": lambda name=name: bench.values(1, program, name),
               "with": lambda name=name: bench.values(1, program, name, preload=bench.library)} for name in CLIFFS})
    table.title("Many threads, communicators, places: ns a call", ("", "without", "with", "bound", ""), (50, 12, 12, 12, 6))
    for name, what in CLIFFS.items():
        of_cliff = samples[name]
        if name not in of_cliff.names():
            continue  # this MPI has no such call
        plain, profiled = (median(of_cliff.of(variant, name)) for variant in ("without", "with"))
        bound = max(MOST_TIMES * plain, MOST_NS)
        table.row(what, number(plain, 0), number(profiled, 0), number(bound, 0), "ok" if profiled <= bound else "over")
