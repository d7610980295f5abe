"""What fails around the profiler on one of several processes: the program prints and returns what it does without it, nobody waits for
ever, and the profile is whole, or one line says what is lost.

tests/standard_abi/faults.py lets each call of one process fail in turn. Here a few fail on one process, and the others must learn of it.
"""

import os
import re
import shutil
import unittest

from driver import LIBRARY, PROGRAMS, DriverTest, finish, long, sample, shared_between_mpis, start_mpirun

FAILING = os.environ["FAILING"]
MEMORY_KINDS = ("records", "communicators", "requests", "messages")


class Workload(DriverTest):
    def run_workload(self, ranks, *arguments, preload=LIBRARY, env=None):
        # UCX would put itself between the profiler and what stands for the system.
        inner = {"UCX_MEM_EVENTS": "n", "UCX_MEM_MMAP_HOOK_MODE": "none"} | (env or {})
        inner |= {"LD_PRELOAD": preload} if preload else {}
        done = finish(start_mpirun([PROGRAMS / "workload", *arguments], ranks=ranks, preload=False, inner_env=inner,
                                   cwd=self.start, env={"COMMPROF_OUTPUT": str(self.start / "profile")}))
        # An MPI that finds no descriptors complains of that itself.
        out = [line for line in done.stdout.splitlines() if re.fullmatch(b"[0-9a-f]{16}", line)]
        self.assertEqual(len(out), ranks, done.stderr.decode(errors="replace"))
        return done.returncode, out, self.lines(done)

    known = {}

    def plain(self, *how):
        if how not in self.known:
            code, out, lines = self.run_workload(*how, preload=None)
            self.assertEqual(lines, [])
            self.known[how] = (code, out)
        return self.known[how]

    def failing(self, fails, ranks, rank=None, arguments=(), **env):
        """Returns the profiler's lines, but for those on what was written."""
        env |= {"FAILS": fails} | ({} if rank is None else {"FAILS_RANK": str(rank)})
        code, out, lines = self.run_workload(ranks, *arguments, preload=f"{FAILING}:{LIBRARY}", env=env)
        self.assertEqual((code, out), self.plain(ranks, *arguments), lines)
        return [line for line in lines if "look at it with" not in line]

    def dropped(self):
        """What the profile says it lacks, and mpisee-through shows. Removes the profile."""
        profile = self.start / "profile"
        shown = self.tool(profile)
        dropped = {kind: count for kind, count in self.run_json(profile)["dropped"].items() if count > 0}
        self.assertEqual(len(re.findall("(?m)^Dropped", shown)), bool(dropped), shown)
        for count in dropped.values():
            self.assertRegex(shown, rf"(?m)^(Dropped|  ).*\b{count:,} (call|communicator|request|receive|send|end|message|region)")
        shutil.rmtree(profile)
        return dropped

    def check_left(self, line):
        """There is no profile, but what was counted, where the line says so. Removes it."""
        path = self.start / "profile"
        self.assertRegex(line, "no memory|cannot write the profile: .*; (mpisee-through makes it from what stays|it is lost)")
        self.assertEqual("what stays in" in line, path.exists(), line)
        if path.exists():
            self.assertEqual(self.found(path), ["spool"])
            self.assertRegex(self.tool(path), r"(?m)^Unfinished ")
            shutil.rmtree(path)

    def is_whole(self, fails, ranks, rank=None, **env):
        """Whole, or absent with one line."""
        with self.subTest(fails, ranks=ranks, rank=rank):
            lines = self.failing(fails, ranks, rank, **env)
            self.assertLessEqual(len(lines), 1, lines)
            is_there = (self.start / "profile" / "run.json").exists()
            if is_there:
                self.check_profile(self.start / "profile", ranks=ranks)
                lost = {kind: count for kind, count in self.dropped().items() if kind in MEMORY_KINDS}
                self.assertEqual(len(lines), 1 if lost else 0, lines)
                for kind, count in lost.items():
                    self.assertIn(f"{kind}: {count}", lines[0])
            else:
                self.check_left(lines[0])
            self.assertEqual(self.found(), [])
            return is_there and not lines


