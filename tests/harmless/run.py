#!/usr/bin/env python3
"""run.py SOURCE PROGRAM RANKS: a program behaves with the profiler as it does without, and its profile says what it did.

The program is run under mpirun twice. Both runs must print the same lines on stdout and end with the same exit code.
The head of the source, its first comment, has the rest, a word and a colon at the beginning of a line:

  ranks: 1 2 4             one test for each number of ranks (default: 1)
  mpi: mpich               only for the flavours whose name begins so
  env: NAME=VALUE …        for the run with the profiler
  behind: NAME             libraries/NAME.c is preloaded in both runs, with the profiler in front of it
  library: NAME …          libraries/NAME.c is built as NAME.so beside the program, which finds its directory in $HERE
  time: 10                 with the profiler at most this many times the processor time as without, and a second
  says: TEXT               a line of the profiler on stderr, beside where the profile is; without this word there must be none
  profile: none            no profile is written
  expect: rank=0 comm=W op=Recv calls=1 bytes=100
                           in operations.csv, rows of that rank, communicator and operation add up to these calls and
                           bytes (sent and received); any column selects, these are sums: calls, bytes, bytes_sent,
                           bytes_received; site~=a.so+* selects by a pattern, wall_s>=0.1 by a bound
  expect: communicators.csv comm=W_d1 size=2
                           a file has a row with these values; rows=N: N of them
  expect: run.json dropped.requests=0
                           a value, by the path to it
  expect: ../profile-snapshot-1/run.json snapshot=1
                           so in a snapshot
  expect-openmpi: …        for one family of MPIs

`ranks=4` among the words of an expectation: only with so many ranks.
In the environment: LIBRARY, the profiler; ABI; MPIEXEC, the launcher and its flags; YIELDS (see tests/mpi/support/yields.c).
"""

import contextlib
import csv
import fnmatch
import json
import os
import re
import resource
import shlex
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

LIMIT = 250  # seconds for one run, many times what any takes, on a machine that is busy with other tests
SUMS = {"calls": ["calls"], "bytes": ["bytes_sent", "bytes_received"], "bytes_sent": ["bytes_sent"],
        "bytes_received": ["bytes_received"]}


def read_head(source):
    """The words of a source's first comment: a list of values for each."""
    head = {}
    for line in source.read_text().splitlines():
        text = re.match(r"\s*(?://|!|#|/\*|\*)?\s*(.*?)\s*(?:\*/)?$", line).group(1)
        if line.strip() and not re.match(r"\s*(//|!|#|/\*|\*)", line) or line.startswith("#include"):
            break
        if word := re.match(r"([a-z-]+): (.*)", text):
            head.setdefault(word.group(1), []).append(word.group(2))
        if within := re.search(r"\S\s+(ranks|env|expect\S*): ", text):
            fail(f"{within.group(1)}: is not at the beginning of a line")
    return head


def fail(text):
    sys.exit(f"{source.name}: {text}")


def processor_time():
    """Of all that has been waited for."""
    use = resource.getrusage(resource.RUSAGE_CHILDREN)
    return use.ru_utime + use.ru_stime


