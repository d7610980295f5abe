"""The windows of time in when.csv: their sums, and changes at known times."""

import collections
import json
import shutil
import unittest

import time_windows
from driver import DriverTest, PROGRAMS, finish, read_csv, run_tool, shared_between_mpis, start_mpirun
from hosts import named_hosts

RANKS = 4


@shared_between_mpis
class When(DriverTest):
    def run_program(self, *arguments, ranks=RANKS, fails=False, **env):
        done = finish(start_mpirun([PROGRAMS / "when", *arguments], ranks=ranks, cwd=self.start,
                                   env={"COMMPROF_OUTPUT": "out"} | env))
        if not fails:
            self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace"))
        self.take(self.start / "out")

    def take(self, profile):
        self.profile = profile
        if not (profile / "run.json").exists():
            done = run_tool("--recover", profile)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.run = json.loads((profile / "run.json").read_text())
        self.rows = read_csv(profile / "when.csv")

    def check_sums(self):
        time_windows.check_sums(self, self.profile)

    def check_windows(self, threads=1):
        """All windows are of one width, and no thread is in MPI for longer."""
        width = self.run["when"]["window_s"]
        wall = max(float(row["wall_s"]) for row in read_csv(self.profile / "ranks.csv"))
        self.assertLess(wall / width, 257, (wall, width))
        self.assertGreater(wall / width, 100)
        times = collections.Counter()
        for row in self.rows:
            begin, end = float(row["begin_s"]), float(row["end_s"])
            self.assertLess(begin, end, row)
            self.assertLess(end - begin, width + 1e-8, row)
            self.assertLess(end, wall + 0.1, row)
            times[row["rank"], begin] += float(row["mpi_s"])
        for (rank, begin), time in times.items():
            self.assertLess(time, 1.01 * threads * width + 2e-6, (rank, begin))

    def share(self, begin, end, rank=None, kind=None):
        """The share of the time in MPI, of one rank or of all, in the windows between two moments."""
        ranks = [rank] if rank is not None else range(RANKS)
        within = [row for row in self.rows if begin <= float(row["begin_s"]) and float(row["end_s"]) <= end]
        width = sum({row["begin_s"]: float(row["end_s"]) - float(row["begin_s"]) for row in within}.values())
        time = sum(float(row["mpi_s"]) for row in within if int(row["rank"]) in ranks and kind in (None, row["kind"]))
        return time / width / len(ranks)

    def windows(self, kind):
        """The windows in which the first rank makes calls of a kind: when they begin."""
        return sorted(float(row["begin_s"]) for row in self.rows if (row["rank"], row["kind"]) == ("0", kind))

    def calls(self, kind):
        """Of each rank, over all windows."""
        sums = collections.Counter()
        for row in self.rows:
            sums[int(row["rank"])] += int(row["calls"]) if row["kind"] == kind else 0
        return [sums[rank] for rank in range(RANKS)]

    def check_change(self):
        """From the mark on, rank 2 is longer in MPI than rank 1, which is slow then. A busy machine delays both alike."""
        self.assertEqual(self.calls("completion")[0], 1)
        at = self.windows("completion")[-1]  # a call that is interrupted lies in two windows
        begin, end = self.windows("collective")[0], max(float(row["end_s"]) for row in self.rows)
        before, after = (self.share(*part, 2) - self.share(*part, 1) for part in ((begin, at), (at + 0.05, end - 0.02)))
        self.assertGreater(after, before + 0.15)

    def test_a_change(self):
        self.run_program("change")
        self.assertEqual(self.run["when"]["clock"], "common")
        self.check_sums()
        self.check_windows()
        self.check_change()

    def phases(self):
        done = run_tool("--when", "--json", self.profile)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["when"]["phases"]

    def test_phases_that_repeat(self):
        """Twelve of 240 ms of work and 160 ms of waiting, and no finding. A busy machine makes both longer, or uneven."""
        for _ in range(5):
            self.run_program("phases")
            phases = self.phases()
            if phases:
                break
            self.remove_profile(self.profile)
        self.assertIsNotNone(phases)
        wall = max(float(row["wall_s"]) for row in read_csv(self.profile / "ranks.csv"))
        self.assertTrue(wall / 14 < phases["period_s"] < wall / 11, (phases, wall))
        self.assertTrue(0.2 < phases["part"] < 0.6, phases)
        self.assertGreater(phases["mpi_share"], phases["mpi_share_of_rest"] + 0.2)
        text = run_tool("--when", self.profile).stdout.decode()
        self.assertIn("The run repeats phases of ", text)
        self.assertNotIn('"change"', run_tool("--json", self.profile).stdout.decode())

    def test_a_change_is_no_phase(self):
        self.run_program("change")
        self.assertIsNone(self.phases())

    def test_a_killed_job(self):
        self.run_program("change", "killed", fails=True)
        self.check_sums()
        self.check_windows()
        self.check_change()

    def test_hosts_with_clocks_of_their_own(self):
        for clock in "tsc", "monotonic":
            with self.subTest(clock=clock):
                with named_hosts(self, "h1:2,h2:2", variables=("COMMPROF_OUTPUT", "COMMPROF_CLOCK"), own_clocks=True):
                    self.run_program("change", COMMPROF_CLOCK=clock)
                self.assertEqual(self.run["when"]["clock"], "common")
                self.check_sums()
                self.check_windows()
                self.check_change()
                shutil.rmtree(self.profile)

    def test_hosts_without_a_common_clock(self):
        """Without COMMPROF_WAITS, clocks are not compared: times are since each rank's own MPI_Init."""
        with named_hosts(self, "h1:2,h2:2", variables=("COMMPROF_OUTPUT", "COMMPROF_WAITS"), own_clocks=True):
            self.run_program("change", COMMPROF_WAITS="0")
        self.assertEqual(self.run["when"]["clock"], "own")
        self.check_sums()
        self.check_windows()
        self.check_change()

    def test_a_long_call(self):
        self.run_program("long_call")
        self.check_sums()
        self.check_windows()
        call, messages = self.windows("completion")
        self.assertGreater(self.share(call + 0.05, call + 0.75, 1, "point-to-point"), 0.7)
        self.assertLess(self.share(call + 0.05, call + 0.75, 0), 0.1)
        early = sum(int(row["bytes"]) for row in self.rows if float(row["begin_s"]) < messages)
        late = sum(int(row["bytes"]) for row in self.rows if float(row["end_s"]) > messages)
        self.assertLess(early, 1 << 10)
        self.assertGreaterEqual(late, 20 << 20)

    def test_all_kinds_and_a_pause(self):
        self.run_program("kinds")
        self.check_sums()
        self.assertEqual({row["kind"] for row in self.rows},
                         {"point-to-point", "collective", "completion", "one-sided", "files"})

    def test_a_pause(self):
        """Between two marks, all make calls that do not count."""
        for _ in range(4):  # where the machine was busy, calls may be spread over several windows
            self.run_program("pause")
            self.check_sums()
            marks = self.windows("completion")
            if len(marks) == 2:
                break
            shutil.rmtree(self.profile)
        first, last = marks
        within = [row for row in self.rows if row["rank"] == "0" and first < float(row["begin_s"]) < last]
        self.assertEqual(within, [])
        self.assertGreater(last - first, 20 * self.run["when"]["window_s"])
        self.assertEqual(self.calls("collective"), [2 * 40] * RANKS)

    def test_regions_and_a_reset(self):
        """Windows have the calls of all regions, and those before commprof_reset."""
        self.run_program("steered")
        self.check_sums()
        self.assertEqual(self.calls("collective"), [3 * 40] * RANKS)
        self.assertEqual({row["region"] for row in read_csv(self.profile / "regions.csv")}, {"main", "solve"})

    def test_threads(self):
        self.run_program("threads")
        self.check_sums()
        self.check_windows(threads=2)
        calls = self.windows("collective")
        self.assertGreater(self.share(calls[0] + 0.1, calls[-1], 0, "point-to-point"), 0.7)

    def test_a_brief_run(self):
        self.run_program("brief", ranks=2)
        self.check_sums()
        self.check_windows()

    def test_fewer_windows(self):
        self.run_program("change", COMMPROF_WHEN="17", COMMPROF_WAITS="0")
        self.check_sums()
        self.assertLessEqual(len({row["begin_s"] for row in self.rows}), 16)
        self.check_change()

    def test_no_windows(self):
        self.run_program("brief", COMMPROF_WHEN="0")
        self.assertEqual((self.rows, self.run["when"]), ([], None))

    def test_a_profile_of_sums(self):
        self.run_program("brief", COMMPROF_DETAIL="summary")
        self.check_sums()


if __name__ == "__main__":
    unittest.main()
