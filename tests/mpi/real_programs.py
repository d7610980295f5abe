"""Debian's MPI programs, judged by the counter: on Open MPI HPC Challenge (hpcc) and LAMMPS (lammps), on MPICH BAGEL (bagel)."""

import json
import os
import shutil
import subprocess
import unittest
from pathlib import Path

import judge
from driver import DriverTest, LIBRARY, LONG, MPIEXEC, PROGRAMS, YIELDS

MPI_LIBRARY = Path(os.environ["MPI_LIBRARY"])
HPCC_INPUT = Path("/usr/share/doc/hpcc/examples/_hpccinf.txt")
MELT = Path(__file__).resolve().parent / "support/in.melt"
WATER = {"title": "molecule", "basis": "svp", "df_basis": "svp-jkfit", "angstrom": True,
         "geometry": [{"atom": "O", "xyz": [0, 0, 0.1173]}, {"atom": "H", "xyz": [0, 0.7572, -0.4692]}, {"atom": "H", "xyz": [0, -0.7572, -0.4692]}]}
STEPS = [{"title": "force", "target": 0, "method": [{"title": "hf"}]}, {"title": "mp2", "frozen": True}]


def is_here(program):
    """Whether the program is installed and linked with the MPI under test."""
    path = shutil.which(program)
    return path is not None and MPI_LIBRARY.name in subprocess.run(["ldd", path], capture_output=True, text=True, check=True).stdout


class RealPrograms(DriverTest):
    def judge(self, *program):
        os.chdir(self.start)
        for ranks in (2, 4):
            with self.subTest(ranks=ranks):
                launcher = [*MPIEXEC, "-n", str(ranks)]
                libraries = [PROGRAMS / "libcounter.so", LIBRARY, YIELDS]
                self.assertEqual(judge.judge(self.start / "profile", libraries, launcher, program), [])

    if LONG and is_here("hpcc"):
        def test_hpcc(self):
            text = HPCC_INPUT.read_text(encoding="utf-8")
            (self.start / "hpccinf.txt").write_text(text.replace("\n1000 ", "\n200 "), encoding="utf-8")
            self.judge("hpcc")

    if LONG and is_here("lmp"):
        def test_lammps(self):
            self.judge("lmp", "-in", MELT, "-var", "steps", "100")

    if LONG and is_here("BAGEL"):
        def test_bagel(self):
            (self.start / "water.json").write_text(json.dumps({"bagel": [WATER, *STEPS]}), encoding="utf-8")
            self.judge("BAGEL", "water.json")


if __name__ == "__main__":
    unittest.main()
