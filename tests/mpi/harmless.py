"""Preloaded into the launcher itself, as users do, the library is not to be noticed; the launcher hands it on to the processes of the job."""

import subprocess
import unittest

from driver import LIBRARY, MPIEXEC, PROGRAMS, TIMEOUT, DriverTest, clean_environment
from hosts import OPEN_MPI

COMMANDS = [[*MPIEXEC, "--version"]]
if OPEN_MPI:  # Hydra dies of SIGPIPE in one of several hundred jobs that end before it has passed on their input, and may hang if they wait for its end
    COMMANDS += [[*MPIEXEC, "-n", "2", "true"], [*MPIEXEC, "-n", "2", "sh", "-c", "echo out; echo err >&2"]]


class Harmless(DriverTest):
    def run_command(self, command, env):
        done = subprocess.run(command, cwd=self.start, capture_output=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL, env=clean_environment() | env)
        return done.returncode, done.stdout, done.stderr

    def test_preload_on_the_launcher(self):
        for binding in ({}, {"LD_BIND_NOW": "1"}):
            for command in COMMANDS:
                self.assertEqual(self.run_command(command, {"LD_PRELOAD": LIBRARY} | binding), self.run_command(command, {}))
            self.assertEqual(self.found(), [])
            code, out, err = self.run_command([*MPIEXEC, "-n", "2", PROGRAMS / "small_program", "--exit", "7"],
                                              {"LD_PRELOAD": LIBRARY, "COMMPROF_OUTPUT": "profile"} | binding)
            self.assertEqual((code, out), (7, b"a line on stdout\n"), err)
            self.remove_profile(self.the_profile())


if __name__ == "__main__":
    unittest.main()
