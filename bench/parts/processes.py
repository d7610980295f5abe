"""What the library adds to a process without MPI, which a job script starts by the thousand, and to one that opens many
libraries that call MPI, as Python does before MPI_Init."""
import os
import shutil
import subprocess
import time
from statistics import median

from parts.samples import median_and_error, number, verdict

BOUND_MS = 0.2
BOUND_OF_OPENING = 0.05  # of the time without
PROGRAM = "/bin/true"
COLUMNS = ("", "without", "with", "added", "±", "bound", "")
WIDTHS = (44, 10, 10, 10, 8, 8, 6)


LIBRARIES = 400


def milliseconds(environment, command=(PROGRAM,)):
    before = time.perf_counter()
    subprocess.run(command, env=environment, check=True)
    return 1e3 * (time.perf_counter() - before)


def opening(bench, table, without):
    """The dynamic linker loads a file once, so each library is a copy. Their number is part of the measurement: no library
    may be looked at again whenever another one is opened."""
    opened, *copies = [bench.scratch / f"opened{i}.so" for i in range(LIBRARIES)]
    shutil.copy(bench.programs.parent / "lib" / "bench_opened.so", opened)
    for copy in copies:
        shutil.copy(opened, copy)
    command = (bench.programs / "bench_opens", opened, *copies)
    profiled = without | {"LD_PRELOAD": str(bench.library)}
    milliseconds(without, command)
    pairs = [(milliseconds(without, command), milliseconds(profiled, command)) for _ in range(5 if bench.quick else 20)]
    added, error = median_and_error([after - before for before, after in pairs])
    bound = BOUND_OF_OPENING * median(before for before, _ in pairs)
    medians = (f"{median(times):.1f}" for times in zip(*pairs))
    table.row(f"opening {LIBRARIES} libraries", *medians, f"{added:.1f}", number(error, 1), f"{bound:.1f}", verdict(added, bound, error))


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
    opening(bench, table, without)
