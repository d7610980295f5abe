"""Whatever fails around the profiler, the program prints and returns what it does without it, and one line says what is lost."""

import itertools
import json
import os
import re
import shutil
import unittest
from pathlib import Path

from driver import LIBRARY, PROGRAMS, DriverTest, finish, long, read_csv, run_tool, sample, shared_between_mpis, start_mpirun
from hosts import named_hosts
from messages import totals

SYSTEM = os.environ["SYSTEM"]
FAILING_MPI = os.environ["FAILING_MPI"]
MEMORY_KINDS = ("records", "communicators", "requests", "messages")

SAMPLED = {"Barrier", "Bcast", "Gather", "Gatherv", "Scatter", "Scatterv", "Allgather", "Allgatherv", "Alltoall", "Alltoallv",
           "Alltoallw", "Reduce", "Allreduce", "Reduce_scatter", "Reduce_scatter_block"}


class Workload(DriverTest):
    def run_workload(self, ranks, *arguments, preload=LIBRARY, env=None):
        # UCX would put itself between the profiler and what stands for the system.
        inner = {"UCX_MEM_EVENTS": "n", "UCX_MEM_MMAP_HOOK_MODE": "none"} | (env or {})
        inner |= {"LD_PRELOAD": preload} if preload else {}
        done = finish(start_mpirun([PROGRAMS / "workload", *arguments], ranks=ranks, preload=False, inner_env=inner,
                                   cwd=self.start, env={"COMMPROF_OUTPUT": str(self.start / "profile")}))
        # An MPI that finds no descriptors complains of that itself.
        out = [line for line in done.stdout.splitlines() if re.fullmatch(b"[0-9a-f]{16}", line)]
        self.assertEqual(len(out), ranks, done.stderr.decode(errors="replace"))
        return done.returncode, out, self.lines(done)

    def starve(self, refused, ranks, rank=None, env=None, *arguments):
        """Refuses something to the profiler of all processes, or of one. Returns its lines, but for the one on where the profile is."""
        env = {"SYSTEM_REFUSES": refused} | ({} if rank is None else {"SYSTEM_REFUSES_RANK": str(rank)}) | (env or {})
        plain = self.plain(ranks, *arguments)
        code, out, lines = self.run_workload(ranks, *arguments, preload=f"{SYSTEM}:{LIBRARY}", env=env)
        self.assertEqual((code, out), plain, lines)
        return [line for line in lines if "look at it with" not in line]

    known = {}

    def plain(self, *how):
        if how not in self.known:
            code, out, lines = self.run_workload(*how, preload=None)
            self.assertEqual(lines, [])
            self.known[how] = (code, out)
        return self.known[how]

    def dropped(self):
        """What the profile says it lacks, and mpisee-through shows; None without a profile. Removes the profile."""
        path = self.start / "profile"
        if not (path / "run.json").exists():
            return None
        dropped = {kind: count for kind, count in json.loads((path / "run.json").read_text())["dropped"].items() if count > 0}
        shown = run_tool(path)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        for kind in dropped:
            self.assertRegex(shown.stdout, rf"(?m)^Dropped +{kind}: ".encode())
        shutil.rmtree(path)
        return dropped


    def check_left(self, line):
        """There is no profile, but what was counted, where the line says so. Removes it."""
        path = self.start / "profile"
        self.assertEqual("what was counted stays in" in line, path.exists(), line)
        if path.exists():
            self.assertEqual(self.found(path), ["spool"])
            shown = run_tool(path)
            self.assertEqual(shown.returncode, 0, shown.stderr)
            self.assertRegex(shown.stdout, rb"(?m)^Unfinished ")
            shutil.rmtree(path)


