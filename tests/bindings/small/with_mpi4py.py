"""What a script with mpi4py does, which loads the MPI at run time: a window, a file, an intercommunicator, persistent requests.

with_mpi4py.py [PROFILER]: PROFILER is loaded by mpi4py.profile(), and messages of unknown size are received as mpi4py does
without matched probes.
"""
import array
import sys
from pathlib import Path

import mpi4py

if len(sys.argv) > 1:
    mpi4py.rc.recv_mprobe = False
    profiler = Path(sys.argv[1])
    mpi4py.profile(profiler.name, path=str(profiler.parent))

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, ranks = world.rank, world.size
left, right = (rank - 1) % ranks, (rank + 1) % ranks
values, others = array.array("i", [rank] * 10), array.array("i", [0] * 10)

dup = world.Dup()
dup.Barrier()
dup.Allreduce(MPI.IN_PLACE, [values, 10, MPI.INT], MPI.SUM)
requests = [dup.Send_init([values, 5, MPI.INT], right, 1), dup.Recv_init([others, 10, MPI.INT], left, 1)]
for _ in range(2):
    MPI.Prequest.Startall(requests)
    MPI.Request.Waitall(requests)
for request in requests:
    request.Free()

request = dup.isend("a text", right)
assert dup.recv(source=left) == "a text"
request.wait()

window = MPI.Win.Allocate(256, 4, comm=dup)
window.Fence()
window.Put([values, 4, MPI.INT], right, 0)
window.Fence()
window.Free()

file = MPI.File.Open(dup, "scratch", MPI.MODE_CREATE | MPI.MODE_RDWR)
file.Set_size(8192)  # so that there is something to read, whoever has written
file.Write_at_all(64 * rank, [values, 6, MPI.INT])
file.Read_at(64 * rank, [others, 6, MPI.INT])
file.Close()

half = dup.Split(rank % 2, rank)
if ranks > 1:
    between = half.Create_intercomm(0, dup, 1 - rank % 2, 2)
    between.Barrier()
    between.Free()
half.Free()
dup.Free()
