"""Where in the program calls are made: lines of C, of Fortran and of a library, in finished and unfinished profiles."""

import collections
import csv
import os
import re
import shutil
import unittest
from pathlib import Path

from driver import PROGRAMS, DriverTest, read_csv, shared_between_mpis

HERE = Path(__file__).parent
RANKS = 4


def marks(name):
    """What the comments of a source say: (file:line, operation) -> calls of all ranks."""
    found = {}
    for number, line in enumerate((HERE / name).read_text().splitlines(), 1):
        if mark := re.search(r"(?:/\*|!) (\w+) (\d+)(?: \*/)?$", line):
            found[f"{name}:{number}", mark[1]] = RANKS * int(mark[2])
    return found


@shared_between_mpis
class CallSites(DriverTest):
    def run_program(self, *words, program=PROGRAMS / "call_sites", exit_code=0, **env):
        return self.profile_of(program, *words, ranks=RANKS, exit_code=exit_code, env=env)

    def sites(self, profile, *options):
        """(file:line, operation) -> calls, as the tool shows it."""
        found = {}
        for row in csv.DictReader(self.tool("--sites", "--csv", *options, profile).splitlines()):
            file, line = (row[column].split(" < ")[0] for column in ("file", "line"))  # of what was inlined, the innermost
            found[f"{Path(file).name}:{line}" if file else row["site"], row["op"]] = int(row["calls"])
        return found

    def test_c(self):
        profile = self.run_program()
        self.assertEqual(self.sites(profile), marks("call_sites.c"))
        comms = {row["comm"]: row["created_at"] for row in read_csv(profile / "communicators.csv")}
        self.assertEqual(set(comms), {"W", "SELF", "W_d1", "W_d1_s1.0", "W_d1_s1.1"})
        self.assertEqual((comms["W"], comms["SELF"]), ("", ""))
        self.assertEqual(comms["W_d1_s1.0"], comms["W_d1_s1.1"])
        listed = {row["site"] for row in read_csv(profile / "sites.csv")}
        self.assertEqual(listed, {row["site"] for row in read_csv(profile / "operations.csv")})
        self.assertLess({comms["W_d1"], comms["W_d1_s1.0"]}, listed)
        barriers = collections.defaultdict(dict)  # a site counts in each region
        for (region, site, op), count in self.counts(profile, "region", "site", "op").items():
            if op == "Barrier":
                barriers[site][region] = count
        self.assertEqual(sorted(barriers.values(), key=len), [{"solve": 3 * RANKS}, {"main": RANKS, "a": RANKS, "b": RANKS}])

    def test_fortran(self):
        for stack in "0", "4":
            self.assertEqual(self.sites(self.run_program(program=PROGRAMS / "call_sites_f08", COMMPROF_STACK=stack)), marks("call_sites.f90"))

    def test_a_library_is_a_module_of_its_own(self):
        plugin = PROGRAMS / "libcall_sites_plugin.so"
        profile = self.run_program(plugin)
        self.assertEqual(self.sites(profile), marks("call_sites.c") | marks("call_sites_plugin.c"))
        modules = {row["module"]: row["path"] for row in read_csv(profile / "modules.csv")}
        self.assertEqual(modules, {"call_sites": str(PROGRAMS / "call_sites"), plugin.name: str(plugin)})
        self.assertEqual(self.sites(profile, "--site", "call_sites_plugin.c"), marks("call_sites_plugin.c"))

    def test_callers_of_a_library(self):
        """Its calls are told apart by where the program calls it; those of the program itself stay as they are."""
        profile = self.run_program(PROGRAMS / "libcall_sites_plugin.so", COMMPROF_STACK="4")
        self.assertEqual(self.sites(profile), marks("call_sites.c") | marks("call_sites_plugin.c"))
        (line,) = [n for n, text in enumerate((HERE / "call_sites.c").read_text().splitlines(), 1) if text == "    call();"]
        for resolved in False, True:
            (row,) = [row for row in read_csv(profile / "sites.csv") if row["site"].startswith("libcall_sites_plugin.so")]
            self.assertEqual(row["site"].count(" < "), 1)
            self.assertEqual(row["offset"], re.match(r".*?\+(0x[0-9a-f]+) < call_sites\+0x", row["site"])[1])
            self.assertRegex(self.tool("--sites", profile, columns=200),
                             rf"plugin_calls, call_sites_plugin\.c:\d+ < main, call_sites\.c:{line} +Barrier")
            if not resolved:
                self.tool("resolve", profile)

    def test_a_killed_run_knows_its_sites(self):
        profile = self.run_program(PROGRAMS / "libcall_sites_plugin.so", "abort", exit_code=None)
        self.assertNotEqual(self.done.returncode, 0)
        expected = {key: calls for key, calls in marks("call_sites.c").items() if key[1] != "Comm_free"}
        found = self.sites(profile)
        # The launcher may kill a process before it is in its last calls.
        lacking = {key for key, calls in found.items() if calls < (expected | marks("call_sites_plugin.c")).get(key, 0)}
        self.assertLessEqual({op for _, op in lacking}, {"Barrier"})
        self.assertLessEqual({key for key in expected if key[1] != "Barrier"}, set(found))

    def test_fewer_sites_and_none(self):
        columns = ("region", "comm", "rank", "op", "size_min")
        with_sites = self.counts(self.run_program(), *columns)
        profile = self.run_program(COMMPROF_MAX_SITES="4")
        self.assertEqual(self.counts(profile, *columns), with_sites)
        self.assertEqual(len({row["site"] for row in read_csv(profile / "operations.csv")} - {""}), 4)
        # 11 sites, one of them in three regions.
        self.assertEqual(self.run_json(profile)["folded"]["sites"], RANKS * (11 + 2 - 4))
        profile = self.run_program(COMMPROF_SITES="0")
        self.assertEqual(self.counts(profile, *columns), with_sites)
        self.assertEqual({row["site"] for row in read_csv(profile / "operations.csv")}, {""})
        self.assertEqual({row["created_at"] for row in read_csv(profile / "communicators.csv")}, {""})
        self.assertEqual(read_csv(profile / "sites.csv") + read_csv(profile / "modules.csv"), [])

    def test_a_program_that_was_rebuilt_or_is_gone(self):
        program = self.start / "program"
        shutil.copy(PROGRAMS / "call_sites", program)
        profile = self.run_program(program=program)
        shutil.copy(PROGRAMS / "small_program", program)
        shown = self.tool("--sites", profile)
        self.assertIn(f"{program} was rebuilt after the run: its call sites have no lines.\n", shown)
        self.assertIn("\nprogram+0x", shown)
        os.unlink(program)
        self.assertIn(f"{program} is not there: its call sites have no lines.\n", self.tool("--sites", profile))
        # A resolved profile needs no program.
        shutil.copy(PROGRAMS / "call_sites", program)
        self.assertEqual(self.tool("resolve", profile), "11 call sites: 11 with their line, 0 with their function alone\n")
        os.unlink(program)
        self.assertEqual(self.sites(profile), marks("call_sites.c"))


if __name__ == "__main__":
    unittest.main()
