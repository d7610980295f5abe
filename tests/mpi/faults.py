"""Whatever fails around the profiler, the program prints and returns what it does without it, and one line says what is lost."""

import itertools
import os
import re
import shutil
import unittest
from pathlib import Path

from driver import LIBRARY, PROGRAMS, DriverTest, finish, long, read_csv, sample, shared_between_mpis, start_mpirun
from hosts import named_hosts
from messages import totals

SYSTEM, FAILING_MPI = os.environ["SYSTEM"], os.environ["FAILING_MPI"]
MEMORY_KINDS = ("records", "communicators", "requests", "messages")
ROWS_LOST = "cannot write the profile: (the rows of rank [12] cannot be received|rank [12] cannot send its rows): "
SAMPLED = {"Barrier", "Bcast", "Gather", "Gatherv", "Scatter", "Scatterv", "Allgather", "Allgatherv", "Alltoall", "Alltoallv",
           "Alltoallw", "Reduce", "Allreduce", "Reduce_scatter", "Reduce_scatter_block"}


class Workload(DriverTest):
    known = {}

    def setUp(self):
        super().setUp()
        self.profile = self.start / "profile"

    def run_workload(self, ranks, *arguments, preload=LIBRARY, env=None):
        """What it printed, its exit code, and the profiler's lines but for the one on where the profile is."""
        # UCX would put itself between the profiler and what stands for the system.
        inner = {"UCX_MEM_EVENTS": "n", "UCX_MEM_MMAP_HOOK_MODE": "none"} | (env or {}) | ({"LD_PRELOAD": preload} if preload else {})
        done = finish(start_mpirun([PROGRAMS / "workload", *arguments], ranks=ranks, preload=False, inner_env=inner,
                                   cwd=self.start, env={"COMMPROF_OUTPUT": str(self.profile)}))
        # An MPI that finds no descriptors complains of that itself.
        out = [line for line in done.stdout.splitlines() if re.fullmatch(b"[0-9a-f]{16}", line)]
        self.assertEqual(len(out), ranks, done.stderr.decode(errors="replace"))
        return (done.returncode, out), [line for line in self.lines(done) if "look at it with" not in line]

    def plain(self, *how):
        if how not in self.known:
            self.known[how], lines = self.run_workload(*how, preload=None)
            self.assertEqual(lines, [])
        return self.known[how]

    def starve(self, refused, ranks, rank=None, *arguments, **env):
        """Refuses something to the profiler of all processes, or of one. Returns its lines."""
        env |= {"SYSTEM_REFUSES": refused} | ({} if rank is None else {"SYSTEM_REFUSES_RANK": str(rank)})
        out, lines = self.run_workload(ranks, *arguments, preload=f"{SYSTEM}:{LIBRARY}", env=env)
        self.assertEqual(out, self.plain(ranks, *arguments), lines)
        return lines

    def dropped(self):
        """What the profile says it lacks, and mpisee-through shows; None without a profile. Removes the profile."""
        if not (self.profile / "run.json").exists():
            return None
        dropped = {kind: count for kind, count in self.run_json(self.profile)["dropped"].items() if count > 0}
        shown = self.tool(self.profile)
        for kind in dropped:
            self.assertRegex(shown, rf"(?m)^Dropped +{kind}: ")
        shutil.rmtree(self.profile)
        return dropped

    def check_left(self, lines, reason):
        """One line says why there is no profile; what was counted is where it says so. Removes it."""
        (line,) = lines
        self.assertRegex(line, reason)
        self.assertEqual("what was counted stays in" in line, self.profile.exists(), line)
        if self.profile.exists():
            self.assertEqual(self.found(self.profile), ["spool"])
            self.assertRegex(self.tool(self.profile), r"(?m)^Unfinished ")
            shutil.rmtree(self.profile)
        self.assertEqual(self.found(), [])