@shared_between_mpis
class Faults(Workload):
    def check(self, whole, *cases):
        """Cases in which the profile is whole, and some in which it is not."""
        for fails, ranks, rank in sample(cases, 2):
            self.assertFalse(self.is_whole(fails, ranks, rank))
        self.assertTrue(self.is_whole(*whole))

    def test_memory(self):
        self.check(("memory:1000+", 2), ("memory:0+", 2, None), ("memory:8+", 4, None), ("memory:0+", 3, 1), ("memory:11+", 2, 0), ("memory:6+", 8, None))

    def test_files(self):
        """Rank 16 writes for itself and rank 17."""
        self.check(("pwrite:1000+", 2), ("pwrite:0+", 18, 16), ("rename:0+", 2, 0), ("open:0+", 2, None), ("pwrite:5+", 2, 0), ("mkdir:0+", 2, None))

    @long
    def test_short_writes(self):
        self.assertTrue(self.is_whole("short:0+", 20))

    @long
    def test_writer_dies(self):
        env = {"LD_PRELOAD": f"{FAILING}:{LIBRARY}", "FAILS": "end:60", "FAILS_RANK": "16"}
        profile = self.profile_of(PROGRAMS / "workload", ranks=20, preload=False, exit_code=None, inner_env=env)
        self.assertFalse((profile / "run.json").exists())
        self.assertRegex(self.tool(profile), r"(?m)^Unfinished ")

    def test_clock(self):
        for ranks in sample((3, 1), 2):
            (line,) = self.failing("clock:0+", ranks, COMMPROF_CLOCK="monotonic")
            self.check_profile(self.start / "profile", ranks=ranks)
            times = self.dropped()["times"]
            self.assertGreater(times, 100)
            self.assertIn(f"times: {times}", line)

    def test_exit_code(self):
        (line,) = self.failing("pwrite:0+", 2, arguments=("--exit", "7"))
        self.check_left(line)


@shared_between_mpis
class Gathering(Workload):
    """Calls of the profiler into MPI fail."""

    def test_any_call_fails(self):
        for call in ("Irecv", "Isend"):
            cases = sample([(rank, number) for rank in range(3) for number in range(rank, 15, 5)], 4)
            whole = [self.is_whole(f"{call}:{number}", 3, rank) for rank, number in cases]
            self.assertIn(False, whole)

    def test_whoever_fails_there_is_no_profile(self):
        """Rank 0 hears of it; without a spool the profile is lost."""
        cases = (("Irecv:0", 0, "on"), ("Isend:0+", 2, "on"), ("Irecv:0", 1, "off"), ("Issend:0", 1, "on"), ("Iprobe:0", 2, "on"))
        for fails, rank, spool in sample(cases, 3):
            self.assertFalse(self.is_whole(fails, 3, rank, COMMPROF_SPOOL=spool))

    def test_tests_that_fail(self):
        """In MPI_Init, what was to be tested is complete all the same."""
        for rank, fails in sample(((1, "Test:0"), (0, "Test:0"), (2, "Test:1")), 1):
            self.assertTrue(self.is_whole(fails, 3, rank))
        self.assertFalse(self.is_whole("Test:0+", 3, 1))

    def test_rows_are_many(self):
        """More than a chunk: a message that no MPI takes before it is received."""
        self.assertEqual(self.failing("none:0", 3), [])
        self.assertGreater((self.start / "profile" / "operations.csv").stat().st_size / 3, 2 * 64 * 1024)
        self.dropped()


class RealFaults(Workload):
    """The system itself fails, without anything between it and the profiler."""

    def test_directory_vanishes(self):
        gone = self.start / "gone"
        for ranks in sample((4, 1), 2):
            gone.mkdir()
            plain = self.run_workload(ranks, "--remove", gone, preload=None)
            self.assertEqual(self.found(), [])
            gone.mkdir()
            code, out, lines = self.run_workload(ranks, "--remove", gone, env={"COMMPROF_OUTPUT": str(gone / "profile")})
            self.assertEqual((code, out), plain[:2])
            self.assertEqual(len(lines), 1, lines)
            self.check_profile(gone / "profile", ranks=ranks)
            shutil.rmtree(gone)

    def test_no_descriptors_left(self):
        plain = self.run_workload(2, "--no-descriptors", preload=None)
        code, out, lines = self.run_workload(2, "--no-descriptors")
        self.assertEqual((code, out), plain[:2])
        self.assertEqual(len(lines), 1, lines)
        self.assertIn("Too many open files", lines[0])
        self.check_left(lines[0])
        self.assertEqual(self.found(), [])


if __name__ == "__main__":
    unittest.main()
