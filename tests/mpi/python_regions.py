"""Tells the profiler by the module commprof what python_module.py expects, and calls MPI by ctypes as python_program.py does.

python_regions.py LIBRARY: rank 0 prints what the module says, as JSON.
"""
import ctypes
import json
import sys

import commprof

mpi = ctypes.CDLL(sys.argv[1])
try:  # Open MPI's handles are addresses
    world = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(mpi, "ompi_mpi_comm_world")))
except ValueError:
    world = ctypes.c_int(0x44000000)  # MPI_COMM_WORLD in the ABI of MPICH


def barriers(calls):
    for _ in range(calls):
        mpi.MPI_Barrier(world)


@commprof.region("halo")
def nested(depth):
    """The barriers of a call are in as many regions as calls are open."""
    barriers(depth)
    if depth > 1:
        nested(depth - 1)
    return depth


said = {"version": commprof.version(), "before": commprof.active(), "read before": commprof.read(world)}
with commprof.region("across MPI_Init"):
    mpi.MPI_Init(None, None)
rank = ctypes.c_int()
mpi.MPI_Comm_rank(world, ctypes.byref(rank))
said["within"] = commprof.active()
with commprof.region("solve"):
    barriers(3)
    with commprof.region("NA"):
        barriers(2)
    said["returns"] = nested(2)  # 2 in solve/halo, 1 in solve/halo/halo
try:
    with commprof.region("ends early"):
        barriers(1)
        raise ValueError("for the test")
except ValueError as problem:
    said["raises"] = str(problem)
commprof.pause()
barriers(4)
commprof.resume()
barriers(5)  # in main
numbers = commprof.read(world, "Barrier")
said |= {"read": numbers and numbers.calls, "no such operation": commprof.read(world, "Barier"), "name": commprof.comm_name(world)}
said["snapshot"] = commprof.snapshot("until now")
barriers(1)
mpi.MPI_Finalize()
said["after"] = commprof.active()
with commprof.region("after MPI_Finalize"):
    commprof.pause()
    commprof.resume()
if rank.value == 0:
    json.dump(said, sys.stdout)
