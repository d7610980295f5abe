"""mpisee-through --algorithms names the algorithm that the MPI was told to use."""

import json
import unittest

from driver import DriverTest, MPIEXEC, PROGRAMS, finish, run_tool, sample, start_mpirun
from hosts import named_hosts

RANKS = (4, 5, 8, 11, 16)
POWERS = tuple(ranks for ranks in RANKS if ranks & (ranks - 1) == 0)
OTHERS = tuple(ranks for ranks in RANKS if ranks not in POWERS)
LARGE = (8, 11, 16)  # on fewer ranks, a tree of four children or chains is flat
# Halving is doubling backwards, unless ranks are beyond a power of two.
HALVING_OF_POWER = "recursive halving or recursive doubling"
# The operation, the MPI's name or number of the algorithm, the one here, and on how many ranks it has that.
MPICH = (
    ("allreduce", "recursive_doubling", "recursive doubling", RANKS),
    ("allreduce", "reduce_scatter_allgather", "halving and doubling", RANKS),
    ("bcast", "binomial", "binomial tree", RANKS),
    ("bcast", "scatter_ring_allgather", "scatter and ring", RANKS),
    ("bcast", "scatter_recursive_doubling_allgather", "scatter and recursive doubling", RANKS),
    ("reduce", "binomial", "binomial tree", RANKS),
    ("reduce", "reduce_scatter_gather", "halving and gather", RANKS),
    ("allgather", "ring", "ring", RANKS),
    ("allgather", "brucks", "Bruck", RANKS),
    ("allgather", "recursive_doubling", "recursive doubling", POWERS),
    ("alltoall", "pairwise", "pairwise or linear", RANKS),
    ("alltoall", "brucks", "Bruck", RANKS),
    ("gather", "binomial", "binomial tree", RANKS),
    ("scatter", "binomial", "binomial tree", RANKS),
    ("barrier", "dissemination", "dissemination and tree", RANKS),
    ("scan", "recursive_doubling", "recursive doubling and tree", RANKS),
    ("exscan", "recursive_doubling", "recursive doubling", RANKS),
    ("reduce_scatter", "pairwise", "pairwise", RANKS),
    ("reduce_scatter", "recursive_halving", "recursive halving", OTHERS),
    ("reduce_scatter", "recursive_halving", HALVING_OF_POWER, POWERS),
    ("reduce_scatter_block", "recursive_doubling", "recursive doubling", OTHERS),
    ("iallreduce", "sched_recursive_doubling", "recursive doubling", RANKS),
    ("iallreduce", "sched_reduce_scatter_allgather", "halving and doubling", RANKS),
    ("ibcast", "sched_binomial", "binomial tree", RANKS),
    ("ireduce", "sched_reduce_scatter_gather", "halving and gather", RANKS),
    ("iallgather", "sched_ring", "ring", RANKS),
    ("iscan", "sched_smp", "recursive doubling", RANKS),
    ("iscan", "sched_recursive_doubling", "recursive doubling", RANKS),
)
OPEN_MPI = (
    ("allreduce", 1, "flat", RANKS),
    ("allreduce", 3, "recursive doubling", RANKS),
    ("allreduce", 4, "ring", RANKS),
    ("allreduce", 6, "halving and doubling", RANKS),
    ("bcast", 1, "flat", RANKS),
    ("bcast", 2, "several chains", LARGE),
    ("bcast", 3, "chain", RANKS),
    ("bcast", 4, "split binary tree", RANKS),
    ("bcast", 5, "binary tree", RANKS),
    ("bcast", 6, "binomial tree", RANKS),
    ("bcast", 7, "k-nomial tree", LARGE),
    ("bcast", 8, "scatter and recursive doubling", RANKS),
    ("bcast", 9, "scatter and ring", RANKS),
    ("reduce", 1, "flat", RANKS),
    ("reduce", 2, "several chains", LARGE),
    ("reduce", 3, "chain", RANKS),
    ("reduce", 4, "binary tree", RANKS),
    ("reduce", 5, "binomial tree", RANKS),
    ("reduce", 6, "in-order binary tree", RANKS),
    ("reduce", 7, "halving and gather", RANKS),
    ("allgather", 2, "Bruck", RANKS),
    ("allgather", 3, "recursive doubling", POWERS),
    ("allgather", 4, "ring", RANKS),
    ("allgather", 5, "neighbour exchange", POWERS),
    ("alltoall", 2, "pairwise or linear", RANKS),
    ("alltoall", 3, "Bruck", RANKS),
    ("gather", 1, "flat", RANKS),
    ("gather", 2, "binomial tree", RANKS),
    ("gather", 3, "flat with synchronisation", RANKS),
    ("scatter", 1, "flat", RANKS),
    ("scatter", 2, "binomial tree", RANKS),
    ("barrier", 1, "flat", RANKS),
    ("barrier", 2, "double ring", RANKS),
    ("barrier", 3, "recursive doubling", RANKS),
    ("barrier", 4, "dissemination", RANKS),
    ("barrier", 6, "binomial tree", RANKS),
    ("scan", 1, "chain", RANKS),
    ("scan", 2, "recursive doubling", RANKS),
    ("exscan", 1, "chain", RANKS),
    ("exscan", 2, "recursive doubling", RANKS),
    ("reduce_scatter", 2, "recursive halving", OTHERS),
    ("reduce_scatter", 2, HALVING_OF_POWER, POWERS),
    ("reduce_scatter", 3, "ring", RANKS),
    ("reduce_scatter", 4, "butterfly", RANKS),
    ("reduce_scatter_block", 2, "recursive doubling", OTHERS),
    ("reduce_scatter_block", 3, "recursive halving", OTHERS),
    ("iallreduce", 1, "ring", RANKS),
    ("iallreduce", 3, "halving and doubling", RANKS),
    ("iallreduce", 4, "recursive doubling", RANKS),
    ("ibcast", 1, "flat", RANKS),
    ("ibcast", 2, "binomial tree", RANKS),
    ("ibcast", 3, "chain", RANKS),
    ("ireduce", 2, "binomial tree", RANKS),
    ("iscan", 1, "chain", RANKS),
    ("iscan", 2, "recursive doubling", RANKS),
)
IS_OPEN_MPI = "openmpi" in MPIEXEC[0]


