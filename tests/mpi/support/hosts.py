"""Several hosts on this machine, by their names: a launcher starts its daemons through a stand-in for ssh."""

import contextlib
import shlex
import subprocess

from driver import MPIEXEC

NO_NAMESPACES = "the system makes no namespaces or mounts for this user, or has no ip (iproute2)"
OPEN_MPI = "openmpi" in MPIEXEC[0]
# Open MPI 5 starts jobs by PRRTE.
HAS_PRRTE = OPEN_MPI and "Open MPI) 5" in subprocess.run([MPIEXEC[0], "--version"], capture_output=True, text=True).stdout
WITH_NAME = 'exec unshare --uts --mount {} bash -c \'hostname "$0"; eval "$2"; exec bash -c "$1"\' "$host" "$*" "$mount"\n'
# The clock of h2 began 2000 s before this machine's, where the system lets us.
OWN_CLOCK = ('own_clock=(--time --fork --monotonic "$((${host#h} * 1000))")\n'
             'unshare "${own_clock[@]}" true 2>/dev/null || own_clock=()\n')


@contextlib.contextmanager
def started_by(test, agent_text, hosts, placing, variables):
    """What start_mpirun starts meanwhile is started on the hosts by an agent, a script that gets host and command as ssh does.
    Yields what runs a command on a host."""
    agent = test.start / "agent"
    agent.write_text("#!/bin/bash\nwhile [[ $1 == -* ]]; do shift; done\nhost=$1; shift\n" + agent_text)
    agent.chmod(0o755)
    if subprocess.run([agent, "h1", "true"], capture_output=True).returncode != 0:
        test.skipTest(NO_NAMESPACES)
    if OPEN_MPI:
        words = [*(("--prtemca", "plm_ssh_agent") if HAS_PRRTE else ("--mca", "plm_rsh_agent")), str(agent),
                 *(word for name in variables for word in ("-x", name))]
    else:
        words = ["-launcher", "ssh", "-launcher-exec", str(agent)]
    # PRRTE puts all ranks on the first host if it may oversubscribe, and binds each to a core if not told otherwise.
    allowance = MPIEXEC.index("--oversubscribe") if HAS_PRRTE else None
    if allowance is not None:
        del MPIEXEC[allowance]
        if "--bind-to" not in map(str, placing):
            words += ["--bind-to", "none"]
    words += ["--host" if OPEN_MPI else "-hosts", hosts] if hosts else []
    words += map(str, placing)
    MPIEXEC.extend(words)
    try:
        yield lambda host: [agent, host]
    finally:
        del MPIEXEC[-len(words):]
        if allowance is not None:
            MPIEXEC.insert(allowance, "--oversubscribe")
        agent.unlink()


@contextlib.contextmanager
def named_hosts(test, hosts, *placing, variables=("COMMPROF_OUTPUT",), own_clocks=False, mounts=""):
    """What start_mpirun starts meanwhile runs on hosts like "h1:2,h2:2" (None: placing says where).

    placing: further words for the launcher. variables: those that it hands on. mounts: a command by which all hosts but h1 see other
    directories. Yields what runs a command on a host.
    """
    text = (f'mount={shlex.quote(mounts)}; [ "$host" = h1 ] && mount=:\n'
            + (OWN_CLOCK + WITH_NAME.format('"${own_clock[@]}"') if own_clocks else WITH_NAME.format("")))
    with started_by(test, text, hosts, placing, variables) as on:
        yield on


class CabledHosts:
    """h1 and h2, whose interfaces a cable joins. Each is a process with namespaces of its own."""

    INTERFACE = "eth0"
    # UCX looks for interfaces in /sys.
    BEGIN = 'mount -t sysfs sysfs /sys && mount --bind "$1" /etc/hosts && hostname "$0" && ip link set lo up && echo ready && exec cat'

    def __init__(self, test):
        self.processes = {}
        test.addCleanup(self.end)
        names = test.start / "names"
        names.write_text("127.0.0.1 localhost\n10.0.0.1 h1\n10.0.0.2 h2\n")
        for host in ("h1", "h2"):
            self.processes[host] = subprocess.Popen(
                ["unshare", "--net", "--mount", "--uts", "--ipc", "sh", "-c", self.BEGIN, host, str(names)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            if self.processes[host].stdout.readline() != "ready\n":
                test.skipTest(NO_NAMESPACES)
        names.unlink()
        ends = [("name", self.INTERFACE, "netns", str(process.pid)) for process in self.processes.values()]
        if subprocess.run(["ip", "link", "add", *ends[0], "type", "veth", "peer", *ends[1]], capture_output=True).returncode != 0:
            test.skipTest("the system makes no cable between namespaces")
        for host in self.processes:
            self.run(host, "ip", "addr", "add", f"10.0.0.{host[1:]}/24", "dev", self.INTERFACE)
            self.run(host, "ip", "link", "set", self.INTERFACE, "up")
        for host in self.processes:
            self.run(host, "timeout", "60", "sh", "-c", f"until grep -qx up /sys/class/net/{self.INTERFACE}/operstate; do sleep 0.05; done")

    def within(self, host):
        """The words that run others on a host."""
        return ["nsenter", "--target", str(self.processes[host].pid), "--net", "--mount", "--uts", "--ipc"]

    def run(self, host, *words):
        return subprocess.run([*self.within(host), *words], check=True, capture_output=True, text=True).stdout

    def sent(self):
        """The bytes that each host has sent on the cable, headers included."""
        return {host: int(self.run(host, "cat", f"/sys/class/net/{self.INTERFACE}/statistics/tx_bytes")) for host in self.processes}

    @contextlib.contextmanager
    def launching(self, test, hosts, *placing):
        """What start_mpirun starts meanwhile, within h1, runs on hosts like "h1:2,h2:2"."""
        choices = "".join(f"{host}) exec {shlex.join(self.within(host))} bash -c \"$*\";;\n" for host in self.processes)
        with started_by(test, f'case "$host" in\n{choices}esac\nexit 1\n', hosts, placing, ()):
            yield

    def end(self):
        for process in self.processes.values():
            process.communicate()
