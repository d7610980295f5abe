"""Where the profile goes, what is said about it, and what becomes of a profile that cannot be written."""

import csv
import itertools
import json
import os
import shutil
import socket
import subprocess
import unittest

from driver import PROGRAMS, DriverTest, finish, sample, shared_between_mpis, start_mpirun


def pid_of_rank_0(profile):
    with open(profile / "ranks.csv", newline="") as file:
        return next(csv.DictReader(file))["pid"]


@shared_between_mpis
class Place(DriverTest):
    def test_default_is_named_after_program_and_pid(self):
        self.run_program()
        profile = self.the_profile()
        self.assertEqual(profile.name, f"commprof-small_program-{pid_of_rank_0(profile)}")

    def test_default_is_named_after_the_job(self):
        # Not for mpirun to see, which would look for the job.
        self.run_program(inner_env={"SLURM_JOB_ID": "4711"})
        self.assertEqual(self.the_profile().name, "commprof-small_program-4711")

    def test_default_is_where_the_program_was_started(self):
        elsewhere = self.start / "elsewhere"
        elsewhere.mkdir()
        self.run_program("--chdir", elsewhere)
        self.assertEqual(self.found(elsewhere), [])
        elsewhere.rmdir()
        self.the_profile()

    def test_relative_path_is_from_where_the_program_was_started(self):
        elsewhere = self.start / "elsewhere"
        elsewhere.mkdir()
        self.run_program("--chdir", elsewhere, env={"COMMPROF_OUTPUT": "a/b/c"})
        self.assertEqual(self.found(elsewhere), [])
        self.check_profile(self.start / "a" / "b" / "c")
        self.assertEqual(self.found(self.start / "a" / "b"), ["c"])

    def test_absolute_path(self):
        wanted = self.start / "new" / "directory"
        wanted_with_slashes = f"{wanted}//"
        self.run_program(env={"COMMPROF_OUTPUT": wanted_with_slashes}, cwd="/")
        self.check_profile(wanted)
        self.assertEqual(self.found(wanted.parent), ["directory"])

    def test_index_has_the_path_of_each_profile(self):
        for spool in ("on", "off"):
            self.run_program(env={"COMMPROF_INDEX": "index-%n", "COMMPROF_OUTPUT": f"profile-{spool}", "COMMPROF_SPOOL": spool})
        self.assertEqual((self.start / "index-2").read_text(), f"{self.start}/profile-on\n{self.start}/profile-off\n")

    def test_an_index_that_cannot_be_written(self):
        done = self.run_program(env={"COMMPROF_INDEX": "missing/index"})
        self.the_profile()
        self.assertEqual([line for line in self.lines(done) if "COMMPROF_INDEX" in line],
                         ["commprof: COMMPROF_INDEX: cannot write to missing/index: No such file or directory"])

    def test_an_index_that_is_no_file_of_this_user(self):
        """A link, a FIFO and a file with two names are left alone: the user has a file beside them."""
        other = self.start / "other"
        index = self.start / "index"
        for make in (lambda: index.symlink_to(other), lambda: os.link(other, index), lambda: os.mkfifo(index)):
            other.write_text("of somebody else\n")
            make()
            done = self.run_program(env={"COMMPROF_INDEX": "index", "COMMPROF_OUTPUT": "profile", "USER": "ada"})
            self.assertEqual((self.start / "index-ada").read_text(), f"{self.start}/profile\n")
            self.assertEqual(other.read_text(), "of somebody else\n")
            self.assertEqual([line for line in self.lines(done) if "COMMPROF_INDEX" in line], [])
            for path in (index, self.start / "index-ada"):
                path.unlink()
            self.remove_profile(self.start / "profile")

    def test_percent(self):
        self.run_program(env={"COMMPROF_OUTPUT": "x=%x,p=%p,j=%j,h=%h,n=%n,%%"})
        profile = self.the_profile()
        pid = pid_of_rank_0(profile)
        self.assertEqual(profile.name, f"x=small_program,p={pid},j={pid},h={socket.gethostname()},n=2,%")

    def test_what_is_filled_in_stays_one_component(self):
        for job, name in (("../../12 3", "job-.._.._12_3"), ("..", "job-_"), (".", "job-_-2")):
            self.run_program(ranks=1, env={"COMMPROF_OUTPUT": "job-%j"}, inner_env={"SLURM_JOB_ID": job})
            self.check_profile(self.start / name, ranks=1)

    def test_existing_directory_is_never_touched(self):
        (self.start / "profile").mkdir()
        (self.start / "profile" / "precious").write_text("mine")
        (self.start / "profile-2").write_text("a file")
        for name in ("profile-3", "profile-4"):
            done = self.run_program(env={"COMMPROF_OUTPUT": "profile"})
            self.check_profile(self.start / name)
            self.assertEqual([line.endswith("/" + name) for line in self.lines(done)], [True])
        self.assertEqual(self.found(self.start / "profile"), ["precious"])
        self.assertEqual((self.start / "profile-2").read_text(), "a file")
        self.assertEqual(self.found(), ["profile", "profile-2", "profile-3", "profile-4"])

    def test_runs_at_the_same_time(self):
        runs = [start_mpirun([PROGRAMS / "small_program"], cwd=self.start, env={"COMMPROF_OUTPUT": "profile"})
                for _ in range(3)]
        self.assertEqual([finish(run).returncode for run in runs], [0, 0, 0])
        self.assertEqual(self.found(), ["profile", "profile-2", "profile-3"])
        pids = {pid_of_rank_0(self.check_profile(self.start / name)) for name in self.found()}
        self.assertEqual(len(pids), 3)


