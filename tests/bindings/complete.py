#!/usr/bin/env python3
"""complete.py MPI MPI_H COVERAGE PROGRAM…: the steps make every call that the profiler counts, in every program, or
exceptions.txt says why not. The words are those of prototypes.Mpi."""
import fnmatch
import sys

from expectation import Expectation
from prototypes import Mpi

RANKS = (1, 4)  # the sizes at which the tests run

name, prototypes, coverage, *programs = sys.argv[1:]
failures = []
for program in programs:
    mpi = Mpi(name, program, prototypes, coverage)
    called = set().union(*(Expectation(mpi, rank, ranks).called for ranks in RANKS for rank in range(ranks)))
    wanted = {function for function in mpi.counted if function.endswith("_c") == mpi.large}
    missing = {function for function in wanted - called if not mpi.is_exception(function)}
    failures += [f"{program}: no step calls {function}, and exceptions.txt does not say why" for function in sorted(missing)]
    failures += [f"{program}: exceptions.txt has {pattern}, which is no counted function" for pattern in mpi.exceptions
                 if not fnmatch.filter(mpi.counted, pattern)]
    print(f"{program}: {len(wanted & called)} of {len(wanted)} counted functions are called")
print("\n".join(failures))
sys.exit(1 if failures else 0)