@shared_between_mpis
class Faults(Workload):
    def check_memory(self, first, ranks, rank=None):
        """How much was lost; None if there is no profile."""
        with self.subTest(first=first, ranks=ranks, rank=rank):
            lines = self.starve(f"memory:{first}", ranks, rank)
            dropped = self.dropped()
            if dropped is None:
                self.check_left(lines, "no memory|cannot write the profile: .*; (what was counted stays|it is given up)")
                return None
            lost = {kind: count for kind, count in dropped.items() if kind in MEMORY_KINDS}
            self.assertEqual(len(lines), 1 if lost else 0, lines)
            for kind, count in lost.items():
                self.assertIn(f"{kind}: {count}", lines[0])
            return sum(lost.values())

    def test_memory(self):
        lost = [self.check_memory(first, 2) for first in (0, *sample((8, 4, 6, 11, 15, 30), 6), 1000)]
        self.assertIsNone(lost[0])  # there is no profile
        self.assertIn(None, lost[1:-1])  # what was counted stays in the spool, and is read from there
        self.assertEqual(lost[-1], 0)
        for ranks, rank, first in sample([(ranks, rank, first) for ranks, rank in ((2, 0), (3, 1)) for first in (6, 0, 9, 20)], 4):
            self.check_memory(first, ranks, rank)
        for ranks, first in sample(((4, 9), (1, 10), (8, 6)), 3):
            self.check_memory(first, ranks)

    def test_what_the_system_refuses(self):
        # Rank 16 writes for itself and rank 17.
        for refused, ranks, rank, reason in (("space:0", 4, None, "No space left on device"), ("space:0", 18, 16, "No space left on device"),
                                             ("descriptors:0", 2, None, "Too many open files"), ("descriptors:3", 2, None, "Too many open files"),
                                             ("changes:0", 2, None, "Read-only file system")):
            with self.subTest(refused=refused, ranks=ranks):
                self.check_left(self.starve(refused, ranks, rank), reason)
        self.check_left(self.starve("space:0", 2, None, "--exit", "7"), "No space left on device")

    def test_disk_fills_up(self):
        """At each write: a profile is whole or absent."""
        whole = 0
        numbers = sample(range(1, 98, 6), 5)
        for number in numbers:
            with self.subTest(number):
                lines = self.starve(f"space:{number}", 2)
                if lines:
                    self.check_left(lines, "No space left on device")
                else:
                    self.check_profile(self.profile, ranks=2)
                    whole += 1
                    shutil.rmtree(self.profile)
        self.assertGreater(whole, 0)
        self.assertLess(whole, len(numbers))

    @long
    def test_short_writes(self):
        self.assertEqual(self.starve("whole writes:0", 20), [])
        self.check_profile(self.profile, ranks=20)

    @long
    def test_writer_dies(self):
        self.profile_of(PROGRAMS / "workload", ranks=20, preload=False, exit_code=None, inner_env={
            "LD_PRELOAD": f"{SYSTEM}:{LIBRARY}", "SYSTEM_REFUSES": "life:0", "SYSTEM_REFUSES_RANK": "16"})
        self.assertFalse((self.profile / "run.json").exists())
        self.assertRegex(self.tool(self.profile), r"(?m)^Unfinished ")

    def test_clock(self):
        for ranks in sample((3, 1), 2):
            lines = self.starve("clock:0", ranks, COMMPROF_CLOCK="monotonic")
            self.check_profile(self.profile, ranks=ranks)
            times = self.dropped()["times"]
            self.assertGreater(times, 100)
            (line,) = lines
            self.assertIn(f"times: {times}", line)


