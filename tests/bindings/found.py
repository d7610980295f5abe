"""A profile as the tests compare it."""
import csv
import math

ANY_NUMBER = 10_000_000  # polls that find nothing: as many as timing has it, within what seconds of polling can do


def rows(profile, name):
    with open(f"{profile}/{name}", newline="") as file:
        return list(csv.DictReader(file))


def counts_by_rank(profile, ranks):
    """For each rank: (communicator, operation) -> [calls, sent, received], over all sizes."""
    found = [{} for _ in range(ranks)]
    for row in rows(profile, "operations.csv"):
        counts = found[int(row["rank"])].setdefault((row["comm"], row["op"]), [0, 0, 0])
        for i, column in enumerate(("calls", "bytes_sent", "bytes_received")):
            counts[i] += int(row[column])
    return found


def differences(rank, found, expected, polled=frozenset()):
    """Texts for what one of both has otherwise; polled: the keys that may have more calls."""
    texts = []
    for key in sorted(set(expected) | set(found)):
        wanted, got = list(expected.get(key, (0, 0, 0))), found.get(key, [0, 0, 0])
        is_polled = key in polled and wanted[0] <= got[0] < ANY_NUMBER and got[1:] == wanted[1:]
        if not is_polled and any(math.isfinite(want) and have != want for have, want in zip(got, wanted)):
            texts.append(f"rank {rank}: {key[1]} on {key[0]}: {got}, expected {wanted} (calls, sent, received)")
    return texts
