"""What it costs to observe the transport: messages of the program, and those that the MPI sends for a collective."""
from statistics import median

from parts.samples import interleaved, median_and_error, number

COLUMNS = ("", "without", "with", "added", "±")
WIDTHS = (44, 10, 10, 10, 8)
LABELS = {"message": "MPI_Sendrecv", "allreduce": "MPI_Allreduce"}


def run(bench, table):
    table.title("Messages that the MPI gives to its transport, 2 ranks, ns a call", COLUMNS, WIDTHS)

    def variants(**settings):
        def with_library(preload):
            return lambda: bench.values(2, bench.programs / "bench_transport", 10_000, preload=preload, settings=settings)

        return {"without": with_library(None), "with": with_library(bench.library)}

    cases = {"as it is": variants()} | {f"{name}=1": variants(**{name: 1}) for name in ("COMMPROF_INTERNAL", "COMMPROF_TRANSPORT")}
    for label, samples in interleaved(3 if bench.quick else 15, cases).items():
        for name, call in LABELS.items():
            added, error = median_and_error(samples.added(name))
            table.row(f"{call}, {label}", *(f"{median(samples.of(which, name)):.1f}" for which in ("without", "with")),
                      f"{added:.1f}", number(error, 1))
