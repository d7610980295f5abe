"""Where the profile of a program of one process goes, what is said about it, and what becomes of one that cannot be written."""

import os
import shutil
import socket
import stat
import unittest
from datetime import datetime, timezone

from driver import PROGRAMS, DriverTest, finish, read_csv, start_mpirun


def pid_of(profile):
    return read_csv(profile / "ranks.csv")[0]["pid"]


class Place(DriverTest):
    def check_name(self, output, name, words=None, **env):
        done = self.run_program(words=words, env=env | ({"COMMPROF_OUTPUT": output} if output else {}))
        profile = self.the_profile()
        self.assertEqual(profile.name, name.replace("PID", pid_of(profile)))
        (line,) = self.lines(done)
        self.assertTrue(line.endswith(f"mpisee-through {profile}"), line)
        self.remove_profile(profile)

    def test_names(self):
        self.check_name(None, "commprof-small_program-PID")
        self.check_name(None, "commprof-small_program-4711", SLURM_JOB_ID="4711")
        self.check_name("x=%x,p=%p,j=%j,a=%a,h=%h,n=%n,%%x100%%", f"x=small_program,p=PID,j=PID,a=0,h={socket.gethostname()},n=1,%x100%")
        before = datetime.now(timezone.utc)
        self.run_program(env={"COMMPROF_OUTPUT": "%d"})
        self.assertIn(self.the_profile().name, {f"{day:%Y-%m-%d}" for day in (before, datetime.now(timezone.utc))})

    def test_what_is_filled_in_stays_one_component(self):
        for value, component in (("../../12 3", ".._.._12_3"), ("..", "_"), (".", "_"), ("/", "_"), ("...", "..."), ("a.b_c+d-1", "a.b_c+d-1"),
                                 ("%j%x", "_j_x"), ("$(rm);'\"`|&*?~", "__rm__________"), ("a\nb\x1b", "a_b_"), ("café", "caf__"), ("7" * 10000, "7" * 63)):
            self.check_name("a-%j", f"a-{component}", SLURM_JOB_ID=value)
        self.check_name("%x", "a_b_j", words=["bash", "-c", f"exec -a '../a b%j' {PROGRAMS}/small_program"])

    def test_batch_systems(self):
        for job in ("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID", "COBALT_JOBID", "FLUX_JOB_ID", "OAR_JOB_ID"):
            self.check_name("%j-%a", "777.server-0", **{job: "777.server"})
        for task in ("SLURM_ARRAY_TASK_ID", "PBS_ARRAY_INDEX", "PBS_ARRAYID", "LSB_JOBINDEX", "SGE_TASK_ID"):
            self.check_name("%j-%a", "PID-12", **{task: "12"})
        self.check_name("%j-%a", "PID-0", SLURM_JOB_ID="", PBS_ARRAYID="", SGE_TASK_ID="undefined")

    def test_users(self):
        for user, login, name in (("ada", "charles", "ada"), ("", "../eve", ".._eve"), ("", "", str(os.getuid()))):
            self.check_name("of-%u", f"of-{name}", USER=user, LOGNAME=login)

    def test_from_where_the_program_was_started(self):
        elsewhere = self.start / "elsewhere"
        elsewhere.mkdir()
        for output in None, "a/b/c":
            self.run_program("--chdir", elsewhere, env={"COMMPROF_OUTPUT": output} if output else {})
        self.assertEqual(self.found(elsewhere), [])
        elsewhere.rmdir()
        self.check_profile(self.start / "a" / "b" / "c")
        self.assertEqual(self.found(self.start / "a" / "b"), ["c"])
        shutil.rmtree(self.start / "a")
        self.the_profile()

    def test_absolute_path(self):
        wanted = self.start / "new" / "directory"
        self.run_program(env={"COMMPROF_OUTPUT": f"{wanted}//"}, cwd="/")
        self.check_profile(wanted)
        self.assertEqual(self.found(wanted.parent), ["directory"])

    def test_existing_directories_are_never_touched(self):
        (self.start / "profile").mkdir()
        (self.start / "profile" / "precious").write_text("mine")
        (self.start / "profile-2").write_text("a file")
        done = self.run_program(env={"COMMPROF_OUTPUT": "profile"})
        self.check_profile(self.start / "profile-3")
        self.assertTrue(self.lines(done)[0].endswith("/profile-3"))
        runs = [start_mpirun([PROGRAMS / "small_program"], cwd=self.start, env={"COMMPROF_OUTPUT": "profile"}) for _ in range(3)]  # at a time
        self.assertEqual([finish(run).returncode for run in runs], [0, 0, 0])
        names = [f"profile-{number}" for number in range(3, 7)]
        self.assertEqual(self.found(), ["profile", "profile-2", *names])
        self.assertEqual(len({pid_of(self.check_profile(self.start / name)) for name in names}), 4)
        self.assertEqual(self.found(self.start / "profile"), ["precious"])
        self.assertEqual((self.start / "profile-2").read_text(), "a file")

    def test_a_child_is_not_profiled(self):
        for spool in ("on", "off"):
            done = self.run_program("--fork", self.start / "child", env={"COMMPROF_SPOOL": spool, "COMMPROF_OUTPUT": "profile"})
            self.assertEqual(len(self.lines(done)), 1, self.lines(done))
            self.assertEqual(self.found(), ["profile"])
            self.remove_profile(self.check_profile(self.start / "profile"))

    def test_modes(self):
        self.addCleanup(os.umask, os.umask(0))
        for umask, directory, file in ((0o077, 0o700, 0o600), (0o022, 0o755, 0o644), (0o002, 0o775, 0o664)):
            os.umask(umask)
            self.run_program(env={"COMMPROF_OUTPUT": "a/profile"})
            profile = self.check_profile(self.start / "a" / "profile")
            for made in (self.start / "a", profile):
                self.assertEqual(stat.S_IMODE(made.stat().st_mode), directory)
            self.assertEqual({stat.S_IMODE((profile / name).stat().st_mode) for name in self.found(profile)}, {file})
            shutil.rmtree(self.start / "a")

    def test_planted_links(self):
        victim, shared = self.start / "victim", self.start / "shared"
        victim.mkdir()
        shared.mkdir()
        for target in (victim, victim / "new", self.start / "new"):
            (shared / "profile").symlink_to(target)
            done = self.run_program(env={"COMMPROF_OUTPUT": str(shared / "profile")})
            self.remove_profile(self.check_profile(shared / "profile-2"))
            self.assertTrue(self.lines(done)[-1].endswith("/profile-2"))
            self.assertEqual(self.found(), ["shared", "victim"])
            self.assertEqual(self.found(victim), [])
            for name in self.found(shared):
                self.assertTrue((shared / name).is_symlink(), name)
                (shared / name).unlink()


