"""What the profiler adds to MPI_Init and to MPI_Finalize."""
import sys
from statistics import median

from parts.samples import interleaved, median_and_error, number, verdict

BOUND_MS = 5  # both together, 4 processes with 50 communicators
LABELS = {"init": "Init", "finalize": "Finalize", "both": "Init and Finalize", "within": "within the profiler"}
COLUMNS = ("", "without", "with", "added", "±", "bound", "")
WIDTHS = (44, 10, 10, 10, 8, 8, 6)


def variants(bench, ranks, kept, freed, **settings):
    def with_library(preload):
        return lambda: bench.values(ranks, bench.programs / "bench_ends", kept, freed, preload=preload,
                                    settings=settings, timeout=300)

    return {"without": with_library(None), "with": with_library(bench.library)}


def run(bench, table):
    table.title("Start and end, ms", COLUMNS, WIDTHS)

    def measure(rounds, cases, names):
        """cases: {label: variants}"""
        for label, samples in interleaved(3 if bench.quick else rounds, cases).items():
            if "within" in names and not all(samples.of("with", "within")):
                sys.exit("bench_ends: the profiler does not call the PMPI_Init of the program")
            for name, bound in names.items():
                added, error = median_and_error(samples.added(name))
                table.row(f"{LABELS[name]}, {label}",
                          *(f"{median(samples.of(which, name)):.1f}" for which in ("without", "with")),
                          f"{added:.2f}", number(error, 2), str(bound or ""),
                          verdict(added, bound, error) if bound else "")

    measure(31, {"4 ranks, 50 communicators": variants(bench, 4, 50, 0)},
            {"init": 0, "finalize": 0, "both": BOUND_MS, "within": BOUND_MS})
    measure(5, {f"{ranks} ranks, 5 communicators": variants(bench, ranks, 5, 0) for ranks in (4, 16)}, {"finalize": 0})
    measure(3, {"64 ranks, 5 communicators": variants(bench, 64, 5, 0)}, {"finalize": 0})
    measure(5, {f"2 ranks, {freed} freed": variants(bench, 2, 0, freed) for freed in (10, 100, 1000, 10000)},
            {"finalize": 0})
    measure(5, {"2 ranks, 10000 freed, none folded": variants(bench, 2, 0, 10000, COMMPROF_MAX_COMMS=20000)},
            {"finalize": 0})
