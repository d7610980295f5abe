#!/usr/bin/env python3
"""check.py MPI PROGRAM MPI_H COVERAGE RANKS PROFILE: a program's profile is what the steps say. The first four words are those
of prototypes.Mpi."""
import json
import sys
from pathlib import Path

from expectation import Expectation
from found import counts_by_rank, differences, rows
from prototypes import Mpi


*words, ranks, profile = sys.argv[1:]
mpi, ranks = Mpi(*words), int(ranks)
expected = [Expectation(mpi, rank, ranks) for rank in range(ranks)]
found = counts_by_rank(profile, ranks)
failures = []
for rank in range(ranks):
    failures += differences(rank, found[rank], expected[rank].counts, expected[rank].polled)

communicators = {row["comm"]: row for row in rows(profile, "communicators.csv")}
names = set().union(*(each.names for each in expected))
if set(communicators) != names:
    failures.append(f"communicators: {sorted(set(communicators) - names)} too many, {sorted(names - set(communicators))} missing")
for comm, user_name in expected[0].user_names.items():
    if comm in communicators and communicators[comm]["user_name"] != user_name:
        failures.append(f"{comm} has the user name '{communicators[comm]['user_name']}', expected '{user_name}'")

with open(f"{profile}/run.json") as file:
    run = json.load(file)
failures += [f"dropped {key}: {value}" for key, value in run["dropped"].items() if value]

# Each call is made in the program itself, whichever binding hands it on.
start_of_sites = f"{Path(run['program']).name}+0x"
elsewhere = {row["op"] + " at " + row["site"] for row in rows(profile, "operations.csv")
             if not row["site"].startswith(start_of_sites)}
made_elsewhere = {row["comm"] + " at " + row["created_at"] for row in communicators.values()
                  if row["parent"] and not row["created_at"].startswith(start_of_sites)}
failures += sorted(f"not called in the program: {text}" for text in elsewhere | made_elsewhere)
print("\n".join(failures))
sys.exit(1 if failures else 0)
