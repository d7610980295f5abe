"""Processes that come to the end one after the other, or never: nobody hangs who does not without the profiler, nothing is lost."""

import collections
import shutil
import subprocess
import unittest

from driver import PROGRAMS, DriverTest, end, finish, over_runs, read_csv, sample, start_mpirun


class EndsApart(DriverTest):
    def job(self, *arguments, preload=True):
        return start_mpirun([PROGRAMS / "ends_apart", *arguments], ranks=3, preload=preload, cwd=self.start, env={"COMMPROF_OUTPUT": "profile"})

    def check_nothing_whole(self):
        """What a killed job leaves does not look like a finished profile. Removes it."""
        for name in self.found():
            self.assertEqual(name, "profile")
            within = self.found(self.start / name)
            self.assertEqual([each for each in within if not each.startswith(".writing-")], ["spool"])
            shutil.rmtree(self.start / name)

    def sends(self, profile):
        return {int(rank): calls for (rank, op), calls in self.counts(profile, "rank", "op").items() if op == "Send"}

    def ends_well(self, *arguments, ranks=3, lines=1):
        profile = self.profile_of(PROGRAMS / "ends_apart", *arguments, ranks=ranks)
        self.assertEqual(self.done.stdout[:8], b"started\n")
        self.assertEqual(len(self.lines(self.done)), lines, self.lines(self.done))
        self.check_profile(profile, ranks=ranks)
        self.assertEqual(self.sends(profile), {rank: 3 for rank in range(ranks)})
        return profile

    def test_late(self):
        for rank in sample((0, 2), 2):
            self.ends_well("late", rank)

    @over_runs
    def test_delays_wall_times_of_those_that_wait_for_a_late_one(self):
        """It is not the profiler's wait that is told."""
        walls = [float(row["wall_s"]) for row in read_csv(self.ends_well("late", 2) / "ranks.csv")]
        self.assertLess(max(walls[:2]), walls[2] - 1)

    def test_never(self):
        for how, rank in sample((("exit", 1), ("leave", 0), ("kill", 1), ("leave", 2), ("kill", 0)), 2):
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
            end(job)  # with a code of the launcher's, which MPICH's does not always make another than 0
            self.check_nothing_whole()

    def test_flushes_that_not_all_make(self):
        for ranks in sample((4, 2), 2):
            self.ends_well("others-flush", ranks=ranks)
            self.assertEqual(self.found(), ["profile"])
            self.ends_well("first-flushes", ranks=ranks, lines=3)
            for number in (1, 2):
                snapshot = self.check_profile(self.start / f"profile-snapshot-{number}", ranks=ranks)
                self.assertEqual(self.run_json(snapshot)["snapshot"], number)
                # Ranks that were at their end have sent already.
                at_end = range(2 if number == 1 else 1, ranks)
                self.assertEqual(self.sends(snapshot), {rank: 3 for rank in at_end})
                self.remove_profile(snapshot)

    def test_pending(self):
        profile = self.ends_well("pending")
        received = collections.Counter({comm: calls for (comm, op), calls in self.counts(profile, "comm", "op").items() if op == "Irecv"})
        self.assertEqual(received, {"W_d1": 3, "W_d2": 3})
        self.assertEqual(self.run_json(profile)["dropped"]["requests_unfinished"], 6)

    def test_at_exit(self):
        self.ends_well("at-exit")


if __name__ == "__main__":
    unittest.main()