@shared_between_mpis
class Faults(Workload):
    def check_memory(self, first, ranks, rank=None):
        with self.subTest(first=first, ranks=ranks, rank=rank):
            lines = self.starve(f"memory:{first}", ranks, rank)
            dropped = self.dropped()
            if dropped is None:
                self.assertEqual(len(lines), 1, lines)
                self.assertRegex(lines[0], "no memory|cannot write the profile: .*; (what was counted stays|it is given up)")
                self.check_left(lines[0])
                return None
            lost = {kind: count for kind, count in dropped.items() if kind in MEMORY_KINDS}
            self.assertEqual(len(lines), 1 if lost else 0, lines)
            for kind, count in lost.items():
                self.assertIn(f"{kind}: {count}", lines[0])
            return sum(lost.values())

    def test_memory_of_all(self):
        lost = [self.check_memory(first, 2) for first in (0, *sample((8, 4, 6, 11, 15, 30), 6), 1000)]
        self.assertIsNone(lost[0])  # there is no profile
        self.assertIn(None, lost[1:-1])  # what was counted stays in the spool, and is read from there
        self.assertEqual(lost[-1], 0)

    def test_memory_of_one(self):
        for ranks, rank in ((2, 0), (3, 1)):
            for first in sample((6, 0, 9, 20), 4):
                self.check_memory(first, ranks, rank)

    def test_memory_of_many(self):
        for ranks, first in sample(((4, 9), (1, 10), (8, 6)), 3):
            self.check_memory(first, ranks)

    def check_lost(self, refused, ranks, reason, rank=None):
        with self.subTest(refused=refused, ranks=ranks):
            lines = self.starve(refused, ranks, rank)
            self.assertEqual(len(lines), 1, lines)
            self.assertIn(reason, lines[0])
            self.check_left(lines[0])

    def test_disk(self):
        for ranks in sample((4, 1, 2), 3):
            self.check_lost("space:0", ranks, "No space left on device")
        self.assertEqual(self.found(), [])

    def test_disk_fills_up(self):
        """At each write: a profile is whole or absent."""
        whole = 0
        numbers = sample(range(1, 98, 6), 5)
        for number in numbers:
            with self.subTest(number):
                lines = self.starve(f"space:{number}", 2)
                self.assertLessEqual(len(lines), 1, lines)
                if lines:
                    self.assertIn("No space left on device", lines[0])
                    self.check_left(lines[0])
                else:
                    self.check_profile(self.start / "profile", ranks=2)
                    shutil.rmtree(self.start / "profile")
                    whole += 1
                self.assertEqual(self.found(), [])
        self.assertGreater(whole, 0)
        self.assertLess(whole, len(numbers))

    @long
    def test_short_writes(self):
        self.assertEqual(self.starve("whole writes:0", 20), [])
        self.check_profile(self.start / "profile", ranks=20)
        shutil.rmtree(self.start / "profile")

    def test_disk_of_one_writer(self):
        """Rank 16 writes for itself and rank 17."""
        lines = self.starve("space:0", 18, 16)
        self.assertEqual(len(lines), 1, lines)
        self.assertRegex(lines[0], "cannot write the profile: .*No space left on device")
        self.check_left(lines[0])
        self.assertEqual(self.found(), [])

    @long
    def test_writer_dies(self):
        env = {"LD_PRELOAD": f"{SYSTEM}:{LIBRARY}", "SYSTEM_REFUSES": "life:0", "SYSTEM_REFUSES_RANK": "16"}
        finish(start_mpirun([PROGRAMS / "workload"], ranks=20, preload=False, inner_env=env, cwd=self.start,
                            env={"COMMPROF_OUTPUT": str(self.start / "profile")}))
        profile = self.start / "profile"
        self.assertFalse((profile / "run.json").exists())
        shown = run_tool(profile)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertRegex(shown.stdout, rb"(?m)^Unfinished ")
        for left in self.start.iterdir():
            shutil.rmtree(left)

    def test_descriptors(self):
        self.check_lost("descriptors:0", 2, "Too many open files")
        self.check_lost("descriptors:3", 2, "Too many open files")
        self.assertEqual(self.found(), [])

    def test_read_only(self):
        self.check_lost("changes:0", 2, "Read-only file system")
        self.assertEqual(self.found(), [])

    def test_clock(self):
        for ranks in sample((3, 1), 2):
            lines = self.starve("clock:0", ranks, env={"COMMPROF_CLOCK": "monotonic"})
            self.check_profile(self.start / "profile", ranks=ranks)
            dropped = self.dropped()
            self.assertGreater(dropped["times"], 100)
            self.assertEqual(len(lines), 1, lines)
            self.assertIn(f"times: {dropped['times']}", lines[0])

    def test_exit_code(self):
        self.assertEqual(len(self.starve("space:0", 2, None, None, "--exit", "7")), 1)


