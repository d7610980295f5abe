"""A program without MPI_Init gets its profile when its last session closes."""

import unittest

import time_windows
from driver import PROGRAMS, DriverTest, read_csv, sample


def ranks_in_name(first, end, step=1):
    """As a name has the ranks from first below end, in steps."""
    ranks = range(first, end, step)
    if len(ranks) <= 1:
        return str(first)
    return f"{first}-{ranks[-1]}" + (f":{step}" if step > 1 else "")


class SessionsAlone(DriverTest):
    def test_what_the_transport_is_given_is_not_seen(self):
        self.check_profile(self.profile_of(PROGRAMS / "sessions_alone", inner_env={"COMMPROF_TRANSPORT": "1"}))
        line = "commprof: COMMPROF_TRANSPORT=1: what the MPI gives to its transport is not seen here, so the profile lacks it"
        self.assertEqual(self.lines(self.done).count(line), 1)

    def check(self, ranks):
        profile = self.check_profile(self.profile_of(PROGRAMS / "sessions_alone", ranks=ranks), ranks)
        # Lines of several processes may run into each other.
        self.assertEqual(self.done.stdout.count(b"done"), ranks)
        found = {}
        for i, column in enumerate(("calls", "bytes_sent", "bytes_received")):
            for (comm, op, rank), count in self.counts(profile, "comm", "op", "rank", count=column).items():
                found.setdefault((comm, op), [[0, 0, 0] for _ in range(ranks)])[int(rank)][i] = count

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
        self.assertEqual(self.run_json(profile)["when"]["clock"], "own")

    def test_processes(self):
        for ranks in sample((4, 1), 2):
            self.check(ranks)


if __name__ == "__main__":
    unittest.main()
