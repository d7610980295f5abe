"""Whatever fails around the profiler, the program prints and returns what it does without it, and one line says what is lost."""

import json
import os
import re
import shutil
import unittest

from driver import DriverTest, LIBRARY, PROGRAMS, finish, run_tool, start_mpirun

SYSTEM = os.environ["SYSTEM"]
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

    def starve(self, refused, ranks, rank=None, env=None, *arguments):
        """Refuses something to the profiler of all processes, or of one. Returns its lines, but for the one on where the profile is."""
        env = {"SYSTEM_REFUSES": refused} | ({} if rank is None else {"SYSTEM_REFUSES_RANK": str(rank)}) | (env or {})
        plain = self.plain(ranks, *arguments)
        code, out, lines = self.run_workload(ranks, *arguments, preload=f"{SYSTEM}:{LIBRARY}", env=env)
        self.assertEqual((code, out), plain, lines)
        return [line for line in lines if "look at it with" not in line]

    known = {}

    def plain(self, *how):
        if how not in self.known:
            code, out, lines = self.run_workload(*how, preload=None)
            self.assertEqual(lines, [])
            self.known[how] = (code, out)
        return self.known[how]

    def dropped(self):
        """What the profile says it lacks, and mpisee-through shows; None without a profile. Removes the profile."""
        path = self.start / "profile"
        if not path.exists():
            return None
        dropped = {kind: count for kind, count in json.loads((path / "run.json").read_text())["dropped"].items() if count > 0}
        shown = run_tool(path)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        for kind in dropped:
            self.assertRegex(shown.stdout, rf"(?m)^Dropped +{kind}: ".encode())
        shutil.rmtree(path)
        return dropped


    def check_left(self, line):
        """There is no profile, but what was counted, where the line says so. Removes it."""
        path = self.start / "profile"
        self.assertEqual("what was counted stays in" in line, path.exists(), line)
        if path.exists():
            self.assertEqual(self.found(path), ["spool"])
            shown = run_tool(path)
            self.assertEqual(shown.returncode, 0, shown.stderr)
            self.assertRegex(shown.stdout, rb"(?m)^Unfinished ")
            shutil.rmtree(path)


class Faults(Workload):
    def check_memory(self, first, ranks, rank=None):
        with self.subTest(first=first, ranks=ranks, rank=rank):
            lines = self.starve(f"memory:{first}", ranks, rank)
            dropped = self.dropped()
            if dropped is None:
                self.assertEqual(len(lines), 1, lines)
                self.assertIn("no memory", lines[0])
                return 0
            lost = {kind: count for kind, count in dropped.items() if kind in MEMORY_KINDS}
            self.assertEqual(len(lines), 1 if lost else 0, lines)
            for kind, count in lost.items():
                self.assertIn(f"{kind}: {count}", lines[0])
            return sum(lost.values())

    def test_memory_of_all(self):
        lost = [self.check_memory(first, 2) for first in (0, 4, 6, 8, 11, 15, 30, 1000)]
        self.assertEqual(lost[0], 0)  # there is no profile
        self.assertGreater(max(lost), 1000)
        self.assertEqual(lost[-1], 0)

    def test_memory_of_one(self):
        for ranks, rank in ((2, 0), (3, 1)):
            for first in (0, 6, 9, 20):
                self.check_memory(first, ranks, rank)

    def test_memory_of_many(self):
        for ranks, first in ((1, 10), (4, 9), (8, 6)):
            self.check_memory(first, ranks)

    def check_lost(self, refused, ranks, reason, rank=None):
        with self.subTest(refused=refused, ranks=ranks):
            lines = self.starve(refused, ranks, rank)
            self.assertEqual(len(lines), 1, lines)
            self.assertIn(reason, lines[0])
            self.check_left(lines[0])

    def test_disk(self):
        for ranks in (1, 2, 4):
            self.check_lost("space:0", ranks, "No space left on device")
        self.check_lost("space:9", 2, "No space left on device")
        self.assertEqual(self.found(), [])

    def test_descriptors(self):
        self.check_lost("descriptors:0", 2, "Too many open files")
        self.check_lost("descriptors:3", 2, "Too many open files")
        self.assertEqual(self.found(), [])

    def test_read_only(self):
        self.check_lost("changes:0", 2, "Read-only file system")
        self.assertEqual(self.found(), [])

    def test_clock(self):
        for ranks in (1, 3):
            lines = self.starve("clock:0", ranks, env={"COMMPROF_CLOCK": "monotonic"})
            self.check_profile(self.start / "profile", ranks=ranks)
            dropped = self.dropped()
            self.assertGreater(dropped["times"], 100)
            self.assertEqual(len(lines), 1, lines)
            self.assertIn(f"times: {dropped['times']}", lines[0])

    def test_exit_code(self):
        self.assertEqual(len(self.starve("space:0", 2, None, None, "--exit", "7")), 1)


class RealFaults(Workload):
    """The same where the system itself does it, without anything between it and the profiler."""

    def test_directory_vanishes(self):
        gone = self.start / "gone"
        for ranks in (1, 4):
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

    def test_snapshots_of_a_full_disk(self):
        code, out, lines = self.run_workload(2, "--flush", preload=f"{SYSTEM}:{LIBRARY}", env={"SYSTEM_REFUSES": "space:0"})
        self.assertEqual((code, out), self.plain(2))
        self.assertEqual(len(lines), 3, lines)
        for line in lines:
            self.assertIn("No space left on device", line)


if __name__ == "__main__":
    unittest.main()
