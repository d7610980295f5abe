"""What the library adds to a process without MPI, which a job script starts by the thousand; to one that opens many
libraries that call MPI; and to Python, which opens such libraries before MPI_Init and begins and ends MPI."""
import importlib.util
import os
import shutil
import subprocess
import sys
import time
from statistics import median

from parts.samples import median_and_error, number, verdict

BOUND_MS = 0.2
BOUND_OF_START = 0.05  # of the time without
PROGRAM = "/bin/true"
COLUMNS = ("", "without", "with", "added", "±", "bound", "")
WIDTHS = (44, 10, 10, 10, 8, 8, 6)
LIBRARIES = 400
MODULES = ("mpi4py.MPI", "petsc4py.PETSc", "slepc4py.SLEPc")  # those that are installed


def milliseconds(environment, command=(PROGRAM,)):
    before = time.perf_counter()
    subprocess.run(command, env=environment, check=True)
    return 1e3 * (time.perf_counter() - before)


def processor_milliseconds(environment, command):
    """Unlike elapsed time, that hardly depends on what else the machine does."""
    child = subprocess.Popen(command, env=environment)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise subprocess.CalledProcessError(child.returncode, command)
    return 1e3 * (used.ru_utime + used.ru_stime)


def compare(bench, table, label, without, command):
    profiled = without | {"LD_PRELOAD": str(bench.library)}
    pairs = []
    for _ in range(6 if bench.quick else 21):
        shutil.rmtree(bench.profile, ignore_errors=True)
        pairs.append((processor_milliseconds(without, command), processor_milliseconds(profiled, command)))
    del pairs[0]  # the files were not in memory
    added, error = median_and_error([after - before for before, after in pairs])
    bound = BOUND_OF_START * median(before for before, _ in pairs)
    medians = (f"{median(times):.1f}" for times in zip(*pairs))
    table.row(label, *medians, f"{added:.1f}", number(error, 1), f"{bound:.1f}", verdict(added, bound, error))


def opening(bench, table, without):
    """The dynamic linker loads a file once, so each library is a copy. Their number is part of the measurement: no library
    may be looked at again whenever another one is opened."""
    opened, *copies = [bench.scratch / f"opened{i}.so" for i in range(LIBRARIES)]
    shutil.copy(bench.programs.parent / "lib" / "bench_opened.so", opened)
    for copy in copies:
        shutil.copy(opened, copy)
    command = (bench.programs / "bench_opens", opened, *copies)
    compare(bench, table, f"opening {LIBRARIES} libraries", without, command)


def importing(bench, table, without):
    """Without a launcher, so that no other process's time counts."""
    for module in MODULES:
        if importlib.util.find_spec(module.partition(".")[0]):
            compare(bench, table, f"import {module}", without, (sys.executable, "-c", f"import {module}"))


def run(bench, table):
    table.title("A process without MPI, ms", COLUMNS, WIDTHS)
    without = {name: value for name, value in bench.environment.items() if name != "LD_BIND_NOW"}
    for label, settings in (("", {}), (", LD_BIND_NOW=1", {"LD_BIND_NOW": "1"})):
        plain = without | settings
        profiled = plain | {"LD_PRELOAD": str(bench.library)}
        pairs = [(milliseconds(plain), milliseconds(profiled)) for _ in range(100 if bench.quick else 1000)]
        added, error = median_and_error([after - before for before, after in pairs])
        medians = (f"{median(times):.3f}" for times in zip(*pairs))
        table.row(f"{PROGRAM}{label}", *medians, f"{added:.3f}", number(error, 3), str(BOUND_MS), verdict(added, BOUND_MS, error))
    table.title("Libraries that call MPI, ms of processor time", COLUMNS, WIDTHS)
    opening(bench, table, without)
    importing(bench, table, without)
