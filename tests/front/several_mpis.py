"""One preload for programs of all MPIs in a job script, and a process that has several of them."""
import csv
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

LIBRARY, EXAMPLES, PROGRAMS = os.environ["LIBRARY"], Path(os.environ["EXAMPLES"]), Path(os.environ["PROGRAMS"])
ABIS, MPI_LIBRARIES, LAUNCHERS, WRAPPERS, FORTRAN_LIBRARIES = (
    os.environ[name].split() for name in ("ABIS", "MPI_LIBRARIES", "LAUNCHERS", "WRAPPERS", "FORTRAN_LIBRARIES"))
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(("LD_PRELOAD", "COMMPROF_"))}
ENVIRONMENT |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

# Both out of sight of each other. All calls of one come back before the other's begin.
SEVERAL = """
import ctypes, os, sys
libraries = [ctypes.CDLL(path, mode=os.RTLD_LOCAL | os.RTLD_NOW) for path in sys.argv[1:]]
flags = []
for library in libraries:
    flag = ctypes.c_int(7)
    library.MPI_Initialized(ctypes.byref(flag))
    library.MPI_T_init_thread(0, ctypes.byref(ctypes.c_int(7)))
    flags.append(flag.value)
print(flags)
"""


class SeveralMpis(unittest.TestCase):
    def test_one_job_script(self):
        with tempfile.TemporaryDirectory(prefix="commprof-test-") as start:
            script = "".join(f"COMMPROF_OUTPUT=profile-{abi} timeout 100 {launcher} -n 2 {EXAMPLES}/{abi}/grid || exit 1\n"
                             for abi, launcher in zip(ABIS, LAUNCHERS))
            done = subprocess.run(["sh", "-c", script], cwd=start, env=ENVIRONMENT | {"LD_PRELOAD": LIBRARY}, capture_output=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            calls = []
            for abi in ABIS:
                with open(Path(start) / f"profile-{abi}" / "operations.csv", newline="") as file:
                    calls.append(sorted((row["comm"], row["rank"], row["op"], row["size_min"], row["calls"])
                                        for row in csv.DictReader(file)))
            # The grid may be laid out otherwise; what is called is the same.
            self.assertEqual({len(rows) for rows in calls}, {len(calls[0])})
            self.assertIn(("W_a1", "0", "Waitall", "0", "200"), calls[0])
            for rows in calls:
                self.assertEqual(rows, calls[0])

    def test_one_process(self):
        if len(MPI_LIBRARIES) < 2:
            self.skipTest("only one MPI is here")
        words = ["/usr/bin/python3", "-c", SEVERAL, *MPI_LIBRARIES]
        plain, profiled = (subprocess.run(words, env=ENVIRONMENT | preload, capture_output=True, timeout=60)
                           for preload in ({}, {"LD_PRELOAD": LIBRARY}))
        self.assertEqual((plain.returncode, plain.stderr), (0, b""), plain.stderr)
        self.assertEqual((profiled.returncode, profiled.stdout), (plain.returncode, plain.stdout))
        self.assertRegex(profiled.stderr, rb"^commprof: several MPI libraries are loaded in this process[^\n]*\n$")

    def test_converters(self):
        """A converter defines the functions of one MPI and calls those of another: the program runs without the profiler."""
        for kind in ("converted", "converted_with_profiling", "converted_globally", "converted_through_wrapper"):
            for abi, library, wrapper, fortran in zip(ABIS, MPI_LIBRARIES, WRAPPERS, FORTRAN_LIBRARIES):
                env = ENVIRONMENT | {"MPI_LIB": wrapper if "wrapper" in kind else library, "MPI_FORTRAN_LIB": fortran}
                converter = str(PROGRAMS / f"libfront_{kind}_converter.so")
                orders = [(LIBRARY,)] if kind == "converted" else [(LIBRARY,), (LIBRARY, converter), (converter, LIBRARY)]
                for preloaded in orders:
                    with self.subTest(abi, program=kind, preloaded=preloaded), tempfile.TemporaryDirectory(prefix="commprof-test-") as start:
                        words = [PROGRAMS / kind] + ["fortran"] * (fortran != "-")
                        plain, profiled = (subprocess.run(words, cwd=start, env=env | variables, capture_output=True, timeout=60)
                                           for variables in ({}, {"LD_PRELOAD": ":".join(preloaded), "COMMPROF_OUTPUT": "out"}))
                        self.assertEqual((plain.returncode, plain.stdout), (0, b"started 0, size 1, error 0, finished 0\n"), plain.stderr)
                        self.assertEqual((profiled.returncode, profiled.stdout), (0, plain.stdout), profiled.stderr)
                        self.assertRegex(profiled.stderr, rb"^(commprof: [^\n]* (flavour of the profiler for this MPI|bypassed the profiler)[^\n]*\n)+$")
                        self.assertFalse(Path(start, "out").exists())


if __name__ == "__main__":
    unittest.main()