@shared_between_mpis
class Gathering(Workload):
    """Calls of the profiler into MPI fail: a profile is whole or absent, nobody waits for ever, and the program is as ever."""

    def failing(self, calls, rank, where="end", ranks=3, env=None, arguments=()):
        """Returns the profiler's lines, but for those on what was written."""
        # Without waits, whose messages would come first: see test_waits.
        env = {"MPI_FAILS": calls, "MPI_FAILS_RANK": str(rank), "MPI_FAILS_IN": where, "COMMPROF_WAITS": "0"} | (env or {})
        code, out, lines = self.run_workload(ranks, *arguments, preload=f"{FAILING_MPI}:{LIBRARY}", env=env)
        self.assertEqual((code, out), self.plain(ranks), lines)
        return [line for line in lines if "look at it with" not in line]

    def test_hosts_are_not_absent_where_no_name_is_found(self):
        fails = {"MPI_FAILS": "Lookup_name:0+", "MPI_FAILS_RANK": "0", "MPI_FAILS_IN": "start", "LD_PRELOAD": f"{FAILING_MPI}:{LIBRARY}"}
        with named_hosts(self, "h1:1,h2:2", variables=()):
            done = finish(start_mpirun([PROGRAMS / "small_program"], ranks=3, preload=False, inner_env=fails, cwd=self.start))
        line, = self.lines(done)  # so all look-ups had a range
        self.check_profile(Path(line.split()[-1]), ranks=3)

    def check_absent(self, lines, reason):
        self.assertEqual(len(lines), 1, lines)
        self.assertIn(f"cannot write the profile: {reason}: ", lines[0])
        self.check_left(lines[0])
        self.assertEqual(self.found(), [])

    def check_whole(self, lines, ranks=3):
        self.assertEqual(lines, [])
        self.check_profile(self.start / "profile", ranks=ranks)
        self.assertEqual({kind for kind in self.dropped() if kind in MEMORY_KINDS}, set())
        self.assertEqual(self.found(), [])

    def check_either(self, calls, rank, env=None):
        """Whole, or absent with one line. Returns whether it is whole."""
        with self.subTest(calls, rank=rank):
            lines = self.failing(calls, rank, env=env)
            if not lines:
                self.check_whole(lines)
                return True
            self.assertEqual(len(lines), 1, lines)
            self.assertRegex(lines[0], "cannot write the profile: (the rows of rank [12] cannot be received|rank [12] cannot send its rows): ")
            self.check_left(lines[0])
            self.assertEqual(self.found(), [])
            return False

    def test_any_call_fails(self):
        """Each call of a process into MPI in turn."""
        for call, ends in (("Irecv", (14, 8, 8)), ("Isend", (6, 12, 12)), ("Test", (20, 16, 16))):
            cases = sample([(rank, number) for rank, end in enumerate(ends) for number in range(rank, end, 5)], 4)
            whole = sum(self.check_either(f"{call}:{number}", rank) for rank, number in cases)
            self.assertGreater(whole, 0)
            self.assertLess(whole, len(cases))

    def test_all_calls_fail(self):
        for call, rank, number in sample(list(itertools.product(("Irecv", "Isend"), range(3), (0, 2))), 5):
            self.check_either(f"{call}:{number}+", rank)

    def test_rows_are_many(self):
        """More than a chunk: a message that no MPI takes before it is received."""
        self.check_whole_but_keep(self.failing("none:0", 0))
        size = (self.start / "profile" / "operations.csv").stat().st_size
        self.assertGreater(size / 3, 2 * 64 * 1024)
        shutil.rmtree(self.start / "profile")

    def check_whole_but_keep(self, lines):
        self.assertEqual(lines, [])
        self.check_profile(self.start / "profile", ranks=3)

    def test_receive_of_rows(self):
        # The first message that rank 0 receives has the rows of rank 1.
        self.check_absent(self.failing("Irecv:0", 0), "the rows of rank 1 cannot be received")

    def test_receive_of_rows_without_spool(self):
        lines = self.failing("Irecv:0", 0, env={"COMMPROF_SPOOL": "off"})
        self.check_absent(lines, "the rows of rank 1 cannot be received")
        self.assertTrue(lines[0].endswith("; it is given up"), lines)

    def test_send_of_rows(self):
        for rank in sample((2, 1), 2):
            self.check_absent(self.failing("Isend:0", rank), f"rank {rank} cannot send its rows")

    def test_what_fails_once_is_done_otherwise(self):
        """Nothing is lost where what all are told fails at first."""
        for rank, calls in sample(((0, "Ibcast:0"), (0, "Ibcast:1"), (1, "Ibcast:0"), (2, "Ibcast:1")), 3):
            with self.subTest(calls, rank=rank):
                self.check_whole(self.failing(calls, rank))

    def test_waits(self):
        """What fails while the processes join their samples costs these, and nothing else; nobody waits for ever."""
        complete = 0
        cases = ((0, "Irecv:0"), (0, "Irecv:1"), (1, "Irecv:0"), (2, "Irecv:2"), (0, "Isend:0"), (1, "Isend:0"), (1, "Isend:1"),
                 (2, "Isend:2"), (0, "Test:2"), (0, "Test:3"), (1, "Test:2"), (1, "Test:4"), (2, "none:0"))
        for rank, calls in sample(cases, 4):
            with self.subTest(calls, rank=rank):
                lines = self.failing(calls, rank, env={"COMMPROF_WAITS": "1"})
                profile = self.start / "profile"
                if not lines:
                    self.check_profile(profile, ranks=3)
                    run = json.loads((profile / "run.json").read_text())
                    told = sum(int(row["calls"]) for row in read_csv(profile / "waits.csv"))
                    made = sum(int(row["calls"]) for row in read_csv(profile / "operations.csv")
                               if row["op"] in SAMPLED and int(row["comm_size"]) > 1)
                    self.assertGreaterEqual(told + sum(run["waits"].values()), made)  # a rank may not learn of a row
                    complete += told > 0 and run["waits"]["incomplete"] == 0
                shutil.rmtree(profile)
        self.assertNotEqual(complete, 0)

    def test_hosts(self):
        """What fails while the processes add up messages by host leaves these without their hosts, and counts them all the same."""
        by_host = 0
        for rank, calls in sample(((2, "none:0"), (0, "Isend:2"), (0, "Isend:3"), (1, "Irecv:1")), 3):
            with self.subTest(calls, rank=rank):
                self.assertEqual(self.failing(calls, rank, env={"COMMPROF_DETAIL": "summary"}), [])
                profile = self.start / "profile"
                told = json.loads((profile / "run.json").read_text())["messages"]
                rows = read_csv(profile / "host_pairs.csv")
                for name, (messages, size) in totals(rows, "class").items():
                    self.assertEqual(told[name[0]], {"messages": messages, "bytes": size})
                is_by_host = "*" not in {row["src_host"] for row in rows}
                self.assertEqual(is_by_host, "across_hosts" in told)
                by_host += is_by_host
                shutil.rmtree(profile)
        self.assertEqual(by_host, 1)

    def test_snapshot(self):
        cases = ((0, "Irecv:0", "the rows of rank 1 cannot be received"), (2, "Isend:0", "rank 2 cannot send its rows"))
        for rank, calls, reason in sample(cases, 2):
            with self.subTest(calls):
                (line,) = self.failing(calls, rank, "flush", arguments=["--flush"])
                self.assertIn(f"cannot write the snapshot: {reason}: ", line)
                self.assertEqual(self.found(), ["profile", "profile-snapshot-2"])
                shutil.rmtree(self.start / "profile-snapshot-2")
                self.check_whole([])

    def test_start(self):
        for rank, calls in sample(list(itertools.product((0, 1), ("Ibcast:0", "Iallreduce:0", "Comm_idup:0"))), 4):
            with self.subTest(calls, rank=rank):
                self.check_whole(self.failing(calls, rank, "start"))


