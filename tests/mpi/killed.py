"""A job that comes to an end without MPI_Finalize leaves what it has counted."""

import collections
import json
import os
import re
import shutil
import socket
import stat
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from driver import DriverTest, LIBRARY, PROGRAMS, TIMEOUT, TOOL, end, finish, long, read_csv, run_tool, sample, shared_between_mpis, start_mpirun
from hosts import named_hosts

RANKS = 4
SYSTEM = os.environ["SYSTEM"]


class Ended(DriverTest):
    """A job that has come to its end, and what is found of it."""

    def run_and_end(self, how, who, inner=None, meanwhile=lambda: None, **environment):
        """Runs the program until it has come to its end; returns the directory of its tallies. inner: its environment instead
        of the library alone. meanwhile: what to do before it is ended, if it waits for that."""
        tallies = self.start / "tallies"
        tallies.mkdir()
        env = {"COMMPROF_OUTPUT": str(self.start / "profile")} | environment
        process = start_mpirun([PROGRAMS / "killed", how, who, tallies], ranks=RANKS, env=env, cwd=self.start, inner_env=inner,
                               preload=inner is None)
        if how == "wait":
            deadline = time.monotonic() + 60
            while len(list(tallies.glob("*.csv"))) < RANKS and time.monotonic() < deadline:
                time.sleep(0.05)
            time.sleep(0.5)  # to be in the call that never ends
            meanwhile()
        done = end(process) if how == "wait" else finish(process)
        if how != "wait":  # MPICH's launcher, told to end, exits with 15 or, 1 time in 40, with 0; without us too
            self.assertNotEqual(done.returncode, 0)
        self.wait_until_gone()
        self.assertNotIn(b"commprof:", done.stderr)
        self.assertEqual(len(list(tallies.glob("*.csv"))), RANKS, done.stderr.decode(errors="replace"))
        return tallies

    def wait_until_gone(self):
        """A launcher may end before the processes that it has killed."""
        def is_left(link):
            try:
                return os.path.samefile(link, PROGRAMS / "killed")
            except OSError:
                return False
        deadline = time.monotonic() + TIMEOUT
        while any(map(is_left, Path("/proc").glob("[0-9]*/exe"))) and time.monotonic() < deadline:
            time.sleep(0.05)

    def tool(self, *arguments, exit_code=0):
        done = run_tool(*arguments)
        self.assertEqual(done.returncode, exit_code, done.stderr.decode())
        return done.stdout.decode() if exit_code == 0 else done.stderr.decode()

    def check(self, tallies, profile, missing=()):
        """What the profile's rows say is what the processes have counted."""
        found = {rank: collections.Counter() for rank in range(RANKS)}
        self.in_calls = {}  # that did not end, by rank
        columns = ("calls", "bytes_sent", "bytes_received")
        for row in read_csv(profile / "operations.csv"):
            if row["op"].endswith("-unfinished"):
                self.in_calls[int(row["rank"])] = (row["comm"], row["op"], int(row["calls"]))
                continue
            for column in columns:
                found[int(row["rank"])][row["comm"], row["op"], column] += int(row[column])
        for rank in range(RANKS):
            expected = collections.Counter()
            if rank not in missing:
                for row in read_csv(tallies / f"{rank}.csv"):
                    expected |= {(row["comm"], row["op"], column): int(row[column]) for column in columns}
            self.assertEqual(+found[rank], +expected, f"rank {rank}")
        sent = sum(int(row["bytes"]) for row in read_csv(profile / "peers.csv"))
        issued = sum(int(row["bytes_sent"]) for row in read_csv(profile / "operations.csv") if row["op"] in ("Sendrecv", "Isend"))
        self.assertEqual(sent, issued)
        return json.loads((profile / "run.json").read_text())["unfinished"]