class Index(DriverTest):
    def test_paths_of_profiles(self):
        for spool in ("on", "off"):
            self.run_program(env={"COMMPROF_INDEX": "index-%n", "COMMPROF_OUTPUT": f"profile-{spool}", "COMMPROF_SPOOL": spool})
        self.assertEqual((self.start / "index-1").read_text(), f"{self.start}/profile-on\n{self.start}/profile-off\n")

    def test_one_that_cannot_be_written(self):
        done = self.run_program(env={"COMMPROF_INDEX": "missing/index"})
        self.the_profile()
        self.assertIn("commprof: COMMPROF_INDEX: cannot write to missing/index: No such file or directory", self.lines(done))

    def test_one_that_is_no_file_of_its_own(self):
        """A link, a FIFO and a file with two names are left alone: one line says so."""
        other, index = self.start / "other", self.start / "index"
        for make in (lambda: index.symlink_to(other), lambda: os.link(other, index), lambda: os.mkfifo(index)):
            other.write_text("of somebody else\n")
            make()
            done = self.run_program(env={"COMMPROF_INDEX": "index", "COMMPROF_OUTPUT": "profile"})
            self.assertEqual(other.read_text(), "of somebody else\n")
            self.assertTrue(any("COMMPROF_INDEX: cannot write to index: " in line for line in self.lines(done)), self.lines(done))
            index.unlink()
            self.remove_profile(self.start / "profile")


