#!/usr/bin/env python3
"""generate.py MPI PROGRAM MPI_H COVERAGE OUTPUT: writes the program that makes the calls of the steps. The first four words
are those of prototypes.Mpi."""
import sys

from c_program import CProgram
from fortran_program import FortranProgram
from prototypes import Mpi

*words, output = sys.argv[1:]
mpi = Mpi(*words)
with open(output, "w") as file:
    file.write((CProgram(mpi) if mpi.binding == "c" else FortranProgram(mpi)).text())
