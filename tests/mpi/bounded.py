"""The profiler's memory is what docs/memory.md says, rank 0's does not grow with the number of processes, and what is folded is shown."""

import os
import re
import unittest
from pathlib import Path

from driver import LIBRARY, PROGRAMS, DriverTest

SYSTEM = os.environ["SYSTEM"]
MAX_LIVE = int(os.environ["MAX_LIVE"])  # communicators that the MPI can make


def documented():
    """What the table says, by name."""
    text = Path(os.environ["DOCUMENT"]).read_text()
    return {name: int(size) for name, size in re.findall(r"(?m)^\| ([^|]+) \| (\d+) \|", text)}


BYTES = documented()


class Bounded(DriverTest):
    def run_job(self, kind, number, ranks=1, dropped=0, **options):
        """Returns what the profiler of rank 0 has mapped: before the end, and how much more while writing."""
        # UCX would put itself between the profiler and what stands for the system.
        inner = {"UCX_MEM_EVENTS": "n", "UCX_MEM_MMAP_HOOK_MODE": "none", "LD_PRELOAD": f"{SYSTEM}:{LIBRARY}",
                 "SYSTEM_REPORT": self.start / "report", "COMMPROF_VERBOSE": "0"}
        profile = self.profile_of(PROGRAMS / "bounded", kind, number, ranks=ranks, preload=False, inner_env=inner | options)
        self.assertEqual(self.lines(self.done), [])
        self.run_file = self.run_json(profile)
        self.assertEqual(sum(self.run_file["dropped"].values()), dropped)
        report = dict(line.split() for line in (self.start / "report.0").read_text().splitlines())
        self.resident_growth = int(report["resident_after"]) - int(report["resident"])
        return int(report["mapped"]), int(report["most_mapped"]) - int(report["mapped"])

    def check(self, mapped, ranks=1, **counts):
        """Against so many of each kind; and that the bound is not just a large number.

        What is kept of waiting depends on the time that the program takes, so it is not in the lower bound.
        """
        before, writing = mapped
        bound = BYTES["process"] + sum(BYTES[kind.replace("_", " ")] * number for kind, number in counts.items())
        self.assertLessEqual(before, bound + (BYTES["waiting"] if ranks > 1 else 0))
        if bound > 2 * BYTES["process"]:
            self.assertGreater(before, bound / 3)
        for_writing = BYTES["while a profile is written: process"] + sum(BYTES.get(f"while a profile is written: {kind.replace('_', ' ')}", 0) * number
                                   for kind, number in counts.items())
        self.assertLessEqual(writing, for_writing + (BYTES["while a profile is written: waiting"] if ranks > 1 else 0))

    def check_shown(self, kind, number):
        self.assertEqual(self.run_file["folded"][kind], number)
        self.assertRegex(self.tool(self.start / "profile"), rf"(?m)^Folded +(?=.*{kind}).*\b{number:,}\b")

    def test_nothing(self):
        self.check(self.run_job("live", 0))

    def test_live_communicators(self):
        n = MAX_LIVE
        self.check(self.run_job("live", n, ranks=2, COMMPROF_MAX_COMMS=str(n)), ranks=2, communicator=n, record=n, stream_of_messages=n)
        self.check_rows("communicators.csv", n + 2)

    def test_live_communicators_folded(self):
        self.check(self.run_job("live", MAX_LIVE, ranks=2, COMMPROF_MAX_COMMS="10"), ranks=2)
        self.check_shown("communicators", 2 * (MAX_LIVE - 10))

    def test_freed_communicators(self):
        n = int(os.environ.get("BOUNDED_FREED", 200000))
        self.check(self.run_job("freed", n), communicator=1000, record=1000)
        self.check_shown("communicators", n - 1000)

    def test_regions(self):
        for number in (10000, 25000):
            self.check(self.run_job("regions", number), region=10000, record=10000)
            self.assertEqual(self.run_file["folded"]["regions"], number - 10000)
        self.check_shown("regions", 15000)

    def test_peers(self):
        self.check(self.run_job("peers", 1000, ranks=2), ranks=2, communicator=1000, record=1000, peer=1000)
        self.check_rows("peers.csv", 2 * 1000)

    def test_threads(self):
        self.check(self.run_job("threads", 64), thread=64)

    def test_requests_that_complete_unseen(self):
        few, _ = self.run_job("unseen", 600_000, dropped=600_000)
        many, _ = self.run_job("unseen", 1_500_000, dropped=1_500_000)
        self.assertLess(many, 1.1 * few)
        self.assertRegex(self.tool(self.start / "profile"), r"(?m)^Dropped +[\d,]+ requests given up")

    def check_rows(self, name, number):
        self.assertEqual(self.run_file["files"][name]["rows"], number)

    def test_number_of_processes(self):
        # What is kept of waiting depends on the time that the run takes.
        few = self.run_job("records", 1000, ranks=8, COMMPROF_WAITS="0", COMMPROF_WHEN="0")
        growth_with_few = self.resident_growth
        many = self.run_job("records", 1000, ranks=32, COMMPROF_WAITS="0", COMMPROF_WHEN="0")
        self.check_rows("operations.csv", 32 * 2000)
        for with_many, with_few in zip(many, few):
            self.assertAlmostEqual(with_many, with_few, delta=65536)
        # What the MPI keeps for each process that it has to connect for this is in it, too.
        written = sum(file.stat().st_size for file in (self.start / "profile").iterdir())
        self.assertGreater(written, 5e6)
        self.assertLess(self.resident_growth, growth_with_few + written / 2)

    def messages_at_end(self, ranks):
        """Those of the process that sends and receives the most."""
        self.profile_of(PROGRAMS / "bounded", "records", 100, ranks=ranks, preload=False,
                        inner_env={"LD_PRELOAD": f"{LIBRARY}:{PROGRAMS}/libpmpi_census.so", "COMMPROF_WAITS": "0"})
        return max(map(int, self.done.stdout.split()))

    def test_messages_at_end(self):
        few = self.messages_at_end(16)
        self.assertGreater(few, 16)
        self.assertLessEqual(self.messages_at_end(32), few + 13)  # for each doubling


if __name__ == "__main__":
    unittest.main()
