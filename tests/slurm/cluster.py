"""Slurm on this machine: a controller and nodes that each have their own name and their own /var/tmp, on a loopback of their own.

in_namespaces() first: all that the test starts and writes is then in namespaces that end with it, however it ends. So nothing is
left, ports are free, and several tests may run at once.
"""

import fcntl
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "srun")
SKIPPED = 77  # the exit code of a test that could not run
HEAD = "head"  # the host of the controller and of the test
ADDRESS = "10.77.6.1"  # of all hosts: the C library does not resolve names for a machine that has a loopback alone
FILES = "/mnt"  # where temporary files are, in memory, so that these are gone in any case, too
INSIDE = "IN_NAMESPACES_OF_TEST"
PATH = f"{os.environ['PATH']}:/usr/sbin"
SECONDS = 300  # for anything that takes less than one on an idle machine

# TmpFS: the pmix plugin needs a directory of each node. KillWait: seconds from SIGTERM to SIGKILL. MpiDefault: jobs say what they
# want. Het jobs begin with the scheduler's next round.
CONFIGURATION = """\
ClusterName=commprof
SlurmctldHost={head}({address})
SlurmUser=root
SlurmdUser=root
SlurmctldPort=6817
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
AuthType=auth/munge
AuthInfo=socket={directory}/munge.socket
CredType=cred/munge
StateSaveLocation={directory}/state
SlurmdSpoolDir={directory}/%n/spool
TmpFS={directory}/%n/tmp
SlurmctldPidFile={directory}/slurmctld.pid
SlurmdPidFile={directory}/%n/slurmd.pid
SlurmctldLogFile={directory}/slurmctld.log
SlurmdLogFile={directory}/%n/slurmd.log
PlugStackConfig={directory}/plugstack.conf
TaskProlog={directory}/task_prolog
Epilog={directory}/epilog
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
KillWait=5
NodeName=DEFAULT CPUs=4 State=UNKNOWN
{nodes}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def in_namespaces():
    """Starts the script anew in namespaces of its own, unless it is in them. Ends it where there is no Slurm."""
    missing = [name for name in PROGRAMS if shutil.which(name, path=PATH) is None]
    if missing:
        skip(f"no {', '.join(missing)}")
    if INSIDE not in os.environ:
        unshare = ["unshare", "--mount", "--uts", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
        if subprocess.run([*unshare, "true"], capture_output=True).returncode != 0:
            skip("the system makes no namespaces for this user")
        # A shell as the first process: it also waits for what others have left.
        os.execvpe("unshare", [*unshare, "bash", "-c", '"$@"; exit', "bash", sys.executable, "-B", *sys.argv], dict(os.environ, **{INSIDE: "1"}))
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", FILES], check=True)
    tempfile.tempdir = FILES
    socket.sethostname(HEAD)
    with socket.socket() as any_socket:
        set_flags, set_address, is_up = 0x8914, 0x8916, 0x1
        fcntl.ioctl(any_socket, set_flags, struct.pack("16sh", b"lo", is_up))
        address = struct.pack("!16sHH4s", b"lo", 0, 0, socket.inet_aton(ADDRESS))
        fcntl.ioctl(any_socket, set_address, address[:16] + struct.pack("H", socket.AF_INET) + address[18:] + bytes(16))


class Cluster:
    """directory: an empty one, that users may look into. plugstack, task_prolog, epilog: the text of these files."""

    def __init__(self, directory, nodes, plugstack="", task_prolog="#!/bin/sh\n", epilog="#!/bin/sh\n"):
        self.directory = Path(directory)
        self.names = [f"node{i + 1}" for i in range(nodes)]
        self.servers = []
        self._write("slurm.conf", CONFIGURATION.format(head=HEAD, address=ADDRESS, directory=directory, nodes="\n".join(
            f"NodeName={name} NodeHostname={name} NodeAddr={ADDRESS} Port={17001 + i}" for i, name in enumerate(self.names))))
        self._write("hosts", f"{ADDRESS} localhost {HEAD} {' '.join(self.names)}\n")
        self._write("plugstack.conf", plugstack)
        self._write("task_prolog", task_prolog, mode=0o755)
        self._write("epilog", epilog, mode=0o755)
        (self.directory / "munge.key").write_bytes(os.urandom(128))
        os.chmod(self.directory / "munge.key", 0o600)
        self.environment = {"SLURM_CONF": str(self.directory / "slurm.conf"), "PATH": PATH}

    def start(self):
        (self.directory / "state").mkdir()
        subprocess.run(["mount", "--bind", self.directory / "hosts", "/etc/hosts"], check=True)
        at = self.directory
        self._serve("munged", "--foreground", "--force", f"--key-file={at}/munge.key", f"--socket={at}/munge.socket",
                    f"--pid-file={at}/munged.pid", f"--log-file={at}/munged.log", f"--seed-file={at}/munged.seed")
        self._serve("slurmctld", "-D")
        for name in self.names:
            for folder in ("spool", "tmp", "var"):
                (at / name / folder).mkdir(parents=True)
            (at / name / "var").chmod(0o1777)
            self._serve("unshare", "--uts", "--mount", "sh", "-c",
                        f'mount --bind {at}/{name}/var /var/tmp && hostname {name} && exec slurmd -D -N {name}')
        self.wait_until("all nodes are idle", lambda: self.output("sinfo", "-h", "-t", "idle", "-o", "%D") == f"{len(self.names)}\n")

    def stop(self):
        """Ends jobs, too. What does not end by itself ends with the namespaces."""
        try:
            self.run("scancel", "--partition=all")
            self.wait_for_jobs()
        finally:
            for server in reversed(self.servers):
                server.terminate()
            for server in self.servers:
                server.wait(SECONDS)

    def run(self, *command, **how):
        """The command, as its user has typed it, once it has ended."""
        how = dict(capture_output=True, text=True, timeout=SECONDS, env=self.environment) | how
        return subprocess.run(list(map(str, command)), **how)

    def output(self, *command):
        return self.run(*command).stdout

    def wait_for_jobs(self):
        """Their epilogs, too."""
        self.wait_until("no job is left", lambda: self.output("squeue", "-h") == "")

    def wait_until(self, what, is_so):
        deadline = time.monotonic() + SECONDS
        while not is_so():
            if time.monotonic() > deadline or any(server.poll() is not None for server in self.servers):
                raise RuntimeError(f"a server has ended, or {SECONDS} s have passed before {what}\n{self.logs()}")
            time.sleep(0.05)

    def logs(self):
        return "".join(f"{path}:\n{path.read_text(errors='replace')[-4000:]}" for path in sorted(self.directory.rglob("*.log")))

    def _write(self, name, text, mode=0o644):
        (self.directory / name).write_text(text)
        (self.directory / name).chmod(mode)

    def _serve(self, *command):
        with open(self.directory / "servers.log", "a") as log:
            self.servers.append(subprocess.Popen(list(map(str, command)), env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log))
