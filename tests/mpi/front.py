"""The front: it leaves alone what is not MPI's, opens the flavour for the MPI of the process, and says so where it cannot."""

import os
import shutil
import subprocess
import unittest
from pathlib import Path

import judge
from driver import LIBRARY, MPIEXEC, PROGRAMS, YIELDS, DriverTest, clean_environment, read_csv

ABI, MPI_LIBRARY = os.environ["ABI"], os.environ["MPI_LIBRARY"]
HERE = Path(__file__).resolve().parent
PYTHON = "/usr/bin/python3"


def leave_out(file, names):
    """Gives symbols in a library other names of the same length, so that nobody finds them."""
    data = Path(file).read_bytes()
    for name in names:
        old = name.encode() + b"\0"
        assert old in data, name
        data = data.replace(old, old[:-2] + bytes([old[-2] - 1]) + b"\0")
    Path(file).write_bytes(data)


class Front(DriverTest):
    def profiled(self, *words, library=LIBRARY, env=None, lines=1):
        """Runs the words with the library preloaded. Returns the calls of each operation, run.json and the profiler's lines."""
        profile = self.profile_of(*words, ranks=2, preload=False, env=env, inner_env={"LD_PRELOAD": str(library)})
        said = self.lines(self.done)
        self.assertEqual(len(said), lines, said)
        if not profile.exists():
            return None, None, said
        self.check_profile(profile)
        return {op: calls for (op,), calls in self.counts(profile, "op").items()}, self.run_json(profile), said

    def own_copy(self):
        """The library with its flavours, elsewhere. Returns the front and the directory of the flavours."""
        directory = Path(LIBRARY).parent
        shutil.copy(LIBRARY, self.start)
        shutil.copytree(directory / "commprof", self.start / "commprof", ignore=shutil.ignore_patterns("*.a"))
        return self.start / Path(LIBRARY).name, self.start / "commprof"

    def test_functions_found_by_handle(self):
        calls, run, _ = self.profiled(PYTHON, "-B", HERE / "calls_by_handle.py", MPI_LIBRARY)
        self.assertEqual(calls, {"Barrier": 2 * 3})
        self.assertEqual(run["not_seen"], [])

    def test_two_copies(self):
        """The first counts every call once; the second says nothing."""
        copy, _ = self.own_copy()
        calls = [self.profiled(PROGRAMS / "small_program", library=library)[0]
                 for library in (LIBRARY, f"{LIBRARY}:{copy}", f"{copy}:{LIBRARY}")]
        self.assertGreater(calls[0]["Barrier"], 0)
        self.assertEqual(calls[1:], [calls[0]] * 2)

    def test_found_beside_a_link_and_by_a_relative_path(self):
        front, _ = self.own_copy()
        (self.start / "elsewhere").mkdir()
        (self.start / "elsewhere" / "lib.so").symlink_to(front)
        for library in (self.start / "elsewhere" / "lib.so", f"./{front.name}"):
            calls, _, _ = self.profiled(PROGRAMS / "small_program", library=library)
            self.assertIn("Barrier", calls)

    def test_without_a_flavour(self):
        front, flavours = self.own_copy()
        flavour = flavours / f"{ABI}.so"
        flavour.write_bytes(b"no library")
        calls, _, [line] = self.profiled(PROGRAMS / "small_program", library=front)
        self.assertIsNone(calls)
        self.assertRegex(line, f"the flavour of the profiler for {ABI} cannot be loaded: .*{ABI}.so.*the program runs without it")
        flavour.unlink()
        calls, _, [line] = self.profiled(PROGRAMS / "small_program", library=front)
        self.assertIsNone(calls)
        self.assertRegex(line, f"{ABI}.so.*No such file")

    def test_an_mpi_of_an_unknown_abi(self):
        env = clean_environment() | {"LD_LIBRARY_PATH": str(PROGRAMS)}
        for preload, lines in (({}, 0), ({"LD_PRELOAD": LIBRARY}, 1)):
            done = subprocess.run([PROGRAMS / "uses_fake_mpi"], env=env | preload, capture_output=True, cwd=self.start)
            self.assertEqual((done.returncode, done.stdout), (0, b"failed 0, read 0\n"))
            self.assertEqual(len(self.lines(done)), lines, done.stderr)
            if lines:
                self.assertRegex(self.lines(done)[0], "there is no flavour of the profiler for this MPI, .*libfake_mpi.so")
        self.assertEqual(self.found(), [])

    def test_a_newer_mpi(self):
        # As if the flavour had been built when there was no MPI_Barrier.
        front, flavours = self.own_copy()
        before, _, _ = self.profiled(PROGRAMS / "small_program")
        leave_out(flavours / f"{ABI}.so", ["MPI_Barrier"])
        after, run, lines = self.profiled(PROGRAMS / "small_program", library=front, lines=2)
        self.assertGreater(before.pop("Barrier"), 0)
        self.assertEqual(after, before)
        self.assertEqual(run["not_seen"], ["MPI_Barrier"])
        self.assertIn("MPI_Barrier", lines[0])

    def test_an_older_mpi(self):
        (self.start / "mpi").mkdir()
        library = self.start / "mpi" / Path(MPI_LIBRARY).name
        shutil.copy(MPI_LIBRARY, library)
        leave_out(library, ["MPI_Ineighbor_alltoallw", "MPI_Comm_dup_with_info", "MPI_Improbe"])
        calls, run, _ = self.profiled(PROGRAMS / "small_program", env={"LD_LIBRARY_PATH": str(library.parent)})
        self.assertIn("Barrier", calls)
        self.assertEqual(run["not_seen"], [])
        # What it lacks is not there with the profiler either.
        probe = ("import ctypes, sys\nmpi = ctypes.CDLL(sys.argv[1])\nmpi.MPI_Barrier\n"
                 "try:\n  mpi.MPI_Improbe\nexcept AttributeError:\n  print('not there')\n")
        done = subprocess.run([PYTHON, "-c", probe, library], env=clean_environment() | {"LD_PRELOAD": LIBRARY}, capture_output=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"not there\n", b""))

    @unittest.skipUnless(ABI.startswith("openmpi"), "the stand-in is for Open MPI")
    def test_functions_that_only_a_newer_mpi_has(self):
        counts = {"W_d1": [], "W_d2": [], "W_d3": []}
        for row in read_csv(self.profile_of(PROGRAMS / "descriptors") / "operations.csv"):
            if row["comm"] in counts:
                counts[row["comm"]].append([row[name] for name in ("rank", "op", "calls", "bytes_sent", "bytes_received")])
        in_c, in_fortran, large = (sorted(rows) for rows in counts.values())
        self.assertEqual({row[1] for row in in_c}, {"Allgather", "Irecv", "Isend", "Waitall"})
        self.assertEqual((in_fortran, large), (in_c, in_c))

    def test_a_tool_in_front_sees_the_calls_of_a_library(self):
        """The library is loaded with the program, and its calls are bound one by one when they are made first."""
        libraries = [PROGRAMS / "libcounter.so", LIBRARY, YIELDS]
        self.assertEqual(judge.judge(self.start / "profile", libraries, [*MPIEXEC, "-n", "2"], [PROGRAMS / "runs_library"]), [])

    def test_calls_that_pass_by(self):
        calls, _, [line] = self.profiled(PROGRAMS / "passes_by", "all")
        self.assertIsNone(calls)
        self.assertIn("its calls bypassed the profiler", line)
        calls, _, _ = self.profiled(PROGRAMS / "passes_by", "most", lines=1)
        self.assertEqual(calls, {})
        # Nobody asked for a profile.
        calls, _, _ = self.profiled(PROGRAMS / "small_program", env={"COMMPROF_ENABLE": "0"}, lines=0)
        self.assertIsNone(calls)


if __name__ == "__main__":
    unittest.main()