class Children(DriverTest):
    def test_a_child_is_not_profiled(self):
        # With one process, so that a child that is does not wait for anybody.
        for spool in ("on", "off"):
            done = self.run_program("--fork", self.start / "child", ranks=1, env={"COMMPROF_SPOOL": spool, "COMMPROF_OUTPUT": "profile"})
            self.assertEqual(len(self.lines(done)), 1, self.lines(done))
            self.assertEqual(self.found(), ["profile"])
            self.remove_profile(self.check_profile(self.start / "profile", ranks=1))


@shared_between_mpis
class Failure(DriverTest):
    def setUp(self):
        super().setUp()
        (self.start / "file").write_text("no directory")

    def test_falls_back_to_the_start_directory(self):
        for code in sample((7, 0), 2):
            done = self.run_program("--exit", code, exit_code=code, env={"COMMPROF_OUTPUT": "file/profile"})
            failures = [line for line in self.lines(done) if "cannot" in line]
            self.assertEqual(len(failures), 1, self.lines(done))
            self.assertIn(str(self.start / "file"), failures[0])
            self.assertIn("Not a directory", failures[0])
            profile = self.start / [name for name in self.found() if name != "file"][0]
            self.assertIn(str(profile), self.lines(done)[-1])
            self.check_profile(profile)
            self.assertEqual(profile.name, f"commprof-small_program-{pid_of_rank_0(profile)}")
            self.remove_profile(profile)
        self.assertEqual(self.found(), ["file"])

    def test_falls_back_to_temporary_files(self):
        temporary = self.start / "100%x"
        temporary.mkdir()
        for env in sample(({}, {"COMMPROF_OUTPUT": "/proc/profile"}, {"COMMPROF_SPOOL": "off"}), 3):
            done = self.run_program(cwd="/proc", inner_env={"TMPDIR": str(temporary)}, env=env)
            profile = self.the_profile(temporary)
            line, = self.lines(done)
            self.assertRegex(line, f"^commprof: cannot write the profile: /proc/.*; it is in {profile}$")
            self.remove_profile(profile)

    def test_gives_up_without_a_place(self):
        # In /proc nobody makes a directory, were he root.
        for code in sample((7, 0), 2):
            done = self.run_program("--exit", code, exit_code=code, cwd="/proc", inner_env={"TMPDIR": "/proc"},
                                    env={"COMMPROF_OUTPUT": str(self.start / "file" / "profile")})
            self.assertEqual(len(self.lines(done)), 1, self.lines(done))
            self.assertIn(str(self.start / "file"), self.lines(done)[0])
        self.assertEqual(self.found(), ["file"])

    def test_gives_up_the_default_without_a_place(self):
        done = self.run_program("--exit", "7", exit_code=7, cwd="/proc", inner_env={"TMPDIR": "/proc"})
        self.assertEqual(len(self.lines(done)), 1, self.lines(done))
        self.assertIn("/proc", self.lines(done)[0])

    def test_gives_up_where_files_cannot_grow(self):
        # The first bytes fit: what was written is taken back.
        for limit in sample(("200", "0"), 2):
            done = self.run_program("--file-limit", limit, "--exit", "7", exit_code=7, env={"COMMPROF_SPOOL": "off"})
            self.assertEqual(len(self.lines(done)), 1, self.lines(done))
            self.assertRegex(self.lines(done)[0], "File too large; it is given up$")
            self.assertEqual(self.found(), ["file"])

    def test_what_cannot_be_written_stays_in_the_spool(self):
        done = self.run_program("--file-limit", "200")
        (line,) = self.lines(done)
        (profile,) = (name for name in self.found() if name != "file")
        self.assertRegex(line, f"File too large; what was counted stays in .*/{profile}/spool$")
        self.assertEqual(self.found(self.start / profile), ["spool"])
        shown = subprocess.run([os.environ["MPISEE_THROUGH"], "--operations", self.start / profile], capture_output=True, check=True)
        self.assertIn(b"Barrier", shown.stdout)

    def test_too_long_a_path(self):
        done = self.run_program(env={"COMMPROF_OUTPUT": "d/" * 3000})
        failures = [line for line in self.lines(done) if "mpisee-through" not in line]
        self.assertEqual(len(failures), 1, self.lines(done))
        self.assertEqual(len(self.found()), 2)
        for name in self.found():
            self.assertTrue(name == "file" or name.startswith("commprof-small_program-"))

    def test_too_long_a_name(self):
        done = self.run_program(env={"COMMPROF_OUTPUT": "n" * 300})
        failures = [line for line in self.lines(done) if "mpisee-through" not in line]
        self.assertEqual(len(failures), 1, self.lines(done))
        self.assertIn("File name too long", failures[0])
        self.assertEqual(len(self.found()), 2)