@shared_between_mpis
class Killed(Ended):
    def end_and_check(self, how, who):
        tallies = self.run_and_end(how, who)
        profile = self.start / "profile"
        self.assertEqual(self.found(profile), ["spool"])
        shown = self.tool("--json", profile)
        self.assertEqual(self.found(profile), ["spool"])  # looking at it has changed nothing
        self.assertIn("unfinished", shown)
        self.tool("--recover", profile)
        unfinished = self.check(tallies, profile)
        self.assertEqual(unfinished["ranks_missing"], "")
        self.assertEqual(unfinished["problems"], [])
        self.assertEqual(unfinished["aborted"], {"rank": who, "code": 4} if how == "abort" else None)
        self.assertEqual(unfinished["end_known"], how == "abort")  # no launcher has recorded it
        if how == "wait":  # the others receive from the first one, which is outside MPI
            self.assertEqual(self.in_calls, {rank: ("W", "Recv-unfinished", 1) for rank in (1, 2, 3)})
            self.assertIsNone(json.loads(shown)["efficiency"])
            self.assertRegex(self.tool(profile), "(?m)^4 ranks on 1 host, at least .*\nUnfinished ended without MPI_Finalize; ")
        if how == "abort":  # the others may have ended before they wrote it down
            (row,) = (row for row in read_csv(profile / "ranks.csv") if int(row["rank"]) == who)
            self.assertGreater(float(row["cpu_s"]), 0)
            self.assertGreater(int(row["max_rss_bytes"]), 2**20)
        self.assertIn("nothing to recover", self.tool("--recover", profile, exit_code=1))
        self.assertEqual(json.loads(self.tool("--json", profile))["communicators"], json.loads(shown)["communicators"])

    def test_kill_of_all(self):
        self.end_and_check("kill", -1)

    @long
    def test_kill_of_one(self):
        self.end_and_check("kill", 1)

    @long
    def test_segmentation_fault(self):
        self.end_and_check("segv", 2)

    @long
    def test_exit_without_finalize(self):
        self.end_and_check("exit", -1)

    def test_abort(self):
        self.end_and_check("abort", 0)

    @long
    def test_no_memory(self):
        self.end_and_check("memory", 3)

    def test_end_by_the_batch_system(self):
        self.end_and_check("wait", 0)

    def test_missing_and_damaged_files(self):
        tallies = self.run_and_end("kill", -1)
        spool = self.start / "profile" / "spool"
        (spool / "0.spool").unlink()
        (spool / "2.spool").write_bytes(b"nothing of ours")
        text = self.tool(self.start / "profile")
        self.assertRegex(text, r"(?m)^Missing +ranks 0,2: ")
        self.tool("--recover", self.start / "profile")
        unfinished = self.check(tallies, self.start / "profile", missing=(0, 2))
        self.assertEqual(unfinished["ranks_missing"], "0,2")
        self.assertEqual(len(unfinished["problems"]), 1)
        self.assertIn("2.spool: not a spool file", unfinished["problems"][0])

    def test_elsewhere(self):
        """COMMPROF_SPOOL names a directory, such as one on the node."""
        tallies = self.run_and_end("kill", -1, COMMPROF_SPOOL=str(self.start / "local" / "%x"))
        self.assertEqual(self.found(), ["local", "tallies"])
        (run,) = (self.start / "local" / "killed").iterdir()
        self.assertTrue(run.name.startswith("profile-"), run.name)
        self.assertEqual(self.found(run), [f"{rank}.spool" for rank in range(RANKS)])
        self.tool("--recover", run)
        self.check(tallies, run)

    def test_on_directories_of_each_host(self):
        """Hosts that do not share the directory keep the files of their own ranks at its path."""
        for name in ("seen", "own"):
            (self.start / name).mkdir()
        with named_hosts(self, "h1:2,h2:2", mounts=f"mount --bind {self.start}/own {self.start}/seen"):
            tallies = self.run_and_end("kill", -1, COMMPROF_OUTPUT=str(self.start / "seen" / "profile"))
        profile = self.start / "seen" / "profile"
        self.assertEqual(self.found(profile / "spool"), ["0.spool", "1.spool"])
        self.assertRegex(self.tool(profile), r"(?m)^Missing +ranks 2-3: ")
        of_h2 = self.start / "own" / "profile" / "spool"
        self.assertEqual(self.found(of_h2), ["2.spool", "3.spool"])
        for file in of_h2.iterdir():
            shutil.copy(file, profile / "spool")
        self.tool("--recover", profile)
        self.assertEqual(self.check(tallies, profile)["problems"], [])

    def test_off(self):
        self.run_and_end("kill", -1, COMMPROF_SPOOL="off")
        self.assertEqual(self.found(), ["tallies"])

    def test_set_on_some_processes_only(self):
        """What rank 0 has been told holds; nobody waits for the others."""
        for rank in (0, 1):
            for value in sample(("off", str(self.start / "local")), 2):
                with self.subTest(rank=rank, value=value):
                    set_it = f'[ "${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}" = {rank} ] && export COMMPROF_SPOOL={value}; exec "$0"'
                    self.run_program(words=["sh", "-c", set_it, PROGRAMS / "small_program"],
                                     env={"COMMPROF_OUTPUT": str(self.start / "profile")})
                    self.remove_profile(self.check_profile(self.start / "profile"))
                    if value != "off" and rank == 0:
                        (self.start / "local").rmdir()
                    self.assertEqual(self.found(), [])

    def test_unusable(self):
        """A place that cannot be written to is said once, and the profile is as ever."""
        (self.start / "file").write_text("")
        done = self.run_program(env={"COMMPROF_OUTPUT": str(self.start / "profile"), "COMMPROF_SPOOL": str(self.start / "file" / "x")})
        lines = self.lines(done)
        self.assertRegex(lines[0], r"^commprof: COMMPROF_SPOOL: 2 of 2 processes cannot write to .*/file/x/.*: Not a directory; if they ")
        self.assertEqual(len(lines), 2, lines)
        self.check_profile(self.start / "profile")

    def test_planted_directory(self):
        """A symbolic link where the directory would be is not followed."""
        (self.start / "target").mkdir()
        (self.start / "profile").symlink_to(self.start / "target")
        self.run_program(env={"COMMPROF_OUTPUT": str(self.start / "profile")})
        self.assertEqual(self.found(self.start / "target"), [])
        self.check_profile(self.start / "profile-2")