def end_session(leader):
    """Launchers give processes groups of their own."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(stat.read_text().rpartition(")")[2].split()[3]) == leader:
                os.kill(int(stat.parent.name), signal.SIGKILL)


def run(preloaded, more):
    env = {name: value for name, value in os.environ.items() if not name.startswith(("COMMPROF_", "SLURM_", "LD_PRELOAD"))}
    env |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "HERE": str(program.parent)}
    inner = {"LD_PRELOAD": ":".join(filter(None, preloaded))} | more
    command = [*os.environ["MPIEXEC"].split(), "-n", ranks, "env", *(f"{name}={value}" for name, value in inner.items()),
               *([sys.executable] if program.suffix == ".py" else []), str(program)]
    before = processor_time()
    process = subprocess.Popen(command, cwd=directory, env=env, start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        out, errors = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        end_session(process.pid)
        fail(f"no end after {LIMIT} s {'with' if more else 'without'} the profiler\n{process.communicate()[1].decode(errors='replace')}")
    return subprocess.CompletedProcess(command, process.returncode, out, errors), processor_time() - before


def lines_of(done):
    return sorted(done.stdout.decode(errors="replace").splitlines())


def print_alike(one, other):
    """Whether two runs have printed the same lines. Launchers may put a line of one rank within that of another."""
    return lines_of(one) == lines_of(other) or int(ranks) > 1 and sorted(one.stdout) == sorted(other.stdout)


def parse(expectation):
    words = shlex.split(expectation)
    file = words.pop(0) if words and "=" not in words[0] else "operations.csv"
    return file, dict(word.split("=", 1) for word in words)


def is_as(row, name, value):
    if name.endswith(">"):
        return float(row[name[:-1]]) >= float(value)
    return fnmatch.fnmatchcase(row[name[:-1]], value) if name.endswith("~") else row[name] == value


def check(expectation):
    file, wanted = parse(expectation)
    if wanted.pop("ranks", ranks) != ranks:
        return
    if file.endswith("run.json"):
        for path, value in wanted.items():
            found = json.loads((profile / file).read_text())
            for step in path.split("."):
                found = found.get(step) if isinstance(found, dict) else None
            if str(found) != value:
                fail(f"run.json has {path}={found}, not {value}")
        return
    with open(profile / file, newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    sums = {name: wanted.pop(name) for name in SUMS if name in wanted} if file.endswith("operations.csv") else {}
    count = wanted.pop("rows", None)
    rows = [row for row in rows if all(is_as(row, name, value) for name, value in wanted.items())]
    if not sums and (not rows if count is None else len(rows) != int(count)):
        fail(f"{file}: {len(rows)} rows for `{expectation}`\n{(profile / file).read_text()}")
    for name, value in sums.items():
        found = sum(int(row[column]) for row in rows for column in SUMS[name])
        if found != int(value):
            fail(f"{file}: {name}={found} for `{expectation}`\n{(profile / file).read_text()}")


source, program, ranks = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
family = os.environ["ABI"].split("-")[0]
head = read_head(source)
with tempfile.TemporaryDirectory(prefix="commprof-harmless-") as directory:
    profile = Path(directory) / "profile"
    behind = [str(program.parent / f"{name}.so") for name in " ".join(head.get("behind", [])).split()]
    yields = os.environ["YIELDS"] if int(ranks) > 1 else ""
    plain, plain_time = run([*behind, yields], {})
    settings = {"COMMPROF_OUTPUT": str(profile)} | dict(word.split("=", 1) for word in shlex.split(" ".join(head.get("env", []))))
    profiled, profiled_time = run([os.environ["LIBRARY"], *behind, yields], settings)

    errors = profiled.stderr.decode(errors="replace")
    if profiled.returncode != plain.returncode:
        fail(f"exit code {profiled.returncode}, without the profiler {plain.returncode}\n{errors}")
    if not print_alike(profiled, plain):
        fail("prints\n" + "\n".join(lines_of(profiled)) + "\nwithout the profiler\n" + "\n".join(lines_of(plain)) + f"\n{errors}")
    said = [line for line in errors.splitlines() if line.startswith("commprof:") and " written; " not in line]
    expected = head.get("says", [])
    if len(said) != len(expected) or any(text not in " ".join(said) for text in expected):
        fail("the profiler says\n" + "\n".join(said) + "\nexpected\n" + "\n".join(expected))
    if "time" in head and profiled_time > 1 + float(head["time"][0]) * plain_time:
        fail(f"{profiled_time:.2f} s of a processor with the profiler, {plain_time:.2f} s without")
    if "none" in head.get("profile", []):
        if profile.exists():
            fail("a profile was written")
    elif not (profile / "run.json").exists():
        fail(f"no profile\n{errors}")
    for expectation in head.get("expect", []) + head.get(f"expect-{family}", []):
        check(expectation)
