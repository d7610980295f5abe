"""Waiting for a processor, outside MPI and in calls: two processes share one."""

import os
import unittest

from driver import PROGRAMS, DriverTest, read_csv

STEPS = 20


class Queued(DriverTest):
    def ranks_of(self, mode):
        self.profile = self.profile_of(PROGRAMS / "queued", STEPS, mode, min(os.sched_getaffinity(0)), ranks=2)
        rows = read_csv(self.profile / "ranks.csv")
        for row in rows:
            self.assertLessEqual(float(row["queued_outside_s"]), float(row["queued_s"]) + 1e-9, row)
            self.assertLessEqual(float(row["stolen_s"]), float(row["wall_s"]) + 0.1, row)
        return [(float(row["queued_s"]), float(row["queued_outside_s"]), float(row["wall_s"])) for row in rows]

    def test_both_compute(self):
        for queued, outside, wall in self.ranks_of("outside"):
            self.assertGreater(queued, 0.2 * wall)
            self.assertGreater(outside, 0.5 * queued)
        self.assertIn("had no processor", self.tool(self.profile))

    def test_regions(self):
        self.ranks_of("outside")
        of_ranks = {row["rank"]: float(row["queued_outside_s"]) for row in read_csv(self.profile / "ranks.csv")}
        rows = read_csv(self.profile / "regions.csv")
        for rank, queued in of_ranks.items():
            of_regions = {row["region"]: float(row["queued_outside_s"]) for row in rows if row["rank"] == rank}
            self.assertAlmostEqual(sum(of_regions.values()), queued, delta=0.05 * queued, msg=rows)
            self.assertGreater(of_regions["half"], 0.25 * queued, rows)
            self.assertGreater(of_regions["main"], 0.25 * queued, rows)
        (half,) = (line for line in self.data("--regions", self.profile)["regions"] if line["region"] == "half")
        self.assertLess(half["processor_efficiency"], 0.8, half)
        self.assertAlmostEqual(half["work_s"] + half["without_processor_s"] + half["mpi_s"], half["wall_s"], 6)
        self.assertAlmostEqual(half["without_processor_s"], sum(float(row["queued_outside_s"]) for row in rows if row["region"] == "half"), 6)

    def test_one_waits_in_a_call(self):
        """What it lacks there costs nothing."""
        _, (queued, outside, _) = self.ranks_of("inside")
        self.assertLess(outside, 0.2 * queued + 0.01)


if __name__ == "__main__":
    unittest.main()
