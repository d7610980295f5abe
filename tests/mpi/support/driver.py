"""What the scripts have in common that run programs and look at them from outside.

Each test of a script gets an empty directory. What is under test comes in environment variables: LIBRARY, PROGRAMS (the directory
of the test programs), MPIEXEC (the launcher and its flags; empty: programs of one process run without one), MPISEE_THROUGH (the
tool), YIELDS (see yields.c; all programs under mpirun get it, with the profiler or without).
"""

import collections
import csv
import functools
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import messages
import summary

LIBRARY = os.environ["LIBRARY"]
PROGRAMS = Path(os.environ["PROGRAMS"])
MPIEXEC = os.environ["MPIEXEC"].split()
TOOL = os.environ["MPISEE_THROUGH"]
YIELDS = os.environ.get("YIELDS", "")
LONG = os.environ.get("TEST_LONG") == "1"  # ./test --long
DELAYS = os.environ.get("TEST_DELAYS") == "1"  # a test of real delays, of the long run, beside which ctest runs no other
TIMEOUT = 300  # seconds, for one run: under load they take twenty times as long as alone


def sample(values, step):
    """Cases of one kind: each step-th in a plain run of the tests, all of them in the long one."""
    return values if LONG else values[::step]


def long(test):
    """A test of the long run only. In a plain run there is no such test, so that none counts as passed."""
    return test if LONG else None


def over_runs(statement):
    """A statement about real delays, test_delays_…, of the long run only: three of five runs decide. On a machine without much other work,
    one run of fifty breaks a right one at most, so of right programs 10 * 0.02 ** 3, 8 in 100,000, fail."""
    @functools.wraps(statement)
    def decide(self, *arguments):
        problems = []
        for run in range(5):
            try:
                statement(self, *arguments)
            except unittest.SkipTest:
                raise
            except Exception as problem:
                problems.append(f"run {run}: {problem!r}")
            if len(problems) == 3 or run - len(problems) == 2:
                break  # whatever the runs after this say
        self.assertLess(len(problems), 3, "\n".join(problems))
    return decide if DELAYS else None


def shared_between_mpis(case):
    """A class whose tests depend little on the MPI: in a plain run, each MPI takes every second of them, in the long one all."""
    if not LONG:
        tests = [name for name in sorted(vars(case)) if name.startswith("test") and callable(getattr(case, name))]
        for name in tests["openmpi" in MPIEXEC[0]::2]:
            delattr(case, name)
    return case


def clean_environment():
    """The environment without anything that the profiler or a batch system would read."""
    own = {name: value for name, value in os.environ.items()
           if not name.startswith(("COMMPROF_", "SLURM_", "PBS_", "LSB_", "LD_PRELOAD"))}
    return own | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def start_mpirun(words, ranks=2, env=None, inner_env=None, cwd=None, preload=True, within=()):
    """Starts the words under mpirun, with the library preloaded into them and not into mpirun.

    env is for all; inner_env for the words alone. within: what runs mpirun.
    """
    inner = (inner_env or {}) | ({"LD_PRELOAD": LIBRARY} if preload else {})
    inner["LD_PRELOAD"] = ":".join(filter(None, (inner.get("LD_PRELOAD"), YIELDS)))
    setting = ["env", *(f"{name}={value}" for name, value in inner.items())]
    launcher = [*MPIEXEC, "-n", str(ranks)] if MPIEXEC else []
    return subprocess.Popen([*within, *launcher, *setting, *map(str, words)], cwd=cwd,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=clean_environment() | (env or {}))