@shared_between_mpis
class Gathering(Workload):
    """Calls of the profiler into MPI fail: a profile is whole or absent, nobody waits for ever, and the program is as ever."""

    def failing(self, calls, rank, where="end", arguments=(), **env):
        """Returns the profiler's lines."""
        # Without waits, whose messages would come first: see test_waits.
        env = {"MPI_FAILS": calls, "MPI_FAILS_RANK": str(rank), "MPI_FAILS_IN": where, "COMMPROF_WAITS": "0"} | env
        out, lines = self.run_workload(3, *arguments, preload=f"{FAILING_MPI}:{LIBRARY}", env=env)
        self.assertEqual(out, self.plain(3), lines)
        return lines

    def check_whole(self, lines):
        self.assertEqual(lines, [])
        self.check_profile(self.profile, ranks=3)
        self.assertEqual({kind for kind in self.dropped() if kind in MEMORY_KINDS}, set())
        self.assertEqual(self.found(), [])

    def check_either(self, calls, rank):
        """Whole, or absent with one line. Returns whether it is whole."""
        with self.subTest(calls, rank=rank):
            lines = self.failing(calls, rank)
            if lines:
                self.check_left(lines, ROWS_LOST)
            else:
                self.check_whole(lines)
            return not lines

    def test_hosts_are_not_absent_where_no_name_is_found(self):
        fails = {"MPI_FAILS": "Lookup_name:0+", "MPI_FAILS_RANK": "0", "MPI_FAILS_IN": "start", "LD_PRELOAD": f"{FAILING_MPI}:{LIBRARY}"}
        with named_hosts(self, "h1:1,h2:2", variables=()):
            done = finish(start_mpirun([PROGRAMS / "small_program"], ranks=3, preload=False, inner_env=fails, cwd=self.start))
        line, = self.lines(done)  # so all look-ups had a range
        self.check_profile(Path(line.split()[-1]), ranks=3)

    def test_calls_fail(self):
        """Each call of a process into MPI in turn, or all from one on."""
        for call, ends in (("Irecv", (14, 8, 8)), ("Isend", (6, 12, 12)), ("Test", (20, 16, 16))):
            cases = sample([(rank, number) for rank, end in enumerate(ends) for number in range(rank, end, 5)], 4)
            whole = sum(self.check_either(f"{call}:{number}", rank) for rank, number in cases)
            self.assertGreater(whole, 0)
            self.assertLess(whole, len(cases))
        for call, rank, number in sample(list(itertools.product(("Irecv", "Isend"), range(3), (0, 2))), 5):
            self.check_either(f"{call}:{number}+", rank)

    def test_rows_are_many(self):
        """More than a chunk: a message that no MPI takes before it is received."""
        self.assertEqual(self.failing("none:0", 0), [])
        self.check_profile(self.profile, ranks=3)
        self.assertGreater((self.profile / "operations.csv").stat().st_size / 3, 2 * 64 * 1024)

    def test_rows_that_are_not_sent(self):
        # The first message that rank 0 receives has the rows of rank 1.
        for calls, rank, reason, env in (("Irecv:0", 0, "the rows of rank 1 cannot be received: ", {}),
                                         ("Irecv:0", 0, "the rows of rank 1 cannot be received: .*; it is given up$", {"COMMPROF_SPOOL": "off"}),
                                         ("Isend:0", 2, "rank 2 cannot send its rows: ", {})):
            self.check_left(self.failing(calls, rank, **env), f"cannot write the profile: {reason}")
        for rank, calls, reason in sample(((0, "Irecv:0", "the rows of rank 1 cannot be received"), (2, "Isend:0", "rank 2 cannot send its rows")), 2):
            (line,) = self.failing(calls, rank, "flush", ["--flush"])
            self.assertIn(f"cannot write the snapshot: {reason}: ", line)
            self.assertEqual(self.found(), ["profile", "profile-snapshot-2"])
            shutil.rmtree(self.start / "profile-snapshot-2")
            self.check_whole([])

    def test_what_fails_once_is_done_otherwise(self):
        """Nothing is lost where what all are told fails at first."""
        for rank, calls in sample(((0, "Ibcast:0"), (0, "Ibcast:1"), (1, "Ibcast:0"), (2, "Ibcast:1")), 3):
            self.check_whole(self.failing(calls, rank))
        for rank, calls in sample(list(itertools.product((0, 1), ("Ibcast:0", "Iallreduce:0", "Comm_idup:0"))), 4):
            self.check_whole(self.failing(calls, rank, "start"))

    def test_waits(self):
        """What fails while the processes join their samples costs these, and nothing else; nobody waits for ever."""
        complete = 0
        cases = ((0, "Irecv:0"), (0, "Irecv:1"), (1, "Irecv:0"), (2, "Irecv:2"), (0, "Isend:0"), (1, "Isend:0"), (1, "Isend:1"),
                 (2, "Isend:2"), (0, "Test:2"), (0, "Test:3"), (1, "Test:2"), (1, "Test:4"), (2, "none:0"))
        for rank, calls in sample(cases, 4):
            with self.subTest(calls, rank=rank):
                if not self.failing(calls, rank, COMMPROF_WAITS="1"):
                    self.check_profile(self.profile, ranks=3)
                    run = self.run_json(self.profile)
                    told = sum(int(row["calls"]) for row in read_csv(self.profile / "waits.csv"))
                    made = sum(int(row["calls"]) for row in read_csv(self.profile / "operations.csv")
                               if row["op"] in SAMPLED and int(row["comm_size"]) > 1)
                    self.assertGreaterEqual(told + sum(run["waits"].values()), made)  # a rank may not learn of a row
                    complete += told > 0 and run["waits"]["incomplete"] == 0
                shutil.rmtree(self.profile)
        self.assertNotEqual(complete, 0)

    def test_hosts(self):
        """What fails while the processes add up messages by host leaves these without their hosts, and counts them all the same."""
        by_host = 0
        for rank, calls in sample(((2, "none:0"), (0, "Isend:2"), (0, "Isend:3"), (1, "Irecv:1")), 3):
            with self.subTest(calls, rank=rank):
                self.assertEqual(self.failing(calls, rank, COMMPROF_DETAIL="summary"), [])
                told = self.run_json(self.profile)["messages"]
                rows = read_csv(self.profile / "host_pairs.csv")
                for name, (messages, size) in totals(rows, "class").items():
                    self.assertEqual(told[name[0]], {"messages": messages, "bytes": size})
                is_by_host = "*" not in {row["src_host"] for row in rows}
                self.assertEqual(is_by_host, "across_hosts" in told)
                by_host += is_by_host
                shutil.rmtree(self.profile)
        self.assertEqual(by_host, 1)


