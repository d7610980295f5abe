"""The windows of time in when.csv: their sums, and changes at known times."""

import collections
import json
import shutil
import unittest

from driver import DriverTest, PROGRAMS, finish, read_csv, run_tool, start_mpirun
from hosts import named_hosts

RANKS = 4


class When(DriverTest):
    def run_program(self, *arguments, ranks=RANKS, fails=False, **env):
        done = finish(start_mpirun([PROGRAMS / "when", *arguments], ranks=ranks, cwd=self.start,
                                   env={"COMMPROF_OUTPUT": "out"} | env))
        if not fails:
            self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace"))
        self.take(self.start / "out")
        lines = [line.split() for line in done.stdout.decode().splitlines() if line.startswith("at ")]
        self.at = {name: float(seconds) for _, name, seconds in lines}

    def take(self, profile):
        self.profile = profile
        if not (profile / "run.json").exists():
            done = run_tool("--recover", profile)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.run = json.loads((profile / "run.json").read_text())
        self.rows = read_csv(profile / "when.csv")

    def check_sums(self, delta=1e-6):
        """What windows have is what the other files have."""
        calls, sizes, times = collections.Counter(), collections.Counter(), collections.Counter()
        for row in self.rows:
            calls[row["rank"]] += int(row["calls"])
            sizes[row["rank"]] += int(row["bytes"])
            times[row["rank"]] += float(row["mpi_s"])
        others, other_sizes = collections.Counter(), collections.Counter()
        for row in read_csv(self.profile / "operations.csv"):
            others[row["rank"]] += int(row["calls"])
            other_sizes[row["rank"]] += int(row["bytes_sent"]) + int(row["bytes_received"])
        self.assertEqual(calls, others)
        self.assertEqual(sizes, other_sizes)
        for row in read_csv(self.profile / "ranks.csv"):
            self.assertAlmostEqual(times[row["rank"]], float(row["mpi_s"]), delta=delta)

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
        """The share of the time in MPI, of one rank or of all."""
        ranks = [rank] if rank is not None else range(RANKS)
        time = sum(float(row["mpi_s"]) for row in self.rows if int(row["rank"]) in ranks and
                   (kind is None or row["kind"] == kind) and begin <= float(row["begin_s"]) and float(row["end_s"]) <= end)
        return time / (end - begin) / len(ranks)

    def check_change(self):
        at, end = self.at["change"], max(float(row["end_s"]) for row in self.rows)
        self.assertGreater(self.share(at + 0.05, end - 0.02, 2), 0.4)
        self.assertGreater(self.share(at + 0.05, end - 0.02, 2), self.share(0, at - 0.05, 2) + 0.2)
        self.assertGreater(self.share(at + 0.05, end - 0.02, 2), self.share(at + 0.05, end - 0.02, 1) + 0.1)

    def test_a_change(self):
        self.run_program("change")
        self.assertEqual(self.run["when"]["clock"], "common")
        self.check_sums()
        self.check_windows()
        self.check_change()

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
        call, messages = self.at["call"], self.at["messages"]
        self.assertGreater(self.share(call + 0.05, call + 0.75, 1, "point-to-point"), 0.9)
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

    def test_threads(self):
        self.run_program("threads")
        self.check_sums()
        self.check_windows(threads=2)
        self.assertGreater(self.share(0.1, 0.3, 0, "point-to-point"), 0.9)

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
