"""A profile of several writers: it holds what that of one writer holds, and in detail no more than what was asked for."""

import os
import unittest

from driver import LIBRARY, PROGRAMS, DriverTest, long, read_csv, sample, shared_between_mpis
from hosts import OPEN_MPI, named_hosts
from messages import by_host, totals

SYSTEM = os.environ["SYSTEM"]
RANKS = 18  # the second writer is rank 16
TIMES = {"wall_s", "mpi_s", "cpu_s", "queued_s", "queued_outside_s", "queued_inside_s", "waiting_s", "waiting_error_s", "caused_s", "finalize_s", "work_s", "moving_s", "other_s", "unknown_s", "throttled_s", "stolen_s", "time_s", "time_min_s", "time_max_s", "wait_s", "wait_error_s",
         "time_min_rank", "time_max_rank", "call_min_s", "call_max_s",
         "pid", "voluntary_switches", "involuntary_switches",
         "max_rss_bytes"}


@shared_between_mpis
class Writers(DriverTest):
    def workload(self, name, ranks=RANKS, program="workload", **settings):
        # UCX would put itself between the profiler and what stands for the system.
        inner = {"UCX_MEM_EVENTS": "n", "UCX_MEM_MMAP_HOOK_MODE": "none", "LD_PRELOAD": f"{SYSTEM}:{LIBRARY}", "COMMPROF_VERBOSE": "0", "TMPDIR": "/tmp"}
        profile = self.profile_of(PROGRAMS / program, name=name, ranks=ranks, preload=False, inner_env=inner | settings)
        self.assertEqual(self.lines(self.done), [])
        return profile

    def rows(self, profile):
        """All rows of all files, without what differs from run to run: times, in which calls an instant lies, in which window of time a
        call ends, and call sites that only causes name."""
        rows = {name: sorted(tuple(value for column, value in row.items() if column not in TIMES)
                             for row in read_csv(profile / name))
                for name in self.run_json(profile)["files"] if name != "when.csv" and name != "causes.csv" and not name.startswith("waits")}
        if self.run_json(profile)["detail"] == "ranks":
            of_calls = {row["site"] for row in read_csv(profile / "operations.csv")}
            rows["sites.csv"] = [row for row in rows["sites.csv"] if row[0] in of_calls]
        return rows | {count: self.counts(profile, "rank", "kind", count=count, file="when.csv") for count in ("calls", "bytes")}

    def test_one_writer_and_several(self):
        several = self.check_profile(self.workload("several"), ranks=RANKS)
        one = self.check_profile(self.workload("one", SYSTEM_SHARES=str(self.start)), ranks=RANKS)  # a file system that writes pages
        self.assertEqual(self.rows(one), self.rows(several))
        for name in ("operations.csv", "peers.csv", "regions.csv", "ranks.csv"):
            for profile in (one, several):
                ranks = [int(row["rank" if "rank" in row else "src"]) for row in read_csv(profile / name)]
                self.assertEqual(ranks, sorted(ranks), name)

    @long
    def test_a_writer_that_does_not_see_the_directory(self):
        profile = self.workload("profile", LD_PRELOAD=f"{os.environ['FAILING']}:{LIBRARY}", FAILS="open:0+", FAILS_RANK="16")
        self.check_profile(profile, ranks=RANKS)

    def test_rows_of_few(self):
        # With three operations, at most 14 ranks stand out in something.
        whole, some = (self.workload(detail, program="small_program", COMMPROF_DETAIL=detail) for detail in ("ranks", "summary"))
        run = self.run_json(some)
        self.assertEqual(run["detail"], "summary")
        detailed = run["detailed_ranks"]
        self.assertEqual(detailed, sorted(set(detailed)))
        self.assertLessEqual(len(detailed), 14)
        for name in ("operations.csv", "regions.csv"):
            self.assertEqual(sorted({int(row["rank"]) for row in read_csv(some / name)}), detailed, name)
        self.assertLessEqual({int(row["rank"]) for row in read_csv(some / "waits_by_rank.csv")}, set(detailed))
        rows, rows_of_all = self.rows(some), self.rows(whole)
        for name in ("summary.csv", "ranks.csv", "communicators.csv", "modules.csv"):
            self.assertEqual(rows[name], rows_of_all[name], name)
        self.assertLessEqual(set(rows_of_all["sites.csv"]), set(rows["sites.csv"]))
        extremes = {int(row[column]) for row in read_csv(some / "summary.csv") if row["level"] == "operation"
                    for column in ("time_min_rank", "time_max_rank")}
        self.assertGreater(len(extremes), 0)
        self.assertLessEqual(extremes, set(detailed))
        automatic = self.check_profile(self.workload("automatic", ranks=2, COMMPROF_DETAIL="auto"))
        self.assertEqual(self.run_json(automatic)["detail"], "ranks")

    def test_messages_by_host(self):
        in_turn = ("--map-by", "node") if OPEN_MPI else ("-ppn", "1")
        for placing in sample((in_turn, ()), 2):
            told = []
            for detail in ("ranks", "summary"):
                with named_hosts(self, "h1:2,h2:2,h3:2", *placing, variables=("COMMPROF_OUTPUT", "COMMPROF_DETAIL")):
                    profile = self.profile_of(PROGRAMS / "shuffled_ring", name=detail, ranks=5, env={"COMMPROF_DETAIL": detail})
                told.append(self.run_json(profile)["messages"])
            hosts = [row["host"] for row in read_csv(self.start / "ranks" / "ranks.csv")]
            self.assertEqual(hosts, ["h1", "h2", "h3", "h1", "h2"] if placing else ["h1", "h1", "h2", "h2", "h3"])
            rows = read_csv(profile / "host_pairs.csv")
            self.assertEqual(totals(rows, "class", "src_host", "dst_host"), by_host(self.start / "ranks"))
            self.assertGreater(len(rows), 3)
            self.assertEqual(told[0], told[1])

    def check_on_two_hosts(self, mounts):
        """The second writer is on h2, which has something else at the place of the profile; nobody writes there."""
        for name in ("seen", "own"):
            (self.start / name).mkdir()
        with named_hosts(self, "h1:16,h2:2", mounts=mounts.format(self.start)):
            done = self.run_program(ranks=18, env={"COMMPROF_OUTPUT": str(self.start / "seen" / "profile")})
        self.assertEqual(len(self.lines(done)), 1, self.lines(done))
        profile = self.check_profile(self.start / "seen" / "profile", ranks=18)
        self.assertEqual([row["host"] for row in read_csv(profile / "ranks.csv")], ["h1"] * 16 + ["h2"] * 2)
        self.assertEqual((self.found(self.start / "seen"), self.found(self.start / "own")), (["profile"], []))

    def test_other_hosts_have_a_directory_of_their_own(self):
        self.check_on_two_hosts("mount --bind {0}/own {0}/seen")

    @long
    def test_other_hosts_cannot_write(self):
        self.check_on_two_hosts("mount -t tmpfs -o ro tmpfs {0}/seen")


if __name__ == "__main__":
    unittest.main()
