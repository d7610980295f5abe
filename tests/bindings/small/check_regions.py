#!/usr/bin/env python3
"""check_regions.py RANKS PROFILE: the profile of regions.F90 and its snapshots are the ones expected."""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from found import rows  # noqa: E402


def barriers(profile, ranks):
    found = [{} for _ in range(ranks)]
    for row in rows(profile, "operations.csv"):
        counts, key = found[int(row["rank"])], (row["region"], row["comm"], row["op"])
        counts[key] = counts.get(key, 0) + int(row["calls"])  # over call sites
    return found


ranks, profile = int(sys.argv[-2]), sys.argv[-1]
first = {"main": 1, "solve": 2, "solve/halo": 2}
second = first | {"main": 2, "(unnamed)": 1}
failures = []
for directory, regions in ((f"{profile}-snapshot-1", first), (f"{profile}-snapshot-2", second),
                           (f"{profile}-snapshot-3", second), (profile, second)):
    expected = {(region, "W", "Barrier"): calls for region, calls in regions.items()}
    found = barriers(directory, ranks)
    if found != [expected] * ranks:
        failures.append(f"{directory}: {found}, expected on each rank {expected}")
    with open(f"{directory}/run.json") as file:
        dropped = json.load(file)["dropped"]["region_ends_ignored"]
    if dropped != ranks:
        failures.append(f"{directory}: {dropped} ends ignored, expected {ranks}")
if os.path.exists(f"{profile}-snapshot-4"):
    failures.append("there is a snapshot more")
print("\n".join(failures))
sys.exit(1 if failures else 0)
