"""Each call of the profiler to the system, for memory and to the MPI fails, one after the other: once, and from then on.

program.c runs beside the stand-in for an MPI. It must print and return what it does without the profiler, and its profile must be right, or one
line says what is lost. faults.py KIND:N runs one case: kinds are in tests/mpi/support/failing.c, N+ are all calls from the Nth on.
"""
import csv
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from check import ENVIRONMENT, EXPECTED, LIBRARY, OUTPUT, PROGRAMS

FAILING, TOOL = os.environ["FAILING"], os.environ["MPISEE_THROUGH"]
LONG = os.environ.get("TEST_LONG") == "1"  # ./test --long
TOTALS = {}
for (comm, op, sent, received), number in EXPECTED.items():
    TOTALS[comm, op] = [a + b for a, b in zip(TOTALS.get((comm, op), (0, 0, 0)), (number, sent, received))]
REASONS = r"((/\S*: [A-Z][\w ,-]+|the MPI has failed on rank 0: [^;]+); )+"
# What the profiler says, and whether all counts are still there: in the profile, elsewhere or in the spool.
LINES = {
    rf"cannot write the (profile|snapshot): {REASONS}it is in (?P<place>/\S+)$": True,
    rf"cannot write the profile: {REASONS}mpisee-through makes it from what stays in (?P<place>/\S+)/spool$": True,
    rf"cannot write the profile: {REASONS}mpisee-through makes it from what stays in (?P<place>/\S+)/spool, but for what its files had no room for$": False,
    rf"cannot write the profile: {REASONS}it is lost$": None,
    # Nor may there have been memory for all counts.
    r"cannot write the profile: rank 0 has no memory for it; mpisee-through makes it from what stays in (?P<place>/\S+)/spool": False,
    r"cannot write the profile: rank 0 has no memory for it; it is lost$": None,
    r"a process has no memory, .*: there will be no profile$": None,
    r"a library that defines functions of MPI shows the program a world of its own: it runs without the profiler": None,
    r"the profile is incomplete for lack of memory or of a clock \(dropped in its run.json\): ": False,
}


def calls_of(rows):
    """By operation. A Waitall counts on each communicator, and on SELF for requests that are not known."""
    calls = {}
    for (_, op), (number, _, _) in rows.items():
        if op != "Waitall":
            calls[op] = calls.get(op, 0) + number
    return calls


def sampled(numbers):
    """In a plain run, a third of them, chosen by a fixed seed."""
    return numbers if LONG else sorted(random.Random(1).sample(numbers, len(numbers) // 3))


class Run:
    """One run of the program. problem: what is wrong with it, or None."""

    def __init__(self, fails, *arguments, **environment):
        with tempfile.TemporaryDirectory(prefix="commprof-test-") as start:
            self.start = Path(start).resolve()
            report = self.start / "report"
            variables = {"LD_PRELOAD": f"{FAILING}:{LIBRARY}", "COMMPROF_OUTPUT": str(self.start / "profile"), "COMMPROF_VERBOSE": "0",
                         "TMPDIR": start, "FAILS": fails, "FAILS_REPORT": str(report)}
            self.done = subprocess.run([PROGRAMS / "program", *arguments], cwd=start, env=ENVIRONMENT | variables | environment,
                                       capture_output=True, text=True, timeout=60)
            self.lines = self.done.stderr.splitlines()
            self.calls, self.failed = 0, "nothing"
            if report.exists():
                calls, self.failed = report.read_text().split(" ", 1)
                self.calls = int(calls)
                report.unlink()
            self.fails = fails
            self.problem = self.find_problem(bool(arguments))

    def find_problem(self, has_snapshot):
        if self.fails.startswith("end"):
            return self.find_wrong_counts(self.start / "profile", False)
        if (self.done.returncode, self.done.stdout) != (0, OUTPUT.decode()):
            return f"exit code {self.done.returncode}, {self.done.stdout!r}"
        if len(self.lines) > 1 + has_snapshot:
            return "too many lines"
        place, is_whole = self.start / "profile", True
        for line in self.lines:
            pattern = next((one for one in LINES if re.match("commprof: " + one, line)), None)
            if pattern is None and not (has_snapshot and line.startswith("commprof: cannot write the snapshot: ")):
                return "a line that says nothing of a loss"
            if pattern and "snapshot: " not in line:
                is_whole = LINES[pattern]
                place = Path(re.match("commprof: " + pattern, line).groupdict().get("place") or place)
        if is_whole is None and self.fails.startswith("system:") and self.fails.endswith("+"):
            return None  # nor can files be removed then
        if is_whole is None:
            return next((f"{file} is there" for file in place.rglob("*") if file.is_file() and file.stat().st_size > 0), None)
        return self.find_wrong_counts(place, is_whole)

    def find_wrong_counts(self, place, is_whole):
        shown = subprocess.run([TOOL, "--operations", "--csv", place], capture_output=True, text=True, timeout=60)
        if self.fails.startswith("end") and shown.returncode == 1 and len(shown.stderr.splitlines()) == 1:
            return None  # nothing is there yet
        if shown.returncode != 0 or shown.stderr:
            return f"mpisee-through: {shown.returncode}, {shown.stderr}"
        found = {(row["comm"], row["op"]): [int(row[column]) for column in ("calls", "bytes_sent", "bytes_received")]
                 for row in csv.DictReader(shown.stdout.splitlines())}
        found.pop(("SELF", "Finalize-unfinished"), None)
        expected = TOTALS
        is_mpi = self.fails.startswith("mpi")  # leaves communicators without their names, and types without their sizes
        if is_mpi or not is_whole:
            found, expected = calls_of(found), calls_of(expected)
        wrong = {key: (found.get(key), expected.get(key)) for key in found.keys() | expected.keys() if found.get(key) != expected.get(key)}
        if not is_whole or is_mpi and self.fails.endswith("+"):
            wrong = {key: (number, total) for key, (number, total) in wrong.items() if number and (not total or number > total)}
        return f"wrong counts: {wrong}" if wrong else None


class Faults(unittest.TestCase):
    def enumerate(self, kind, *arguments):
        calls = Run(f"{kind}:{10 ** 9}", *arguments).calls
        self.assertGreater(calls, 10)
        for fails in (f"{kind}:{number}{more}" for more in ("", "+") for number in sampled(range(calls))):
            with self.subTest(fails):
                run = Run(fails, *arguments)
                self.assertIsNone(run.problem, f"{fails} ({run.failed}): {run.lines}")
                self.assertNotEqual(run.failed, "nothing")

    def test_system(self):
        self.enumerate("system")

    def test_memory(self):
        self.enumerate("memory")

    def test_mpi(self):
        self.enumerate("mpi")

    def test_snapshot(self):
        self.enumerate("system", "flush")
        self.enumerate("memory", "flush")

    def test_short_writes(self):
        self.enumerate("short")

    def test_clock(self):
        run = Run("clock:0+", COMMPROF_CLOCK="monotonic")
        self.assertRegex(" ".join(run.lines), r"the profile is incomplete .*: times: \d+$")
        self.assertIsNone(run.problem)

    def test_end(self):
        """The process ends at a call to the system: what it leaves is read."""
        for number in sampled(range(Run(f"end:{10 ** 9}").calls)):
            with self.subTest(number):
                self.assertIsNone(Run(f"end:{number}").problem)


if len(sys.argv) > 1 and ":" in sys.argv[1]:
    case = Run(*sys.argv[1:])
    print(case.failed, case.calls, case.lines, case.problem, sep="\n")
elif __name__ == "__main__":
    unittest.main()
