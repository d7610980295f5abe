"""Processes that come to the end one after the other, or never: nobody hangs who does not without the profiler, nothing is lost."""

import collections
import json
import shutil
import subprocess
import time
import unittest

from driver import DriverTest, PROGRAMS, end, finish, read_csv, sample, start_mpirun

HANGS = 30  # seconds


class EndsApart(DriverTest):
    def job(self, *arguments, ranks=3, preload=True):
        return start_mpirun([PROGRAMS / "ends_apart", *arguments], ranks=ranks, preload=preload, cwd=self.start,
                            env={"COMMPROF_OUTPUT": str(self.start / "profile")})

    def check_nothing_whole(self):
        """What a killed job leaves does not look like a finished profile. Removes it."""
        for name in self.found():
            self.assertRegex(name, r"^profile(\.writing-.*)?$")
            if name == "profile":
                within = self.found(self.start / name)
                self.assertEqual([each for each in within if not each.startswith(".writing-")], ["spool"])
            shutil.rmtree(self.start / name)

    def sends(self, profile):
        rows = read_csv(profile / "operations.csv")
        return {int(row["rank"]): int(row["calls"]) for row in rows if row["op"] == "Send"}

    def ends_well(self, *arguments, ranks=3, lines=1):
        done = finish(self.job(*arguments, ranks=ranks))
        self.assertEqual((done.returncode, done.stdout[:8]), (0, b"started\n"), done.stderr.decode(errors="replace"))
        self.assertEqual(len(self.lines(done)), lines, self.lines(done))
        profile = self.check_profile(self.start / "profile", ranks=ranks)
        self.assertEqual(self.sends(profile), {rank: 3 for rank in range(ranks)})
        return profile

    def test_late(self):
        for rank in sample((0, 2), 2):
            with self.subTest(rank=rank):
                profile = self.ends_well("late", rank)
                walls = [float(row["wall_s"]) for row in read_csv(profile / "ranks.csv")]
                for other in {0, 1, 2} - {rank}:
                    self.assertLess(walls[other], walls[rank] - 1)  # it is not the profiler's wait that is told
                self.remove_profile(profile)

    def test_never(self):
        for how, rank in sample((("exit", 1), ("leave", 0), ("kill", 1), ("leave", 2), ("kill", 0)), 2):
            with self.subTest(how=how, rank=rank):
                codes = []
                for preload in (False, True):
                    done = finish(self.job(how, rank, preload=preload))  # fails if it hangs
                    # MPICH's launcher ends the others by signal 9 and returns either code, or both or-ed.
                    codes.append(3 if done.returncode in (9, 3 | 9) and how != "kill" else done.returncode)
                    self.check_nothing_whole()
                self.assertEqual(codes[0], codes[1])
                self.assertNotEqual(codes[0], 0)

    def test_stays(self):
        # Without the profiler the others wait in MPI_Finalize, too. The job can be ended as ever.
        for preload in (False, True):
            job = self.job("stay", 1, preload=preload)
            with self.assertRaises(subprocess.TimeoutExpired):
                job.wait(timeout=2)
            begin = time.monotonic()
            end(job)  # with a code of the launcher's, which MPICH's does not always make another than 0
            self.assertLess(time.monotonic() - begin, HANGS)
            self.check_nothing_whole()

    def test_others_flush(self):
        for ranks in sample((4, 2), 2):
            self.remove_profile(self.ends_well("others-flush", ranks=ranks))
            self.assertEqual(self.found(), [])

    def test_first_flushes(self):
        for ranks in sample((4, 2), 2):
            profile = self.ends_well("first-flushes", ranks=ranks, lines=3)
            for number in (1, 2):
                snapshot = self.check_profile(self.start / f"profile-snapshot-{number}", ranks=ranks)
                self.assertEqual(json.loads((snapshot / "run.json").read_text())["snapshot"], number)
                # Ranks that were at their end have sent already.
                at_end = range(2 if number == 1 else 1, ranks)
                self.assertEqual(self.sends(snapshot), {rank: 3 for rank in at_end})
                self.remove_profile(snapshot)
            self.remove_profile(profile)

    def test_pending(self):
        profile = self.ends_well("pending")
        received = collections.Counter()
        for row in read_csv(profile / "operations.csv"):
            if row["op"] == "Irecv":
                received[row["comm"]] += int(row["calls"])
        self.assertEqual(received, {"W_d1": 3, "W_d2": 3})
        self.assertEqual(json.loads((profile / "run.json").read_text())["dropped"]["requests_unfinished"], 6)

    def test_at_exit(self):
        self.ends_well("at-exit")


if __name__ == "__main__":
    unittest.main()