class Failure(DriverTest):
    def setUp(self):
        super().setUp()
        (self.start / "file").write_text("no directory")

    def test_falls_back_to_the_start_directory(self):
        for output, why in (("file/profile", rf"cannot .*{self.start}/file.*Not a directory"), ("n" * 300, "cannot .*File name too long"),
                            ("d/" * 3000, "COMMPROF_OUTPUT must be the path of a directory")):
            for verbose in "1", "0":  # problems are told in silence, too
                done = self.run_program("--exit", "7", exit_code=7, env={"COMMPROF_OUTPUT": output, "COMMPROF_VERBOSE": verbose})
                (name,) = (name for name in self.found() if name != "file")
                profile = self.check_profile(self.start / name)
                self.assertEqual(name, f"commprof-small_program-{pid_of(profile)}")
                (failure,) = (line for line in self.lines(done) if "mpisee-through" not in line)
                self.assertRegex(failure, why)
                if verbose == "1":
                    self.assertIn(str(profile), self.lines(done)[-1])
                self.remove_profile(profile)

    def test_falls_back_to_temporary_files(self):
        temporary = self.start / "100%x"
        temporary.mkdir()
        for env in ({}, {"COMMPROF_OUTPUT": "/proc/profile"}, {"COMMPROF_SPOOL": "off"}):
            done = self.run_program(cwd="/proc", inner_env={"TMPDIR": str(temporary)}, env=env)
            profile = self.the_profile(temporary)
            line, = self.lines(done)
            self.assertRegex(line, f"^commprof: cannot write the profile: /proc/.*; it is in {profile}$")
            self.remove_profile(profile)

    def test_gives_up_without_a_place(self):
        # In /proc nobody makes a directory, were he root.
        for output in (str(self.start / "file" / "profile"), None):
            done = self.run_program("--exit", "7", exit_code=7, cwd="/proc", inner_env={"TMPDIR": "/proc"},
                                    env={"COMMPROF_OUTPUT": output} if output else {})
            (line,) = self.lines(done)
            self.assertIn(output or "/proc", line)
        self.assertEqual(self.found(), ["file"])

    def test_gives_up_where_files_cannot_grow(self):
        # The first bytes fit: what was written is taken back.
        for limit in ("200", "0"):
            done = self.run_program("--file-limit", limit, "--exit", "7", exit_code=7, env={"COMMPROF_SPOOL": "off"})
            (line,) = self.lines(done)
            self.assertRegex(line, "File too large; it is lost$")
            self.assertEqual(self.found(), ["file"])

    def test_what_cannot_be_written_stays_in_the_spool(self):
        done = self.run_program("--file-limit", "200")
        (line,) = self.lines(done)
        (profile,) = (name for name in self.found() if name != "file")
        self.assertRegex(line, f"File too large; mpisee-through makes it from what stays in .*/{profile}/spool$")
        self.assertEqual(self.found(self.start / profile), ["spool"])
        self.assertIn("Barrier", self.tool("--operations", self.start / profile))


class Spool(DriverTest):
    def test_modes(self):
        # A spool has command lines and names in it. Without a profile it stays.
        self.addCleanup(os.umask, os.umask(0o022))
        top = self.start / "profile" / "spool"
        self.run_program("--file-limit", "200", env={"COMMPROF_OUTPUT": "profile"})
        self.assertEqual(len(list(top.rglob("*.spool"))), 1)
        for path in (top, *top.rglob("*")):
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o700 if path.is_dir() else 0o600, path)

    def test_planted_link(self):
        """It is not followed."""
        (self.start / "target").mkdir()
        (self.start / "profile").symlink_to(self.start / "target")
        self.run_program(env={"COMMPROF_OUTPUT": "profile"})
        self.assertEqual(self.found(self.start / "target"), [])
        self.check_profile(self.start / "profile-2")


if __name__ == "__main__":
    unittest.main()
