"""The profiler in all jobs of a system: defaults from a file, which programs are profiled, and which profiles are kept."""

import csv
import json
import shutil
import subprocess
import unittest

from driver import LIBRARY, MPIEXEC, PROGRAMS, TIMEOUT, DriverTest, clean_environment, shared_between_mpis


@shared_between_mpis
class Defaults(DriverTest):
    def write(self, text):
        file = self.start / "defaults"
        file.write_text(text)
        return {"COMMPROF_CONFIG": str(file)}

    def run_with(self, text, **env):
        done = self.run_program(env=self.write(text) | env)
        (self.start / "defaults").unlink()
        return done

    def test_values_hold_and_the_environment_wins(self):
        self.run_with("# of this system\n\n  COMMPROF_OUTPUT = profile \nCOMMPROF_SITES=0\r\nCOMMPROF_STACK=3", COMMPROF_STACK="2")
        options = json.loads((self.check_profile(self.start / "profile") / "run.json").read_text())["options"]
        self.assertEqual((options["COMMPROF_SITES"], options["COMMPROF_STACK"]), ("0", "2"))

    def test_mistakes(self):
        done = self.run_with("COMMPROF_OUTPUT=profile\nCOMMPROF_SITE=0\nCOMMPROF_STACK=many\nnonsense\n")
        place = f"commprof: {self.start}/defaults: "
        self.assertEqual(self.lines(done)[:-1], [
            place + "COMMPROF_STACK must be a number from 0 to 16, not 'many': using 0",
            place + "there is no option COMMPROF_SITE: it is ignored; did you mean COMMPROF_SITES?",
            place + "there is no option nonsense: it is ignored"])
        self.the_profile()

    def test_a_file_that_would_name_another(self):
        done = self.run_with("nonsense\nCOMMPROF_CONFIG = off\nCOMMPROF_OUTPUT = 'profile'  # here\n")
        place = f"commprof: {self.start}/defaults: "
        self.assertEqual(self.lines(done)[:-1], [place + "there is no option nonsense: it is ignored",
                                                 place + "COMMPROF_CONFIG cannot be set in the file itself: it is ignored"])
        self.the_profile()

    def test_a_file_that_cannot_be_read(self):
        done = self.run_program(env={"COMMPROF_CONFIG": "missing", "COMMPROF_OUTPUT": "profile"})
        self.assertEqual(self.lines(done)[0], "commprof: COMMPROF_CONFIG: cannot read missing: No such file or directory")
        self.the_profile()

    def test_a_file_that_is_too_long(self):
        done = self.run_with("COMMPROF_OUTPUT=profile\n" + "# filled\n" * 2000 + "COMMPROF_SITES=0\n")
        self.assertIn("has more than 16 KiB: the rest is ignored", self.lines(done)[0])
        options = json.loads((self.the_profile() / "run.json").read_text())["options"]
        self.assertEqual(options["COMMPROF_SITES"], "1")

    def test_a_directory_of_the_system_has_no_other_place(self):
        for spool in ("on", "off"):
            done = self.run_with("COMMPROF_OUTPUT=/proc/none/%x\n", COMMPROF_SPOOL=spool)
            (line,) = self.lines(done)
            self.assertIn("cannot write the profile: /proc/none", line)
            self.assertEqual(self.found(), [])


@shared_between_mpis
class Programs(DriverTest):
    def test_lists(self):
        for apps, is_profiled in (("small_program", True), ("small*", True), ("other", False), ("-small*", False), ("-other", True),
                                  ("small*,-*program", False)):
            done = self.run_program(env={"COMMPROF_APPS": apps, "COMMPROF_OUTPUT": "profile"})
            self.assertEqual(self.found(), ["profile"] if is_profiled else [], apps)
            self.assertEqual(len(self.lines(done)), 1 if is_profiled else 0, self.lines(done))
            if is_profiled:
                self.remove_profile(self.start / "profile")

    def test_a_job_of_which_one_program_is_named(self):
        other = self.start / "other"
        shutil.copy(PROGRAMS / "small_program", other)
        setting = ["-n", "1", "env", f"LD_PRELOAD={LIBRARY}"]
        done = subprocess.run([*MPIEXEC, *setting, PROGRAMS / "small_program", ":", *setting, other], cwd=self.start, capture_output=True,
                              timeout=TIMEOUT, env=clean_environment() | {"COMMPROF_APPS": "other", "COMMPROF_OUTPUT": "profile"})
        self.assertEqual(done.returncode, 0, done.stderr)
        other.unlink()
        self.assertEqual(self.the_profile(), self.start / "profile")


class Kept(DriverTest):
    def nothing_of(self, env):
        for spool in ("on", "off"):
            done = self.run_program(env=env | {"COMMPROF_SPOOL": spool})
            self.assertEqual(self.found(), [])
        return self.lines(done)

    def test_jobs_that_are_too_short(self):
        self.assertEqual(self.nothing_of({"COMMPROF_MIN_TIME": "10000"}), [])
        self.assertEqual(self.nothing_of({"COMMPROF_MIN_MPI": "100"}), [])

    def test_other_jobs(self):
        self.run_program(env={"COMMPROF_MIN_TIME": "0", "COMMPROF_MIN_MPI": "0"})
        self.the_profile()

    def test_a_profile_that_is_too_large(self):
        (line,) = self.nothing_of({"COMMPROF_MAX_SIZE": "100"})
        self.assertRegex(line, "^commprof: there is no profile: it would have [0-9]+ bytes, more than COMMPROF_MAX_SIZE$")

    def test_a_profile_that_fits(self):
        self.run_program(env={"COMMPROF_MAX_SIZE": "1G"})
        self.assertNotIn("detailed_ranks", json.loads((self.the_profile() / "run.json").read_text()))

    def test_a_profile_that_fits_as_sums(self):
        # Half of it is too much for the rows of all, and enough for those of the few in which one operation on one communicator
        # can stand out. How many windows of time there are depends on how long a run takes.
        few = {"COMMPROF_OPS": "Barrier", "COMMPROF_COMMS": "W", "COMMPROF_WAITS": "0", "COMMPROF_WHEN": "0"}
        def size(name):
            return sum(len(file.read_bytes().partition(b"\n")[2]) for file in (self.start / name).glob("*.csv"))
        self.run_program(ranks=20, env=few | {"COMMPROF_OUTPUT": "all"})
        self.run_program(ranks=20, env=few | {"COMMPROF_OUTPUT": "sums", "COMMPROF_DETAIL": "summary"})
        self.assertLess(size("sums"), size("all"))
        limit = (size("sums") + size("all")) // 2
        done = self.run_program(ranks=20, env=few | {"COMMPROF_OUTPUT": "limited", "COMMPROF_MAX_SIZE": str(limit)})
        self.assertIn("more than COMMPROF_MAX_SIZE: it has the sums of all ranks, and the rows of few", self.lines(done)[1])
        def rows(name):
            with open(self.start / name / "operations.csv", newline="") as file:
                return len(list(csv.DictReader(file)))
        self.assertEqual(rows("all"), 20)
        self.assertLess(rows("limited"), 20)


if __name__ == "__main__":
    unittest.main()
