"""What an MPI sends by itself, the edges of the algorithm that it was told to use: of MPICH over UCX, of Open MPI over UCX, libfabric and by
itself. And what its transport is given: each message of the program and of the MPI."""

import functools
import os
import subprocess
import unittest
from pathlib import Path

from driver import MPIEXEC, PROGRAMS, DriverTest, finish, read_csv, sample, start_mpirun
from hosts import OPEN_MPI
from messages import totals

DOUBLING = {"MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM": "recursive_doubling"}


def over(provider):
    """The environment in which Open MPI sends by a provider of libfabric."""
    return {"OMPI_MCA_pml": "cm", "OMPI_MCA_mtl": "ofi", "OMPI_MCA_mtl_ofi_provider_include": provider,
            "OMPI_MCA_opal_common_ofi_provider_include": provider}


# Without the last two, Open MPI 4 uses UCX only on networks that are worth it. ob1: over shared memory or TCP.
WAYS = {"ucx": {"OMPI_MCA_pml": "ucx", "OMPI_MCA_pml_ucx_tls": "any", "OMPI_MCA_pml_ucx_devices": "any"},
        "sockets": over("sockets"), "tcp;ofi_rxm": over("tcp;ofi_rxm"), "ob1": {"OMPI_MCA_pml": "ob1,monitoring"}} if OPEN_MPI else {"ucx": {}}


@functools.cache
def is_there(way):
    """Whether this MPI can send so."""
    if way == "ucx" and OPEN_MPI:
        return b"mca:pml:ucx:" in subprocess.run([Path(MPIEXEC[0]).with_name("ompi_info"), "--parsable"], capture_output=True, check=True).stdout
    return finish(start_mpirun([PROGRAMS / "transport", "allreduce", 32, 1], env=WAYS[way], preload=False)).returncode == 0


# Edges of four ranks: from the root to all, up a binary tree, up a binomial tree and down another one, doubling, and around.
FLAT, BINARY = {(0, 1), (0, 2), (0, 3)}, {(1, 0), (2, 0), (3, 1)}
BINOMIAL = {(1, 0), (2, 0), (3, 2)} | {(0, 1), (0, 2), (1, 3)}
DOUBLED = {(rank, rank ^ far) for rank in range(4) for far in (1, 2)}
AROUND = {(rank, (rank + 1) % 4) for rank in range(4)}


def between_all(ranks, messages, size, fars=(1, 2)):
    """Of recursive doubling: with the ranks at these distances."""
    return {(rank, rank ^ far): (messages, size) for rank in range(ranks) for far in fars}


class Messages(DriverTest):
    def profile_by(self, *words, way="ucx", ranks=4, exit_code=0, **env):
        settings = {"COMMPROF_INTERNAL": "1", "COMMPROF_VERBOSE": "0"} | WAYS[way]
        profile = self.profile_of(PROGRAMS / "transport", *words, ranks=ranks, exit_code=exit_code, env=settings | env)
        if exit_code is None:
            self.wait_until_ended(profile)
            self.tool("collect", "--recover", profile)
        else:
            self.assertEqual(self.lines(self.done), [])
            self.check_profile(profile, ranks=ranks)
        return profile

    def amounts(self, profile, op="", comm="W", message_class="network"):
        """{(sender, receiver): (messages, bytes)}"""
        rows = [row for row in read_csv(profile / "peers.csv") if (row["class"], row["op"], row["comm"]) == (message_class, op, comm)]
        return {(int(src), int(dst)): amount for (src, dst), amount in totals(rows, "src", "dst").items()}

    def classes(self, profile):
        return {row["class"] for row in read_csv(profile / "peers.csv")}


