"""The flavour for the standard ABI beside a stand-in for an MPI: the numbers of program.c, and what the profile says of the MPI."""
import csv
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

LIBRARY, PROGRAMS, DOCTOR = os.environ["LIBRARY"], Path(os.environ["PROGRAMS"]), os.environ["DOCTOR"]
MPI_LIBRARIES = os.environ["MPI_LIBRARIES"].split()
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(("LD_", "COMMPROF_"))}

# What program.c calls: communicator, operation, bytes sent and received in all calls -> calls. A double has 8 bytes, an int 4.
EXPECTED = {
    ("W", "Comm_dup", 0, 0): 1,
    ("W", "Send", 4 * 8, 0): 1,
    ("W", "Send", 0, 0): 1,  # to MPI_PROC_NULL
    ("W", "Recv", 0, 4 * 8): 1,
    ("W_d1", "Comm_split", 0, 0): 2,
    ("W_d1", "Isend", (5 + 6 + 7) * 8, 0): 3,
    ("W_d1", "Irecv", 0, (5 + 6 + 7) * 8): 3,
    ("W_d1", "Waitall", 0, 0): 3,
    ("W_d1", "Comm_free", 0, 0): 1,
    ("W_d1_s1.0", "Allreduce", 7 * 3 * 4, 0): 7,
    ("W_d1_s1.0", "Win_create", 0, 0): 1,
    ("W_d1_s1.0", "Win_fence", 0, 0): 2,
    ("W_d1_s1.0", "Put", 3 * 8, 0): 1,
    ("W_d1_s1.0", "Win_free", 0, 0): 1,
    ("W_d1_s1.0", "File_open", 0, 0): 1,
    ("W_d1_s1.0", "File_close", 0, 0): 1,
    ("W_d1_s1.0", "Comm_free", 0, 0): 1,
    ("SELF", "Barrier", 0, 0): 2,  # one in MPI_Finalize
}
# newer.c makes these calls.
EXPECTED_OF_NEWER = {(comm, op, 0, 0): 1 for comm, ops in (
    ("SELF", "Session_init Session_flush_buffer Session_iflush_buffer Session_detach_buffer Session_finalize"),
    ("SELF", "Buffer_flush Buffer_iflush Buffer_detach"),
    ("W", "Comm_create_from_group"),
    ("W_f1.0.all", "Comm_flush_buffer Comm_iflush_buffer Comm_detach_buffer Comm_idup Comm_free Waitall"),
    ("W_f1.0.all", "Request_get_status_all Request_get_status_any Request_get_status_some"),
    ("W_f1.0.all", "Request_get_status_all-none Request_get_status_any-none Request_get_status_some-none"),
    ("W_f1.0.all_d1", "Barrier Comm_free")) for op in ops.split()}
EXPECTED_OF_NEWER |= {
    ("SELF", "Wait", 0, 0): 2,
    ("W_f1.0.all", "Wait", 0, 0): 2,
    ("W_f1.0.all", "Irecv", 0, 3 * 8): 1,
    ("W_f1.0.all", "Send", 3 * 8, 0): 1,
}
OUTPUT = b"rank 0 of 1, 1 copies, 2 deletions, 0 failures\n"


class StandardAbi(unittest.TestCase):
    def check(self, program, *behind_profiler, output=OUTPUT, expected=EXPECTED):
        """Runs a program without the profiler and with it."""
        with tempfile.TemporaryDirectory(prefix="commprof-test-") as start:
            plain, profiled = (subprocess.run([PROGRAMS / program], env=ENVIRONMENT | variables, capture_output=True, timeout=60)
                               for variables in ({"LD_PRELOAD": " ".join(behind_profiler)},
                                                 {"LD_PRELOAD": " ".join((LIBRARY, *behind_profiler)), "COMMPROF_OUTPUT": start + "/out"}))
            self.assertEqual((plain.returncode, plain.stdout), (0, output), plain.stderr)
            self.assertEqual((profiled.returncode, profiled.stdout), (0, plain.stdout), profiled.stderr)
            found = {}
            with open(Path(start) / "out" / "operations.csv", newline="") as file:
                for row in csv.DictReader(file):
                    key = row["comm"], row["op"], int(row["bytes_sent"]), int(row["bytes_received"])
                    found[key] = found.get(key, 0) + int(row["calls"])
            self.assertEqual(found, expected)
            run = json.loads((Path(start) / "out" / "run.json").read_text())
            self.assertEqual(run["mpi"], {"library": "A stand-in for an MPI", "version": "5.0", "thread_level": "single"})
            self.assertEqual(run["not_seen"], [])
            self.assertNotIn(b" whose calls are not in the profile", profiled.stderr)

    def test_one_library(self):
        self.check("program")

    def test_sessions_and_newer_calls(self):
        self.check("newer", output=b"ABI 1.0, 0 failures\n", expected=EXPECTED_OF_NEWER)

    def test_fortran(self):
        """The library of Fortran makes two calls of MPI_Barrier."""
        self.check("program_fortran", output=b"0 failures\n", expected={("SELF", "Barrier", 0, 0): 1, ("W", "Barrier", 0, 0): 2})

    def test_beside_another_mpi(self):
        if not MPI_LIBRARIES:
            self.skipTest("no MPI is here")
        for other in MPI_LIBRARIES:
            with self.subTest(other):
                self.check("program", str(PROGRAMS / "libmpi_abi.so.1"), other)

    def test_doctor(self):
        if not DOCTOR:
            self.skipTest("the tools are not built")
        done = subprocess.run([DOCTOR, "doctor", PROGRAMS / "program"], env=ENVIRONMENT, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(": its calls of MPI are seen\n", done.stdout)
        self.assertRegex(done.stdout, r"\n  Flavour +mpi-abi-1\n")


if __name__ == "__main__":
    unittest.main()
