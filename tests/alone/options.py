"""Options of the environment: what is in force, what is complained of, which programs are profiled, and which profiles are kept."""

import itertools
import shutil
import unittest
from datetime import datetime, timedelta, timezone

from driver import PROGRAMS, DriverTest, sample

DEFAULTS = {
    "COMMPROF_ENABLE": "1", "COMMPROF_VERBOSE": "1", "COMMPROF_MAX_COMMS": "1000", "COMMPROF_INDEX": "off",
    "COMMPROF_APPS": "*", "COMMPROF_MAX_SIZE": "off", "COMMPROF_MIN_TIME": "0", "COMMPROF_MIN_MPI": "0", "COMMPROF_MAX_REGIONS": "10000",
    "COMMPROF_SITES": "1", "COMMPROF_MAX_SITES": "10000", "COMMPROF_STACK": "0", "COMMPROF_PEERS": "1",
    "COMMPROF_DETAIL": "ranks", "COMMPROF_WAITS": "1", "COMMPROF_WHEN": "256", "COMMPROF_INTERNAL": "0", "COMMPROF_TRANSPORT": "0",
    "COMMPROF_CLOCK": "tsc", "COMMPROF_OUTPUT": "commprof-%x-%j", "COMMPROF_SPOOL": "on"}
SWITCH = ("all", "", "2", "-1", "yes")
WRONG = {
    "COMMPROF_ENABLE": ("yes", "", "2", "01", " 1"),
    "COMMPROF_VERBOSE": ("2147483648", "", "-1", "1x", "+1"),
    "COMMPROF_MAX_COMMS": ("4294967296", "", "0", "1e3", "99999999999999999999"),
    "COMMPROF_MAX_REGIONS": ("many", "", "0", "65535", "4294967297"),
    "COMMPROF_MAX_SITES": ("many", "", "0", "-5", "99999999999999999999"),
    "COMMPROF_STACK": ("all", "", "-1", "17", "1 "),
    "COMMPROF_WHEN": ("always", "", "1", "15", "4097"),
    "COMMPROF_DETAIL": ("", "all", "rank", "Summary", "1"),
    "COMMPROF_CLOCK": ("sundial", "", "TSC", "tsc,", "0"),
    "COMMPROF_MAX_SIZE": ("1GB", "", "K", "1.5G", "99999999999T"),
    "COMMPROF_MIN_TIME": ("long", "", "-1", "1.5", "1s"),
    "COMMPROF_MIN_MPI": ("most", "", "-1", "101", "5%"),
    "COMMPROF_OUTPUT": ("% x", "", "100%", "%", "%%%"),
    "COMMPROF_SPOOL": ("spools", "", "1", "On", "/tmp"),
} | dict.fromkeys(("COMMPROF_SITES", "COMMPROF_PEERS", "COMMPROF_WAITS", "COMMPROF_INTERNAL", "COMMPROF_TRANSPORT"), SWITCH)
OTHERS = {"COMMPROF_VERBOSE": "2", "COMMPROF_MAX_COMMS": "17", "COMMPROF_CLOCK": "monotonic", "COMMPROF_INDEX": "all",
          "COMMPROF_APPS": "small*", "COMMPROF_MAX_SIZE": "7M", "COMMPROF_MAX_REGIONS": "65534", "COMMPROF_SITES": "0", "COMMPROF_MAX_SITES": "3",
          "COMMPROF_STACK": "3", "COMMPROF_PEERS": "0", "COMMPROF_DETAIL": "auto", "COMMPROF_WAITS": "0", "COMMPROF_WHEN": "64",
          "COMMPROF_OUTPUT": "profile", "COMMPROF_SPOOL": "off"}


