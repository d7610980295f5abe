"""A run that is placed as `mpisee-through place` proposes has the bytes between hosts that it predicts."""

import collections
import csv
import json
import shutil
import unittest
from pathlib import Path

from driver import PROGRAMS, DriverTest, by_table, read_csv, shared_between_mpis
from hosts import HAS_PRRTE, OPEN_MPI, named_hosts

RANKS = 8
NETWORK = Path(__file__).parents[1] / "unit" / "mpisee_through" / "network"  # of node1, node2 and others


def sent(rank):
    """By shuffled_ring."""
    return 20 * (1000 + 10 * rank)


def bytes_between(hosts):
    return sum(sent(rank) for rank in range(RANKS) if hosts[rank] != hosts[(rank + 3) % RANKS])


@shared_between_mpis
class Placed(DriverTest):
    def run_ring(self, name, hosts, *placing):
        """Where each rank ran."""
        with named_hosts(self, hosts, *placing):
            self.profile_of(PROGRAMS / "shuffled_ring", name=name, ranks=RANKS)
        hosts = {int(row["rank"]): row["host"] for row in read_csv(self.start / name / "ranks.csv")}
        self.assertEqual(sorted(hosts), list(range(RANKS)))
        return hosts

    def place(self, name, directory):
        return by_table(json.loads(self.tool("place", self.start / name, "-o", self.start / directory, "--json")), True)

    def test_links_carry_what_leaves_hosts(self):
        hosts = self.run_ring("profile", "node1:4,node2:4")
        shown = self.tool("links", "--fabric", NETWORK, "--csv", self.start / "profile")
        bytes_of = collections.defaultdict(collections.Counter)  # by level and node that sends
        for row in csv.DictReader(shown.splitlines()):
            bytes_of[row["level"]][row["node"]] += int(row["bytes"])
        for host in "node1", "node2":
            sent_off = sum(sent(rank) for rank in range(RANKS) if hosts[rank] == host != hosts[(rank + 3) % RANKS])
            self.assertEqual(bytes_of["host-leaf"][host], sent_off)
        for level in "host-leaf", "leaf-spine", "spine-leaf", "leaf-host":
            self.assertEqual(sum(bytes_of[level].values()), bytes_between(hosts), level)

    def test_the_prediction_comes_true(self):
        before = self.run_ring("before", "node1:4,node2:4")
        proposal = self.place("before", "files")
        self.assertEqual(proposal["today"]["between_hosts"], {"bytes": bytes_between(before), "messages": 120})
        proposed = {one["rank"]: one["host"] for one in proposal["mapping"]}
        self.assertEqual(proposal["proposed"]["between_hosts"], {"bytes": bytes_between(proposed), "messages": 40})
        # A ring on two hosts is cut at two places. The least that two ranks four steps apart send is 0's and 4's.
        self.assertEqual(bytes_between(proposed), sent(0) + sent(4))

        files = self.start / "files"
        if HAS_PRRTE:  # which binds no ranks that share processors, and misreads some paths
            shutil.copy(files / "rankfile.prrte", self.start)
            after = self.run_ring("after", "node1:4,node2:4", "--bind-to", "none", "--map-by", "rankfile:FILE=rankfile.prrte")
        elif OPEN_MPI:
            after = self.run_ring("after", "node1:4,node2:4", "--mca", "rmaps_rank_file_physical", "1", "-rf", files / "rankfile.openmpi4")
        else:
            after = self.run_ring("after", None, "-f", files / "hosts.hydra")
        self.assertEqual(after, proposed)
        again = self.place("after", "again")
        self.assertEqual(again["today"]["between_hosts"], proposal["proposed"]["between_hosts"])
        self.assertEqual(sum(int(row["bytes"]) for row in read_csv(self.start / "after" / "peers.csv")
                             if after[int(row["src"])] != after[int(row["dst"])]), bytes_between(proposed))
        self.assertEqual(again["moved_ranks"], 0)


if __name__ == "__main__":
    unittest.main()
