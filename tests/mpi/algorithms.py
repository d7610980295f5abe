"""mpisee-through --algorithms names the algorithm that the MPI was told to use."""

import itertools
import unittest

from driver import PROGRAMS, DriverTest, sample
from hosts import OPEN_MPI, named_hosts
from transport import WAYS, is_there

RANKS = (8, 11)  # on fewer, several algorithms send the same messages
POWERS = tuple(ranks for ranks in RANKS if ranks & (ranks - 1) == 0)
OTHERS = tuple(ranks for ranks in RANKS if ranks not in POWERS)
# Halving is doubling backwards, unless ranks are beyond a power of two.
HALVING_OF_POWER = "recursive halving or recursive doubling"
# The operation, the MPI's name or number of the algorithm, the one here, and on how many ranks it has that.
OF_MPICH = (
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
OF_OPEN_MPI = (
    ("allreduce", 1, "flat", RANKS),
    ("allreduce", 3, "recursive doubling", RANKS),
    ("allreduce", 4, "ring", RANKS),
    ("allreduce", 6, "halving and doubling", RANKS),
    ("bcast", 1, "flat", RANKS),
    ("bcast", 2, "several chains", RANKS),
    ("bcast", 3, "chain", RANKS),
    ("bcast", 4, "split binary tree", RANKS),
    ("bcast", 5, "binary tree", RANKS),
    ("bcast", 6, "binomial tree", RANKS),
    ("bcast", 7, "k-nomial tree", RANKS),
    ("bcast", 8, "scatter and recursive doubling", RANKS),
    ("bcast", 9, "scatter and ring", RANKS),
    ("reduce", 1, "flat", RANKS),
    ("reduce", 2, "several chains", RANKS),
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


def forced(operation, algorithm):
    if not OPEN_MPI:
        return {f"MPIR_CVAR_{operation.upper()}_INTRA_ALGORITHM": algorithm}
    if operation.startswith("i"):
        return {f"OMPI_MCA_coll_libnbc_{operation}_algorithm": str(algorithm)}
    return {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", f"OMPI_MCA_coll_tuned_{operation}_algorithm": str(algorithm)}


class Algorithms(DriverTest):
    def profile_by(self, operation, algorithm, *sizes, ranks, name="profile", **settings):
        """Five calls of each size. algorithm: the one that is forced, or None."""
        first, *further = sizes
        settings |= {} if algorithm is None else forced(operation, algorithm)
        return self.profile_of(PROGRAMS / "transport", operation, first, 5, *further, name=name, ranks=ranks, env={"COMMPROF_INTERNAL": "1"} | settings)

    def lines_of(self, profile):
        return self.data("--algorithms", profile)["algorithms"]

    def named(self, profile):
        """The algorithm of each operation."""
        return {line["op"].lower(): line["algorithm"] for line in self.lines_of(profile)}

    def test_sizes(self):
        """The sizes of a call, calls and name in each line. Neither algorithm of Allreduce can share four bytes out among eight ranks, and
        doubles instead; an Allreduce counts what it sends and what it receives. In a Bcast, one rank counts no size."""
        allreduce, name, bcast = (4, "ring", 6) if OPEN_MPI else ("reduce_scatter_allgather", "halving and doubling", "binomial")
        for operation, algorithm, sizes, expected in (
                ("allreduce", allreduce, (4, 8192), [(4, 7, 5, "recursive doubling"), (8192, 16383, 5, name)]),
                ("bcast", bcast, (16, 512, 600), [(16, 31, 5, "binomial tree"), (512, 1023, 10, "binomial tree")])):
            lines = self.lines_of(self.profile_by(operation, algorithm, *sizes, ranks=8))
            self.assertEqual({line["op"].lower() for line in lines}, {operation})
            self.assertEqual([(line["size_min"], line["size_max"], line["operations"], line["algorithm"]) for line in lines], expected)

    def test_each_is_recognised(self):
        cases = [(operation, algorithm, name, ranks)
                 for operation, algorithm, name, on in (OF_OPEN_MPI if OPEN_MPI else OF_MPICH) for ranks in on]
        ways = itertools.cycle([WAYS[way] for way in ("ucx", "ob1") if way in WAYS and is_there(way)])
        for (operation, algorithm, name, ranks), way in zip(sample(cases, 9), ways):
            with self.subTest(operation=operation, algorithm=algorithm, ranks=ranks, way=way):
                profile = self.profile_by(operation, algorithm, 512, ranks=ranks, **way)
                found = self.named(profile)[operation]
                self.assertEqual(found, name)
                self.assertEqual({line["operations"] for line in self.lines_of(profile)}, {5})

    def test_nonblocking_operations_on_several_hosts(self):
        # At its start the profiler compares the clocks of hosts by operations of its own, which are not the program's.
        with named_hosts(self, "h1:4,h2:4", variables=("COMMPROF_OUTPUT", "COMMPROF_INTERNAL")):
            profile = self.profile_by("ibcast", 2 if OPEN_MPI else "sched_binomial", 512, ranks=8)
        self.assertEqual([(line["op"], line["operations"], line["messages"], line["algorithm"]) for line in self.lines_of(profile)],
                         [("Ibcast", 5, 5 * 7, "binomial tree")])

    def test_an_algorithm_within_hosts_and_one_between_them(self):
        # MPICH has them in any case; Open MPI has a component for them, which is not its default.
        settings = {"OMPI_MCA_coll_han_priority": "100"} if OPEN_MPI else {}
        tree = "binary tree" if OPEN_MPI else "binomial tree"
        expected = {"allreduce": (tree, "exchange"), "bcast": (tree, "one message"), "reduce": (tree, "one message")}
        if not OPEN_MPI:
            expected |= {"barrier": ("dissemination and tree", "exchange")}
        for operation, (within, between) in expected.items():
            with named_hosts(self, "h1:5,h2:5", variables=("COMMPROF_OUTPUT", "COMMPROF_INTERNAL")):
                profile = self.profile_by(operation, None, 512, ranks=10, **settings)
            self.assertEqual(self.named(profile)[operation], f"{within} within hosts, {between} between them")


if __name__ == "__main__":
    unittest.main()
