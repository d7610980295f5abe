"""The windows of time in when.csv: their sums, and changes at known times."""

import collections
import unittest

import time_windows
from driver import PROGRAMS, DriverTest, over_runs, read_csv, shared_between_mpis
from hosts import named_hosts

RANKS = 4


@shared_between_mpis
class When(DriverTest):
    def run_program(self, *arguments, ranks=RANKS, **env):
        self.profile = self.profile_of(PROGRAMS / "when", *arguments, ranks=ranks, exit_code=None if "killed" in arguments else 0, env=env)
        if "killed" in arguments:
            self.wait_until_ended(self.profile)
            self.tool("collect", "--recover", self.profile)
        self.run = self.run_json(self.profile)
        self.rows = read_csv(self.profile / "when.csv")
        time_windows.check_sums(self, self.profile)

    def check_windows(self, threads=1):
        """There are at most 256, all of one width, and no thread is in MPI for longer."""
        width = self.run["when"]["window_s"]
        times = collections.Counter()
        for row in self.rows:
            begin, end = float(row["begin_s"]), float(row["end_s"])
            self.assertLess(begin, end, row)
            self.assertLess(end - begin, width + 1e-8, row)
            times[row["rank"], begin] += float(row["mpi_s"])
        self.assertLess(max(float(row["end_s"]) for row in self.rows) / width, 257)
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
        calls = self.counts(self.profile, "rank", "kind", file="when.csv")
        return [calls[str(rank), kind] for rank in range(RANKS)]

    # Calls and sums, however long anything takes.

    def test_runs(self):
        """Of a change, of all kinds with a pause, of a brief run, of fewer windows, of none."""
        self.run_program("change")
        self.assertEqual((self.run["when"]["clock"], self.calls("collective")), ("common", [200] * RANKS))
        self.check_windows()
        self.run_program("kinds")
        self.assertEqual({row["kind"] for row in self.rows}, {"point-to-point", "collective", "completion", "one-sided", "files"})
        self.run_program("brief", ranks=2)
        self.check_windows()
        self.run_program("brief", COMMPROF_WHEN="17", COMMPROF_WAITS="0")
        self.assertLessEqual(len({row["begin_s"] for row in self.rows}), 16)
        self.run_program("brief", COMMPROF_DETAIL="summary")
        self.profile = self.profile_of(PROGRAMS / "when", "brief", ranks=RANKS, env={"COMMPROF_WHEN": "0"})
        self.assertEqual((read_csv(self.profile / "when.csv"), self.run_json(self.profile)["when"]), ([], None))

    def test_a_killed_job(self):
        self.run_program("change", "killed")
        self.check_windows()

    def test_hosts_with_clocks_of_their_own(self):
        """Without COMMPROF_WAITS, clocks are not compared: times are since each rank's own MPI_Init."""
        for env, clock in ({}, "common"), ({"COMMPROF_CLOCK": "monotonic"}, "common"), ({"COMMPROF_WAITS": "0"}, "own"):
            with named_hosts(self, "h1:2,h2:2", variables=("COMMPROF_OUTPUT", "COMMPROF_CLOCK", "COMMPROF_WAITS"), own_clocks=True):
                self.run_program("brief", **env)
            self.assertEqual(self.run["when"]["clock"], clock)
            self.check_windows()

    def test_calls_that_do_not_count_and_those_that_regions_do(self):
        self.run_program("pause")
        self.assertEqual(self.calls("collective"), [2 * 40] * RANKS)
        first, *_, last = self.windows("completion")
        self.assertEqual([at for at in self.windows("collective") if first < at < last], [])
        self.run_program("steered")
        self.assertEqual(self.calls("collective"), [3 * 40] * RANKS)
        self.assertEqual({row["region"] for row in read_csv(self.profile / "regions.csv")}, {"main", "solve"})

    def test_threads(self):
        self.run_program("threads")
        self.check_windows(threads=2)
        self.assertEqual(self.calls("collective"), [100] * RANKS)

    # Real delays.

    def check_change(self):
        """From the mark on, rank 2 is longer in MPI than rank 1, which is slow then."""
        self.assertEqual(self.calls("completion")[0], 1)
        at = self.windows("completion")[-1]  # a call that is interrupted lies in two windows
        begin, end = self.windows("collective")[0], max(float(row["end_s"]) for row in self.rows)
        before, after = (self.share(*part, 2) - self.share(*part, 1) for part in ((begin, at), (at + 0.05, end - 0.02)))
        self.assertGreater(after, before + 0.15)

    @over_runs
    def test_delays_changes(self):
        for arguments, env in (["change"], {}), (["change", "killed"], {}), (["change"], {"COMMPROF_WHEN": "17", "COMMPROF_WAITS": "0"}):
            self.run_program(*arguments, **env)
            self.check_change()
        for env in {}, {"COMMPROF_CLOCK": "monotonic"}, {"COMMPROF_WAITS": "0"}:
            with named_hosts(self, "h1:2,h2:2", variables=("COMMPROF_OUTPUT", "COMMPROF_CLOCK", "COMMPROF_WAITS"), own_clocks=True):
                self.run_program("change", **env)
            self.check_change()

    @over_runs
    def test_delays_phases_that_repeat(self):
        """Twelve of 240 ms of work and 160 ms of waiting, and no finding."""
        self.run_program("phases")
        self.assertNotIn('"change"', self.tool("--json", self.profile))

    @over_runs
    def test_delays_long_calls_and_pauses(self):
        self.run_program("long_call")
        call, messages = self.windows("completion")
        self.assertGreater(self.share(call + 0.05, call + 0.75, 1, "point-to-point"), 0.7)
        self.assertLess(self.share(call + 0.05, call + 0.75, 0), 0.1)
        early = sum(int(row["bytes"]) for row in self.rows if float(row["begin_s"]) < messages)
        late = sum(int(row["bytes"]) for row in self.rows if float(row["end_s"]) > messages)
        self.assertLess(early, 1 << 10)
        self.assertGreaterEqual(late, 20 << 20)
        self.run_program("threads")
        calls = self.windows("collective")
        self.assertGreater(self.share(calls[0] + 0.1, calls[-1], 0, "point-to-point"), 0.7)
        self.run_program("pause")
        first, last = self.windows("completion")
        self.assertGreater(last - first, 20 * self.run["when"]["window_s"])


if __name__ == "__main__":
    unittest.main()
