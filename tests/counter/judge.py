#!/usr/bin/env python3
"""judge.py OUTPUT COUNTER LIBRARY… -- MPIRUN-WORDS… -- PROGRAM-WORDS…

Runs a program with the counter in front of the profiler, and compares: calls and bytes by region, communicator, operation and rank,
messages by pair, communicators, regions, and what is missing. So for the profile, and for what a job killed at its end would leave.
"""

import csv
import json
import os
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

P2P_RECEIVES = {"Recv", "Irecv", "Mrecv", "Imrecv", "Sendrecv", "Sendrecv_replace", "Start", "Startall"}
TIMEOUT = 300


def read_rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def members_of(text):
    """The ranks of ranges such as 0-63,128-192:64."""
    for part in filter(None, text.split(",")):
        ends, _, stride = part.partition(":")
        first, _, last = ends.partition("-")
        yield from range(int(first), int(last or first) + 1, int(stride or 1))


class Truth:
    """What the processes have counted."""

    def __init__(self, directory):
        self.calls, self.unknown = {}, defaultdict(int)  # by region, communicator, operation and rank
        self.messages = defaultdict(Counter)  # by communicator, class, source and destination
        self.comms, self.made_of_self, self.folded = {}, defaultdict(set), 0
        self.regions, self.threads, self.dropped, self.faults = {}, {}, Counter(), []
        files = sorted(Path(directory).iterdir(), key=lambda path: int(path.name))
        self.ranks = len(files)
        for path in files:
            for line in path.read_text(encoding="utf-8").splitlines():
                what, *fields = line.split("\t")
                getattr(self, "add_" + what)(int(path.name), *fields)

    def add_calls(self, rank, region, comm, op, *numbers):
        calls, sent, received, unknown = map(int, numbers)
        old = self.calls.get((region, comm, op, rank), (0, 0, 0))
        self.calls[region, comm, op, rank] = (old[0] + calls, old[1] + sent, old[2] + received)
        self.unknown[region, comm, op, rank] += unknown

    def add_message(self, comm, kind, ends, messages, size):
        self.messages[(comm, kind, *ends)] += Counter(messages=int(messages), bytes=int(size))

    def add_to(self, rank, comm, other, *sums):
        self.add_message(comm, "p2p", (rank, int(other)), *sums)

    def add_put(self, rank, comm, other, *sums):
        self.add_message(comm, "rma", (rank, int(other)), *sums)

    def add_got(self, rank, comm, other, *sums):
        self.add_message(comm, "rma", (int(other), rank), *sums)

    def add_comm(self, _, comm, parent, created_by, size, freed, members, *asked):
        if "*" in comm:  # the row of many
            self.folded += 1
            return
        if comm.startswith("SELF"):  # each process has its own; a row stands for all
            self.made_of_self[comm].add((parent, created_by))
            return
        one = parent, created_by, int(size), sorted(map(int, members.split())), *asked
        known = self.comms.setdefault(comm, [True, one])
        known[0] &= freed == "1"
        if known[1] != one:
            known[1] = "different on its members"

    def add_region(self, rank, region, entered):
        self.regions[region, rank] = int(entered)

    def add_threads(self, rank, number):
        self.threads[rank] = int(number)

    def add_census(self, rank, op, of_profiler, of_program):
        """What the profiler calls of MPI, after MPI_Init and before MPI_Finalize, is what the program calls."""
        if of_profiler != of_program:
            self.faults.append(f"rank {rank}: {of_profiler} calls of {op} reach the MPI, {of_program} are the program's")

    def add_dropped(self, _, kind, number):
        self.dropped[kind] += int(number)

    def add_fault(self, rank, what):
        self.faults.append(f"rank {rank} {what}")


