"""Calls MPI from lines of Python, as ctypes does: with the interpreter's lock released.

python_program.py LIBRARY [threads]: three barriers of the world from one line of `inner`, which `outer` calls; with threads,
while another thread of Python waits for something else. Prints nothing.
"""
import ctypes
import signal
import sys
import threading

mpi = ctypes.CDLL(sys.argv[1])
try:  # Open MPI's handles are addresses
    world = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(mpi, "ompi_mpi_comm_world")))
except ValueError:
    world = ctypes.c_int(0x44000000)  # MPI_COMM_WORLD in the ABI of MPICH


def inner(calls):
    for _ in range(calls):
        mpi.MPI_Barrier(world)  # inner


def outer():
    inner(3)  # outer


mpi.MPI_Init(None, None)
ended = threading.Event()
if "threads" in sys.argv:
    waiting = threading.Thread(target=ended.wait)
    waiting.start()
outer()  # top
ended.set()
if "killed" in sys.argv:
    mpi.MPI_Abort(world, 1)
    signal.pause()  # MPICH 4.2.1 returns, and its launcher ends the process later
mpi.MPI_Finalize()
