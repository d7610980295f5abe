"""A job that comes to an end without MPI_Finalize leaves what it has counted."""

import collections
import fcntl
import os
import shutil
import socket
import stat
import subprocess
import tempfile
import unittest
from pathlib import Path

from driver import LIBRARY, LONG, PROGRAMS, TIMEOUT, TOOL, DriverTest, end, finish, long, read_csv, shared_between_mpis, start_mpirun
from hosts import named_hosts

RANKS = 4
SYSTEM = os.environ["SYSTEM"]
COLUMNS = ("calls", "bytes_sent", "bytes_received")
IN_CALLS = {(str(rank), "W", "Recv-unfinished", "calls"): 1 for rank in (1, 2, 3)}  # where the job waits for its end


class Ended(DriverTest):
    """A job that has come to its end, and what is found of it."""

    def setUp(self):
        super().setUp()
        self.places = [self.start]

    def run_and_end(self, how, who, inner=None, meanwhile=lambda: None, **environment):
        """Runs the program until it has come to its end; returns the directory of its tallies. inner: its environment instead
        of the library alone. meanwhile: what to do before it is ended, if it waits for that."""
        tallies = self.start / "tallies"
        tallies.mkdir()
        env = {"COMMPROF_OUTPUT": str(self.start / "profile")} | environment
        process = start_mpirun([PROGRAMS / "killed", how, who, tallies], ranks=RANKS, env=env, cwd=self.start, inner_env=inner,
                               preload=inner is None)
        if how == "wait":
            self.eventually(lambda: self.assertEqual((len(list(tallies.glob("*.csv"))), self.receiving()), (RANKS, len(IN_CALLS))))
            meanwhile()
        done = end(process) if how == "wait" else finish(process)
        if how != "wait":  # MPICH's launcher, told to end, exits with 15 or, 1 time in 40, with 0; without us too
            self.assertNotEqual(done.returncode, 0)
        self.eventually(lambda: self.assertEqual((self.processes_left(), self.written_to()), ([], [])))
        self.assertNotIn(b"commprof:", done.stderr)
        self.assertEqual(len(list(tallies.glob("*.csv"))), RANKS, done.stderr.decode(errors="replace"))
        return tallies

    def receiving(self):
        """How many ranks are in the call that never ends."""
        return sum(group["count"] for group in self.data("now", self.start / "profile")["groups"] if group["operation"] == "Recv")

    def processes_left(self):
        """A launcher may end before the processes that it has killed."""
        def is_ours(link):
            try:
                return os.path.samefile(link, self.start) and os.path.samefile(link.with_name("exe"), PROGRAMS / "killed")
            except OSError:
                return False
        return list(filter(is_ours, Path("/proc").glob("[0-9]*/cwd")))

    def written_to(self):
        """The spool files that are still mapped. A killed process lets go of its directory before its threads let go of its memory."""
        def is_mapped(path):
            with open(path, "rb") as file:
                try:
                    fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
                except BlockingIOError:
                    return True
                fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)
            return False
        return [path for place in self.places for path in place.rglob("*.spool") if is_mapped(path)]

    def check(self, tallies, profile, missing=()):
        """What the profile's rows say is what the processes have counted."""
        expected = collections.Counter()
        for rank in set(range(RANKS)) - set(missing):
            for row in read_csv(tallies / f"{rank}.csv"):
                expected |= {(str(rank), row["comm"], row["op"], column): int(row[column]) for column in COLUMNS}
        found = collections.Counter()
        for column in COLUMNS:
            found |= {(*key, column): number for key, number in self.counts(profile, "rank", "comm", "op", count=column).items()}
        self.in_calls = {key: found.pop(key) for key in list(found) if key[2].endswith("-unfinished")}
        self.assertEqual(+found, +expected)
        issued = self.counts(profile, "op", count="bytes_sent")
        self.assertEqual(self.counts(profile, count="bytes", file="peers.csv")[()], issued["Sendrecv",] + issued["Isend",])
        return self.run_json(profile)["unfinished"]