class Options(DriverTest):
    def in_force(self, **env):
        done = self.run_program(env={"COMMPROF_OUTPUT": "profile"} | env)
        self.options = self.run_json(self.the_profile())["options"]
        return self.lines(done)

    def test_values_that_cannot_be_understood(self):
        for i in range(5):
            wrong = {name: values[i] for name, values in WRONG.items()}
            lines = self.lines(self.run_program(env=wrong))
            for name, value in wrong.items():
                (line,) = (line for line in lines if name in line)
                self.assertIn(f"'{value}'", line)
                self.assertIn(DEFAULTS[name], line)
            self.assertEqual(len(lines), len(wrong) + 1, lines)  # the last tells of the profile
            profile = self.the_profile()
            self.assertEqual(self.run_json(profile)["options"], DEFAULTS)
            self.remove_profile(profile)

    def test_values_in_force(self):
        self.run_program(env=OTHERS)
        run = self.run_json(self.check_profile(self.start / "profile"))
        self.assertEqual((run["options"], run["clock"]["source"]), (DEFAULTS | OTHERS, "monotonic"))
        self.assertEqual((self.start / "all").read_text(), f"{self.start}/profile\n")

    def test_values_hold_whatever_becomes_of_the_environment(self):
        values = {"COMMPROF_MAX_COMMS": "17", "COMMPROF_CLOCK": "monotonic"}
        spools, outputs = ("on", "off"), ({}, {"COMMPROF_OUTPUT": str(self.start / "here")})
        for spool, output in itertools.product(spools, outputs):
            wanted = values | output | {"COMMPROF_SPOOL": spool}
            done = self.run_program("--scribble", "%", env=wanted)
            self.assertEqual(len(self.lines(done)), 1, self.lines(done))
            profile = self.the_profile()
            self.assertRegex(profile.name, "^here$" if output else "^commprof-small_program-[0-9]+$")
            options = self.run_json(profile)["options"]
            self.assertEqual(options, options | wanted)
            self.remove_profile(profile)

    def test_unknown_options(self):
        lines = self.in_force(COMMPROF_OUTPTU="typo", COMMPROF_XYZZY="1")
        self.assertEqual(len(lines), 3, lines)
        self.assertRegex("\n".join(lines), r"COMMPROF_OUTPTU.*did you mean COMMPROF_OUTPUT\?")
        self.assertRegex("\n".join(lines), r"COMMPROF_XYZZY.*it is ignored\n")

    def test_silence(self):
        done = self.run_program("--exit", "3", exit_code=3, env={"COMMPROF_ENABLE": "0", "COMMPROF_OUTPUT": "profile"})
        self.assertEqual((self.lines(done), self.found()), ([], []))
        done = self.run_program(env={"COMMPROF_VERBOSE": "0"})
        self.assertEqual(done.stderr, b"a line on stderr\n")
        self.the_profile()

    def test_facts_of_the_run(self):
        before = datetime.now(timezone.utc)
        self.run_program("--exit", "0", env={"COMMPROF_OUTPUT": "profile"})
        run = self.run_json(self.the_profile())
        self.assertRegex(run["start"], r"T\d\d:\d\d:\d\d\.\d{3}Z$")
        start = datetime.fromisoformat(run["start"].replace("Z", "+00:00"))
        self.assertTrue(before - timedelta(milliseconds=1) <= start <= datetime.now(timezone.utc), (before, start))
        self.assertEqual((run["schema_version"], run["program"], run["arguments"]), (2, f"{PROGRAMS}/small_program", ["--exit", "0"]))
        self.assertEqual(set(run["dropped"].values()), {0})
        self.assertGreater(run["wall_s"], 0)

    # Which programs, and which profiles.

    def test_lists_of_programs(self):
        for apps, is_profiled in (("small_program", True), ("small*", True), ("other", False), ("-small*", False), ("-other", True),
                                  ("small*,-*program", False)):
            done = self.run_program(env={"COMMPROF_APPS": apps, "COMMPROF_OUTPUT": "profile"})
            self.assertEqual((self.found(), len(self.lines(done))), (["profile"], 1) if is_profiled else ([], 0), apps)
            shutil.rmtree(self.start / "profile", ignore_errors=True)

    def test_which_profiles_are_kept(self):
        too_large = "^commprof: there is no profile: it would have [0-9]+ bytes, more than COMMPROF_MAX_SIZE$"
        for env, says in (({"COMMPROF_MIN_TIME": "10000"}, None), ({"COMMPROF_MIN_MPI": "100"}, None), ({"COMMPROF_MAX_SIZE": "100"}, too_large)):
            for spool in ("on", "off"):
                done = self.run_program(env=env | {"COMMPROF_SPOOL": spool})
                self.assertEqual((self.found(), len(self.lines(done))), ([], 1 if says else 0))
                self.assertRegex("\n".join(self.lines(done)), says or "^$")
        self.in_force(COMMPROF_MAX_SIZE="1G", COMMPROF_MIN_TIME="0", COMMPROF_MIN_MPI="0")
        self.assertNotIn("detailed_ranks", self.run_json(self.the_profile()))


if __name__ == "__main__":
    unittest.main()
