"""How long processes wait in collective calls: what the profile says, against what the program itself noted."""

import csv
import json
import shutil
import unittest

from driver import DriverTest, PROGRAMS, finish, read_csv, run_tool, sample, shared_between_mpis, start_mpirun
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


@shared_between_mpis
class Waits(DriverTest):
    def run_program(self, calls, mode, ranks=RANKS, **env):
        """The profile, and the truth: (communicator, operation) -> time, waiting, how often each rank was last."""
        done = finish(start_mpirun([PROGRAMS / "waits", calls, mode], ranks=ranks, cwd=self.start,
                                   env={"COMMPROF_OUTPUT": "out"} | env))
        self.assertEqual(done.returncode == 0, mode != "killed", done.stderr.decode(errors="replace"))
        truth = {}
        lines = [line for line in done.stdout.decode().splitlines() if line.startswith(("W ", "halves "))]
        for name, time, wait, *last in csv.reader(lines):
            truth[tuple(name.split())] = float(time) / 1e9, float(wait) / 1e9, [int(calls) for calls in last]
        self.assertEqual(len(truth), 5, done.stdout)
        return self.start / "out", truth

    def waits(self, profile):
        """The rows of waits.csv, those of both halves as one."""
        rows = {}
        for row in read_csv(profile / "waits.csv"):
            key = "W" if row["comm"] == "W" else "halves", row["op"]
            rows.setdefault(key, []).append(row)
        return rows

    def check(self, rows, truth, several_hosts=False):
        def total(column):
            return sum(float(row[column] or "nan") for row in rows)
        time, wait, last = truth
        for row in rows:
            self.assertEqual(row["how"], "entries")
            parts = sum(float(row[column]) for column in ("wait_s", "move_s", "rest_s"))
            self.assertAlmostEqual(parts, float(row["time_s"]), delta=1e-6)
        # Both of the same calls.
        self.assertAlmostEqual(total("wait_s") / total("time_s"), wait / time, delta=TOLERANCE + total("wait_error_s") / total("time_s") * several_hosts, msg=rows)
        return last

    def test_against_the_truth(self):
        profile, truth = self.run_program(CALLS, "delays")
        waits = self.waits(profile)
        self.assertEqual(set(waits), set(truth))
        for key, rows in waits.items():
            last = self.check(rows, truth[key])
            for row in rows:
                self.assertEqual(int(row["samples"]), CALLS)
                self.assertEqual(float(row["wait_error_s"]), 0)  # all calls are in the sample
                self.assertEqual(int(row["calls"]), CALLS * int(row["ranks"]))
            if len(rows) == 1:
                share = last[int(rows[0]["last_rank"])] / CALLS
                self.assertAlmostEqual(share, max(last) / CALLS, delta=0.1)
                self.assertAlmostEqual(share, float(rows[0]["last_share"]), delta=0.1)
        self.check_by_rank(profile, truth)

    def check_by_rank(self, profile, truth):
        by_rank = read_csv(profile / "waits_by_rank.csv")
        self.assertEqual(len(by_rank), 5 * RANKS)
        for row in read_csv(profile / "waits.csv"):
            own = [each for each in by_rank if (each["comm"], each["op"]) == (row["comm"], row["op"])]
            self.assertEqual(sum(int(each["last"]) for each in own), CALLS)
            for column in ("time_s", "wait_s"):
                self.assertAlmostEqual(sum(float(each[column]) for each in own), float(row[column]), delta=1e-6)

    def test_a_sample_of_many_calls(self):
        """All members keep the same ones: those that follow from their number (1,260 of 20,000)."""
        calls = 20000
        kept = [sum(is_sampled(call, level) for call in range(calls)) for level in range(6)]
        profile, truth = self.run_program(calls, "steady", ranks=2)
        waits = self.waits(profile)
        self.assertEqual(set(waits), set(truth) - {("halves", "Allreduce")})  # of one process each
        for (row,) in waits.values():
            self.assertEqual(int(row["samples"]), next(number for number in kept if number <= 2048))
            self.assertEqual(int(row["calls"]), calls * 2)
            self.assertLess(float(row["wait_s"]), float(row["time_s"]))
        self.assertGreater(sum(float(row["wait_error_s"]) for (row,) in waits.values()), 0)

    def test_calls_that_one_process_does_not_count(self):
        profile, _ = self.run_program(CALLS, "paused")
        counted = CALLS - (CALLS + 2) // 3
        for row in read_csv(profile / "waits.csv"):
            self.assertEqual(int(row["samples"]), CALLS if row["comm"] == "W_s1.1" else counted, row)

    def test_killed(self):
        profile, truth = self.run_program(CALLS, "killed")
        done = run_tool("--recover", profile)
        self.assertEqual(done.returncode, 0, done.stderr)
        waits = self.waits(profile)
        self.assertEqual(set(waits), set(truth))
        for key, rows in waits.items():
            self.check(rows, truth[key])
            self.assertEqual({int(row["samples"]) for row in rows}, {CALLS})

    def test_not_asked_for(self):
        profile, _ = self.run_program(10, "steady", COMMPROF_WAITS="0")
        self.assertEqual(read_csv(profile / "waits.csv") + read_csv(profile / "waits_by_rank.csv"), [])

    def test_communicators_without_waits(self):
        """W may have one child, the halves; all that is made later shares records."""
        profile, truth = self.run_program(10, "others", COMMPROF_MAX_COMMS="1")
        self.assertEqual(set(self.waits(profile)), set(truth))
        self.assertEqual(json.loads((profile / "run.json").read_text())["waits"],
                         {"folded": 3 * RANKS, "intercommunicators": RANKS, "other": 0, "incomplete": 0, "disagreeing": 0})

    def test_of_several_hosts(self):
        """Each host has a name and, where the system lets us, a clock of its own."""
        compared = 0
        with named_hosts(self, "h1:2,h2:2", variables=("COMMPROF_OUTPUT", "COMMPROF_CLOCK"), own_clocks=True):
            for clock in sample(("tsc", "monotonic"), 2):
                profile, truth = self.run_program(CALLS, "delays", COMMPROF_CLOCK=clock)
                self.assertEqual({row["host"] for row in read_csv(profile / "ranks.csv")}, {"h1", "h2"})
                for key, rows in self.waits(profile).items():
                    # On a machine that is busy, the clocks may be known too badly.
                    if {row["how"] for row in rows} == {"entries"}:
                        self.check(rows, truth[key], several_hosts=True)
                        compared += 1
                shutil.rmtree(profile)
        self.assertGreater(compared, 0)

    def tearDown(self):
        shutil.rmtree(self.start / "out", ignore_errors=True)


if __name__ == "__main__":
    unittest.main()