def forced(operation, algorithm):
    if not IS_OPEN_MPI:
        return {f"MPIR_CVAR_{operation.upper()}_INTRA_ALGORITHM": algorithm}
    if operation.startswith("i"):
        return {f"OMPI_MCA_coll_libnbc_{operation}_algorithm": str(algorithm)}
    return {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", f"OMPI_MCA_coll_tuned_{operation}_algorithm": str(algorithm)}


class Algorithms(DriverTest):
    def profile_of(self, operation, settings, *sizes, ranks, name="profile"):
        """Five calls of each size."""
        output = self.start / name
        first, *further = sizes
        done = finish(start_mpirun([PROGRAMS / "transport", operation, first, 5, *further], ranks=ranks, cwd=self.start,
                                   env={"COMMPROF_INTERNAL": "1", "COMMPROF_OUTPUT": str(output)} | settings))
        self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace"))
        return output

    def data_of(self, *words):
        shown = run_tool(*words, "--json")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        return json.loads(shown.stdout)

    def lines_of(self, profile):
        return self.data_of("--algorithms", profile)["algorithms"]

    def by_size(self, operation, algorithm, *sizes):
        """The sizes of a call, calls and name in each line of eight ranks."""
        profile = self.profile_of(operation, forced(operation, algorithm), *sizes, ranks=8)
        lines = self.lines_of(profile)
        self.remove_profile(profile)
        self.assertEqual({line["op"].lower() for line in lines}, {operation})
        return [(line["size_min"], line["size_max"], line["operations"], line["algorithm"]) for line in lines]

    def test_by_size(self):
        # Neither can share four bytes out among eight ranks, and doubles instead. An Allreduce counts what it sends and
        # what it receives.
        algorithm, name = (4, "ring") if IS_OPEN_MPI else ("reduce_scatter_allgather", "halving and doubling")
        self.assertEqual(self.by_size("allreduce", algorithm, 4, 8192),
                         [(4, 7, 5, "recursive doubling"), (8192, 16383, 5, name)])

    def test_sizes_of_a_rank_that_counts_none(self):
        algorithm = 6 if IS_OPEN_MPI else "binomial"
        self.assertEqual(self.by_size("bcast", algorithm, 16, 512, 600),
                         [(16, 31, 5, "binomial tree"), (512, 1023, 10, "binomial tree")])

    def test_each_is_recognised(self):
        cases = [(operation, algorithm, name, ranks)
                 for operation, algorithm, name, on in (OPEN_MPI if IS_OPEN_MPI else MPICH) for ranks in on]
        for operation, algorithm, name, ranks in sample(cases, 9):
            with self.subTest(operation=operation, algorithm=algorithm, ranks=ranks):
                profile = self.profile_of(operation, forced(operation, algorithm), 512, ranks=ranks)
                lines = self.lines_of(profile)
                self.remove_profile(profile)
                found = {line["op"].lower(): line["algorithm"] for line in lines}
                self.assertLessEqual(set(name.split(" or ")), set(found[operation].split(" or ")))
                if ranks >= 8:
                    self.assertEqual(found[operation], name)
                self.assertEqual({line["operations"] for line in lines}, {5})

    def test_nonblocking_operations_on_several_hosts(self):
        # At its start the profiler compares the clocks of hosts by operations of its own, which are not the program's.
        with named_hosts(self, "h1:4,h2:4", variables=("COMMPROF_OUTPUT", "COMMPROF_INTERNAL")):
            profile = self.profile_of("ibcast", forced("ibcast", 2 if IS_OPEN_MPI else "sched_binomial"), 512, ranks=8)
        self.assertEqual([(line["op"], line["operations"], line["messages"], line["algorithm"]) for line in self.lines_of(profile)],
                         [("Ibcast", 5, 5 * 7, "binomial tree")])
        self.remove_profile(profile)

    def test_an_algorithm_within_hosts_and_one_between_them(self):
        # MPICH has them in any case; Open MPI has a component for them, which is not its default.
        settings = {"OMPI_MCA_coll_han_priority": "100"} if IS_OPEN_MPI else {}
        tree = "binary tree" if IS_OPEN_MPI else "binomial tree"
        expected = {"allreduce": (tree, "exchange"), "bcast": (tree, "one message"), "reduce": (tree, "one message")}
        if not IS_OPEN_MPI:
            expected |= {"barrier": ("dissemination and tree", "exchange"), "scan": ("recursive doubling and tree", "exchange"),
                         "iscan": ("recursive doubling and tree", "exchange")}
        for operation, (within, between) in expected.items():
            with self.subTest(operation=operation):
                with named_hosts(self, "h1:5,h2:5", variables=("COMMPROF_OUTPUT", "COMMPROF_INTERNAL")):
                    profile = self.profile_of(operation, settings, 512, ranks=10)
                found = {line["op"].lower(): line["algorithm"] for line in self.lines_of(profile)}
                self.remove_profile(profile)
                self.assertEqual(found[operation], f"{within} within hosts, {between} between them")

    def test_advice_can_be_followed(self):
        """With what --algorithms says to set, the MPI uses what it says, and compare tells it."""
        operations = ("allreduce", "allgather", "alltoall", "bcast", "reduce", "reduce_scatter", "reduce_scatter_block")
        of_open_mpi = ("barrier", "exscan", "gather", "scan", "scatter")
        for operation in sample(operations + (of_open_mpi if IS_OPEN_MPI else ()), 4):
            before = self.profile_of(operation, {}, 512, ranks=8)
            advice = self.data_of("--algorithms", before)["to_try"]
            self.assertEqual((advice["op"].lower(), advice["comm"]), (operation, "W"))
            for choice in sample(advice["choices"], 3):
                with self.subTest(operation=operation, now=advice["algorithm"], choice=choice):
                    settings = dict(one.split("=") for one in choice["environment"].split())
                    after = self.profile_of(operation, settings, 512, ranks=8, name="after")
                    now = [line["algorithm"] for line in self.lines_of(after) if line["op"].lower() == operation]
                    self.assertIn(choice["algorithm"], now[0].split(" or "))
                    changes = self.data_of("compare", before, after)["comparisons"][0]["algorithms"]
                    self.remove_profile(after)
                    if now[0] != advice["algorithm"]:
                        self.assertEqual([(one["op"].lower(), one["before"]["algorithm"], one["after"]["algorithm"])
                                          for one in changes], [(operation, advice["algorithm"], now[0])])
            self.remove_profile(before)


if __name__ == "__main__":
    unittest.main()
