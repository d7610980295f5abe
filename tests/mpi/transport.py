"""The messages of an MPI over UCX: those that it sends for collectives are the edges of the algorithm that it was told to use."""

import shutil
import subprocess
import unittest
from collections import Counter

from driver import DriverTest, PROGRAMS, TOOL, finish, read_csv, run_tool, start_mpirun


def binomial(ranks, calls, size):
    """From a process to its parent, whose rank lacks the lowest bit."""
    return {(rank, rank & (rank - 1)): (calls, calls * size) for rank in range(1, ranks)}


def turned(edges):
    return {(dst, src): amount for (src, dst), amount in edges.items()}


class Transport(DriverTest):
    def profile_of(self, *words, ranks=4, exit_code=0, **env):
        output = self.start / "profile"
        done = finish(start_mpirun([PROGRAMS / "transport", *words], ranks=ranks, cwd=self.start,
                                   env={"COMMPROF_INTERNAL": "1", "COMMPROF_OUTPUT": str(output), "COMMPROF_VERBOSE": "0"} | env))
        if exit_code is not None:
            self.assertEqual((done.returncode, self.lines(done)), (exit_code, []), done.stderr.decode(errors="replace"))
        return output

    def amounts(self, profile, op, comm="W", message_class="internal"):
        """{(sender, receiver): (messages, bytes)}"""
        messages, size = Counter(), Counter()
        for row in read_csv(profile / "peers.csv"):
            if (row["class"], row["op"], row["comm"]) != (message_class, op, comm):
                continue
            pair = int(row["src"]), int(row["dst"])
            messages[pair] += int(row["messages"])
            size[pair] += int(row["bytes"])
        return {pair: (messages[pair], size[pair]) for pair in messages}

    def check(self, op, expected, profile, comm="W"):
        self.assertEqual(self.amounts(profile, op, comm), expected)

    def checked(self, profile, ranks):
        self.check_profile(profile, ranks=ranks)
        return profile

    def test_allreduce(self):
        halves = {(rank, rank ^ 1): (200, 3200) for rank in range(4)} | {(rank, rank ^ 2): (200, 1600) for rank in range(4)}
        whole = {(rank, rank ^ far): (100, 3200) for rank in range(4) for far in (1, 2)}
        for algorithm, expected in (("reduce_scatter_allgather", halves), ("recursive_doubling", whole)):
            with self.subTest(algorithm):
                profile = self.profile_of("allreduce", 32, 100, MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=algorithm)
                self.check("Allreduce", expected, self.checked(profile, 4))
                self.remove_profile(profile)

    def test_trees(self):
        tree = {"MPIR_CVAR_REDUCE_INTRA_ALGORITHM": "binomial", "MPIR_CVAR_BCAST_INTRA_ALGORITHM": "binomial"}
        for ranks in (2, 5, 16):
            with self.subTest(ranks):
                profile = self.profile_of("reduce", 12, 3, ranks=ranks, **tree)
                self.check("Reduce", binomial(ranks, 3, 12), self.checked(profile, ranks))
                self.remove_profile(profile)
                profile = self.profile_of("bcast", 12, 3, ranks=ranks, **tree)
                self.check("Bcast", turned(binomial(ranks, 3, 12)), self.checked(profile, ranks))
                self.remove_profile(profile)

    def test_ring(self):
        profile = self.profile_of("allgather", 64, 5, ranks=5, MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM="ring")
        # Each process passes on the blocks of all others but the next one's.
        self.check("Allgather", {(rank, (rank + 1) % 5): (20, 20 * 64) for rank in range(5)}, self.checked(profile, 5))
        self.remove_profile(profile)

    def test_nonblocking_operations_on_two_communicators(self):
        # The program's own messages make the operations progress. They do not count as messages of the MPI.
        profile = self.profile_of("pending", 10, 20, ranks=3)
        self.check("Ibcast", {(0, 1): (20, 200), (0, 2): (20, 200)}, self.checked(profile, 3))
        # The root sends to the first process of the host, which sends to all others.
        self.check("Ibcast", {(2, 0): (20, 400), (0, 1): (20, 400), (0, 2): (20, 400)}, profile, comm="W_d1")
        self.check("Sendrecv", {}, profile)
        self.remove_profile(profile)

    def test_threads(self):
        profile = self.profile_of("threads", 32, 100, ranks=4, MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM="recursive_doubling")
        for comm, size in (("W", 32), ("W_d1", 64)):
            self.check("Allreduce", {(rank, rank ^ far): (100, 100 * size) for rank in range(4) for far in (1, 2)},
                       profile, comm)
        self.remove_profile(self.checked(profile, 4))

    def test_a_child_process(self):
        profile = self.profile_of("fork", 32, 3, ranks=2, MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM="recursive_doubling")
        self.check("Allreduce", {(0, 1): (3, 96), (1, 0): (3, 96)}, self.checked(profile, 2))
        self.remove_profile(profile)

    def test_a_killed_run(self):
        profile = self.profile_of("killed", 32, 7, exit_code=None, MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM="recursive_doubling")
        self.assertEqual(subprocess.run([TOOL, "--recover", profile], capture_output=True).returncode, 0)
        self.check("Allreduce", {(rank, rank ^ far): (7, 7 * 32) for rank in range(4) for far in (1, 2)}, profile)
        shutil.rmtree(profile)

    def test_datatypes_with_gaps_arrive_as_without_the_profiler(self):
        profile = self.profile_of("strided", 1000, 50, ranks=3)
        self.assertEqual(self.amounts(profile, "", message_class="p2p"),
                         {(rank, (rank + 1) % 3): (50, 50_000) for rank in range(3)})
        self.remove_profile(self.checked(profile, 3))

    def given(self, *words, **env):
        """What the transport was given, by pair."""
        profile = self.profile_of(*words, ranks=3, COMMPROF_INTERNAL="0", COMMPROF_TRANSPORT="1", **env)
        given = self.amounts(profile, "", message_class="network")
        shown = run_tool("--matrix", profile).stdout.decode()
        self.assertNotIn("was given nothing", shown)
        if words[0] == "send":
            self.assertIn(", 1.00 bytes for each byte that the program sends: --class network\n", shown)
        self.remove_profile(self.checked(profile, 3))
        return given

    def test_all_that_is_given(self):
        for size in (100, 1_000_000):  # eager and rendezvous
            with self.subTest(size):
                self.assertEqual(self.given("send", size, 5), {(rank, (rank + 1) % 3): (5, 5 * size) for rank in range(3)})

    def test_one_sided_data_are_given(self):
        # Creating the window and the fences send some bytes, too, which do not depend on the calls.
        for operation, far in (("put", 1), ("get", -1), ("accumulate", 1)):
            with self.subTest(operation):
                once, again = (self.given(operation, 100_000, calls) for calls in (2, 4))
                for rank in range(3):
                    pair = rank, (rank + far) % 3
                    more = again[pair][1] - once[pair][1]
                    self.assertTrue(200_000 <= more < 201_000, (pair, more))

    def test_the_messages_of_collectives_are_given(self):
        profile = self.profile_of("allreduce", 32, 100, COMMPROF_TRANSPORT="1",
                                  MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM="recursive_doubling")
        expected = {(rank, rank ^ far): (100, 3200) for rank in range(4) for far in (1, 2)}
        self.check("Allreduce", expected, profile)
        self.assertEqual(self.amounts(profile, "", message_class="network"), expected)
        self.remove_profile(self.checked(profile, 4))

    def test_off_by_default(self):
        profile = self.profile_of("allreduce", 32, 3, COMMPROF_INTERNAL="0")
        self.assertEqual({row["class"] for row in read_csv(profile / "peers.csv")}, set())
        self.remove_profile(self.checked(profile, 4))


if __name__ == "__main__":
    unittest.main()
