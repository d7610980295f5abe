"""A profile of several writers: it holds what that of one writer holds, and in detail no more than what was asked for."""

import collections
import json
import os
import shutil
import unittest

from driver import LIBRARY, PROGRAMS, DriverTest, finish, long, read_csv, sample, shared_between_mpis, start_mpirun
from hosts import OPEN_MPI, named_hosts
from messages import by_host, totals

SYSTEM = os.environ["SYSTEM"]
RANKS = 18  # the second writer is rank 16
TIMES = {"wall_s", "mpi_s", "cpu_s", "queued_s", "receiving_s", "waiting_s", "waiting_error_s", "time_s", "time_min_s", "time_max_s", "wait_s", "wait_error_s",
         "move_s", "rest_s", "last_rank", "last_share", "late_s", "last", "time_min_rank", "time_max_rank", "call_min_s", "call_max_s",
         "how", "pid", "voluntary_switches", "involuntary_switches", "minor_faults", "major_faults",
         "max_rss_bytes"}


@shared_between_mpis
class Writers(DriverTest):
    def profile(self, name, ranks=RANKS, **settings):
        # UCX would put itself between the profiler and what stands for the system.
        inner = {"UCX_MEM_EVENTS": "n", "UCX_MEM_MMAP_HOOK_MODE": "none", "LD_PRELOAD": f"{SYSTEM}:{LIBRARY}", "COMMPROF_VERBOSE": "0",
                 "TMPDIR": "/tmp", "COMMPROF_OUTPUT": str(self.start / name)}
        done = finish(start_mpirun([PROGRAMS / "workload"], ranks=ranks, preload=False, inner_env=inner | settings, cwd=self.start))
        self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace"))
        self.assertEqual(self.lines(done), [])
        return self.start / name

    def counts(self, profile):
        """All rows of all files, without what differs from run to run: times, which calls wait for messages at an instant, and
        in which window of time a call ends."""
        files = json.loads((profile / "run.json").read_text())["files"]
        counts = {name: sorted(tuple(value for column, value in row.items() if column not in TIMES)
                               for row in read_csv(profile / name) if row.get("kind", "collective") == "collective")
                  for name in files if name != "when.csv"}
        counts["when.csv"] = collections.Counter()
        for row in read_csv(profile / "when.csv"):
            for column in ("calls", "bytes"):
                counts["when.csv"][row["rank"], row["kind"], column] += int(row[column])
        return counts

    def remove(self, *profiles):
        for profile in profiles:
            shutil.rmtree(profile)

    def test_one_writer_and_several(self):
        several = self.check_profile(self.profile("several"), ranks=RANKS)
        one = self.check_profile(self.profile("one", SYSTEM_SHARES=str(self.start)), ranks=RANKS)  # a file system that writes pages
        self.assertEqual(self.counts(one), self.counts(several))
        for name in ("operations.csv", "peers.csv", "regions.csv", "ranks.csv"):
            for profile in (one, several):
                ranks = [int(row["rank" if "rank" in row else "src"]) for row in read_csv(profile / name)]
                self.assertEqual(ranks, sorted(ranks), name)
        self.remove(one, several)

    @long
    def test_a_writer_that_does_not_see_the_directory(self):
        profile = self.profile("profile", SYSTEM_REFUSES="descriptors:0", SYSTEM_REFUSES_RANK="16")
        self.check_profile(profile, ranks=RANKS)
        self.remove(profile)

    def test_rows_of_few(self):
        # With one operation on one communicator, at most 11 ranks stand out in something.
        few = {"COMMPROF_OPS": "Barrier", "COMMPROF_COMMS": "W"}
        whole = self.profile("whole", **few)
        some = self.profile("some", COMMPROF_DETAIL="summary", **few)
        run = json.loads((some / "run.json").read_text())
        self.assertEqual(run["detail"], "summary")
        detailed = run["detailed_ranks"]
        self.assertEqual(detailed, sorted(set(detailed)))
        self.assertLessEqual(len(detailed), 11)
        for name in ("operations.csv", "regions.csv", "waits_by_rank.csv"):
            self.assertEqual(sorted({int(row["rank"]) for row in read_csv(some / name)}), detailed, name)
        counts, counts_of_all = self.counts(some), self.counts(whole)
        for name in ("summary.csv", "sizes.csv", "ranks.csv", "communicators.csv", "sites.csv", "modules.csv", "waits.csv"):
            self.assertEqual(counts[name], counts_of_all[name], name)
        of_ranks = {row["rank"]: float(row["mpi_s"]) for row in read_csv(some / "ranks.csv")}
        for extreme in (min, max):
            self.assertIn(int(extreme(of_ranks, key=of_ranks.get)), detailed)
        self.remove(whole, some)

    def test_messages_by_host(self):
        in_turn = ("--map-by", "node") if OPEN_MPI else ("-ppn", "1")
        for placing in sample((in_turn, ()), 2):
            told = []
            for detail in ("ranks", "summary"):
                with named_hosts(self, "h1:2,h2:2,h3:2", *placing, variables=("COMMPROF_OUTPUT", "COMMPROF_DETAIL")):
                    env = {"COMMPROF_OUTPUT": str(self.start / detail), "COMMPROF_DETAIL": detail}
                    done = finish(start_mpirun([PROGRAMS / "shuffled_ring"], ranks=5, cwd=self.start, env=env))
                self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace"))
                told.append(json.loads((self.start / detail / "run.json").read_text())["messages"])
            hosts = [row["host"] for row in read_csv(self.start / "ranks" / "ranks.csv")]
            self.assertEqual(hosts, ["h1", "h2", "h3", "h1", "h2"] if placing else ["h1", "h1", "h2", "h2", "h3"])
            rows = read_csv(self.start / "summary" / "host_pairs.csv")
            self.assertEqual(totals(rows, "class", "src_host", "dst_host"), by_host(self.start / "ranks"))
            self.assertGreater(len(rows), 3)
            across = told[1].pop("across_hosts")
            self.assertEqual(told[0], told[1])
            self.assertEqual(across["as_placed"], sum(int(row["bytes"]) for row in rows if row["src_host"] != row["dst_host"]))
            self.assertEqual(across["as_placed"], across["in_turn" if placing else "in_blocks"])
            self.assertNotEqual(across["in_turn"], across["in_blocks"])
            self.remove(self.start / "ranks", self.start / "summary")

    def test_automatic(self):
        profile = self.profile("profile", ranks=2, COMMPROF_DETAIL="auto")
        self.assertEqual(json.loads((profile / "run.json").read_text())["detail"], "ranks")
        self.check_profile(profile, ranks=2)
        self.remove(profile)

    def check_on_two_hosts(self, mounts):
        """The second writer is on h2, which has something else at the place of the profile; nobody writes there."""
        with named_hosts(self, "h1:16,h2:2", mounts=mounts):
            done = self.run_program(ranks=18, env={"COMMPROF_OUTPUT": str(self.start / "seen" / "profile")})
        self.assertEqual(len(self.lines(done)), 1, self.lines(done))
        profile = self.check_profile(self.start / "seen" / "profile", ranks=18)
        self.assertEqual([row["host"] for row in read_csv(profile / "ranks.csv")], ["h1"] * 16 + ["h2"] * 2)
        self.assertEqual(self.found(self.start / "seen"), ["profile"])

    def test_other_hosts_have_a_directory_of_their_own(self):
        for name in ("seen", "own"):
            (self.start / name).mkdir()
        self.check_on_two_hosts(f"mount --bind {self.start}/own {self.start}/seen")
        self.assertEqual(self.found(self.start / "own"), [])
        self.remove(self.start / "seen", self.start / "own")

    @long
    def test_other_hosts_cannot_write(self):
        (self.start / "seen").mkdir()
        self.check_on_two_hosts(f"mount -t tmpfs -o ro tmpfs {self.start}/seen")
        self.remove(self.start / "seen")


if __name__ == "__main__":
    unittest.main()