class Judge:
    def __init__(self, truth):
        self.truth, self.faults = truth, list(truth.faults)

    def same(self, what, found, expected):
        if found != expected:
            self.faults.append(f"{what}: {found}, counted {expected}")

    def same_keys(self, what, found, expected):
        for key in sorted(set(found) | set(expected), key=str):
            self.same(f"{what} {key}", found.get(key), expected.get(key))

    def compare(self, profile):
        run = json.loads((profile / "run.json").read_text(encoding="utf-8"))
        self.operations = read_rows(profile / "operations.csv")
        self.compare_calls()
        self.compare_messages(read_rows(profile / "peers.csv"))
        self.compare_communicators(read_rows(profile / "communicators.csv"))
        regions = read_rows(profile / "regions.csv")
        self.same_keys("region", {(row["region"], int(row["rank"])): int(row["entered"]) for row in regions}, self.truth.regions)
        for kind, number in run["dropped"].items():
            if kind != "regions_left_open":
                self.same(f"dropped {kind}", number, self.truth.dropped[kind])
        self.same("folded", sum(run["folded"].values()), self.truth.folded)
        for name, file in run["files"].items():
            self.same(f"rows of {name}", file["rows"], len(read_rows(profile / name)))
        self.check_rows(regions, read_rows(profile / "ranks.csv"))

    def compare_calls(self):
        found = defaultdict(lambda: (0, 0, 0))
        for row in self.operations:
            key = row["region"], row["comm"], row["op"], int(row["rank"])
            numbers = int(row["calls"]), int(row["bytes_sent"]), int(row["bytes_received"])
            found[key] = tuple(map(sum, zip(found[key], numbers)))
        expected = dict(self.truth.calls)
        arrived, received = Counter(), Counter()
        for key, unknown in self.truth.unknown.items():
            if unknown > 0 and key in found:
                arrived[key[1], key[3]] += 0
                expected[key] = (*expected[key][:2], found[key][2])
        for (_, comm, op, rank), numbers in found.items():
            if op in P2P_RECEIVES:
                received[comm, rank] += numbers[2]
        for (comm, kind, _, to), sums in self.truth.messages.items():
            if kind == "p2p":
                arrived[comm, to] += sums["bytes"]
        self.same_keys("calls, bytes sent and received", found, expected)
        if any(self.truth.unknown.values()):  # then all that was sent must have been received
            self.same_keys("bytes received on, by", +received, +arrived)

    def compare_messages(self, rows):
        found = defaultdict(Counter)
        for row in rows:
            if row["class"] in ("p2p", "rma"):
                ends = int(row["src"]), int(row["dst"])
                found[(row["comm"], row["class"], *ends)] += Counter(messages=int(row["messages"]), bytes=int(row["bytes"]))
        self.same_keys("messages", found, {key: one for key, one in self.truth.messages.items() if one})

    def compare_communicators(self, rows):
        expected = {"W": [False, ("", "", self.truth.ranks, list(range(self.truth.ranks)), "", "", "")]} | self.truth.comms
        found, names, like = {}, set(), {row["comm"]: (row["size"], row["members"]) for row in rows}
        for row in rows:
            comm, made = row["comm"], (row["parent"], row["created_by"])
            self.same(f"another row of {comm}", comm in names, False)
            names.add(comm)
            if comm.startswith("SELF"):
                if made not in self.truth.made_of_self.get(comm, {("", "")}) and "*" not in comm:
                    self.faults.append(f"{comm} made by {made}")
            elif "*" not in comm:
                is_between_groups = expected.get(comm, (0, [""]))[1][0] == "?"  # whose parent is a convention
                made = ("?", made[1]) if is_between_groups else made
                asked = row["topology"], row["reorder"], row["user_name"]
                found[comm] = [row["freed"] == "1", (*made, int(row["size"]), sorted(members_of(row["members"])), *asked)]
            elif like[comm] != like[row["parent"]]:
                self.faults.append(f"a fold unlike its parent: {row}")
        self.same("communicators of SELF", [], sorted(set(self.truth.made_of_self) - names))
        self.same_keys("communicator", found, expected)

    def check_rows(self, regions, ranks):
        """What holds in every profile: sizes lie in their classes, times in their bounds, and files agree."""
        seconds, of_rank, wall_of_rank = defaultdict(float), defaultdict(float), defaultdict(float)
        for row in self.operations:
            calls, moved, time = int(row["calls"]), int(row["bytes_sent"]) + int(row["bytes_received"]), float(row["time_s"])
            slack = 2e-9 * calls
            if not (calls * int(row["size_min"]) <= moved <= calls * int(row["size_max"])
                    and calls * float(row["time_min_s"]) - slack <= time <= calls * float(row["time_max_s"]) + slack and calls > 0):
                self.faults.append(f"a row outside its bounds: {row}")
            seconds[row["region"], row["rank"]] += time
        kinds = {tuple(row[name] for name in ("rank", "region", "comm", "op", "size_min", "site")) for row in self.operations}
        self.same("rows of calls of one kind", len(self.operations), len(kinds))
        rounding = 1e-9 * (len(self.operations) + len(regions) + 1)
        for row in regions:
            if abs(seconds.pop((row["region"], row["rank"]), 0.0) - float(row["mpi_s"])) > rounding:
                self.faults.append(f"mpi_s is not that of its operations: {row}")
            of_rank[row["rank"]] += float(row["mpi_s"])
            wall_of_rank[row["rank"]] += float(row["wall_s"])
        self.same("regions without a row", dict(seconds), {})
        self.same("threads by rank", [(int(row["rank"]), int(row["threads"])) for row in ranks], sorted(self.truth.threads.items()))
        for row in ranks:
            in_mpi = float(row["mpi_s"])
            if (abs(of_rank[row["rank"]] - in_mpi) > rounding or in_mpi > float(row["wall_s"]) * int(row["threads"])
                    or abs(wall_of_rank[row["rank"]] - float(row["wall_s"])) > rounding):
                self.faults.append(f"times of a rank: {row}")