class RealFaults(Workload):
    """The same where the system itself does it, without anything between it and the profiler."""

    def test_directory_vanishes(self):
        gone = self.start / "gone"
        for ranks in sample((4, 1), 2):
            gone.mkdir()
            plain = self.run_workload(ranks, "--remove", gone, preload=None)
            self.assertEqual(self.found(), [])
            gone.mkdir()
            code, out, lines = self.run_workload(ranks, "--remove", gone, env={"COMMPROF_OUTPUT": str(gone / "profile")})
            self.assertEqual((code, out), plain[:2])
            self.assertEqual(len(lines), 1, lines)
            self.check_profile(gone / "profile", ranks=ranks)
            shutil.rmtree(gone)

    def test_no_descriptors_left(self):
        plain = self.run_workload(2, "--no-descriptors", preload=None)
        code, out, lines = self.run_workload(2, "--no-descriptors")
        self.assertEqual((code, out), plain[:2])
        self.assertEqual(len(lines), 1, lines)
        self.assertIn("Too many open files", lines[0])
        self.check_left(lines[0])
        self.assertEqual(self.found(), [])

    def test_snapshots_of_a_full_disk(self):
        code, out, lines = self.run_workload(2, "--flush", preload=f"{SYSTEM}:{LIBRARY}", env={"SYSTEM_REFUSES": "space:0"})
        self.assertEqual((code, out), self.plain(2))
        self.assertEqual(len(lines), 3, lines)
        for line in lines:
            self.assertIn("No space left on device", line)


if __name__ == "__main__":
    unittest.main()
