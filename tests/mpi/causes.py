"""Who causes the waiting: in programs in which one process works longer, and in one in which none does."""

import unittest

from driver import PROGRAMS, DriverTest, over_runs, read_csv

RANKS = 4
STEPS = 80


class Causes(DriverTest):
    def run_program(self, program, *mode):
        """waiting: of all ranks. caused: by rank; of_pattern: by nobody. All in seconds."""
        self.profile = self.profile_of(PROGRAMS / "causes", STEPS, program, *mode, ranks=RANKS, exit_code=None if "killed" in mode else 0)
        if "killed" in mode:
            self.wait_until_ended(self.profile)
            self.tool("collect", "--recover", self.profile)
        self.waits = [row for row in read_csv(self.profile / "waits.csv") if row["kind"] != "pending"]
        self.causes = read_csv(self.profile / "causes.csv")
        self.waiting = sum(float(row["wait_s"]) for row in self.waits if row["op"] != "Finalize")
        self.of_pattern = sum(float(row["wait_s"]) * float(row["pattern_share"] or 0) for row in self.waits if row["op"] != "Finalize")
        self.caused = [sum(float(row["caused_s"]) for row in self.causes if int(row["rank"]) == rank) for rank in range(RANKS)]

    def check_culprit(self, op):
        """Rank 1 causes most, and comes late to this operation; on a busy machine others are late, too."""
        self.assertGreater(self.caused[1], 0.6 * self.waiting, (self.waiting, self.causes))
        most = max(self.causes, key=lambda row: float(row["caused_s"]))
        self.assertEqual((most["rank"], most["op"]), ("1", op), self.causes)
        self.assertNotEqual(most["site"], "")
        self.assertLessEqual(float(most["direct_s"]), float(most["caused_s"]))
        self.assertLess(float(most["caused_error_s"]), float(most["caused_s"]))

    def test_sums(self):
        for mode in (), ("killed",):
            self.run_program("pipeline", *mode)
            of_ranks = sum(float(row["waiting_s"]) for row in read_csv(self.profile / "ranks.csv"))
            self.assertAlmostEqual(of_ranks, self.waiting, delta=1e-6)
            known = sum(self.caused) + self.of_pattern
            self.assertLess(known, self.waiting + 1e-6)
            self.assertGreater(known, 0.8 * self.waiting)
            told = [float(row["caused_s"]) for row in read_csv(self.profile / "ranks.csv")]
            for rank in range(RANKS):
                self.assertAlmostEqual(told[rank], self.caused[rank], delta=1e-6)

    def test_neighbours_are_known(self):
        """That of all members, of which a process does not need all, was a third."""
        self.run_program("ring")
        for row in self.waits:
            if row["op"] == "Neighbor_alltoall":
                self.assertLess(float(row["unknown_share"]), 0.02, row)

    def test_loops_of_polls_wait(self):
        """The time between two polls counts as that of the second one."""
        self.run_program("polls")
        kinds = {"Test-none": "late-sender", "Iprobe-none": "late-sender", "Testall-none": "late-receiver", "Testany-none": "collective"}
        for op, kind in kinds.items():
            (row,) = (one for one in self.waits if (one["op"], one["kind"]) == (op, kind))
            self.assertLess(float(row["unknown_share"]), 0.05, row)
            self.assertGreater(float(row["wait_s"]), 2 * float(row["wait_error_s"]), row)
            self.assertEqual((row["last_rank"], row["caused_by"]), ("1", "1"), row)
        of_polls = sum(float(row["time_s"]) for row in self.waits if row["op"] in kinds)
        self.assertLessEqual(of_polls, float(read_csv(self.profile / "ranks.csv")[0]["mpi_s"]))

    def test_computing_between_polls_is_not_waiting(self):
        self.run_program("steered")
        (waited,) = (float(row["wait_s"]) for row in self.waits if row["op"] == "Barrier")
        of_polls = sum(float(row["time_s"]) for row in self.waits if row["op"] == "Iprobe-none")
        self.assertLess(of_polls, 0.5 * waited / (RANKS - 1), self.waits)

    def test_ranks_that_end_early_wait_in_finalize(self):
        self.run_program("early")
        (row,) = (one for one in self.waits if one["op"] == "Finalize" and one["kind"] == "collective")
        ended = [float(one["finalize_s"]) for one in read_csv(self.profile / "ranks.csv")]
        self.assertEqual((row["comm"], row["last_rank"], row["caused_by"]), ("W", "1", "1"), row)
        self.assertGreater(float(row["caused_share"]), 0.95)
        self.assertAlmostEqual(float(row["wait_s"]), sum(ended) - RANKS * ended[1], delta=4 * float(row["wait_error_s"]))
        self.assertNotIn("Finalize", [one["op"] for one in self.causes])
        self.assertEqual(ended[1], 0)
        self.assertIn("in MPI_Finalize, for rank 1", self.tool("--waits", self.profile))
        self.assertNotIn("in MPI_Finalize", self.tool("--waits", "--rank", "1", self.profile))
        self.assertLess(sum(float(line["caused_share"]) for line in self.data("--waits", "--by", "cause", self.profile)["causes"]), 1 + 1e-6)

    @over_runs
    def test_delays_lateness_that_is_handed_on(self):
        self.run_program("pipeline")
        self.check_culprit("Send")
        self.assertLess(sum(float(row["direct_s"]) for row in self.causes), 0.8 * self.waiting)

    @over_runs
    def test_delays_messages_of_one_stream_at_once(self):
        self.run_program("bursts")
        self.check_culprit("Isend")

    @over_runs
    def test_delays_a_process_that_only_hands_lateness_on(self):
        self.run_program("messenger")
        self.check_culprit("Send")

    @over_runs
    def test_delays_neighbours(self):
        self.run_program("ring")
        self.check_culprit("Neighbor_alltoall")

    @over_runs
    def test_delays_nobody_does_more_than_others(self):
        self.run_program("turns")
        self.assertGreater(self.of_pattern, 0.5 * self.waiting, (self.waiting, self.causes))

    @over_runs
    def test_delays_one_thread_of_a_program_that_may_have_several(self):
        self.run_program("pipeline", "threaded")
        self.check_culprit("Send")


if __name__ == "__main__":
    unittest.main()
