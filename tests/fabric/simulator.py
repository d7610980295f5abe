"""A network of InfiniBand that ibsim simulates, and the tools of its administrators on it."""

import glob
import os
import re
import subprocess
import time

PRELOADED = (glob.glob("/usr/lib/*/umad2sim/libumad2sim.so") or [""])[0]


class Simulator:
    """directory: where the files go."""

    def __init__(self, network, directory):
        self.network = network
        self.directory = directory
        # Its sockets have this name, so that simulators at the same time do not meet.
        self.environment = dict(os.environ, IBSIM_SOCKNAME=f"commprof_links_{os.getpid()}", SIM_HOST=network.hosts()[0],
                                OSM_TMP_DIR=directory, OSM_CACHE_DIR=directory,
                                PATH=os.environ["PATH"] + ":/usr/sbin")

    def start(self):
        with open(os.path.join(self.directory, "net"), "w") as file:
            file.write(self.network.text())
        self.log = open(os.path.join(self.directory, "ibsim.log"), "w")
        self.process = subprocess.Popen(["ibsim", "-s", "net"], cwd=self.directory, env=self.environment, text=True,
                                        stdin=subprocess.PIPE, stdout=self.log, stderr=self.log)
        for _ in range(100):
            if self._run("ibnetdiscover").returncode == 0:
                return
            time.sleep(0.1)
        self.stop()
        raise RuntimeError("ibsim does not answer")

    def stop(self):
        self.process.kill()
        self.process.communicate()
        self.log.close()

    def tell(self, command):
        """At the simulator's console."""
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        time.sleep(0.5)

    def route(self, engine, lmc=0):
        """What a subnet manager does at its start."""
        self.output("opensm", "-R", engine, "-o", "-l", str(lmc), "-f", os.path.join(self.directory, "log"))

    def output(self, *command):
        done = self._run(*command)
        if done.returncode != 0:
            raise RuntimeError(f"{command}: {done.stdout} {done.stderr}")
        return done.stdout

    def write(self, path, *command):
        with open(path, "w") as file:
            file.write(self.output(*command))

    def lids(self):
        """(host, number of its port) -> lid, the first if it has several."""
        lids, host = {}, None
        for line in self.output("ibnetdiscover").splitlines():
            if head := re.match(r'Ca\s.*# "(\S+)"', line):
                host = head[1]
            elif re.match(r"Switch\s", line):
                host = None
            elif host and (port := re.match(r"\[(\d+)\].*# lid (\d+) ", line)):
                lids[host, int(port[1])] = int(port[2])
        return lids

    def trace(self, source, destination):
        """The ports that data leaves nodes through, from lid to lid, as ibtracert says: a set of (node, number)."""
        lines = self.output("ibtracert", str(source), str(destination)).splitlines()
        node = re.match(r'From \S+ \{.*"(.*)"', lines[0])[1]
        links = set()
        for line in lines[1:]:
            if step := re.match(r'\[(\d+)\] -> .*"(.*)"', line):
                links.add((node, int(step[1])))
                node = step[2]
        return links

    def _run(self, *command):
        return subprocess.run(command, cwd=self.directory, env=dict(self.environment, LD_PRELOAD=PRELOADED), text=True,
                              capture_output=True, timeout=60)
