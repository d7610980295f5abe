#!/usr/bin/env python3
"""export.py MPISEE_THROUGH: what export writes holds what the files of the sample profiles hold."""
import collections
import csv
import gzip
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

here = Path(__file__).resolve().parent
tool = Path(sys.argv[1]).resolve()
SAMPLES = ("sample", "sample-odd", "sample-waits", "sample-when")


def export(*words, expect=0):
    done = subprocess.run([tool, "export", *map(str, words)], cwd=here, capture_output=True, text=True, timeout=60)
    assert done.returncode == expect, f"{words}: exit code {done.returncode}, {done.stderr}"
    return done.stderr if expect else done.stdout


def rows(sample, name):
    with open(here / sample / f"{name}.csv", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def close(one, other):
    return abs(one - other) <= 1e-6 * max(abs(one), abs(other), 1e-3)


def stacks_hold_the_time(sample):
    """All of it, by rank and by operation; waiting is a part of its call."""
    calls = rows(sample, "operations")
    of_rank, of_operation = collections.Counter(), collections.Counter()
    for row in calls:
        of_rank[row["rank"]] += float(row["time_s"])
        of_operation["MPI_" + row["op"]] += float(row["time_s"])
    data = json.loads(export("speedscope", sample))
    assert data["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    frames = data["shared"]["frames"]
    told = collections.Counter()
    for profile in data["profiles"]:
        assert (profile["type"], profile["unit"]) == ("sampled", "seconds")
        assert len(profile["samples"]) == len(profile["weights"]) and close(sum(profile["weights"]), profile["endValue"])
        rank = re.fullmatch(r"rank (\d+)", profile["name"])
        assert close(profile["endValue"], of_rank[rank[1]] if rank else sum(of_rank.values())), profile["name"]
        for sample_of_frames, weight in zip(profile["samples"], profile["weights"]) if not rank else ():
            names = [frames[number]["name"] for number in sample_of_frames]
            told[next(name for name in reversed(names) if name.startswith("MPI_"))] += weight
    assert all(close(told[name], time_s) for name, time_s in of_operation.items()), told - of_operation
    lines = [line.rsplit(" ", 1) for line in export("collapsed", sample).splitlines()]
    assert abs(sum(int(microseconds) for _, microseconds in lines) - 1e6 * sum(of_rank.values())) <= len(lines)


def waiting_is_apart():
    waits = collections.Counter()
    for row in rows("sample-waits", "waits"):
        if row["kind"] != "pending":
            waits["MPI_" + row["op"]] += float(row["wait_s"])
    told = collections.Counter()
    for line in export("collapsed", "sample-waits").splitlines():
        *stack, last = line.rsplit(" ", 1)[0].split(";")
        if last == "waiting for others":
            told[stack[-1]] += int(line.rsplit(" ", 1)[1]) * 1e-6
    assert told and all(told[name] <= waits[name] + 1e-4 for name in told), (told, waits)


def callers_are_frames(home):
    """Outermost first; what is not known has neither file nor line."""
    shutil.copytree(here / "sample-waits", home / "profile")
    header, first, *others = (home / "profile/sites.csv").read_text().splitlines(keepends=True)
    known = ",".join(first.split(",")[:3] + ["inner < ? < outer", "/src/a.c < ? < b.c", "3 < ? < 44"])
    (home / "profile/sites.csv").write_text("".join([header, known + "\n", *others]))
    data = json.loads(export("speedscope", home / "profile"))
    frames = data["shared"]["frames"]
    stacks = [[frames[number] for number in stack] for stack in data["profiles"][0]["samples"]]
    wanted = [{"name": "outer", "file": "b.c", "line": 44}, {"name": "(unknown)"}, {"name": "inner", "file": "/src/a.c", "line": 3}]
    assert any(stack[1:4] == wanted for stack in stacks), stacks
    shutil.rmtree(home / "profile")


def the_trace_holds_the_windows():
    """Its counters are those of the windows, and all ranks are named."""
    data = json.loads(export("perfetto", "sample-when"))
    known = {"M": {"name", "args"}, "C": {"ts", "name", "args"}, "X": {"tid", "ts", "dur", "name", "args"},
             "i": {"tid", "s", "ts", "name"}, "s": {"tid", "bp", "id", "ts", "cat", "name"}, "f": {"tid", "bp", "id", "ts", "cat", "name"}}
    ranks, calls = set(), collections.defaultdict(list)
    for event in data["traceEvents"]:
        assert set(event) == known[event["ph"]] | {"ph", "pid"}, event
        ranks |= {event["args"]["name"]} if event["name"] == "process_name" else set()
        if event["ph"] == "C" and event["name"] == "calls a second":
            calls[event["pid"]].append((event["ts"], event["args"]["value"]))
    of_rank = collections.Counter()
    for row in rows("sample-when", "when"):
        of_rank[int(row["rank"]) + 1] += int(row["calls"])
    assert len(ranks) == 1 + len(rows("sample-when", "ranks")), ranks
    for process, steps in calls.items():
        counted = sum(value * (after - before) * 1e-6 for (before, value), (after, _) in zip(steps, steps[1:]))
        assert abs(counted - of_rank[process]) <= 0.01 * of_rank[process] + 1, (process, counted, of_rank)


def metrics_hold_the_sums(sample):
    values = {}
    for line in export("openmetrics", sample).splitlines():
        if line.startswith("#"):
            assert re.fullmatch(r"# (HELP commprof_\w+ .+\.|TYPE commprof_\w+ (gauge|counter))", line), line
            continue
        name, labels, value = re.fullmatch(r"(commprof_\w+)\{(.*)\} (\S+)", line).groups()
        assert f'run="{sample}"' in labels and (name, labels) not in values, line
        values[name, labels] = float(value)
    calls = rows(sample, "operations")
    for name, column in (("mpi_seconds", "time_s"), ("calls", "calls"), ("sent_bytes", "bytes_sent"), ("received_bytes", "bytes_received")):
        told = sum(value for (key, _), value in values.items() if key == f"commprof_{name}_total")
        assert close(told, sum(float(row[column]) for row in calls)), (name, told)


def files_are_whole_or_not_there(home):
    export("perfetto", "sample-when", "-o", home / "trace.json.gz")
    assert json.loads(gzip.decompress((home / "trace.json.gz").read_bytes())) == json.loads(export("perfetto", "sample-when"))
    (home / "kept").write_text("before")
    for file in (home / "kept", home / "new"):
        full = subprocess.run(["sh", "-c", f"ulimit -f 1; trap '' XFSZ; exec {tool} export speedscope sample -o {file}"], cwd=here, capture_output=True,
                              text=True, timeout=60)
        assert full.returncode == 1 and "File too large" in full.stderr and str(file) in full.stderr, full.stderr
    assert (home / "kept").read_text() == "before" and sorted(path.name for path in home.iterdir()) == ["kept", "trace.json.gz"]


def errors_say_what_is_wrong():
    assert '"flame" is not one of perfetto, speedscope, collapsed, openmetrics' in export("flame", "sample", expect=2)
    assert "PROFILE is required" in export("perfetto", expect=2)
    assert "is part of the profile" in export("openmetrics", "sample", "-o", here / "sample/ranks.csv", expect=1)


for one in SAMPLES:
    stacks_hold_the_time(one)
    metrics_hold_the_sums(one)
waiting_is_apart()
the_trace_holds_the_windows()
with tempfile.TemporaryDirectory() as temporary:
    callers_are_frames(Path(temporary))
    files_are_whole_or_not_there(Path(temporary))
errors_say_what_is_wrong()
