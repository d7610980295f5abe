"""Jobs of Slurm with the profiler: what they print, where their profiles are, and what remains of them when they are killed."""

import contextlib
import os
import pwd
import re
import shutil
import subprocess
import tempfile
import unittest
from collections import Counter
from pathlib import Path

import cluster
import killed
from driver import LIBRARY, MPIEXEC, PROGRAMS, TOOL, YIELDS, clean_environment, read_csv

EPILOG = os.environ["EPILOG"]
PLUGIN = os.environ["PLUGIN"]  # empty: not built
LAUNCHER = os.environ["LAUNCHER"]
ALL = os.environ["TEST_ALL"] == "1"
OPEN_MPI = "openmpi" in MPIEXEC[0]
PRELOAD = f"{LIBRARY}:{YIELDS}"
SRUN = ["srun", f"--mpi={'pmix' if OPEN_MPI else 'pmi2'}", "--kill-on-bad-exit=1"]
# All hosts are this machine. MPICH sends between them by shared memory: over TCP, jobs of UCX sometimes do not end. One of 300 jobs of Open
# MPI 4.1.4 calls a null pointer when the first message comes from another host, so it has one. Both without the profiler, too.
NODES = 1 if OPEN_MPI else 2
EACH = (4 // NODES,) * NODES  # ranks of a node
FOUR = [f"-N{NODES}", f"--ntasks-per-node={EACH[0]}"]
NETWORK = {"OMPI_MCA_oob_tcp_if_include": "lo", "PMIX_MCA_ptl_tcp_if_include": "lo"} if OPEN_MPI else {"UCX_TLS": "sm,self"}
# srun of Slurm 22.05 does not end after one in 50 heterogeneous jobs with PMIx on a loaded machine, without the profiler too: two of its
# threads end the one that listens for aborts, and one of them waits for that for ever.
heterogeneous = unittest.skipIf(OPEN_MPI, "Slurm's PMIx may hang")
slurm = None  # of this module


def setUpModule():
    global slurm
    directory = tempfile.mkdtemp(prefix="commprof-slurm-")
    unittest.addModuleCleanup(shutil.rmtree, directory)
    os.chmod(directory, 0o755)
    prologs = Path(directory, "prologs")
    prologs.touch()
    prologs.chmod(0o666)
    slurm = cluster.Cluster(directory, nodes=2,
                            plugstack=f"required {PLUGIN}\n" if PLUGIN else "",
                            task_prolog=f'#!/bin/bash\n/bin/true\necho "$SLURM_JOB_ID" >>{prologs}\n',
                            epilog=f"#!/bin/sh\nexport PATH=$PATH:{Path(directory)}/bin\n{EPILOG}\n")
    unittest.addModuleCleanup(slurm.stop)
    (slurm.directory / "bin").mkdir()
    shutil.copy(TOOL, slurm.directory / "bin")
    slurm.start()


class Jobs(killed.Ended):
    def setUp(self):
        super().setUp()
        self.environment = {name: value for name, value in clean_environment().items() if name != cluster.INSIDE} | slurm.environment | NETWORK

    def run_job(self, *words, exit_code=0, **environment):
        job = subprocess.Popen(list(map(str, words)), cwd=self.start, env=self.environment | environment, start_new_session=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            stdout, stderr = job.communicate(timeout=cluster.SECONDS)
        except subprocess.TimeoutExpired:
            self.fail(f"does not end\n{self.state_of_jobs()}")
        finally:  # all that the job has started here
            slurm.run("pkill", "--signal", "KILL", "--session", job.pid)
            job.wait()
        self.assertEqual(job.returncode, exit_code, stderr + stdout)
        return subprocess.CompletedProcess(words, job.returncode, stdout, stderr)

    def state_of_jobs(self):
        """Slurm's jobs, the processes, and what those with the profiler are in."""
        looks = [["squeue", "--long"], ["ps", "-eo", "pid,ppid,stat,wchan:24,args"], *([TOOL, "now", self.start / name] for name in self.found())]
        return "\n".join(slurm.run(*look).stdout for look in looks)

    def with_profiler(self, *more):
        """srun's option that sets the environment of tasks."""
        return ",".join(["--export=ALL", f"LD_PRELOAD={PRELOAD}", *more])

    def printed(self, done):
        """On stderr, without the lines by which srun says that it waits for the step before."""
        return [line for line in done.stderr.splitlines() if not re.match("srun: (job .* (queued|allocated)|Job .* disabled|Step created)", line)]

    def check_output(self, done, runs=1):
        """Of each run, the two lines of small_program and one of ours."""
        self.assertEqual(done.stdout, "a line on stdout\n" * runs)
        lines = Counter(re.sub("^(commprof: profile written; ).*", r"\1", line) for line in self.printed(done))
        self.assertEqual(lines, {"a line on stderr": runs, "commprof: profile written; ": runs})

    def check_and_remove(self, ranks_of_each=EACH):
        """The one thing in the directory."""
        (name,) = self.found()
        self.check_and_remove_this(name, ranks_of_each)
        return name

    def check_and_remove_this(self, name, ranks_of_each=EACH):
        profile = self.check_profile(self.start / name, ranks=sum(ranks_of_each))
        hosts = Counter(row["host"] for row in read_csv(profile / "ranks.csv"))
        self.assertLessEqual(set(hosts), set(slurm.names))
        self.assertEqual(sorted(hosts.values()), sorted(ranks_of_each))
        self.remove_profile(profile)

    def script(self, text):
        (self.start / "script").write_text(f"#!/bin/bash\n{text}\n")
        (self.start / "script").chmod(0o755)

    def run_script(self, *options, **environment):
        """Runs the script as a batch job; returns what it printed."""
        self.run_job("sbatch", "--output=output", "--error=error", *options, "script", **environment)
        slurm.wait_for_jobs()  # sbatch --wait looks only every few seconds
        done = subprocess.CompletedProcess("script", 0, *((self.start / name).read_text() for name in ("output", "error")))
        for name in ("output", "error", "script"):
            (self.start / name).unlink()
        return done


class Launched(Jobs):
    def test_srun(self):
        prologs = slurm.directory / "prologs"
        before = len(prologs.read_text().splitlines())
        self.check_output(self.run_job(*SRUN, *FOUR, self.with_profiler(), PROGRAMS / "small_program"))
        jobs = prologs.read_text().splitlines()[before:]
        self.assertEqual(len(jobs), 4)
        self.assertEqual(self.check_and_remove(), f"commprof-small_program-{jobs[0]}")

    def test_mpirun_in_an_allocation(self):
        preload = ["-x", f"LD_PRELOAD={PRELOAD}"] if OPEN_MPI else ["-genv", "LD_PRELOAD", PRELOAD]
        self.check_output(self.run_job("salloc", "--quiet", *FOUR, MPIEXEC[0], *preload, PROGRAMS / "small_program"))
        self.check_and_remove()

    def test_whole_batch_script(self):
        """Shells, launchers and tasks that are no programs of MPI have the library, too."""
        self.script(f"""export LD_PRELOAD={PRELOAD} COMMPROF_OUTPUT=of-%u-%j
            hostname >/dev/null; (true | cat)
            srun {' '.join(FOUR)} true
            {' '.join([*SRUN, *FOUR])} bash -c 'true; {PROGRAMS}/small_program; exit $?'
            {MPIEXEC[0]} {PROGRAMS}/small_program""")
        self.check_output(self.run_script(*FOUR, USER="ada"), runs=2)
        self.assertRegex(" ".join(self.found()), r"^(of-ada-\d+) \1-2$")
        for name in self.found():
            self.check_and_remove_this(name)

    def test_array(self):
        self.script(f"{' '.join(SRUN)} {self.with_profiler()} {PROGRAMS}/small_program")
        self.run_script("--array=3,7", "-n2", COMMPROF_OUTPUT="run-%a", COMMPROF_VERBOSE="0")
        self.assertEqual(self.found(), ["run-3", "run-7"])
        for name in self.found():
            self.remove_profile(self.check_profile(self.start / name))

    @heterogeneous
    def test_heterogeneous_job(self):
        component = [self.with_profiler(), PROGRAMS / "small_program"]
        self.check_output(self.run_job(*SRUN, "-N1", "-n1", *component, ":", "-N1", "-n2", *component))
        self.check_and_remove(ranks_of_each=(1, 2))


class ByLauncher(Jobs):
    """LD_PRELOAD of the environment, with which processes yield, goes to the tasks behind ours."""

    def check_page(self, done):
        self.assertEqual(done.stdout, "a line on stdout\n")
        self.assertIn("Communicator", done.stderr)

    def test_srun(self):
        self.check_page(self.run_job(LAUNCHER, "-o", "of-%j", "--stack=2", *SRUN, *FOUR, "--export", "ALL,ELSE=1", "bash", "-c",
                                     f'[ "$ELSE" = 1 ] && exec {PROGRAMS}/small_program', LD_PRELOAD=YIELDS))
        (name,) = self.found()
        self.assertEqual(self.run_json(self.start / name)["options"]["COMMPROF_STACK"], "2")
        self.assertRegex(self.check_and_remove(), r"^of-\d+$")

    @heterogeneous
    def test_heterogeneous_job(self):
        program = PROGRAMS / "small_program"
        self.check_page(self.run_job(LAUNCHER, *SRUN, "-N1", "-n1", program, ":", "-N1", "-n2", program, LD_PRELOAD=YIELDS))
        self.check_and_remove(ranks_of_each=(1, 2))

    def test_mpirun_in_an_allocation(self):
        self.check_page(self.run_job("salloc", "--quiet", *FOUR, LAUNCHER, MPIEXEC[0], PROGRAMS / "small_program", LD_PRELOAD=YIELDS))
        self.check_and_remove()


class Killed(Jobs):
    @contextlib.contextmanager
    def waiting_job(self, *words, program=PROGRAMS / "killed", **environment):
        """A job of which each process has counted and written what it counted, and now waits. It is to be ended meanwhile."""
        tallies = self.start / "tallies"
        tallies.mkdir(mode=0o777)
        tallies.chmod(0o777)
        job = subprocess.Popen([*map(str, words), program, "wait", "0", tallies], cwd=self.start,
                               env=self.environment | {"COMMPROF_OUTPUT": "profile"} | environment,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.said = ""
        try:
            slurm.wait_until("all processes have counted", lambda: job.poll() is not None or len(list(tallies.glob("*.csv"))) == killed.RANKS)
            if job.poll() is not None:
                self.fail(f"ended by itself: {job.stdout.read()}")
            yield tallies
            self.said = job.communicate(timeout=2 * cluster.SECONDS)[0]
        finally:
            job.kill()
            job.communicate()
        slurm.wait_for_jobs()
        self.assertNotIn("commprof", self.said)

    def check_killed(self, tallies):
        profile = self.start / "profile"
        self.assertIn("unfinished", self.tool("--json", profile))
        self.tool("collect", "--recover", profile)
        unfinished = self.check(tallies, profile)
        self.assertEqual((unfinished["ranks_missing"], unfinished["problems"]), ("", []))

    def cancel(self, *options):
        slurm.run("scancel", "--partition=all", *options, check=True)

    def test_scancel(self):
        with self.waiting_job(*SRUN, *FOUR, self.with_profiler()) as tallies:
            self.cancel()
        self.check_killed(tallies)

    def test_scancel_at_once(self):
        with self.waiting_job(*SRUN, *FOUR, self.with_profiler()) as tallies:
            self.cancel("--signal=KILL")
        self.check_killed(tallies)

    def test_scancel_of_mpirun(self):
        preload = ["-x", f"LD_PRELOAD={PRELOAD}"] if OPEN_MPI else ["-genv", "LD_PRELOAD", PRELOAD]
        with self.waiting_job("salloc", "--quiet", *FOUR, MPIEXEC[0], *preload) as tallies:
            self.cancel()
        self.check_killed(tallies)

    @unittest.skipUnless(ALL, "takes 90 s: ./test --all")
    def test_time_limit(self):
        with self.waiting_job(*SRUN, *FOUR, "--time=1", self.with_profiler()) as tallies:
            pass
        self.assertIn("DUE TO TIME LIMIT", self.said)
        self.check_killed(tallies)

    def test_collected_by_the_epilog(self):
        """The directory of the profile seems to be on a shared file system, so the counts are on the nodes. The user is not root."""
        copies = slurm.directory / "lib"  # this user may not look into the build
        if not copies.exists():
            shutil.copytree(Path(LIBRARY).parent / "commprof", copies / "commprof")
            for file in (LIBRARY, YIELDS, killed.SYSTEM, PROGRAMS / "killed"):
                shutil.copy(file, copies)
        self.start.chmod(0o777)
        nobody = pwd.getpwnam("nobody")
        as_nobody = ["setpriv", f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}", "--clear-groups"]
        with self.waiting_job(*as_nobody, *SRUN, *FOUR, "--export=ALL,LD_PRELOAD=" + ":".join(
                str(copies / Path(file).name) for file in (killed.SYSTEM, LIBRARY, YIELDS)), program=copies / "killed",
                              SYSTEM_SHARES=f"{self.start}:/tmp", UCX_MEM_EVENTS="n", UCX_MEM_MMAP_HOOK_MODE="none", TMPDIR="/tmp") as tallies:
            on_nodes = [path for name in slurm.names for path in (slurm.directory / name / "var").glob("commprof-*")]
            self.assertEqual([len(list(path.glob("*.spool"))) for path in on_nodes], [*EACH])
            self.assertEqual(self.found(self.start / "profile" / "spool"), ["node"])
            self.cancel()
        for path in on_nodes:
            self.assertFalse(path.exists(), path)
        spool = self.start / "profile" / "spool"
        self.assertEqual([name for name in self.found(spool) if name != "node"], [f"{rank}.spool" for rank in range(killed.RANKS)])
        self.assertEqual({path.stat().st_uid for path in spool.glob("*.spool")}, {nobody.pw_uid})
        self.check_killed(tallies)


@unittest.skipUnless(PLUGIN, "slurm/spank.h was not there when this was built")
class Plugin(Jobs):
    def test_srun(self):
        self.check_output(self.run_job(*SRUN, *FOUR, "--commprof=run-%n-%j", PROGRAMS / "small_program", LD_PRELOAD=YIELDS))
        self.assertRegex(self.check_and_remove(), r"^run-4-\d+$")

    def test_default_name_and_other_options(self):
        self.run_job(*SRUN, *FOUR, "--commprof", PROGRAMS / "small_program", LD_PRELOAD=YIELDS, COMMPROF_PEERS="0")
        (name,) = self.found()
        self.assertRegex(name, r"^commprof-small_program-\d+$")
        self.assertEqual(self.run_json(self.start / name)["options"]["COMMPROF_PEERS"], "0")
        self.check_and_remove()

    def test_nothing_but_the_tasks_of_this_step(self):
        self.script(f"""echo "batch $LD_PRELOAD" >&2
            {' '.join([*SRUN, *FOUR])} --commprof=profile {PROGRAMS}/small_program >/dev/null 2>&1
            {' '.join([*SRUN, *FOUR])} {PROGRAMS}/small_program >/dev/null 2>&1
            {' '.join([*SRUN, *FOUR])} --commprof=shells bash -c 'echo "task $LD_PRELOAD"'""")
        done = self.run_script(*FOUR, LD_PRELOAD=YIELDS)
        self.assertEqual(self.printed(done), [f"batch {YIELDS}"])
        (line,) = set(done.stdout.splitlines())
        ours, _, other = line.removeprefix("task ").partition(":")
        self.assertEqual((os.path.realpath(ours), other), (LIBRARY, YIELDS))
        self.assertEqual(self.check_and_remove(), "profile")

    def test_srun_alone_has_the_option(self):
        """Daemons of mpirun would have it, too, and so some of the ranks, which would wait for the others."""
        for command in (["salloc", "--quiet", "--commprof", "true"], ["sbatch", "--commprof", "--wrap", "true"]):
            self.assertIn("unrecognized option", self.run_job(*command, exit_code=255).stderr)

    def test_no_library(self):
        plugstack = slurm.directory / "plugstack.conf"
        before = plugstack.read_text()
        self.addCleanup(plugstack.write_text, before)
        library = self.start / "missing" / "libcommprof.so"
        plugstack.write_text(f"required {PLUGIN} library={library}\n")
        done = slurm.run(*SRUN, *FOUR, "--commprof", "hostname", cwd=self.start, env=self.environment)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stdout, "")
        self.assertIn(f"--commprof: {library}: No such file or directory", done.stderr)
        self.assertEqual(self.run_job("srun", *FOUR, "hostname").stdout.count("node"), 4)


if __name__ == "__main__":
    cluster.in_namespaces()
    unittest.main()
