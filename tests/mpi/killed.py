"""A job that comes to an end without MPI_Finalize leaves what it has counted."""

import collections
import json
import time
import unittest

from driver import DriverTest, PROGRAMS, end, finish, read_csv, run_tool, start_mpirun

RANKS = 4


class Killed(DriverTest):
    def run_and_end(self, how, who, **environment):
        """Runs the program until it has come to its end; returns the directory of its tallies."""
        tallies = self.start / "tallies"
        tallies.mkdir()
        env = {"COMMPROF_OUTPUT": str(self.start / "profile")} | environment
        process = start_mpirun([PROGRAMS / "killed", how, who, tallies], ranks=RANKS, env=env, cwd=self.start)
        if how == "wait":
            deadline = time.monotonic() + 60
            while len(list(tallies.glob("*.csv"))) < RANKS and time.monotonic() < deadline:
                time.sleep(0.05)
            time.sleep(0.5)  # to be in the call that never ends
        done = end(process) if how == "wait" else finish(process)
        if how != "wait":  # MPICH's launcher, told to end, exits with 15 or, 1 time in 40, with 0; without us too
            self.assertNotEqual(done.returncode, 0)
        self.assertNotIn(b"commprof:", done.stderr)
        self.assertEqual(len(list(tallies.glob("*.csv"))), RANKS, done.stderr.decode(errors="replace"))
        return tallies

    def tool(self, *arguments, exit_code=0):
        done = run_tool(*arguments)
        self.assertEqual(done.returncode, exit_code, done.stderr.decode())
        return done.stdout.decode() if exit_code == 0 else done.stderr.decode()

    def check(self, tallies, profile, missing=()):
        """What the profile's rows say is what the processes have counted."""
        found = {rank: collections.Counter() for rank in range(RANKS)}
        columns = ("calls", "bytes_sent", "bytes_received")
        for row in read_csv(profile / "operations.csv"):
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
        self.assertIn("nothing to recover", self.tool("--recover", profile, exit_code=1))
        self.assertEqual(json.loads(self.tool("--json", profile))["communicators"], json.loads(shown)["communicators"])

    def test_kill_of_all(self):
        self.end_and_check("kill", -1)

    def test_kill_of_one(self):
        self.end_and_check("kill", 1)

    def test_segmentation_fault(self):
        self.end_and_check("segv", 2)

    def test_exit_without_finalize(self):
        self.end_and_check("exit", -1)

    def test_abort(self):
        self.end_and_check("abort", 0)

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

    def test_off(self):
        self.run_and_end("kill", -1, COMMPROF_SPOOL="off")
        self.assertEqual(self.found(), ["tallies"])

    def test_set_on_some_processes_only(self):
        """What rank 0 has been told holds; nobody waits for the others."""
        for rank in (0, 1):
            for value in ("off", str(self.start / "local")):
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


if __name__ == "__main__":
    unittest.main()