@shared_between_mpis
class Speech(DriverTest):
    def test_one_line_tells_where_the_profile_is(self):
        done = self.run_program()
        self.assertEqual(len(self.lines(done)), 1, self.lines(done))
        self.assertTrue(self.lines(done)[0].endswith(f"mpisee-through {self.the_profile()}"), self.lines(done))

    def test_silence(self):
        done = self.run_program(env={"COMMPROF_VERBOSE": "0"})
        self.assertEqual(done.stderr, b"a line on stderr\n")
        self.the_profile()

    def test_disabled(self):
        done = self.run_program("--exit", "3", exit_code=3, env={"COMMPROF_ENABLE": "0", "COMMPROF_OUTPUT": "profile"})
        self.assertEqual(self.lines(done), [])
        self.assertEqual(self.found(), [])

    def test_problems_are_told_in_silence_too(self):
        (self.start / "file").write_text("no directory")
        done = self.run_program(env={"COMMPROF_VERBOSE": "0", "COMMPROF_OUTPUT": "file/profile"})
        self.assertEqual(len(self.lines(done)), 1, self.lines(done))
        self.assertIn("cannot", self.lines(done)[0])

    def test_values_that_cannot_be_understood(self):
        values = {
            "COMMPROF_ENABLE": ("yes", "", "2", "-1", " 1"),
            "COMMPROF_VERBOSE": ("loud", "", "-1", "1x", "1.5"),
            "COMMPROF_MAX_COMMS": ("many", "", "0", "-5", "99999999999999999999"),
            "COMMPROF_MAX_REGIONS": ("many", "", "0", "65535", "4294967297"),
            "COMMPROF_SITES": ("all", "", "2", "-1", "yes"),
            "COMMPROF_MAX_SITES": ("many", "", "0", "-5", "99999999999999999999"),
            "COMMPROF_STACK": ("all", "", "-1", "17", "1 "),
            "COMMPROF_PEERS": ("all", "", "2", "-1", "yes"),
            "COMMPROF_WAITS": ("all", "", "2", "-1", "yes"),
            "COMMPROF_WHEN": ("always", "", "1", "15", "4097"),
            "COMMPROF_DETAIL": ("", "all", "rank", "Summary", "1"),
            "COMMPROF_INTERNAL": ("all", "", "2", "-1", "yes"),
            "COMMPROF_TRANSPORT": ("all", "", "2", "-1", "yes"),
            "COMMPROF_CLOCK": ("sundial", "", "TSC", "tsc,", "0"),
            "COMMPROF_PCONTROL": ("IPM", "", "ipm ", "1", "default"),
            "COMMPROF_MAX_SIZE": ("much", "", "0", "-1", "1P"),
            "COMMPROF_MIN_TIME": ("long", "", "-1", "1.5", "1s"),
            "COMMPROF_MIN_MPI": ("most", "", "-1", "101", "5%"),
            "COMMPROF_OUTPUT": ("a%z", "", "100%", "%", "%%%"),
            "COMMPROF_SPOOL": ("a%z", "", "100%", "%", "%%%"),
        }
        defaults = {"COMMPROF_ENABLE": "1", "COMMPROF_VERBOSE": "1", "COMMPROF_MAX_COMMS": "1000",
                    "COMMPROF_INDEX": "off", "COMMPROF_CONFIG": "/etc/commprof.conf", "COMMPROF_APPS": "*", "COMMPROF_MAX_SIZE": "off",
                    "COMMPROF_MIN_TIME": "0", "COMMPROF_MIN_MPI": "0", "COMMPROF_MAX_REGIONS": "10000", "COMMPROF_SITES": "1", "COMMPROF_MAX_SITES": "10000", "COMMPROF_STACK": "0", "COMMPROF_OPS": "*", "COMMPROF_COMMS": "*",
                    "COMMPROF_PEERS": "1", "COMMPROF_DETAIL": "ranks", "COMMPROF_WAITS": "1", "COMMPROF_WHEN": "256", "COMMPROF_INTERNAL": "0", "COMMPROF_TRANSPORT": "0", "COMMPROF_CLOCK": "tsc", "COMMPROF_PCONTROL": "standard",
                    "COMMPROF_OUTPUT": "commprof-%x-%j", "COMMPROF_SPOOL": "on"}
        for i in sample(range(5), 4):
            wrong = {name: each[i] for name, each in values.items()}
            done = self.run_program(env=wrong)
            for name, value in wrong.items():
                complaints = [line for line in self.lines(done) if name in line]
                self.assertEqual(len(complaints), 1, f"{name}={value}: {self.lines(done)}")
                self.assertIn(f"'{value}'", complaints[0])
                self.assertIn(defaults[name], complaints[0])
            self.assertEqual(len(self.lines(done)), len(wrong) + 1, self.lines(done))  # the last tells of the profile
            profile = self.the_profile()
            self.assertEqual(json.loads((profile / "run.json").read_text())["options"], defaults)
            self.remove_profile(profile)

    def test_values_in_force(self):
        wanted = {"COMMPROF_VERBOSE": "2", "COMMPROF_MAX_COMMS": "17", "COMMPROF_CLOCK": "monotonic",
                  "COMMPROF_INDEX": "all", "COMMPROF_CONFIG": "off", "COMMPROF_APPS": "small*", "COMMPROF_MAX_SIZE": "7M",
                  "COMMPROF_MAX_REGIONS": "65534", "COMMPROF_SITES": "0", "COMMPROF_MAX_SITES": "3", "COMMPROF_STACK": "3", "COMMPROF_PEERS": "0", "COMMPROF_DETAIL": "auto", "COMMPROF_WAITS": "0", "COMMPROF_WHEN": "64", "COMMPROF_PCONTROL": "ipm", "COMMPROF_OUTPUT": "here",
                  "COMMPROF_OPS": "-Test*, -Iprobe", "COMMPROF_COMMS": "1-,W*",
                  "COMMPROF_SPOOL": "off"}
        self.run_program(env=wanted)
        run = json.loads((self.check_profile(self.start / "here") / "run.json").read_text())
        self.assertEqual(run["options"], wanted | {"COMMPROF_ENABLE": "1", "COMMPROF_INTERNAL": "0", "COMMPROF_TRANSPORT": "0",
                                                   "COMMPROF_MIN_TIME": "0", "COMMPROF_MIN_MPI": "0"})
        self.assertEqual(run["clock"]["source"], "monotonic")

    def test_values_hold_whatever_becomes_of_the_environment(self):
        values = {"COMMPROF_MAX_COMMS": "17", "COMMPROF_CLOCK": "monotonic"}
        spools, outputs = ("on", "off", str(self.start / "spool")), ({}, {"COMMPROF_OUTPUT": str(self.start / "here")})
        for spool, output in sample(list(itertools.product(spools, outputs)), 5):
            with self.subTest(spool=spool, output=output):
                wanted = values | output | {"COMMPROF_SPOOL": spool}
                done = self.run_program("--scribble", "%", env=wanted)
                shutil.rmtree(self.start / "spool", ignore_errors=True)
                self.assertEqual(len(self.lines(done)), 1, self.lines(done))
                profile = self.the_profile()
                self.assertRegex(profile.name, "^here$" if output else "^commprof-small_program-[0-9]+$")
                options = json.loads((profile / "run.json").read_text())["options"]
                self.assertEqual(options, options | wanted)
                self.remove_profile(profile)

    def test_unknown_option(self):
        done = self.run_program(env={"COMMPROF_OUTPTU": "typo"})
        complaints = [line for line in self.lines(done) if "COMMPROF_OUTPTU" in line]
        self.assertEqual(len(complaints), 1, self.lines(done))
        self.assertIn("did you mean COMMPROF_OUTPUT?", complaints[0])
        self.the_profile()

    def test_unknown_option_that_is_near_to_none(self):
        done = self.run_program(env={"COMMPROF_XYZZY": "1"})
        complaints = [line for line in self.lines(done) if "COMMPROF_XYZZY" in line]
        self.assertEqual(len(complaints), 1, self.lines(done))
        self.assertTrue(complaints[0].endswith("it is ignored"), complaints[0])
        self.the_profile()


