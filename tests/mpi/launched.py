"""The launcher: the profiler in the ranks and nowhere else, the job's own output and exit code, and the page at the end."""

import os
import shutil
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from driver import LIBRARY, MPIEXEC, PROGRAMS, TIMEOUT, TOOL, YIELDS, DriverTest, clean_environment, end, long, read_csv, shared_between_mpis
from hosts import OPEN_MPI, named_hosts

LAUNCHER = os.environ["LAUNCHER"]
PROGRAM = PROGRAMS / "small_program"
HAS_REPORT = os.environ["HAS_REPORT"] == "1"
OTHER_MPIRUN = "mpirun.mpich" if OPEN_MPI else "mpirun.openmpi"


class LauncherTest(DriverTest):
    def launch(self, *words, exit_code=0, env=None, cwd=None, ignored=()):
        def set_signals():  # a test that runs in the background may have inherited that SIGINT is ignored
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            for number in ignored:
                signal.signal(number, signal.SIG_IGN)
        done = subprocess.run([LAUNCHER, *map(str, words)], cwd=cwd or self.start, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT,
                              env=clean_environment() | (env or {}), preexec_fn=set_signals)
        self.assertEqual(done.returncode, exit_code, done.stderr)
        return done

    def said(self, done):
        return [line for line in done.stderr.splitlines() if line.startswith("commprof:")]

    def check_mistakes(self, *mistakes, before=()):
        """(words, exit code, what the one line says) of each."""
        for words, code, says in mistakes:
            done = self.launch(*before, *words, exit_code=code)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertIn(says, done.stderr)
            self.assertEqual(self.found(), [])


