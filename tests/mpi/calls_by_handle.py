"""Finds MPI's functions by dlsym() on a handle of a library that nobody else sees, as ctypes, Julia and Rust do.

calls_by_handle.py LIBRARY: Init, three barriers of the world, Finalize.
"""
import ctypes
import os
import sys

mpi = ctypes.CDLL(sys.argv[1], mode=os.RTLD_LOCAL | os.RTLD_NOW)
try:  # Open MPI's handles are addresses
    world = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(mpi, "ompi_mpi_comm_world")))
except ValueError:
    world = ctypes.c_int(0x44000000)  # MPI_COMM_WORLD in the ABI of MPICH
mpi.MPI_Init(None, None)
for _ in range(3):
    mpi.MPI_Barrier(world)
mpi.MPI_Finalize()
