"""A program without MPI_Init gets its profile when its last session closes."""

import json
import unittest

import time_windows
from driver import PROGRAMS, DriverTest, finish, read_csv, start_mpirun


def ranks_in_name(first, end, step=1):
    """As a name has the ranks from first below end, in steps."""
    ranks = range(first, end, step)
    if len(ranks) <= 1:
        return str(first)
    return f"{first}-{ranks[-1]}" + (f":{step}" if step > 1 else "")


class SessionsAlone(DriverTest):
    def test_what_the_transport_is_given_is_not_seen(self):
        done = finish(start_mpirun([PROGRAMS / "sessions_alone"], cwd=self.start, inner_env={"COMMPROF_OUTPUT": "out", "COMMPROF_TRANSPORT": "1"}))
        line = b"commprof: COMMPROF_TRANSPORT=1: what the MPI gives to its transport is not seen here, so the profile lacks it\n"
        self.assertEqual((done.returncode, done.stderr.count(line)), (0, 1), done.stderr)
        self.remove_profile(self.check_profile(self.start / "out"))

    def check(self, ranks):
        done = finish(start_mpirun([PROGRAMS / "sessions_alone"], ranks=ranks, cwd=self.start,
                                   inner_env={"COMMPROF_OUTPUT": "out"}))
        # Lines of several processes may run into each other.
        self.assertEqual((done.returncode, done.stdout.count(b"done")), (0, ranks), done.stderr.decode(errors="replace"))
        profile = self.check_profile(self.start / "out", ranks)
        found = {}
        for row in read_csv(profile / "operations.csv"):
            counts = found.setdefault((row["comm"], row["op"]), [[0, 0, 0] for _ in range(ranks)])[int(row["rank"])]
            for i, column in enumerate(("calls", "bytes_sent", "bytes_received")):
                counts[i] += int(row[column])

        world = f"W_f1.{ranks_in_name(0, ranks)}.all"
        even, odd = ranks_in_name(0, ranks, 2), ranks_in_name(1, ranks, 2)
        even_half, odd_half, between = f"W_f1.{even}.even", f"W_f1.{odd}.odd", f"W_f1.{even}.{odd}.between"
        members = {"W": ranks, "SELF": 1, world: ranks, world + "_d1": ranks, even_half: (ranks + 1) // 2}
        if ranks > 1:
            members |= {odd_half: ranks // 2, between: ranks}
        comms = {row["comm"]: int(row["size"]) for row in read_csv(profile / "communicators.csv")}
        self.assertEqual(comms, members)

        none = [0, 0, 0]
        expected = {
            ("SELF", "Session_init"): [[1, 0, 0]] * ranks,  # of two: as with MPI_Init, counting starts after the first
            ("SELF", "Session_finalize"): [[1, 0, 0]] * ranks,  # and ends before the last
            ("W", "Comm_create_from_group"): [[2, 0, 0]] * ranks,
            (world, "Comm_dup"): [[1, 0, 0]] * ranks,
            (world, "Irecv"): [[1, 0, 4]] * ranks,
            (world, "Send"): [[1, 4, 0]] * ranks,
            (world, "Wait"): [[1, 0, 0]] * ranks,
            (world, "Comm_free"): [[1, 0, 0]] * ranks,
            (world + "_d1", "Allreduce"): [[1, 4, 0]] * ranks,
            (world + "_d1", "Comm_free"): [[1, 0, 0]] * ranks,
        }
        for op in ("Barrier", "Comm_free"):
            expected[even_half, op] = [[1, 0, 0] if rank % 2 == 0 else none for rank in range(ranks)]
            if ranks > 1:
                expected[odd_half, op] = [[1, 0, 0] if rank % 2 == 1 else none for rank in range(ranks)]
                expected[between, op] = [[1, 0, 0]] * ranks
        if ranks > 1:
            expected["W", "Intercomm_create_from_groups"] = [[1, 0, 0]] * ranks
        self.assertEqual(found, expected)
        time_windows.check_sums(self, profile)
        self.assertEqual(json.loads((profile / "run.json").read_text())["when"]["clock"], "own")
        self.remove_profile(profile)

    def test_one_process(self):
        self.check(1)

    def test_several_processes(self):
        self.check(4)


if __name__ == "__main__":
    unittest.main()
