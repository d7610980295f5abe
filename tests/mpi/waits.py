"""How long processes wait in collective calls: what the profile says, against what the program itself noted."""

import csv
import math
import unittest

from driver import PROGRAMS, DriverTest, over_runs, read_csv, shared_between_mpis
from hosts import named_hosts

RANKS = 4
CALLS = 300


@shared_between_mpis
class Waits(DriverTest):
    def run_program(self, calls, mode, **env):
        """rows: those of waits.csv, of both halves together. truth: time, waiting, and waiting for each rank. Both by communicator and
        operation."""
        self.profile = self.profile_of(PROGRAMS / "waits", calls, mode, ranks=RANKS, exit_code=None if mode == "killed" else 0, env=env)
        self.truth, self.rows = {}, {}
        lines = [line for line in self.done.stdout.decode().splitlines() if line.startswith(("W ", "halves "))]  # not the launcher's
        for name, *nanoseconds in csv.reader(lines):
            time, wait, *of_ranks = (float(one) * 1e-9 for one in nanoseconds)
            self.truth[tuple(name.split())] = time, wait, of_ranks
        self.assertEqual(len(self.truth), 5, self.done.stdout)
        if mode == "killed":
            self.wait_until_ended(self.profile)
            self.tool("collect", "--recover", self.profile)
        for row in read_csv(self.profile / "waits.csv"):
            if row["kind"] == "collective" and not row["op"].startswith(("Comm_", "Finalize")):
                self.rows.setdefault(("W" if row["comm"] == "W" else "halves", row["op"]), []).append(row)

    def check_truth(self):
        """Estimates are within four of their standard errors, and so are the shares of the one that is waited for most."""
        self.assertEqual(set(self.rows), set(self.truth))
        for key, (time, wait, of_ranks) in self.truth.items():
            rows = self.rows[key]
            told, error = sum(float(row["wait_s"]) for row in rows), math.hypot(*(float(row["wait_error_s"]) for row in rows))
            self.assertAlmostEqual(told, wait, delta=4 * error + 0.02 * time, msg=(key, rows))
            if len(rows) == 1 and int(rows[0]["instants"]) >= 50 and max(of_ranks) > 0.6 * wait > 0.1 * time:
                self.assertEqual(int(rows[0]["last_rank"]), of_ranks.index(max(of_ranks)), (key, of_ranks, rows))
                self.assertAlmostEqual(float(rows[0]["last_share"]), max(of_ranks) / wait, delta=0.2, msg=(key, of_ranks, rows))

    @over_runs
    def test_delays_against_the_truth(self):
        for mode in "delays", "killed":
            self.run_program(CALLS, mode)
            self.check_truth()

    @over_runs
    def test_delays_against_the_truth_on_several_hosts(self):
        """Each host has a name and, where the system lets us, a clock of its own."""
        for clock in "tsc", "monotonic":
            with named_hosts(self, "h1:2,h2:2", variables=("COMMPROF_OUTPUT", "COMMPROF_CLOCK"), own_clocks=True):
                self.run_program(CALLS, "delays", COMMPROF_CLOCK=clock)
            self.assertEqual({row["host"] for row in read_csv(self.profile / "ranks.csv")}, {"h1", "h2"})
            self.check_truth()

    def test_rows_add_up(self):
        self.run_program(CALLS, "delays")
        self.assertEqual(set(self.rows), set(self.truth))
        by_rank = read_csv(self.profile / "waits_by_rank.csv")
        for rows in self.rows.values():
            for row in rows:
                own = [each for each in by_rank if all(each[column] == row[column] for column in ("kind", "comm", "op", "site"))]
                time = sum(float(each["time_s"]) for each in own)  # a rank has a row if an instant was in its calls
                self.assertAlmostEqual(min(time, float(row["time_s"])), time, delta=1e-6)
                if len(own) == int(row["ranks"]):
                    self.assertAlmostEqual(time, float(row["time_s"]), delta=1e-6)
                self.assertLessEqual(float(row["wait_s"]), float(row["time_s"]))
                self.assertEqual(int(row["calls"]), CALLS * int(row["ranks"]))

    def test_communicators_without_waits(self):
        """W may have one child, the halves; all that is made later shares records."""
        self.run_program(50, "others", COMMPROF_MAX_COMMS="1")
        self.assertLessEqual({("W", "Barrier"), ("W", "Allreduce")}, set(self.rows))
        self.assertLessEqual(set(self.rows), set(self.truth))
        left_out = self.run_json(self.profile)["waits"]
        self.assertEqual((left_out["folded"], left_out["intercommunicators"]), (3 * RANKS, RANKS))
        self.run_program(10, "delays", COMMPROF_WAITS="0")
        self.assertEqual(read_csv(self.profile / "waits.csv") + read_csv(self.profile / "waits_by_rank.csv"), [])


if __name__ == "__main__":
    unittest.main()
