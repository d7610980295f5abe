"""Where in the program calls are made: lines of C, of Fortran and of a library, in finished and unfinished profiles."""

import collections
import json
import os
import re
import shutil
import unittest
from pathlib import Path

from driver import DriverTest, PROGRAMS, finish, read_csv, run_tool, shared_between_mpis, start_mpirun

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
    def run_program(self, *words, name="call_sites", exit_code=0, **env):
        done = finish(start_mpirun([PROGRAMS / name, *words], ranks=RANKS, cwd=self.start, env={"COMMPROF_OUTPUT": "out"} | env))
        self.assertEqual(done.returncode == 0, exit_code == 0, done.stderr.decode(errors="replace"))
        return self.start / "out"

    def sites(self, profile, *options):
        """(file:line, operation) -> calls, as the tool shows it."""
        done = run_tool("--sites", "--csv", *options, profile)
        self.assertEqual(done.returncode, 0, done.stderr)
        (self.start / "sites").write_bytes(done.stdout)
        found = {}
        for row in read_csv(self.start / "sites"):
            file, line = (row[column].split(" < ")[0] for column in ("file", "line"))  # of what was inlined, the innermost
            found[f"{Path(file).name}:{line}" if file else row["site"], row["op"]] = int(row["calls"])
        os.unlink(self.start / "sites")
        return found

    def of_all(self, profile, *columns):
        """calls by columns of operations.csv"""
        calls = collections.Counter()
        for row in read_csv(profile / "operations.csv"):
            calls[tuple(row[column] for column in columns)] += int(row["calls"])
        return calls

    def test_c(self):
        profile = self.run_program()
        self.assertEqual(self.sites(profile), marks("call_sites.c"))
        comms = {row["comm"]: row["created_at"] for row in read_csv(profile / "communicators.csv")}
        self.assertEqual(set(comms), {"W", "SELF", "W_d1", "W_d1_s1.0", "W_d1_s1.1"})
        self.assertEqual((comms["W"], comms["SELF"]), ("", ""))
        self.assertEqual(comms["W_d1_s1.0"], comms["W_d1_s1.1"])
        listed = {row["site"] for row in read_csv(profile / "sites.csv")}
        used = {row["site"] for row in read_csv(profile / "operations.csv")}
        self.assertEqual(listed, used)
        self.assertLess({comms["W_d1"], comms["W_d1_s1.0"]}, listed)

    def test_fortran(self):
        self.assertEqual(self.sites(self.run_program(name="call_sites_f08")), marks("call_sites.f90"))

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
            rows = [row for row in read_csv(profile / "sites.csv") if row["site"].startswith("libcall_sites_plugin.so")]
            self.assertEqual([row["site"].count(" < ") for row in rows], [1])
            self.assertEqual(rows[0]["offset"], re.match(r".*?\+(0x[0-9a-f]+) < call_sites\+0x", rows[0]["site"])[1])
            shown = run_tool("--sites", "--width", "200", profile).stdout.decode()
            self.assertRegex(shown, rf"plugin_calls, call_sites_plugin\.c:\d+ < main, call_sites\.c:{line} +Barrier")
            if not resolved:
                self.assertEqual(run_tool("resolve", profile).returncode, 0)
        shutil.rmtree(profile)
        of_fortran = self.run_program(name="call_sites_f08", COMMPROF_STACK="4")
        self.assertEqual(self.sites(of_fortran), marks("call_sites.f90"))

    def test_a_killed_run_knows_its_sites(self):
        profile = self.run_program(PROGRAMS / "libcall_sites_plugin.so", "abort", exit_code=1)
        freed = {key: calls for key, calls in marks("call_sites.c").items() if key[1] == "Comm_free"}
        expected = {key: calls for key, calls in marks("call_sites.c").items() if key not in freed}
        found = self.sites(profile)
        # The launcher may kill a process before it is in its last calls.
        lacking = {key for key, calls in found.items() if calls < (expected | marks("call_sites_plugin.c"))[key]}
        self.assertLessEqual({op for _, op in lacking}, {"Barrier"})
        self.assertLessEqual(set(expected) - {key for key in expected if key[1] == "Barrier"}, set(found))
        for left in self.start.iterdir():
            if left != profile:
                left.unlink()

    def test_a_site_counts_in_each_region(self):
        calls = self.of_all(self.run_program(), "region", "site", "op")
        barriers = collections.defaultdict(dict)
        for (region, site, op), count in calls.items():
            if op == "Barrier":
                barriers[site][region] = count
        self.assertEqual(sorted(barriers.values(), key=len), [{"solve": 3 * RANKS}, {"main": RANKS, "a": RANKS, "b": RANKS}])

    def test_without_sites(self):
        with_sites = self.of_all(self.run_program(), "region", "comm", "rank", "op", "size_min")
        shutil.rmtree(self.start / "out")
        profile = self.run_program(COMMPROF_SITES="0")
        self.assertEqual(self.of_all(profile, "region", "comm", "rank", "op", "size_min"), with_sites)
        self.assertEqual({row["site"] for row in read_csv(profile / "operations.csv")}, {""})
        self.assertEqual({row["created_at"] for row in read_csv(profile / "communicators.csv")}, {""})
        self.assertEqual(read_csv(profile / "sites.csv") + read_csv(profile / "modules.csv"), [])

    def test_sites_without_room_are_folded(self):
        with_sites = self.of_all(self.run_program(), "region", "comm", "rank", "op", "size_min")
        shutil.rmtree(self.start / "out")
        profile = self.run_program(COMMPROF_MAX_SITES="4")
        self.assertEqual(self.of_all(profile, "region", "comm", "rank", "op", "size_min"), with_sites)
        self.assertEqual(len({row["site"] for row in read_csv(profile / "operations.csv")} - {""}), 4)
        # 11 sites, one of them in three regions.
        self.assertEqual(json.loads((profile / "run.json").read_text())["folded"]["sites"], RANKS * (11 + 2 - 4))

    def test_a_resolved_profile_needs_no_program(self):
        program = self.start / "a copy"
        shutil.copy(PROGRAMS / "call_sites", program)
        done = finish(start_mpirun([program], ranks=RANKS, cwd=self.start, env={"COMMPROF_OUTPUT": "out"}))
        self.assertEqual(done.returncode, 0, done.stderr)
        profile = self.start / "out"
        resolved = run_tool("resolve", profile)
        self.assertEqual((resolved.returncode, resolved.stdout),
                         (0, b"11 call sites: 11 with their line, 0 with their function alone\n"))
        os.unlink(program)
        self.assertEqual(self.sites(profile), marks("call_sites.c"))

    def test_a_program_that_was_rebuilt_is_told(self):
        program = self.start / "program"
        shutil.copy(PROGRAMS / "call_sites", program)
        done = finish(start_mpirun([program], ranks=RANKS, cwd=self.start, env={"COMMPROF_OUTPUT": "out"}))
        self.assertEqual(done.returncode, 0, done.stderr)
        shutil.copy(PROGRAMS / "small_program", program)
        shown = run_tool("--sites", self.start / "out")
        self.assertIn(f"{program} was rebuilt after the run: its call sites have no lines.\n".encode(), shown.stdout)
        self.assertIn(b"\nprogram+0x", shown.stdout)
        os.unlink(program)
        self.assertIn(f"{program} is not there: its call sites have no lines.\n".encode(),
                      run_tool("--sites", self.start / "out").stdout)


if __name__ == "__main__":
    unittest.main()