@shared_between_mpis
class Jobs(LauncherTest):
    def test_output_and_exit_code_are_the_jobs(self):
        for code in (0, 7):
            done = self.launch(*MPIEXEC, "-n", 2, PROGRAM, "--exit", code, exit_code=code)
            self.assertEqual(done.stdout, "a line on stdout\n")
            self.assertIn("a line on stderr\n", done.stderr)
            profile = self.the_profile()  # so the index is gone, too
            self.assertIn(f"Profile: {profile}\n", done.stderr)
            self.assertIn("Communicator", done.stderr)
            self.assertEqual(self.said(done), [])
            self.remove_profile(profile)

    def test_in_the_ranks_alone(self):
        look = "grep -c /libcommprof.so /proc/$PPID/maps /proc/self/maps | cut -d: -f2"
        done = self.launch("-q", *MPIEXEC, "-n", 1, "sh", "-c", look)
        launcher, rank = map(int, done.stdout.split())
        self.assertEqual(launcher, 0)
        self.assertGreater(rank, 0)

    def test_ways_to_start_a_job(self):
        """Programs of one job, behind a word that runs others, without a launcher, with something else preloaded."""
        ways = [(2, [*MPIEXEC, "-n", 1, PROGRAM, ":", "-n", 1, PROGRAM]), (2, ["timeout", TIMEOUT, *MPIEXEC, "-n", 2, PROGRAM]), (1, ["--", PROGRAM])]
        for ranks, words in ways:
            done = self.launch("-q", "--output", "profile", *words)
            self.assertEqual(done.stderr.replace("a line on stderr\n", ""), "")
            self.remove_profile(self.check_profile(self.start / "profile", ranks=ranks))
        done = self.launch("-q", *MPIEXEC, "-n", 1, "sh", "-c", "echo $LD_PRELOAD", env={"LD_PRELOAD": YIELDS})
        ours, _, other = done.stdout.rstrip("\n").partition(":")
        self.assertEqual((os.path.realpath(ours), other), (LIBRARY, YIELDS))

    def test_options(self):
        self.launch("-q", "-o", "%x,%n", "--no-peers", "--no-sites", *MPIEXEC, "-n", 2, PROGRAM)
        profile = self.check_profile(self.start / "small_program,2")
        self.assertEqual({row["site"] for row in read_csv(profile / "operations.csv")}, {""})
        self.assertEqual(read_csv(profile / "peers.csv"), [])

    def test_several_jobs_of_a_script(self):
        one = " ".join(map(str, (*MPIEXEC, "-n 1", PROGRAM)))
        done = self.launch("sh", "-c", f"{one}; {one}")
        self.assertEqual(len(self.found()), 2)
        self.assertEqual(done.stderr.count("Profile: "), 2)
        self.assertNotIn("jobs of their own", done.stderr)

    def test_a_killed_job(self):
        tallies = self.start / "tallies"
        tallies.mkdir()
        job = (*MPIEXEC, "-n", 2, PROGRAMS / "killed", "kill", 1, tallies)
        plain = subprocess.run([*map(str, job)], cwd=self.start, capture_output=True, timeout=TIMEOUT, env=clean_environment())
        done = self.launch("-o", "killed", *job, exit_code=plain.returncode)
        self.assertNotEqual(plain.returncode, 0)
        # What was counted until then: of each rank, 50 messages of 0, 8 … 392 bytes, and one of 20.
        self.assertIn("of the 19.18 KiB between ranks", done.stderr)
        self.assertIn("Unfinished", done.stderr)
        self.assertIn(f"Profile: {self.start / 'killed'}\n", done.stderr)
        self.assertEqual(self.found(), ["killed", "tallies"])
        # The end of a script is not that of its job.
        self.launch("-q", "-o", "left", "sh", "-c", f"{' '.join(map(str, job))}; true")
        self.assertEqual(self.found(self.start / "left" / "spool"), ["0.spool", "1.spool"])

    def interrupted(self, how, is_there):
        """The page and the data of a job that is interrupted when a look says so, and this look."""
        process = subprocess.Popen([LAUNCHER, "-o", "out", *MPIEXEC, "-n", "4", PROGRAMS / "stuck", how], cwd=self.start,
                                   env=clean_environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

        def look():
            now = self.data("now", self.start / "out")
            self.assertTrue(is_there(now))
            return now
        look = self.eventually(look)
        page = end(process).stderr
        data = self.data(self.start / "out")
        unfinished = data["run"]["unfinished"]
        self.assertEqual((unfinished["end_known"], unfinished["interrupted_by"]), (True, signal.SIGTERM))
        self.assertRegex(page, r"(?m)^Unfinished interrupted by SIGTERM after ")
        self.assertNotIn("for at least", page)
        return " ".join(page.split()), data, look

    def test_a_job_in_a_circle_of_waits(self):
        """What the last look saw of the waiting is in the profile: the time until the interruption, of all ranks."""
        page, data, look = self.interrupted("receives", lambda look: look["stuck"] and look["stuck"][0]["seconds"] > 1)
        waited, unfinished = look["stuck"][0]["seconds"], data["run"]["unfinished"]
        self.assertGreaterEqual(data["run"]["wall_s"], waited)
        self.assertGreaterEqual(unfinished["in_calls_s"], 4 * waited)
        self.assertLessEqual(unfinished["in_calls_s"], 4 * data["run"]["wall_s"])
        self.assertAlmostEqual(sum(kind["time_s"] for kind in data["kinds"] if kind["kind"] == "unfinished"), unfinished["in_calls_s"], delta=1e-6)
        self.assertEqual((data["efficiencies"], data["findings"][0]["finding"]), ([], "deadlock"))
        self.assertRegex(page, r"Verdict (in a circle of waits|deadlocked) for .* m?s: 0 → 1 → 0\.")

    @long
    def test_a_job_that_waits_for_one_rank(self):
        page, data, _ = self.interrupted("slow", lambda look: [group["longest_s"] for group in look["groups"]
                                                               if group["operation"] == "Allreduce" and group["longest_s"] > 1])
        self.assertEqual((data["efficiencies"], data["findings"][0]["finding"]), ([], "unfinished-calls"))
        self.assertRegex(page, r"Verdict held up\. Calls that did not end take [\d.]+ % of the wall time: 3 ranks \(0,2-3\) in Allreduce on W for "
                               r".*, waiting for 1: 1 is outside MPI for .*, after stuck\.c:")

    def test_a_job_that_goes_on(self):
        """Interrupted amidst its work: what it has done so far holds, and each rank's call is told."""
        page, data, _ = self.interrupted("busy", lambda look: sum(one["calls_per_s"] for one in look["windows"]) > 0)
        self.assertIn("When it ended", page)
        self.assertFalse({"deadlock", "mismatch"} & {one["finding"] for one in data["findings"]})
        is_small = data["run"]["unfinished"]["in_calls_s"] <= 0.01 * 4 * data["run"]["wall_s"]
        self.assertEqual((data["efficiencies"] != [], "Efficiency" in page), (is_small, is_small))

    @unittest.skipUnless(shutil.which(OTHER_MPIRUN), "no other MPI")
    def test_a_launcher_of_another_mpi(self):
        for options in ("-q",), ():  # one line, and no page
            done = self.launch(*options, "timeout", TIMEOUT, OTHER_MPIRUN, "-n", 2, PROGRAM)
            line, = self.said(done)
            self.assertIn(f"2 processes under {OTHER_MPIRUN} were jobs of their own", line)
            self.assertNotIn("Communicator", done.stderr)
            self.assertEqual(len(self.found()), 2)
            for profile in self.found():
                self.remove_profile(self.start / profile)

    def test_report(self):
        if HAS_REPORT:
            done = self.launch("--report", "-o", "seen", *MPIEXEC, "-n", 2, PROGRAM)
            page = self.start / "seen.html"
            self.assertIn(f"Page: {page}\n", done.stderr)
            self.assertIn("small_program", page.read_text())
            self.assertEqual(self.found(), ["seen", "seen.html"])
            return
        without = "--report: it was built without the page: configure with -DCOMMPROF_REPORT=ON"
        self.check_mistakes((["--report", *MPIEXEC, "-n", 2, PROGRAM], 2, without))

    def test_no_place_for_the_profile(self):
        """The library says why; the launcher does not name another reason."""
        words = [*MPIEXEC, "-n", 2, "env", "TMPDIR=/proc", PROGRAM]
        without_temporary = {} if OPEN_MPI else {"TMPDIR": "/proc/missing"}  # Open MPI's launcher needs the directory
        why, last = self.said(self.launch("-o", "/proc/profile", *words, cwd="/proc", env=without_temporary))
        self.assertIn("cannot write the profile: /proc/profile", why)
        self.assertIn("if no line above says why", last)

    def test_mistakes(self):
        self.check_mistakes(((), 2, "no command"), (("--op", "ls"), 2, "--op"), (("--stack", "99", "ls"), 2, "0 to 16"),
                            (("--reprot", "ls"), 2, "no option --reprot; did you mean --report?"),
                            (("--zzzz=1", "ls"), 2, "no option --zzzz ("), (("-n", "2", "ls"), 2, "commprof mpirun -n"),
                            (("./missing",), 127, "./missing: No such file"), (("/etc/passwd",), 126, "Permission denied"),
                            (("sh", "-c", "exit 3"), 3, "there is no profile"))

    def test_several_hosts(self):
        with named_hosts(self, "h1:1,h2:1", variables=()):
            self.launch("-q", "-o", "two", *MPIEXEC, "-n", 2, PROGRAM)
        self.assertEqual([row["host"] for row in read_csv(self.check_profile(self.start / "two") / "ranks.csv")], ["h1", "h2"])


@shared_between_mpis
class CommandLines(LauncherTest):
    """Options of the user that have to do with ours."""

    def check_both(self, *words, env=None):
        self.launch("--output", "both", "-q", *MPIEXEC, *words, env=env)
        self.remove_profile(self.check_profile(self.start / "both", ranks=2))

    def test_programs_that_preload_something(self):
        one = ("-x", f"LD_PRELOAD={YIELDS}") if OPEN_MPI else ("-env", "LD_PRELOAD", YIELDS)
        self.check_both("-n", 1, *one, PROGRAM, ":", "-n", 1, PROGRAM)
        self.check_both("-n", 1, PROGRAM, ":", "-n", 1, *one, PROGRAM)
        if not OPEN_MPI:
            self.check_both("-genv", "LD_PRELOAD", YIELDS, "-n", 2, PROGRAM)
            self.check_both("-n", 1, PROGRAM, ":", "-genv", f"LD_PRELOAD={YIELDS}", "-n", 1, PROGRAM)
            (self.start / "programs").write_text(f"-n 1 {PROGRAM}\n-n 1 {PROGRAM}\n")
            self.check_both("-configfile", self.start / "programs")

    def test_words_of_a_program(self):
        words = ["--app", "x", "-x", "LD_PRELOAD=mine.so", "-genv", "LD_PRELOAD", "mine.so"]
        # cat: MPICH's launcher ends by SIGPIPE if the program ends before it has passed on its own input.
        done = self.launch("-q", *MPIEXEC, "-n", 1, "sh", "-c", 'cat; echo "$@"', "sh", *words)
        self.assertEqual(done.stdout, " ".join(words) + "\n")

    def test_a_percent_sign_in_the_directory(self):
        directory = self.start / "100%x"
        directory.mkdir()
        done = self.launch(*MPIEXEC, "-n", 2, PROGRAM, cwd=directory)
        self.assertIn(f"Profile: {self.the_profile(directory)}\n", done.stderr)


class Signals(LauncherTest):
    def test_ignored_ones_stay_ignored(self):
        script = "kill -HUP $PPID; kill -HUP $$; kill -INT $PPID; kill -INT $$; exit 3"
        self.launch("-q", "sh", "-c", script, exit_code=3, ignored=(signal.SIGHUP, signal.SIGINT))

    def test_others_are_handed_on(self):
        for name in ("INT", "QUIT", "HUP", "TERM", "USR1", "ALRM", "XCPU", "VTALRM"):
            script = f'trap "exit 5" {name}; kill -{name} $PPID; while :; do sleep 0.01; done'
            self.launch("-q", "bash", "-c", script, exit_code=5)

    def test_children_are_waited_for(self):
        self.launch("-q", "sh", "-c", "exit 3", exit_code=3, ignored=(signal.SIGCHLD,))


class Doctor(LauncherTest):
    FLAVOUR = "openmpi-40" if OPEN_MPI else "mpich-12"

    def script(self, name, text, mode=0o755):
        script = self.start / name
        script.write_text(text)
        script.chmod(mode)
        return script

    def test_programs(self):
        """What it says of each, and its exit code."""
        setuid = self.start / "copy"
        setuid.write_bytes(PROGRAM.read_bytes())
        setuid.chmod(0o4755)
        shell = self.script("script", "#!/usr/bin/env sh\n")
        # oneTBB and libdw, which the tool is linked to, may open an MPI, as Julia's library does.
        for program, code, *says in ((PROGRAM, 0, "its calls of MPI are seen\n", rf"\n  Flavour +{self.FLAVOUR}\n"), (setuid, 1, "it is setuid"),
                                     ("true", 1, "it is linked to no MPI\n"), (TOOL, 0, r"it is linked to no MPI, but \S+ opens libraries by dlopen\(\)"),
                                     (shell, 0, "it is a shell", rf"\n  Script +{shell}\n")):
            done = self.launch("doctor", program, exit_code=code)
            for text in says:
                self.assertRegex(done.stdout, text)

    def test_a_script_that_is_not_executable(self):
        script = self.script("solve.py", "from mpi4py import MPI\n", 0o644)
        self.assertIn(f"commprof doctor python3 {script}", self.launch("doctor", script, exit_code=1).stderr)
        self.assertIn("  Program ", self.launch("doctor", "sh", script, "--grid", 8).stdout)

    def test_commands(self):
        one = ("-n", 1, "env", "A=1", PROGRAM, "-x", "input")
        done = self.launch("doctor", "timeout", TIMEOUT, *MPIEXEC, *one, ":", "-n", 2, "true", exit_code=1)
        self.assertEqual([line for line in done.stdout.splitlines() if not line.startswith(" ")],
                         [f"{PROGRAM}: its calls of MPI are seen", "true: it is linked to no MPI"])
        beware = "belongs to another MPI"
        self.assertNotIn(beware, self.launch("doctor", *MPIEXEC, "-n", 2, PROGRAM).stdout)
        if shutil.which(OTHER_MPIRUN):
            self.assertIn(beware, self.launch("doctor", OTHER_MPIRUN, "-n", 2, PROGRAM).stdout)

    def test_nothing_is_run(self):
        runs = self.start / "runs"
        runs.write_text(f"#!/bin/sh\ntouch {self.start}/has-run\n")
        runs.chmod(0o755)
        program = bytearray(PROGRAM.read_bytes())
        at = program.index(b"/lib64/ld-linux-x86-64.so.2\0") if b"/lib64/ld-linux-x86-64.so.2\0" in program else None
        if at is None:
            self.skipTest("a program of another processor")
        link = Path(tempfile.gettempdir()) / f"c{os.getpid()}"
        if len(bytes(link)) > 26:
            self.skipTest("the path of a temporary file does not fit")
        link.symlink_to(runs)
        self.addCleanup(link.unlink)
        program[at:at + 27] = bytes(link).ljust(27, b"\0")
        for name in ("evil", "python", "python3.99"):
            copy = self.start / name
            copy.write_bytes(program)
            copy.chmod(0o755)
            done = self.launch("doctor", copy)
            self.assertIn("its calls of MPI are seen\n", done.stdout)
            copy.unlink()
        self.assertEqual(self.found(), ["runs"])

    def test_mistakes(self):
        self.check_mistakes((("nothing-of-this-name",), 1, "there is no program nothing-of-this-name"), ((), 2, "no program to look at"),
                            (("--zzzz",), 2, "no option --zzzz"), ((*MPIEXEC, "-n", 2), 1, "is given no program"),
                            (("/etc/passwd",), 1, "cannot be executed"), before=("doctor",))


if __name__ == "__main__":
    unittest.main()
