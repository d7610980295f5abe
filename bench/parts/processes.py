"""What the library adds to a process without MPI, which a job script starts by the thousand."""
import os
import subprocess
import time
from statistics import median

from parts.samples import median_and_error, number, verdict

BOUND_MS = 0.2
PROGRAM = "/bin/true"
COLUMNS = ("", "without", "with", "added", "±", "bound", "")
WIDTHS = (44, 10, 10, 10, 8, 8, 6)


def milliseconds(environment):
    before = time.perf_counter()
    subprocess.run([PROGRAM], env=environment, check=True)
    return 1e3 * (time.perf_counter() - before)


def run(bench, table):
    table.title("A process without MPI, ms", COLUMNS, WIDTHS)
    without = {name: value for name, value in os.environ.items() if name not in ("LD_PRELOAD", "LD_BIND_NOW")}
    for label, settings in (("", {}), (", LD_BIND_NOW=1", {"LD_BIND_NOW": "1"})):
        plain = without | settings
        profiled = plain | {"LD_PRELOAD": str(bench.library)}
        pairs = [(milliseconds(plain), milliseconds(profiled)) for _ in range(100 if bench.quick else 1000)]
        added, error = median_and_error([after - before for before, after in pairs])
        medians = (f"{median(times):.3f}" for times in zip(*pairs))
        table.row(f"{PROGRAM}{label}", *medians, f"{added:.3f}", number(error, 3), str(BOUND_MS), verdict(added, BOUND_MS, error))