class OfMpich(Messages):
    def check(self, op, expected, profile, comm="W"):
        self.assertEqual(self.amounts(profile, op, comm, "internal"), expected)

    def test_algorithms(self):
        halves = {(rank, rank ^ 1): (200, 3200) for rank in range(4)} | {(rank, rank ^ 2): (200, 1600) for rank in range(4)}
        for algorithm, expected in (("reduce_scatter_allgather", halves), ("recursive_doubling", between_all(4, 100, 3200))):
            self.check("Allreduce", expected, self.profile_by("allreduce", 32, 100, MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=algorithm))

    def test_nonblocking_operations_on_two_communicators(self):
        # The program's own messages make the operations progress. They do not count as messages of the MPI.
        profile = self.profile_by("pending", 10, 20, ranks=3)
        self.check("Ibcast", {(0, 1): (20, 200), (0, 2): (20, 200)}, profile)
        # The root sends to the first process of the host, which sends to all others.
        self.check("Ibcast", {(2, 0): (20, 400), (0, 1): (20, 400), (0, 2): (20, 400)}, profile, comm="W_d1")
        self.check("Sendrecv", {}, profile)

    def test_threads_children_and_killed_runs(self):
        profile = self.profile_by("threads", 32, 100, **DOUBLING)
        for comm, size in (("W", 32), ("W_d1", 64)):
            self.check("Allreduce", between_all(4, 100, 100 * size), profile, comm)
        self.check("Allreduce", between_all(2, 3, 96, [1]), self.profile_by("fork", 32, 3, ranks=2, **DOUBLING))
        self.check("Allreduce", between_all(4, 7, 7 * 32), self.profile_by("killed", 32, 7, exit_code=None, **DOUBLING))

    def test_datatypes_with_gaps_arrive_as_without_the_profiler(self):
        profile = self.profile_by("strided", 1000, 50, ranks=3)
        self.assertEqual(self.amounts(profile, message_class="p2p"), {(rank, (rank + 1) % 3): (50, 50_000) for rank in range(3)})

    def given(self, *words):
        """What the transport was given, by pair."""
        profile = self.profile_by(*words, ranks=3, COMMPROF_INTERNAL="0", COMMPROF_TRANSPORT="1")
        shown = self.tool("--matrix", profile)
        self.assertNotIn("was given nothing", shown)
        self.assertIn(" in the whole run: --class network\n", shown)
        return self.amounts(profile)

    def test_all_that_is_given(self):
        for size in (100, 1_000_000):  # eager and rendezvous
            self.assertEqual(self.given("send", size, 5), {(rank, (rank + 1) % 3): (5, 5 * size) for rank in range(3)})
        # Creating the window and the fences send some bytes, too, which do not depend on the calls.
        for operation, far in (("put", 1), ("get", -1), ("accumulate", 1)):
            few, many = (self.given(operation, 100_000, calls) for calls in (2, 4))
            for rank in range(3):
                pair = rank, (rank + far) % 3
                more = many[pair][1] - few[pair][1]
                self.assertTrue(200_000 <= more < 201_000, (pair, more))
        profile = self.profile_by("allreduce", 32, 100, COMMPROF_TRANSPORT="1", **DOUBLING)
        self.check("Allreduce", between_all(4, 100, 3200), profile)
        self.assertEqual(self.amounts(profile), between_all(4, 100, 3200))

    def test_off_by_default(self):
        self.assertEqual(self.classes(self.profile_by("allreduce", 32, 3, COMMPROF_INTERNAL="0")), set())