def run(output, libraries, launcher, program):
    """Returns the exit code, where the counts are, and the copy of what the profiler had written when the program ended."""
    counted, left = Path(f"{output}-counted"), Path(f"{output}-copy")
    for path in (output, *Path(output).parent.glob(Path(output).name + "-*")):
        shutil.rmtree(path, ignore_errors=True)
    counted.mkdir(parents=True)
    setting = {"LD_PRELOAD": ":".join(map(str, libraries)), "COMMPROF_OUTPUT": output, "COUNTER_OUTPUT": counted, "COUNTER_COPY": left}
    words = [*launcher, "env", *(f"{name}={value}" for name, value in setting.items()), *map(str, program)]
    environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    code = subprocess.run(["timeout", "-k", "5", str(TIMEOUT), *words], env=environment, check=False).returncode
    return code, counted, left


def judge(output, libraries, launcher, program):
    code, counted, left = run(output, libraries, launcher, program)
    if code != 0:
        return [f"exit code {code}"]
    truth = Truth(counted)
    faults = []
    tool = os.environ.get("MPISEE_THROUGH")
    if tool:
        done = subprocess.run([tool, "collect", "--recover", left], capture_output=True, timeout=TIMEOUT, check=False)
        if done.returncode != 0:
            faults.append(f"collect --recover: {done.stderr.decode(errors='replace')}")
    for profile in (Path(output), left)[:2 if tool and not faults else 1]:
        one = Judge(truth)
        one.compare(profile)
        faults += [f"{profile.name}: {fault}" for fault in one.faults]
    return faults


def main():
    output, counter, *rest = sys.argv[1:]
    first = rest.index("--")
    second = rest.index("--", first + 1)
    faults = judge(output, [counter, *rest[:first]], rest[first + 1:second], rest[second + 1:])
    print(*faults[:40], sep="\n")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