@shared_between_mpis
class Killed(Ended):
    def end_and_check(self, how, who):
        tallies = self.run_and_end(how, who)
        profile = self.start / "profile"
        self.assertEqual(self.found(profile), ["spool"])
        shown = self.data(profile)
        self.assertEqual(self.found(profile), ["spool"])  # looking at it has changed nothing
        if how == "wait":  # the others receive from the first one, which is outside MPI
            self.assertEqual(shown["efficiencies"], [])
            self.assertRegex(self.tool(profile), "(?m)^4 ranks on 1 host, at least .*\nUnfinished ended without MPI_Finalize; ")
        self.tool("collect", "--recover", profile)
        unfinished = self.check(tallies, profile)
        self.assertEqual((unfinished["ranks_missing"], unfinished["problems"]), ("", []))
        self.assertEqual(unfinished["aborted"], {"rank": who, "code": 4} if how == "abort" else None)
        self.assertEqual(unfinished["end_known"], how == "abort")  # no launcher has recorded it
        if how == "wait":
            self.assertEqual(self.in_calls, IN_CALLS)
        if how == "abort":  # the others may have ended before they wrote it down
            (row,) = (row for row in read_csv(profile / "ranks.csv") if int(row["rank"]) == who)
            self.assertGreater(float(row["cpu_s"]), 0)
            self.assertGreater(int(row["max_rss_bytes"]), 2**20)
        self.assertIn("nothing to recover", self.tool("collect", "--recover", profile, exit_code=1))
        self.assertEqual(self.data(profile)["communicators"], shown["communicators"])

    def test_missing_and_damaged_files(self):
        tallies = self.run_and_end("kill", -1)
        profile = self.start / "profile"
        (profile / "spool" / "0.spool").unlink()
        (profile / "spool" / "2.spool").write_bytes(b"nothing of ours")
        self.assertRegex(self.tool(profile), r"(?m)^Missing +ranks 0,2: ")
        self.tool("collect", "--recover", profile)
        unfinished = self.check(tallies, profile, missing=(0, 2))
        self.assertEqual(unfinished["ranks_missing"], "0,2")
        (problem,) = unfinished["problems"]
        self.assertIn("2.spool: not a spool file", problem)

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
        self.tool("collect", "--recover", profile)
        self.assertEqual(self.check(tallies, profile)["problems"], [])

    @long
    def test_off(self):
        self.run_and_end("kill", -1, COMMPROF_SPOOL="off")
        self.assertEqual(self.found(), ["tallies"])

    def test_set_on_some_processes_only(self):
        """What rank 0 has been told holds; nobody waits for the others."""
        for rank in (0, 1):
            set_it = f'[ "${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}" = {rank} ] && export COMMPROF_SPOOL=off; exec "$0"'
            self.run_program(words=["sh", "-c", set_it, PROGRAMS / "small_program"], env={"COMMPROF_OUTPUT": "profile"})
            self.remove_profile(self.check_profile(self.start / "profile"))
            self.assertEqual(self.found(), [])

    def test_who_makes_directories(self):
        """Rank 0 makes what is missing; the others find it."""
        report = self.start / "report"
        words = {"LD_PRELOAD": f"{SYSTEM}:{LIBRARY}", "SYSTEM_REPORT": str(report), "UCX_MEM_EVENTS": "n", "UCX_MEM_MMAP_HOOK_MODE": "none"}
        self.run_program(ranks=3, preload=False, inner_env=words, env={"COMMPROF_OUTPUT": "b/profile"})
        made = [int(dict(map(str.split, Path(f"{report}.{rank}").read_text().splitlines()))["directories"]) for rank in range(3)]
        self.assertGreater(made[0], 0)
        self.assertEqual(made[1:], [0, 0])


def ends(how, who):
    return lambda self: self.end_and_check(how, who)


# By signals, aborts and the batch system: how, and which rank (-1: all).
ENDS = {"kill_of_all": ("kill", -1), "abort": ("abort", 0), "batch_system": ("wait", 0)}
LONG_ENDS = {"kill_of_one": ("kill", 1), "segmentation_fault": ("segv", 2), "exit_without_finalize": ("exit", -1), "no_memory": ("memory", 3)}
for name, end_of in (ENDS | LONG_ENDS if LONG else ENDS).items():
    setattr(Killed, f"test_end_by_{name}", ends(*end_of))


@shared_between_mpis
class OnNodes(Ended):
    """The directory of the profile is on a file system that several hosts share, so the spool is on the nodes."""

    def setUp(self):
        super().setUp()
        self.node = Path(tempfile.mkdtemp(prefix="commprof-node-")).resolve()
        self.addCleanup(shutil.rmtree, self.node)
        self.places.append(self.node)
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
        self.tool("collect", "--recover", profile)
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
        self.assertEqual(self.data(self.profile)["run"]["unfinished"]["ranks_missing"], "")
        self.assertIn("4 ranks, ended", self.tool("now", self.profile))
        self.assertEqual(self.collect(self.profile), f"{self.profile}: collected ranks 0-3 from {run}\n")
        self.check_collected(tallies, self.profile)
        self.assertEqual(self.collect(self.profile), f"nothing to collect in {self.node}\n")

    def test_said_where_it_cannot_be_seen(self):
        self.run_and_end("kill", -1, self.inner)
        run = self.on_node()
        run.rename(self.node / "away")
        for words in ([], ["collect", "--recover"], ["now"]):
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
    def test_no_local_place(self):
        """Then the spool is where the profile is."""
        shared = ":".join(("/tmp", "/var/tmp", "/dev/shm", str(self.start), str(self.node)))
        tallies = self.run_and_end("kill", -1, self.inner | {"SYSTEM_SHARES": shared})
        self.check_collected(tallies, self.profile)

    def test_file_system_that_copies_on_write(self):
        """A store into a file there may fail when the disk is full, so no file is mapped there."""
        del self.inner["SYSTEM_SHARES"]
        tallies = self.run_and_end("kill", -1, self.inner | {"SYSTEM_COPIES": str(self.start)})
        self.assertIn("collected ranks 0-3", self.collect(self.profile))
        self.check_collected(tallies, self.profile)

    def test_profile_that_cannot_be_written(self):
        done = self.run_program("--file-limit", "200", preload=False, inner_env=self.inner, env={"COMMPROF_OUTPUT": "profile"})
        (line,) = self.lines(done)
        where = f"{self.on_node()} on each host, such as {socket.gethostname()}; there, \"mpisee-through collect {self.profile}\" gathers it"
        self.assertIn(f"mpisee-through makes it from what stays in {where}", line)  # but for an instant in MPI_Finalize, which needs a page
        self.assertIn("collected ranks 0-1", self.collect(self.profile))
        self.assertIn("Barrier", self.tool("--operations", self.profile))

    def test_several_hosts(self):
        with named_hosts(self, "h1:2,h2:2") as on:
            tallies = self.run_and_end("kill", -1, self.inner)
            run = self.on_node()
            self.assertEqual(self.collect(self.profile), f"{run}: left ranks 0-3, not of this host: collect on h2\n")
            first = self.collect(self.profile, within=on("h1"))
            self.assertEqual(first, f"{self.profile}: collected ranks 0-1 from {run}\n"
                                    f"{run}: left ranks 2-3, not of this host: collect on h2\n")
            self.assertIn(f"Missing ranks 2-3: nothing is known of them, unless their nodes have it in {run}", " ".join(self.tool(self.profile).split()))
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
