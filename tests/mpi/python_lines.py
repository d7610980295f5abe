"""Call sites of programs in Python: the lines of Python in place of addresses in the interpreter."""

import csv
import os
import re
import unittest
from pathlib import Path

from driver import DriverTest, read_csv

PROGRAM = Path(__file__).resolve().parent / "python_program.py"
PYTHON, MPI_LIBRARY = "/usr/bin/python3", os.environ["MPI_LIBRARY"]
RANKS = 2
LINES = {text.rsplit("# ", 1)[1]: number for number, text in enumerate(PROGRAM.read_text().splitlines(), 1) if "  # " in text}
INNER, OUTER, TOP = (f"{PROGRAM.name}:{LINES[name]}" for name in ("inner", "outer", "top"))


class PythonLines(DriverTest):
    def barriers(self, *words, exit_code=0, **env):
        """The sites of the barriers, with the calls of all ranks."""
        self.profile = self.profile_of(PYTHON, "-B", PROGRAM, MPI_LIBRARY, *words, ranks=RANKS, exit_code=exit_code, env=env)
        calls = {}
        for row in csv.DictReader(self.tool("--operations", "--by", "site", "--csv", self.profile).splitlines()):
            if row["op"] == "Barrier":
                calls[row["site"]] = calls.get(row["site"], 0) + int(row["calls"])
        return calls

    def test_innermost_line(self):
        self.assertEqual(self.barriers(), {INNER: 3 * RANKS})
        [row] = [row for row in read_csv(self.profile / "sites.csv") if row["site"] == INNER]
        self.assertEqual(row, {"site": INNER, "module": PROGRAM.name, "offset": hex(LINES["inner"]), "function": "inner",
                               "file": str(PROGRAM), "line": str(LINES["inner"])})
        self.assertNotIn(PROGRAM.name, {row["module"] for row in read_csv(self.profile / "modules.csv")})
        self.assertRegex(self.tool("--sites", self.profile, columns=250), rf"inner, {INNER} +Barrier")
        self.tool("resolve", self.profile)
        self.assertRegex(self.tool("--sites", "--site", INNER, self.profile, columns=250), rf"inner, {INNER} +Barrier")

    def test_callers(self):
        self.assertEqual(self.barriers(COMMPROF_STACK="2"), {f"{INNER} < {OUTER}": 3 * RANKS})
        # As many as there are, up to the program itself.
        self.assertEqual(self.barriers(COMMPROF_STACK="16"), {f"{INNER} < {OUTER} < {TOP}": 3 * RANKS})
        self.assertRegex(self.tool("--sites", self.profile, columns=250), rf"inner, {INNER} < outer, {OUTER} < <module>, {TOP} +Barrier")

    def test_a_killed_run_knows_its_lines(self):
        calls = self.barriers("killed", exit_code=None, COMMPROF_STACK="2")
        self.assertEqual(set(calls), {f"{INNER} < {OUTER}"})
        # The rank that aborts has left its last barrier; the others may be killed within theirs.
        self.assertIn(calls[f"{INNER} < {OUTER}"], range(2 * RANKS + 1, 3 * RANKS + 1))
        # How long it was outside is told if that is longer than a look takes.
        self.assertRegex(self.tool(self.profile), rf"outside MPI( for [^,]* [µm]?s)?, after {re.escape(INNER)} \(inner\)")

    def test_no_sites(self):
        self.assertEqual(self.barriers(COMMPROF_SITES="0"), {"": 3 * RANKS})

    def test_another_thread_of_python(self):
        """It may hold the lock, and wait for the call: then nobody asks for it."""
        [site] = self.barriers("threads")
        self.assertNotIn(PROGRAM.name, site)


if __name__ == "__main__":
    unittest.main()
