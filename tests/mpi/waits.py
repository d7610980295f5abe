"""How long processes wait in collective calls: what the profile says, against what the program itself noted."""

import csv
import unittest

from driver import PROGRAMS, DriverTest, over_runs, read_csv, sample, shared_between_mpis
from hosts import named_hosts

RANKS = 4
CALLS = 200
# Share of the time that may differ: between its note and the profiler's stamp, a process may lose its processor.
TOLERANCE = 0.1


def is_sampled(call, level):
    """See src/waits/samples.hpp."""
    hash = call + 0x9E3779B97F4A7C15 & 2**64 - 1
    for factor in 0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53:
        hash = (hash ^ hash >> 33) * factor & 2**64 - 1
    return (hash ^ hash >> 33) >> (64 - level) == 0


def total(rows, column):
    return sum(float(row[column] or "nan") for row in rows)


@shared_between_mpis
class Waits(DriverTest):
    def run_program(self, calls, mode, ranks=RANKS, **env):
        """rows: those of waits.csv, of both halves together. truth: time, waiting, how often each rank was last. Both by communicator and
        operation."""
        self.profile = self.profile_of(PROGRAMS / "waits", calls, mode, ranks=ranks, exit_code=None if mode == "killed" else 0, env=env)
        self.truth, self.rows = {}, {}
        lines = [line for line in self.done.stdout.decode().splitlines() if line.startswith(("W ", "halves "))]  # not the launcher's
        for name, time, wait, *last in csv.reader(lines):
            self.truth[tuple(name.split())] = float(time) / 1e9, float(wait) / 1e9, [int(calls) for calls in last]
        self.assertEqual(len(self.truth), 5, self.done.stdout)
        if mode == "killed":
            self.wait_until_ended(self.profile)
            self.tool("--recover", self.profile)
        for row in read_csv(self.profile / "waits.csv"):
            self.rows.setdefault(("W" if row["comm"] == "W" else "halves", row["op"]), []).append(row)

    def check_rows(self):
        """All calls are in the sample, and parts add up."""
        self.assertEqual(set(self.rows), set(self.truth))
        for row in (row for rows in self.rows.values() for row in rows):
            self.assertEqual((row["how"], int(row["samples"]), float(row["wait_error_s"])), ("entries", CALLS, 0))
            self.assertEqual(int(row["calls"]), CALLS * int(row["ranks"]))
            self.assertAlmostEqual(total([row], "wait_s") + total([row], "move_s") + total([row], "rest_s"), float(row["time_s"]), delta=1e-6)

    def test_rows(self):
        self.run_program(CALLS, "delays")
        self.check_rows()
        by_rank = read_csv(self.profile / "waits_by_rank.csv")
        self.assertEqual(len(by_rank), 5 * RANKS)
        for row in read_csv(self.profile / "waits.csv"):
            own = [each for each in by_rank if (each["comm"], each["op"]) == (row["comm"], row["op"])]
            self.assertEqual(total(own, "last"), CALLS)
            for column in ("time_s", "wait_s"):
                self.assertAlmostEqual(total(own, column), float(row[column]), delta=1e-6)

    def test_rows_of_killed_processes(self):
        self.run_program(CALLS, "killed")
        self.check_rows()

    def check_truth(self, key, several_hosts=False):
        rows, (time, wait, _) = self.rows[key], self.truth[key]
        error = total(rows, "wait_error_s") / total(rows, "time_s") * several_hosts
        self.assertAlmostEqual(total(rows, "wait_s") / total(rows, "time_s"), wait / time, delta=TOLERANCE + error, msg=rows)

    @over_runs
    def test_delays_against_the_truth(self):
        for mode in "delays", "killed":
            self.run_program(CALLS, mode)
            for key, rows in self.rows.items():
                self.check_truth(key)
                if len(rows) == 1:
                    last = self.truth[key][2]
                    share = last[int(rows[0]["last_rank"])] / CALLS
                    self.assertAlmostEqual(share, max(last) / CALLS, delta=0.1)
                    self.assertAlmostEqual(share, float(rows[0]["last_share"]), delta=0.1)

    @over_runs
    def test_delays_against_the_truth_on_several_hosts(self):
        """Each host has a name and, where the system lets us, a clock of its own. On a busy machine, the clocks may be known too badly."""
        compared = 0
        with named_hosts(self, "h1:2,h2:2", variables=("COMMPROF_OUTPUT", "COMMPROF_CLOCK"), own_clocks=True):
            for clock in sample(("tsc", "monotonic"), 2):
                self.run_program(CALLS, "delays", COMMPROF_CLOCK=clock)
                self.assertEqual({row["host"] for row in read_csv(self.profile / "ranks.csv")}, {"h1", "h2"})
                known = [key for key, rows in self.rows.items() if {row["how"] for row in rows} == {"entries"}]
                compared += len(known)
                for key in known:
                    self.check_truth(key, several_hosts=True)
        self.assertGreater(compared, 0)

    def test_a_sample_of_many_calls(self):
        """All members keep the same ones: those that follow from their number (1,260 of 20,000)."""
        calls = 20000
        kept = [sum(is_sampled(call, level) for call in range(calls)) for level in range(6)]
        self.run_program(calls, "steady", ranks=2)
        self.assertEqual(set(self.rows), set(self.truth) - {("halves", "Allreduce")})  # of one process each
        for (row,) in self.rows.values():
            self.assertEqual(int(row["samples"]), next(number for number in kept if number <= 2048))
            self.assertEqual(int(row["calls"]), calls * 2)
            self.assertLessEqual(float(row["wait_s"]), float(row["time_s"]))

    def test_calls_that_one_process_does_not_count(self):
        self.run_program(CALLS, "paused")
        for row in read_csv(self.profile / "waits.csv"):
            self.assertEqual(int(row["samples"]), CALLS if row["comm"] == "W_s1.1" else CALLS - (CALLS + 2) // 3, row)

    def test_communicators_without_waits(self):
        """W may have one child, the halves; all that is made later shares records."""
        self.run_program(10, "others", COMMPROF_MAX_COMMS="1")
        self.assertEqual(set(self.rows), set(self.truth))
        self.assertEqual(self.run_json(self.profile)["waits"],
                         {"folded": 3 * RANKS, "intercommunicators": RANKS, "other": 0, "incomplete": 0, "disagreeing": 0})
        self.run_program(10, "steady", COMMPROF_WAITS="0")
        self.assertEqual(read_csv(self.profile / "waits.csv") + read_csv(self.profile / "waits_by_rank.csv"), [])


if __name__ == "__main__":
    unittest.main()