class RealFaults(Workload):
    """The same where the system itself does it, without anything between it and the profiler."""

    def test_directory_vanishes(self):
        gone = self.start / "gone"
        for ranks in sample((4, 1), 2):
            gone.mkdir()
            plain, _ = self.run_workload(ranks, "--remove", gone, preload=None)
            self.assertEqual(self.found(), [])
            gone.mkdir()
            out, _ = self.run_workload(ranks, "--remove", gone, env={"COMMPROF_OUTPUT": str(gone / "profile")})
            self.assertEqual(out, plain)
            self.check_profile(gone / "profile", ranks=ranks)
            shutil.rmtree(gone)

    def test_no_descriptors_left(self):
        out, lines = self.run_workload(2, "--no-descriptors")
        self.assertEqual(out, self.plain(2, "--no-descriptors"))
        self.check_left(lines, "Too many open files")

    def test_snapshots_of_a_full_disk(self):
        out, lines = self.run_workload(2, "--flush", preload=f"{SYSTEM}:{LIBRARY}", env={"SYSTEM_REFUSES": "space:0"})
        self.assertEqual(out, self.plain(2))
        self.assertEqual(len(lines), 3, lines)
        for line in lines:
            self.assertIn("No space left on device", line)


if __name__ == "__main__":
    unittest.main()
