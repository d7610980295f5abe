"""Several hosts on this machine, by their names: a launcher starts its daemons through a stand-in for ssh."""

import contextlib
import shlex
import subprocess

from driver import MPIEXEC

OPEN_MPI = "openmpi" in MPIEXEC[0]
# Open MPI 5 starts jobs by PRRTE.
HAS_PRRTE = OPEN_MPI and "Open MPI) 5" in subprocess.run([MPIEXEC[0], "--version"], capture_output=True, text=True).stdout
WITH_NAME = 'exec unshare --uts --mount {} bash -c \'hostname "$0"; eval "$2"; exec bash -c "$1"\' "$host" "$*" "$mount"\n'
# The clock of h2 began 2000 s before this machine's, where the system lets us.
OWN_CLOCK = ('own_clock=(--time --fork --monotonic "$((${host#h} * 1000))")\n'
             'unshare "${own_clock[@]}" true 2>/dev/null || own_clock=()\n')


@contextlib.contextmanager
def named_hosts(test, hosts, *placing, variables=("COMMPROF_OUTPUT",), own_clocks=False, mounts=""):
    """What start_mpirun starts meanwhile runs on hosts like "h1:2,h2:2" (None: placing says where).

    placing: further words for the launcher. variables: those that it hands on. mounts: a command by which all hosts but h1 see other
    directories. Yields what runs a command on a host.
    """
    agent = test.start / "agent"
    agent.write_text("#!/bin/bash\nwhile [[ $1 == -* ]]; do shift; done\nhost=$1; shift\n"
                     + f'mount={shlex.quote(mounts)}; [ "$host" = h1 ] && mount=:\n'
                     + (OWN_CLOCK + WITH_NAME.format('"${own_clock[@]}"') if own_clocks else WITH_NAME.format("")))
    agent.chmod(0o755)
    if subprocess.run([agent, "h1", "true"], capture_output=True).returncode != 0:
        test.skipTest("the system makes no namespaces for this user")
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
