#!/usr/bin/env python3
"""check.py NAME RANKS PROFILE: the profile of one of the small programs is the one expected."""
import os
import pickle
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from found import counts_by_rank, differences, rows  # noqa: E402


def mixed(rank, ranks):
    """(communicator, operation) -> calls, bytes sent, bytes received; an integer has 4 bytes."""
    half = f"W_s2.{rank % 2}"
    return {
        ("W", "Comm_split"): (2, 0, 0),
        ("W_s1.0", "Barrier"): (1, 0, 0),
        ("W_s1.0", "Comm_dup"): (1, 0, 0),
        ("W_s1.0", "Comm_free"): (1, 0, 0),
        ("W_s1.0_d1", "Barrier"): (1, 0, 0),
        ("W_s1.0_d1", "Bcast"): (1, 0, 0 if rank == 0 else 40),
        ("W_s1.0_d1", "Comm_free"): (1, 0, 0),
        (half, "Comm_dup"): (1, 0, 0),
        (half, "Comm_free"): (1, 0, 0),
        (half + "_d1", "Allreduce"): (1, 20, 0),
        (half + "_d1", "Comm_free"): (1, 0, 0),
        ("SELF", "Comm_dup"): (4, 0, 0),
        ("SELF", "Irecv"): (3, 0, 28 + 28 + 32),
        ("SELF", "Send"): (3, 28 + 28 + 32, 0),
        ("SELF", "Wait"): (3, 0, 0),
        ("SELF_d1", "Irecv"): (4, 0, 20 + 12 + 4),
        ("SELF_d1", "Recv_init"): (1, 0, 0),
        ("SELF_d1", "Start"): (1, 0, 8),
        ("SELF_d1", "Send"): (4, 20 + 12 + 8 + 4, 0),
        ("SELF_d1", "Isend"): (1, 24, 0),
        ("SELF_d1", "Wait"): (6, 0, 0),
        ("SELF_d1", "Request_free"): (1, 0, 0),
        ("SELF_d1", "Comm_free"): (1, 0, 0),
    } | {(f"SELF_d{1 + i}", op): value for i in (1, 2, 3)
         for op, value in {"Bcast": (1, 0, 0), "Allreduce": (1, 4 * i, 0), "Comm_free": (1, 0, 0)}.items()}


def folded(rank, ranks):
    """The same where all children of a communicator but the first share a record, and what is made from those, too."""
    expected = {}
    for (comm, op), values in mixed(rank, ranks).items():
        name = re.sub(r"_s2\.\d_d1$", "_d*", comm)
        name = re.sub(r"_([ds])[2-9][.\d]*$", r"_\1*", name)
        expected[name, op] = tuple(map(sum, zip(values, expected.get((name, op), (0, 0, 0)))))
    return expected


def with_mpi4py(rank, ranks, probe="Mprobe", receive="Mrecv"):
    dup, half = "W_d1", f"W_d1_s1.{rank % 2}"
    pickled = len(pickle.dumps("a text", pickle.HIGHEST_PROTOCOL))
    expected = {
        ("W", "Comm_dup"): (1, 0, 0),
        (dup, "Barrier"): (1, 0, 0),
        (dup, "Allreduce"): (1, 40, 0),
        (dup, "Send_init"): (1, 0, 0),
        (dup, "Recv_init"): (1, 0, 0),
        (dup, "Startall"): (2, 40, 40),
        (dup, "Waitall"): (2, 0, 0),
        (dup, "Request_free"): (2, 0, 0),
        (dup, "Isend"): (1, pickled, 0),
        (dup, probe): (1, 0, 0),
        (dup, receive): (1, 0, pickled),
        (dup, "Wait"): (1, 0, 0),
        (dup, "Win_allocate"): (1, 0, 0),
        (dup, "Win_fence"): (2, 0, 0),
        (dup, "Put"): (1, 16, 0),
        (dup, "Win_free"): (1, 0, 0),
        (dup, "File_open"): (1, 0, 0),
        (dup, "File_set_size"): (1, 0, 0),
        (dup, "File_write_at_all"): (1, 24, 0),
        (dup, "File_read_at"): (1, 0, 24),
        (dup, "File_close"): (1, 0, 0),
        (dup, "Comm_split"): (1, 0, 0),
        (dup, "Comm_free"): (1, 0, 0),
        (half, "Comm_free"): (1, 0, 0),
    }
    if ranks > 1:
        between = f"W_i1.0-{ranks - 2}:2.1-{ranks - 1}:2.t2"
        expected |= {(half, "Intercomm_create"): (1, 0, 0), (between, "Barrier"): (1, 0, 0), (between, "Comm_free"): (1, 0, 0)}
    return expected


def with_mpi4py_unmatched(rank, ranks):
    return with_mpi4py(rank, ranks, "Probe", "Recv")


def threads(rank, ranks):
    rounds, workers = 50, 4
    expected = {("SELF", "Comm_dup"): (workers, 0, 0)}
    for worker in range(1, workers + 1):
        exchanged, handed_on, summed = (4 * rounds * items for items in (5 + worker, 7 * worker, 10 * worker))
        expected |= {(f"SELF_d{worker}", op): value for op, value in {
            "Send": (2 * rounds, handed_on, 0), "Irecv": (2 * rounds, 0, exchanged + handed_on), "Isend": (rounds, exchanged, 0),
            "Waitall": (rounds, 0, 0), "Allreduce": (rounds, summed, 0), "Request_get_status": (rounds * worker, 0, 0),
            "Wait": (rounds, 0, 0), "Comm_free": (1, 0, 0)}.items()}
    return expected


def without_ierror(rank, ranks):
    """One message of 10 integers arrives; what the failed calls would have received does not count."""
    return {
        ("SELF", "Comm_dup"): (2, 0, 0),
        ("SELF_d1", "Isend"): (2, 2 * 40, 0),
        ("SELF_d1", "Recv"): (3, 0, 40),
        ("SELF_d1", "Irecv"): (1, 0, 0),
        ("SELF_d1", "Wait"): (3, 0, 0),
        ("SELF_d1", "Cart_create"): (2, 0, 0),
        ("SELF_d1", "Comm_free"): (1, 0, 0),
        ("SELF_d2", "Barrier"): (1, 0, 0),
        ("SELF_d2", "Comm_free"): (1, 0, 0),
    }


def in_plugin(rank, ranks):
    """In place, a process's own part of what all gather are the 5 integers that it receives of each."""
    return {("W", "Allgather"): (1, 20, 0), ("SELF", "Sendrecv"): (1, 20, 20)}


name, ranks, profile = sys.argv[1], int(sys.argv[2]), sys.argv[3]
expect = {"mixed": mixed, "folded": folded, "threads": threads, "with_mpi4py": with_mpi4py,
          "with_mpi4py_unmatched": with_mpi4py_unmatched,
          "without_ierror": without_ierror, "in_plugin": in_plugin}[name]
found = counts_by_rank(profile, ranks)
failures, names = [], {"W", "SELF"}
for rank in range(ranks):
    expected = expect(rank, ranks)
    names |= {comm for comm, _ in expected}
    failures += differences(rank, found[rank], expected)
listed = {row["comm"] for row in rows(profile, "communicators.csv")}
if listed != names:
    failures.append(f"communicators {sorted(listed)}, expected {sorted(names)}")
print("\n".join(failures))
sys.exit(1 if failures else 0)
