#!/usr/bin/env python3
"""check_internal.py MPI RANKS PROFILE: the internal messages of internal.F90 are those of openmpi or mpich; of none, there are none.

Open MPI's MPI_Iallreduce goes up a binomial tree to rank 0 and down another one; MPI_Bcast between two processes is one
message. MPICH's MPI_Iallreduce is recursive doubling among powers of two. Halves are in reverse order: their rank 0 is the
process with the highest rank.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from found import rows  # noqa: E402

mpi, ranks, profile = sys.argv[1], int(sys.argv[2]), sys.argv[3]
tells = mpi != "none"
expected = {}
for rank in range(1, ranks):
    up, down = rank & (rank - 1), rank - (1 << rank.bit_length() - 1)
    if mpi == "openmpi":
        expected["W", "Iallreduce", rank, up] = expected["W", "Iallreduce", down, rank] = (1, 40)
if mpi == "mpich":
    expected |= {("W", "Iallreduce", rank, rank ^ far): (1, 40) for rank in range(ranks) for far in (1, 2) if far < ranks}
for parity in (0, 1):
    members = list(range(parity, ranks, 2))
    if len(members) == 2:
        expected[f"W_s1.{members[0]}", "Bcast", members[1], members[0]] = (1, 28)

messages = [row for row in rows(profile, "peers.csv") if row["class"] == "internal"]
found = {(row["comm"], row["op"], int(row["src"]), int(row["dst"])): (int(row["messages"]), int(row["bytes"]))
         for row in messages if row["op"] != "Comm_split"}
if found != (expected if tells else {}):
    sys.exit(f"{found}\nexpected {expected if tells else 'none'}")
if any(row["op"] == "Comm_split" for row in messages) != (tells and ranks > 1):
    sys.exit("messages of MPI_Comm_split")
