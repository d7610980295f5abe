"""Runs the torture with many seeds: TORTURE_SEEDS=1-1000, or 17,23; without it 1-60, or, in a plain run of the tests, eight of these.

With TORTURE_COUNTS=1 it prints how often each operation occurred.
"""

import collections
import os
import unittest

import judge
from driver import DriverTest, LIBRARY, LONG, MPIEXEC, PROGRAMS, YIELDS, read_csv

# The census stands between the profiler and the MPI: nothing that the program calls is called twice, or lost.
LIBRARIES = [PROGRAMS / "libcounter.so", LIBRARY, PROGRAMS / "libpmpi_census.so", YIELDS]
# With its component treematch Open MPI 4.1.4 hangs at times in MPI_Dist_graph_create, with or without a profiler.
os.environ["OMPI_MCA_topo"] = "^treematch"

DEFAULT_SEEDS = "1-60"
QUICK_SEEDS = "4,10,11,19,20,27,38,51"  # six of these reach all OPERATIONS
RANKS = (4, 2, 3, 4, 1, 4, 3, 2)  # of a seed, by its remainder

# What the default seeds reach at least, on every MPI.
OPERATIONS = """
    Send Bsend Ssend Rsend Isend Ibsend Issend Irsend Recv Irecv Sendrecv Sendrecv_replace
    Probe Iprobe Mprobe Improbe Mrecv Imrecv
    Send_init Bsend_init Ssend_init Rsend_init Recv_init Start Startall
    Wait Waitall Waitany Waitsome Test Testall Testany Testsome Request_get_status Request_free Cancel
    Barrier Bcast Gather Gatherv Scatter Scatterv Allgather Allgatherv Alltoall Alltoallv Alltoallw
    Reduce Allreduce Reduce_scatter Reduce_scatter_block Scan Exscan
    Ibarrier Ibcast Igather Igatherv Iscatter Iscatterv Iallgather Iallgatherv Ialltoall Ialltoallv Ialltoallw
    Ireduce Iallreduce Ireduce_scatter Ireduce_scatter_block Iscan Iexscan
    Neighbor_allgather Neighbor_allgatherv Neighbor_alltoall Neighbor_alltoallv Neighbor_alltoallw
    Ineighbor_allgather Ineighbor_allgatherv Ineighbor_alltoall Ineighbor_alltoallv Ineighbor_alltoallw
    Comm_dup Comm_dup_with_info Comm_idup Comm_split Comm_split_type Comm_create Comm_create_group Cart_create Cart_sub
    Graph_create Dist_graph_create Dist_graph_create_adjacent Intercomm_create Intercomm_merge Comm_free Comm_disconnect
""".split()


def numbers(text):
    """1-3,7: 1, 2, 3 and 7."""
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


class Torture(DriverTest):
    def faults(self, seed):
        launcher = [*MPIEXEC, "-n", str(RANKS[seed % len(RANKS)])]
        return judge.judge(self.start / "profile", LIBRARIES, launcher, [PROGRAMS / "torture", str(seed)])

    def test_seeds(self):
        seeds = os.environ.get("TORTURE_SEEDS")
        calls = collections.Counter()
        for seed in numbers(seeds or (DEFAULT_SEEDS if LONG else QUICK_SEEDS)):
            with self.subTest(seed=seed):
                self.assertEqual(self.faults(seed), [], f"TORTURE_SEEDS={seed} repeats it")
                for row in read_csv(self.start / "profile" / "operations.csv"):
                    calls[row["op"]] += int(row["calls"])
        if os.environ.get("TORTURE_COUNTS") == "1":
            print(*(f"{number:8} {op}" for op, number in calls.most_common()), sep="\n")
        if not seeds:
            self.assertEqual([op for op in OPERATIONS if op not in calls], [])

    def test_the_judge_finds_what_differs(self):
        self.assertEqual(self.faults(1), [])
        counted = self.start / "profile-counted" / "0"
        text = counted.read_text()
        for old, new in (("\tBarrier\t", "\tIbarrier\t"), ("\nto\t", "\nput\t"), ("\tW\tComm_split\t", "\tSELF\tComm_split\t"),
                         ("dropped\treceives_freed\t", "dropped\treceives_freed\t1"), ("region\tmain\t", "region\tother\t")):
            self.assertIn(old, text)
            counted.write_text(text.replace(old, new, 1))
            one = judge.Judge(judge.Truth(counted.parent))
            one.compare(self.start / "profile")
            self.assertNotEqual(one.faults, [], new)


if __name__ == "__main__":
    unittest.main()