@shared_between_mpis
class Contents(DriverTest):
    hostile = {
        "comma": b"a,b,,c",
        "quote": b'say "hi"",',
        "newline": b"one\ntwo\r\nthree",
        "tab": b"\t\x01\x1b[31mred\x7f",
        "not utf-8": b"\xff\xfe caf\xe9 \xc3(\xed\xa0\x80",
        "utf-8": "Größe · 通信子".encode(),
        "json": b'\\"}]},"x":"\\u0000',
        "spaces": b"  blanks around  ",
        "formula": b"=1+1",
        "long": b"x" * 10_000,
    }

    def test_program_arguments(self):
        for name, text in sample(list(self.hostile.items()), 3):
            with self.subTest(name):
                # By way of a script, since mpirun has a mind of its own about odd arguments.
                (self.start / "argument").write_bytes(text)
                script = self.start / "script"
                script.write_text(f'#!/bin/sh\nexec {PROGRAMS}/small_program "$(cat argument)" last\n')
                script.chmod(0o755)
                self.run_program(words=[script], env={"COMMPROF_OUTPUT": f"profile of {name}"})
                run = json.loads((self.check_profile(self.start / f"profile of {name}") / "run.json").read_bytes())
                self.assertEqual(run["program"], f"{PROGRAMS}/small_program")
                self.assertEqual(run["arguments"], [text.decode(errors="replace"), "last"])

    def test_user_names(self):
        for name, text in sample(list(self.hostile.items()), 3):
            with self.subTest(name):
                (self.start / "name").write_bytes(text)
                self.run_program("--name", self.start / "name", env={"COMMPROF_OUTPUT": f"profile of {name}"})
                profile = self.check_profile(self.start / f"profile of {name}")
                with open(profile / "communicators.csv", newline="", encoding="utf-8") as file:
                    rows = {row["comm"]: row for row in csv.DictReader(file, strict=True)}
                escaped = {
                    "newline": r"one\x0atwo\x0d\x0athree",
                    "tab": r"\x09\x01\x1b[31mred\x7f",
                    "not utf-8": r"\xff\xfe caf\xe9 \xc3(\xed\xa0\x80",
                    "long": "x" * 1024,
                }
                self.assertEqual(rows["W_d1"]["user_name"], escaped.get(name) or text.decode())

    def test_facts_of_the_run(self):
        self.run_program("--exit", "0")
        profile = self.the_profile()
        run = json.loads((profile / "run.json").read_text())
        self.assertEqual(run["schema_version"], 1)
        self.assertEqual(os.path.basename(run["program"]), "small_program")
        self.assertEqual(run["arguments"], ["--exit", "0"])
        self.assertIn("MPI", run["mpi"]["library"])
        self.assertEqual(set(run["dropped"].values()), {0})
        self.assertGreater(run["wall_s"], 0)
        with open(profile / "ranks.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["rank"] for row in rows], ["0", "1"])
        self.assertEqual({row["host"] for row in rows}, {socket.gethostname()})
        self.assertEqual(len({row["pid"] for row in rows}), 2)
        self.assertEqual({row["threads"] for row in rows}, {"1"})


if __name__ == "__main__":
    unittest.main()