class OfOpenMpi(Messages):
    def check_edges(self, expected, *words, way, ranks, others=(), **algorithms):
        """expected: by communicator and operation the edges, messages along each, and their bytes. others: operations of which any messages
        are."""
        env = {f"OMPI_MCA_coll_{name}": str(value) for name, value in algorithms.items()}
        profile = self.profile_by(*words, way=way, ranks=ranks, OMPI_MCA_coll_tuned_use_dynamic_rules="1", **env)
        found = {}
        for row in read_csv(profile / "peers.csv"):
            if row["class"] == "internal" and row["op"] not in others:
                comm = row["comm"] if row["comm"] == "W" else "duplicates"
                messages, size = found.setdefault((comm, row["op"]), {}).get((int(row["src"]), int(row["dst"])), (0, 0))
                found[comm, row["op"]][int(row["src"]), int(row["dst"])] = messages + int(row["messages"]), size + int(row["bytes"])
        self.assertEqual(found, {key: dict.fromkeys(edges, (messages, size)) for key, (edges, messages, size) in expected.items()})
        return profile

    def test_edges(self):
        pending, duplicating = ("pending", 10, 20), ("Allreduce", "Comm_dup")
        coming = *duplicating, "Comm_create", "Cart_create", "Comm_create_group", "Comm_split_type", "Win_create", "Win_fence", "Win_free", "Comm_free"
        ibcast = {("W", "Ibcast"): (FLAT, 20, 200), ("duplicates", "Ibcast"): ({(3, rank) for rank in range(3)}, 20, 400)}
        for way in filter(is_there, sample(tuple(WAYS), 3)):
            with self.subTest(way=way):
                self.check_edges({("W", "Reduce"): (BINARY, 5, 5000)}, "reduce", 5000, 1, way=way, ranks=4, tuned_reduce_algorithm=4,
                                 tuned_reduce_algorithm_segmentsize=1024)
                self.check_edges({("W", "Allreduce_init"): (BINOMIAL, 6, 240)}, "persistent", 40, 3, way=way, ranks=4)
                self.check_edges(ibcast, *pending, way=way, ranks=4, others=duplicating)
                self.check_edges(ibcast, "again", 10, 20, way=way, ranks=4, others=coming)
                self.check_edges({("W", "Allreduce"): (DOUBLED, 100, 3200), ("duplicates", "Allreduce"): (DOUBLED, 100, 6400)},
                                 "threads", 32, 100, way=way, ranks=4, others=("Comm_dup",), tuned_allreduce_algorithm=3)
                profile = self.check_edges({("W", "Ibcast"): (FLAT, 20, 200)}, "beside", 10, 20, way=way, ranks=4)
                self.assertEqual(self.amounts(profile, message_class="p2p"), dict.fromkeys(AROUND, (20, 200)))

    def given(self, *words, way, transport="1", **how):
        return self.profile_by(*words, way=way, COMMPROF_TRANSPORT=transport, **how)

    def check(self, way):
        profile = self.given("allreduce", 32, 100, way=way)
        for op, message_class in ("", "network"), ("Allreduce", "internal"):
            self.assertEqual(self.amounts(profile, op, message_class=message_class), between_all(4, 100, 3200))
        # All that is given is the program's and the MPI's. Some collectives use persistent requests inside, as one of the sizes here.
        for words in sample((("pending", 10, 20), ("threads", 32, 50), ("allreduce", 300_000, 5), ("strided", 1000, 20), ("alltoall", 70_000, 3)), 2):
            rows = read_csv(self.given(*words, way=way, ranks=3) / "peers.csv")
            given, sent = (totals([row for row in rows if (row["class"] == "network") == is_given], "src", "dst") for is_given in (True, False))
            self.assertNotEqual(given, {})
            self.assertEqual(sent, given)
        self.assertEqual(self.amounts(self.given("fork", 32, 3, way=way, ranks=2)), between_all(2, 3, 96, [1]))
        # A barrier by recursive doubling follows.
        self.assertEqual(self.amounts(self.given("killed", 32, 7, way=way, exit_code=None, OMPI_MCA_coll_tuned_use_dynamic_rules="1",
                                                 OMPI_MCA_coll_tuned_barrier_algorithm="3")), between_all(4, 8, 7 * 32))
        self.assertEqual(self.classes(self.given("allreduce", 32, 3, way=way, transport="0")), {"internal"})

    def test_ucx(self):
        if not is_there("ucx"):
            self.skipTest("this Open MPI has no UCX")
        self.check("ucx")
        # Where the MPI would tell of its messages, too, they count once.
        told_twice = self.profile_by("allreduce", 32, 100, OMPI_MCA_pml="ucx,monitoring")
        self.assertEqual(self.amounts(told_twice, "Allreduce", message_class="internal"), between_all(4, 100, 3200))

    def test_libfabric(self):
        for way in sample(("sockets", "tcp;ofi_rxm"), 2):
            if not is_there(way):
                self.skipTest(f"this Open MPI cannot send by libfabric's provider {way}")
            self.check(way)
            if os.path.exists(PROGRAMS / "libfabric_user"):  # libfabric has headers here
                self.profile_of(PROGRAMS / "libfabric_user", way, 10, ranks=2, env=WAYS[way] | {"COMMPROF_TRANSPORT": "1", "COMMPROF_VERBOSE": "0"})
                self.assertEqual(self.done.stdout, b"10 rounds\n10 rounds\n")


if OPEN_MPI:
    del OfMpich
else:
    del OfOpenMpi

if __name__ == "__main__":
    unittest.main()