@shared_between_mpis
class OnNodes(Ended):
    """The directory of the profile is on a file system that several hosts share, so the spool is on the nodes."""

    def setUp(self):
        super().setUp()
        self.node = Path(tempfile.mkdtemp(prefix="commprof-node-")).resolve()
        self.addCleanup(shutil.rmtree, self.node)
        self.profile = self.start / "profile"
        self.inner = {"LD_PRELOAD": f"{SYSTEM}:{LIBRARY}", "SYSTEM_SHARES": str(self.start), "TMPDIR": str(self.node),
                      "UCX_MEM_EVENTS": "n", "UCX_MEM_MMAP_HOOK_MODE": "none"}

    def on_node(self):
        """The one directory of a run on the node. An MPI may keep things there, too."""
        (run,) = self.node.glob("commprof-*")
        return run

    def collect(self, *arguments, within=(), exit_code=0):
        """What the tool says."""
        done = subprocess.run([*within, TOOL, "collect", "--from", self.node, *map(str, arguments)], capture_output=True, timeout=TIMEOUT)
        self.assertEqual(done.returncode, exit_code, done.stderr.decode())
        return (done.stdout if exit_code == 0 else done.stderr).decode()

    def check_collected(self, tallies, profile, ranks=range(RANKS)):
        self.assertEqual(list(self.node.glob("commprof-*")), [])
        self.assertEqual([name for name in self.found(profile / "spool") if name != "node"], [f"{rank}.spool" for rank in ranks])
        self.tool("--recover", profile)
        self.assertEqual(self.check(tallies, profile)["problems"], [])

    def test_regular_end(self):
        """Nothing is left, and only rank 0 has made directories where several hosts see them."""
        report = self.start / "report"
        self.run_program(ranks=3, preload=False, inner_env=self.inner | {"SYSTEM_REPORT": str(report)}, env={"COMMPROF_OUTPUT": "profile"})
        self.check_profile(self.profile, ranks=3)
        self.assertEqual(list(self.node.glob("commprof-*")), [])
        made = [int(dict(map(str.split, Path(f"{report}.{rank}").read_text().splitlines()))["directories"]) for rank in range(3)]
        self.assertGreater(made[0], 2)
        self.assertEqual(made[1:], [0, 0])

    def test_collected_by_its_profile(self):
        def look():
            text = self.collect(self.profile)
            self.assertRegex(text, "^.*: left ranks 0-3, not ended\n$")
            self.assertEqual(self.found(self.on_node()), [f"{rank}.spool" for rank in range(RANKS)])
        tallies = self.run_and_end("wait", 0, self.inner, look)
        run = self.on_node()
        self.assertRegex(run.name, r"^commprof-profile-\d{8}T\d{6}-\d+$")
        self.assertEqual({stat.S_IMODE(path.stat().st_mode) for path in (run, *run.iterdir())}, {0o700, 0o600})
        self.assertEqual(self.found(self.profile), ["spool"])
        self.assertEqual(self.found(self.profile / "spool"), ["node"])
        # Here is the node, so all is found.
        shown = json.loads(self.tool("--json", self.profile))
        self.assertEqual(shown["run"]["unfinished"]["ranks_missing"], "")
        self.assertIn("4 ranks, ended", self.tool("now", self.profile))
        self.assertEqual(self.collect(self.profile), f"{self.profile}: collected ranks 0-3 from {run}\n")
        self.check_collected(tallies, self.profile)
        self.assertEqual(self.collect(self.profile), f"nothing to collect in {self.node}\n")

    def test_said_where_it_cannot_be_seen(self):
        self.run_and_end("kill", -1, self.inner)
        run = self.on_node()
        run.rename(self.node / "away")
        for words in ([], ["--recover"], ["now"]):
            text = self.tool(*words, self.profile, exit_code=1)
            self.assertIn(f"its spool files are on its hosts, in {run}: \"mpisee-through collect {self.profile}\"", text)
        self.assertIn("unfinished", self.tool(self.start, exit_code=1))

    def test_collected_by_job(self):
        """An epilog knows no profile."""
        tallies = self.run_and_end("kill", 1, self.inner, SLURM_JOB_ID="77", PRTE_MCA_ras="^slurm")
        self.assertIn("nothing to collect", self.collect("--job", "78"))
        self.assertIn("collected ranks 0-3", self.collect("--job", "77"))
        self.check_collected(tallies, self.profile)

    @long
    def test_collected_elsewhere(self):
        """Runs get directories of their own."""
        tallies = self.run_and_end("abort", 0, self.inner)
        name = self.on_node().name
        shutil.rmtree(self.profile)
        self.assertIn("is finished or gone: name a directory", self.collect(exit_code=1))
        self.collect(self.start / "all")
        self.assertEqual(self.found(self.start / "all"), [name])
        self.check_collected(tallies, self.start / "all" / name)

    @long
    def test_chosen_by_the_user(self):
        tallies = self.run_and_end("kill", -1, self.inner, COMMPROF_SPOOL=str(self.node / "commprof-%x"))
        self.assertEqual(self.found(), ["tallies"])
        (run,) = self.on_node().iterdir()
        self.assertIn("does not say where its profile is", self.collect(exit_code=1))
        self.collect(self.start / "all")
        self.on_node().rmdir()
        self.check_collected(tallies, self.start / "all" / run.name)

    @long
    def test_no_local_place(self):
        """Then the spool is where the profile is."""
        shared = ":".join(("/tmp", "/var/tmp", "/dev/shm", str(self.start), str(self.node)))
        tallies = self.run_and_end("kill", -1, self.inner | {"SYSTEM_SHARES": shared})
        self.check_collected(tallies, self.profile)

    def test_profile_that_cannot_be_written(self):
        done = self.run_program("--file-limit", "200", preload=False, inner_env=self.inner, env={"COMMPROF_OUTPUT": "profile"})
        (line,) = self.lines(done)
        where = f"{self.on_node()} on each host, such as {socket.gethostname()}; there, \"mpisee-through collect {self.profile}\" gathers it"
        self.assertTrue(line.endswith(f"what was counted stays in {where}"), line)
        self.assertIn("collected ranks 0-1", self.collect(self.profile))
        self.assertIn("Barrier", self.tool("--operations", self.profile))

    def collect_after_ends(self):
        """The launcher may end before the killed processes do."""
        for _ in range(TIMEOUT):
            told = self.collect(self.profile)
            if "not ended" not in told:
                break
            time.sleep(0.2)
        return told

    def test_several_hosts(self):
        with named_hosts(self, "h1:2,h2:2") as on:
            tallies = self.run_and_end("kill", -1, self.inner)
            run = self.on_node()
            self.assertEqual(self.collect_after_ends(), f"{run}: left ranks 0-3, not of this host: collect on h2\n")
            first = self.collect(self.profile, within=on("h1"))
            self.assertEqual(first, f"{self.profile}: collected ranks 0-1 from {run}\n"
                                    f"{run}: left ranks 2-3, not of this host: collect on h2\n")
            self.assertRegex(re.sub(r"\s+", " ", self.tool(self.profile)),
                             f"Missing ranks 2-3: nothing is known of them, unless their nodes have it in {run}")
            self.collect(self.profile, within=on("h2"))
        self.check_collected(tallies, self.profile)

    def test_conflict(self):
        self.run_and_end("kill", -1, self.inner)
        run, spool = self.on_node(), self.profile / "spool"
        shutil.copy(run / "1.spool", spool / "1.spool")  # as if collecting had been interrupted
        shutil.copy(run / "1.spool", spool / "2.spool")
        text = self.collect(self.profile, exit_code=1)
        self.assertEqual(text, f"mpisee-through: {spool}/2.spool: is there, and differs from {run}/2.spool: left\n")
        self.assertEqual(self.found(run), ["2.spool"])
        self.assertEqual((spool / "2.spool").read_bytes(), (spool / "1.spool").read_bytes())


if __name__ == "__main__":
    unittest.main()
