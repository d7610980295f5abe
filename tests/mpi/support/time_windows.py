"""What windows of time have is what the other files of a profile have."""

import collections

from driver import read_csv


def check_sums(test, profile, delta=1e-6):
    """Of a profile whose windows are of single ranks. Returns the rows of when.csv. A call that was not over when a process was killed is
    in the windows with its time alone."""
    calls, sizes, times = collections.Counter(), collections.Counter(), collections.Counter()
    rows = read_csv(profile / "when.csv")
    for row in rows:
        calls[row["rank"]] += int(row["calls"])
        sizes[row["rank"]] += int(row["bytes"])
        times[row["rank"]] += float(row["mpi_s"])
    others, other_sizes = collections.Counter(), collections.Counter()
    for row in read_csv(profile / "operations.csv"):
        others[row["rank"]] += 0 if row["op"].endswith("-unfinished") else int(row["calls"])
        other_sizes[row["rank"]] += int(row["bytes_sent"]) + int(row["bytes_received"])
    test.assertEqual(calls, others)
    test.assertEqual(sizes, other_sizes)
    for row in read_csv(profile / "ranks.csv"):
        test.assertAlmostEqual(times[row["rank"]], float(row["mpi_s"]), delta=delta)
    return rows
