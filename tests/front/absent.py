"""Who owns a name: programs without MPI that define its functions, or ask for them."""
import os
import subprocess
import sys
import unittest

LIBRARY, PROGRAMS = os.environ["LIBRARY"], os.environ["PROGRAMS"]
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(("LD_PRELOAD", "LD_BIND_NOW", "COMMPROF_"))}
BY_PYTHON = """
import ctypes
for name in ("MPI_Send", "mpi_init_", "mpi_init"):
    try:
        getattr(ctypes.CDLL(None), name)
        print("there")
    except AttributeError as error:
        print(str(error).rsplit(":")[-1])
"""


class Absent(unittest.TestCase):
    def check(self, *words):
        """The words print the same with the profiler, switched on or off. Returns what they print."""
        def run(**variables):
            done = subprocess.run(words, env=ENVIRONMENT | variables, capture_output=True, timeout=60)
            return done.returncode, done.stdout, done.stderr

        plain = run()
        self.assertEqual((plain[0], plain[2]), (0, b""))
        for more in ({}, {"LD_BIND_NOW": "1"}, {"COMMPROF_ENABLE": "0"}):
            self.assertEqual(run(LD_PRELOAD=LIBRARY, **more), plain, more)
        return plain[1].decode()

    def test_stand_in(self):
        self.assertEqual(self.check(f"{PROGRAMS}/serial"), "rank 0, result 21, error 0, number 17\n")

    def test_weak_references_and_lookups(self):
        text = self.check(f"{PROGRAMS}/asks_for_mpi")
        self.assertIn("library: 0", text)
        self.assertNotIn("there", text)

    def test_plugin(self):
        # Its constructor runs before the profiler can know of it.
        out = self.check(f"{PROGRAMS}/asks_for_mpi", f"{PROGRAMS}/plugin_that_asks.so")
        self.assertIn("plugin: 0", out)

    def test_python(self):
        self.assertEqual(self.check(sys.executable, "-c", BY_PYTHON), " MPI_Send\n mpi_init_\n mpi_init\n")


if __name__ == "__main__":
    unittest.main()
