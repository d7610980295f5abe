#!/usr/bin/env python3
"""same_counts.py PROFILE PROFILE: two profiles have the same calls, bytes, communicators and messages. The places of calls in the
program are not compared, since they differ between builds of it."""
import collections
import csv
import sys
from pathlib import Path

TABLES = {
    "operations.csv": (["region", "comm", "comm_size", "rank", "op", "size_min", "size_max"], ["calls", "bytes_sent", "bytes_received"]),
    "communicators.csv": (["comm", "parent", "members"], []),
    "peers.csv": (["region", "comm", "class", "src", "dst", "op"], ["messages", "bytes"]),
}


def sums(profile, table):
    keys, counts = TABLES[table]
    found = collections.Counter()
    with open(Path(profile) / table, newline="") as file:
        for row in csv.DictReader(file):
            key = tuple(row[name] for name in keys)
            found[key, "rows"] += 0 if counts else 1
            for name in counts:
                found[key, name] += int(row[name])
    return found


failures, compared = [], 0
for table in TABLES:
    first, second = (sums(profile, table) for profile in sys.argv[1:])
    compared += len(first)
    failures += [f"{table}: {key}: {first[key]} and {second[key]}" for key in sorted(first.keys() | second.keys()) if first[key] != second[key]]
    if not first:
        failures.append(f"{table} is empty")
print("\n".join(failures) or f"{compared} numbers are the same")
sys.exit(1 if failures else 0)
