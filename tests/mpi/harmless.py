"""Preloaded into programs without MPI, and into the launcher itself, the library is not to be noticed."""

import subprocess
import unittest

from driver import LIBRARY, MPIEXEC, PROGRAMS, TIMEOUT, DriverTest, clean_environment
from hosts import OPEN_MPI

PYTHON = """
import os, subprocess, sys, threading
threads = [threading.Thread(target=sum, args=(range(1000),)) for _ in range(4)]
[t.start() for t in threads]; [t.join() for t in threads]
print(subprocess.run(["sh", "-c", "echo child; exit 2"]).returncode, flush=True)
print("to stderr", file=sys.stderr)
if os.fork() == 0: os._exit(0)
os.wait()
sys.exit(6)
"""

COMMANDS = [
    ["true"],
    ["false"],
    ["sleep", "0.01"],
    ["sleep", "forever"],  # a usage error
    ["sh", "-c", "echo out; echo err >&2; exit 3"],
    ["bash", "-c", "echo $((6 * 7)) | cat; (exit 4)"],
    ["bash", "-c", "kill -TERM $$"],
    ["env", "-i", "sh", "-c", "exit 5"],
    ["python3", "-c", PYTHON],
    ["ls", "/dev/null/missing"],
    [*MPIEXEC, "--version"],
]
if OPEN_MPI:  # Hydra dies of SIGPIPE in one of several hundred jobs that end before it has passed on their input, and may hang if they wait for its end
    COMMANDS += [[*MPIEXEC, "-n", "2", "true"], [*MPIEXEC, "-n", "2", "sh", "-c", "echo out; echo err >&2"]]


class Harmless(DriverTest):
    def run_command(self, command, env):
        done = subprocess.run(command, cwd=self.start, capture_output=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL, env=clean_environment() | env)
        return done.returncode, done.stdout, done.stderr

    def test_no_trace(self):
        for command in COMMANDS:
            plain = self.run_command(command, {})
            for binding in ({}, {"LD_BIND_NOW": "1"}):
                self.assertEqual(self.run_command(command, {"LD_PRELOAD": LIBRARY} | binding), plain)
        self.assertEqual(self.found(), [])

    def test_no_thread_and_no_open_file(self):
        # The shell looks at itself by patterns: a pipe would come and go among its files.
        script = "ls /proc/self/task | wc -l; set -- /proc/$$/fd/*; echo $#; set -- /proc/$$/task/*; echo $#"
        plain = self.run_command(["sh", "-c", script], {})
        self.assertEqual(self.run_command(["sh", "-c", script], {"LD_PRELOAD": LIBRARY}), plain)

    def test_preload_on_the_launcher(self):
        # As users do: the launcher hands it on to the processes of the job.
        for binding in ({}, {"LD_BIND_NOW": "1"}):
            code, out, err = self.run_command([*MPIEXEC, "-n", "2", PROGRAMS / "small_program", "--exit", "7"],
                                              {"LD_PRELOAD": LIBRARY, "COMMPROF_OUTPUT": "profile"} | binding)
            self.assertEqual((code, out), (7, b"a line on stdout\n"), err)
            self.remove_profile(self.the_profile())


if __name__ == "__main__":
    unittest.main()
