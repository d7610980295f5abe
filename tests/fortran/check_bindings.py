#!/usr/bin/env python3
"""check_bindings.py PROFILE RANKS: the profile of bindings.F90, in whichever binding it was compiled, is the one expected."""
import csv
import sys

profile, ranks = sys.argv[1], int(sys.argv[2])


def rows(name):
    with open(f"{profile}/{name}", newline="") as file:
        return list(csv.DictReader(file))


def expected(rank):
    """(communicator, operation) -> calls, bytes sent, bytes received; an integer has 4 bytes."""
    dup, reversed_ = "W_d1", "W_d1_s1.0"
    table = {
        ("W", "Comm_dup"): (1, 0, 0),
        (dup, "Comm_split"): (1, 0, 0),
        (dup, "Barrier"): (1, 0, 0),
        (dup, "Bcast"): (1, 0, 0 if rank == 0 else 40),
        (dup, "Gather"): (1, 12, 0),
        (dup, "Ibarrier"): (1, 0, 0),
        (dup, "Wait"): (1, 0, 0),
        (dup, "Irecv"): (2, 0, 28),
        (dup, "Isend"): (1, 28, 0),
        (dup, "Waitall"): (3, 0, 0),
        (dup, "Sendrecv"): (1, 12, 12),
        (dup, "Send"): (1, 0, 0),
        (dup, "Recv"): (1, 0, 0),
        (dup, "Test"): (1, 0, 0),
        (dup, "Send_init"): (1, 0, 0),
        (dup, "Recv_init"): (1, 0, 0),
        (dup, "Startall"): (2, 40, 40),
        (dup, "Request_free"): (2, 0, 0),
        (dup, "Comm_free"): (1, 0, 0),
        (reversed_, "Allreduce"): (1, 40, 0),
        (reversed_, "Irecv"): (2, 0, 24),
        (reversed_, "Isend"): (2, 24, 0),
        (reversed_, "Waitany"): (2, 0, 0),
        (reversed_, "Comm_free"): (1, 0, 0),
    }
    return table


found = {rank: {} for rank in range(ranks)}
for row in rows("operations.csv"):
    if row["op"] in ("Waitsome", "Test-none"):  # as often as timing has it
        continue
    counts = found[int(row["rank"])].setdefault((row["comm"], row["op"]), [0, 0, 0])
    for i, column in enumerate(("calls", "bytes_sent", "bytes_received")):
        counts[i] += int(row[column])

failures = []
for rank in range(ranks):
    wanted = expected(rank)
    for key in sorted(set(wanted) | set(found[rank])):
        got = tuple(found[rank].get(key, (0, 0, 0)))
        if got != wanted.get(key, (0, 0, 0)):
            failures.append(f"rank {rank}: {key[1]} on {key[0]}: {got}, expected {wanted.get(key, (0, 0, 0))}")
communicators = {row["comm"]: row for row in rows("communicators.csv")}
if set(communicators) != {"W", "SELF", "W_d1", "W_d1_s1.0"}:
    failures.append(f"communicators {sorted(communicators)}")
elif communicators["W_d1"]["user_name"] != "a name, with blanks":
    failures.append(f"user name '{communicators['W_d1']['user_name']}'")
print("\n".join(failures))
sys.exit(1 if failures else 0)
