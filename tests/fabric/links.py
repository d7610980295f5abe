#!/usr/bin/env python3
"""links.py MPISEE_THROUGH

mpisee-through links on networks that ibsim simulates and OpenSM routes, read by ibnetdiscover and dump_fts. Routes are
those that ibtracert finds; what leaves hosts are the bytes between them; each switch sends what it receives.
"""

import csv
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections import defaultdict
from pathlib import Path

from networks import three_levels, torus, two_levels
from simulator import Simulator

sys.path.append(str(Path(__file__).resolve().parents[1] / "unit/mpisee_through"))
import profiles

TOOL = sys.argv.pop(1) if len(sys.argv) > 1 else "mpisee-through"


class Links(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.directory)
        self.profile = os.path.join(self.directory, "profile")
        self.fabric = os.path.join(self.directory, "fabric")
        os.mkdir(self.fabric)

    def run_tool(self, *options):
        return subprocess.run([TOOL, "links", self.profile, "--fabric", self.fabric, *options], text=True,
                              capture_output=True, timeout=60)

    def links(self, *options):
        done = self.run_tool("--csv", *options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return list(csv.DictReader(io.StringIO(done.stdout)))

    def simulate(self, network, engine, lmc=0):
        """With the files of administrators in self.fabric."""
        simulator = Simulator(network, self.directory)
        simulator.start()
        self.addCleanup(simulator.stop)
        simulator.route(engine, lmc)
        simulator.write(os.path.join(self.fabric, "cables"), "ibnetdiscover")
        simulator.write(os.path.join(self.fabric, "tables"), "dump_fts")
        return simulator

    def write_profile(self, network, ranks_per_host=1, domain=""):
        """In which each pair of ranks has numbers of its own."""
        self.host_of = [host + domain for host in network.hosts() for _ in range(ranks_per_host)]
        ranks = range(len(self.host_of))
        self.pairs = {(a, b): (1 + a + b, 1000 * a + b + 1) for a in ranks for b in ranks if a != b}
        rows = [("ranks", f"{rank},{host},{rank + 1},0,1,2,1") for rank, host in enumerate(self.host_of)]
        rows += [("peers", f"main,W,p2p,{a},{b},0,0,{messages},{size},") for (a, b), (messages, size) in self.pairs.items()]
        shutil.rmtree(self.profile, ignore_errors=True)
        profiles.write(Path(self.profile), rows, len(ranks), wall_s=2)

    def check_routes(self, simulator, ranks_per_host=1):
        """Rank after rank of a host uses the host's next port."""
        lids = simulator.lids()
        for a, b in self.pairs:
            ends = [self.host_of[rank].split(".")[0] for rank in (a, b)]
            if ends[0] == ends[1]:
                continue
            port = a % ranks_per_host + 1
            found = {(one["node"], int(one["port"])) for one in self.links("--from", str(a), "--to", str(b))}
            self.assertEqual(found, simulator.trace(lids[ends[0], port], lids[ends[1], port]), ends)

    def check_sums(self, network, *options):
        switches = set(network.switches)
        received, sent = defaultdict(int), defaultdict(int)
        for link in self.links(*options):
            self.assertEqual(network.ports[link["node"]][int(link["port"])], (link["peer"], int(link["peer_port"])))
            for measure in ("bytes", "messages"):
                sent[link["node"], measure] += int(link[measure])
                received[link["peer"], measure] += int(link[measure])
        for switch in switches:
            for measure in ("bytes", "messages"):
                self.assertEqual(sent[switch, measure], received[switch, measure], switch)
        self.assertGreater(sum(sent[switch, "bytes"] for switch in switches), 0)
        for host in network.hosts():
            leaving = [amount for (a, b), amount in self.pairs.items()
                       if self.host_of[a].split(".")[0] == host != self.host_of[b].split(".")[0]]
            self.assertEqual(sent[host, "messages"], sum(messages for messages, _ in leaving))
            self.assertEqual(sent[host, "bytes"], sum(size for _, size in leaving))

    def check(self, network, engine):
        simulator = self.simulate(network, engine)
        self.write_profile(network, ranks_per_host=2)
        self.check_sums(network)
        self.write_profile(network)
        self.check_routes(simulator)
        return simulator

    def test_two_levels(self):
        simulator = self.check(two_levels(), "ftree")
        self.check_other_files(simulator)

    def check_other_files(self, simulator):
        """What ibroute says of each switch is the same."""
        expected = self.links()
        self.assertEqual({one["level"] for one in expected}, {"host-leaf", "leaf-spine", "spine-leaf", "leaf-host"})
        # 4 lanes of 2 Gbit/s for 2 s
        self.assertAlmostEqual(float(expected[0]["share"]), int(expected[0]["bytes"]) / 2e9)
        with_tables = self.fabric
        self.fabric = tempfile.mkdtemp(dir=self.directory)
        shutil.copy(os.path.join(with_tables, "cables"), self.fabric)
        with open(os.path.join(with_tables, "cables")) as cables:
            switches = [line for line in cables if line.startswith("Switch")]
        for line in switches:
            lid = line.split(" lid ")[1].split()[0]
            simulator.write(os.path.join(self.fabric, f"switch{lid}"), "ibroute", lid)
        self.assertCountEqual(self.links(), expected)

    def test_parallel_cables(self):
        self.check(two_levels(leaves=2, cables=2), "minhop")

    def test_three_levels(self):
        self.check(three_levels(), "updn")
        self.assertEqual({one["level"] for one in self.links()},
                         {"host-leaf", "leaf-spine", "spine-core", "core-spine", "spine-leaf", "leaf-host"})

    def test_torus(self):
        self.check(torus(), "dor")
        self.assertEqual({one["level"] for one in self.links()}, {"host-leaf", "leaf-leaf", "leaf-host"})

    def test_missing_cable(self):
        self.check(two_levels(without={(1, 2)}), "updn")

    def test_domains_of_hosts(self):
        network = two_levels(leaves=2)
        self.simulate(network, "ftree")
        self.write_profile(network, domain=".cluster")
        self.check_sums(network)

    def test_several_lids(self):
        network = two_levels(leaves=2)
        simulator = self.simulate(network, "minhop", lmc=1)
        self.write_profile(network)
        self.check_routes(simulator)  # to the first

    def test_several_ports(self):
        network = two_levels(leaves=3, ports=2)
        simulator = self.simulate(network, "minhop")
        self.write_profile(network, ranks_per_host=2)
        self.check_sums(network)
        nodes_and_ports = {(one["node"], one["port"]) for one in self.links()}
        self.assertLess({("node01", "1"), ("node01", "2")}, nodes_and_ports)
        self.check_routes(simulator, 2)

    def test_cable_that_broke_later(self):
        """Tables that still lead into it are told, with the line of the entry."""
        network = two_levels(leaves=2)
        simulator = self.simulate(network, "minhop")
        self.write_profile(network)
        number = next(number for number, (peer, _) in network.ports["leaf1"].items() if peer == "spine1")
        simulator.tell(f'Unlink "leaf1"[{number}]')
        simulator.write(os.path.join(self.fabric, "cables"), "ibnetdiscover")
        done = self.run_tool()
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        told = re.fullmatch(r"mpisee-through: (\S+/tables):(\d+): on leaf1, lid (\d+) leads to node0\d through port "
                            rf"{number}, which has no cable\n", done.stderr)
        self.assertTrue(told, done.stderr)
        with open(told[1]) as tables:
            line = tables.readlines()[int(told[2]) - 1]
        self.assertTrue(line.startswith(f"{int(told[3]):#06x} {number:03} "), line)


if __name__ == "__main__":
    unittest.main()