def finish(process):
    """Waits for a process, not for ever."""
    try:
        out, err = process.communicate(timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def end(process):
    """Ends a job as a batch system does. Open MPI's launcher may lock itself up once it has ended the processes, with the profiler or
    without; a second signal within five seconds ends that. It ends what the launcher of the profiler does at the end, too, if that takes as long."""
    deadline = time.monotonic() + TIMEOUT
    while time.monotonic() < deadline:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(timeout=TIMEOUT if "mpich" in " ".join(MPIEXEC) else 4)
            break
        except subprocess.TimeoutExpired:
            pass
    return finish(process)


def run_tool(*arguments, columns=None):
    """What mpisee-through says, as bytes; in lines of so many columns if that is given."""
    environment = dict(os.environ) if columns is None else os.environ | {"COLUMNS": str(columns)}
    return subprocess.run([TOOL, *map(str, arguments)], env=environment, capture_output=True, timeout=TIMEOUT)


def by_table(document, is_of_job=False):
    """A document of --json: its run, or the members of it, and the lines of each table by its name."""
    run = document["run"] if is_of_job else {"run": document["run"]}
    return {**run, "notes": document["notes"], **{table["name"]: table["lines"] for table in document["tables"]}}


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


class DriverTest(unittest.TestCase):
    RANKS = 2 if MPIEXEC else 1  # of run_program

    def setUp(self):
        self.start = Path(tempfile.mkdtemp(prefix="commprof-test-")).resolve()
        self.addCleanup(shutil.rmtree, self.start)

    def run_program(self, *arguments, exit_code=0, cwd=None, words=None, ranks=None, **how):
        """Runs small_program in the test's directory; checks its exit code and what it prints itself."""
        done = finish(start_mpirun(words or [PROGRAMS / "small_program", *arguments], cwd=cwd or self.start, ranks=ranks or self.RANKS, **how))
        self.assertEqual(done.returncode, exit_code, done.stderr.decode(errors="replace"))
        self.assertEqual(done.stdout, b"a line on stdout\n")
        self.assertIn(b"a line on stderr\n", done.stderr)
        return done

    def profile_of(self, *words, name="profile", exit_code=0, env=None, **how):
        """Runs the words with the profiler and returns the directory of the profile, in place of what was there. exit_code: any if it
        is None. done: what they printed."""
        profile = self.start / name
        shutil.rmtree(profile, ignore_errors=True)
        self.done = finish(start_mpirun(words, cwd=self.start, env={"COMMPROF_OUTPUT": str(profile)} | (env or {}), **how))
        if exit_code is not None:
            self.assertEqual(self.done.returncode, exit_code, self.done.stderr.decode(errors="replace"))
        return profile

    def tool(self, *words, exit_code=0, columns=None):
        """What mpisee-through prints, or what it complains of."""
        done = run_tool(*words, columns=columns)
        self.assertEqual(done.returncode, exit_code, done.stderr.decode())
        return (done.stderr if exit_code else done.stdout).decode()

    def data(self, *words):
        """What --json prints: the run, the notes, and the lines of each table by its name. The run of `now` is what processes are in."""
        return by_table(json.loads(self.tool(*words, "--json")), words[0] == "now")

    def run_json(self, profile):
        return json.loads((profile / "run.json").read_bytes().decode("utf-8"))

    def counts(self, profile, *columns, count="calls", file="operations.csv"):
        """The sums of a count in the rows of a file, by other columns."""
        counts = collections.Counter()
        for row in read_csv(profile / file):
            counts[tuple(row[column] for column in columns)] += int(row[count])
        return counts

    def eventually(self, check):
        """What a check of something that goes on returns, once its assertions hold."""
        deadline = time.monotonic() + TIMEOUT
        while True:
            try:
                return check()
            except AssertionError:
                if time.monotonic() > deadline:
                    raise
            time.sleep(0.1)

    def wait_until_ended(self, profile):
        """A launcher may end before the processes that it has killed."""
        self.eventually(lambda: self.assertEqual(self.data("now", profile)["running"], 0))

    def lines(self, done):
        """The profiler's lines on stderr."""
        text = done.stderr.decode(errors="surrogateescape")
        return [line for line in text.splitlines() if line.startswith("commprof:")]

    def found(self, directory=None):
        """The names in a directory, the test's own one if none is given."""
        return sorted(os.listdir(directory or self.start))

    def the_profile(self, directory=None):
        """The one thing in the directory, which is a whole profile."""
        (name,) = self.found(directory)
        return self.check_profile(Path(directory or self.start) / name)

    def remove_profile(self, path):
        """So that the next run starts in an empty directory."""
        for name in self.found(path):
            (path / name).unlink()
        path.rmdir()

    def check_account(self, ranks):
        """Every second of every rank is in one class, but for rounding, and if the clock of the test was right."""
        for row in ranks:
            whole = float(row["wall_s"]) * max(int(row["threads_at_once"]), 1)
            if float(row["mpi_s"]) > whole:
                continue
            parts = [float(row[f"{name}_s"] or 0) for name in ("work", "queued_outside", "queued_inside", "waiting", "moving", "other", "unknown")]
            self.assertGreaterEqual(min(parts), 0, row)
            self.assertAlmostEqual(sum(parts), whole, delta=2e-8, msg=row)

    def check_profile(self, path, ranks=None):
        self.assertEqual(self.found(path), ["causes.csv", "communicators.csv", "modules.csv", "operations.csv", "peers.csv", "ranks.csv", "regions.csv", "run.json", "sites.csv",
                                            "summary.csv", "waits.csv", "waits_by_pair.csv", "waits_by_rank.csv", "when.csv"])
        run = self.run_json(path)
        self.assertEqual(run["ranks"], ranks or self.RANKS)
        for name, file in run["files"].items():
            text = (path / name).read_bytes().decode("utf-8")
            rows = list(csv.reader(text.splitlines(), strict=True))
            self.assertEqual(text.count("\n"), len(rows), f"{name}: rows of several lines")
            self.assertEqual({len(row) for row in rows}, {len(rows[0])}, f"{name}: rows of different lengths")
            self.assertEqual(len(rows) - 1, file["rows"], name)
        rows_of = self.counts(path, "rank", "region", "comm", "op", "size_min", "site", count="size_max")
        self.assertEqual(len(rows_of), run["files"]["operations.csv"]["rows"], "calls of one kind have several rows")
        ranks_of = read_csv(path / "ranks.csv")
        self.assertEqual(run["wall_s"], max(float(row["wall_s"]) for row in ranks_of))
        self.check_account(ranks_of)
        summary.check(self, path)
        messages.check_totals(self, run, path)
        return path
