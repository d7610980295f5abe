"""What the profiles of several processes have that tests/alone cannot show: facts of their ranks, jobs of several programs, a limit of size."""

import os
import shutil
import socket
import subprocess
import unittest
from pathlib import Path

from driver import LIBRARY, MPIEXEC, PROGRAMS, TIMEOUT, DriverTest, clean_environment, read_csv, shared_between_mpis


class Output(DriverTest):
    def test_a_job(self):
        script = self.start / "script"
        script.write_text(f'#!/bin/sh\numask 077\nexec {PROGRAMS}/small_program "$@" \'a "text",\'\n')  # launchers have a mind of their own about odd words
        script.chmod(0o755)
        done = self.run_program(words=[script, "--exit", "7"], exit_code=7, env={"COMMPROF_INDEX": "index-%n"})
        index = self.start / "index-2"
        profile = Path(index.read_text().rstrip("\n"))
        for file in (index, script):
            file.unlink()
        self.assertEqual(self.the_profile(), profile)
        (line,) = self.lines(done)
        self.assertTrue(line.endswith(f"mpisee-through {profile}"), line)
        rows = read_csv(profile / "ranks.csv")
        self.assertEqual([(row["rank"], row["host"], row["threads"]) for row in rows], [(rank, socket.gethostname(), "1") for rank in "01"])
        self.assertEqual(len({row["pid"] for row in rows}), 2)
        self.assertGreater(min(float(row[column]) for row in rows for column in ("cpu_s", "max_rss_bytes")), 0)
        self.assertEqual(profile.name, f"commprof-small_program-{rows[0]['pid']}")
        run = self.run_json(profile)
        self.assertEqual((os.path.basename(run["program"]), run["arguments"]), ("small_program", ["--exit", "7", 'a "text",']))
        self.assertIn("MPI", run["mpi"]["library"])
        self.assertEqual(self.counts(profile, "comm", "rank", "op"),
                         {("W", rank, "Comm_dup"): 1 for rank in "01"} | {(comm, rank, "Barrier"): 1 for comm in ("W", "W_d1") for rank in "01"})


@shared_between_mpis
class SeveralProcesses(DriverTest):
    def test_a_job_of_which_one_program_is_named(self):
        other = self.start / "other"
        shutil.copy(PROGRAMS / "small_program", other)
        setting = ["-n", "1", "env", f"LD_PRELOAD={LIBRARY}"]
        done = subprocess.run([*MPIEXEC, *setting, PROGRAMS / "small_program", ":", *setting, other], cwd=self.start, capture_output=True,
                              timeout=TIMEOUT, env=clean_environment() | {"COMMPROF_APPS": "other", "COMMPROF_OUTPUT": "profile"})
        self.assertEqual(done.returncode, 0, done.stderr)
        other.unlink()
        self.assertEqual(self.the_profile(), self.start / "profile")

    def test_a_profile_that_fits_as_sums(self):
        # Half of it is too much for the rows of all, and enough for those of the few in which few operations can stand out. How
        # many windows of time there are depends on how long a run takes.
        few = {"COMMPROF_SITES": "0", "COMMPROF_WAITS": "0", "COMMPROF_WHEN": "0"}
        sizes = {}
        for detail in "ranks", "summary":
            self.run_program(ranks=20, env=few | {"COMMPROF_OUTPUT": detail, "COMMPROF_DETAIL": detail})
            sizes[detail] = sum(len(file.read_bytes().partition(b"\n")[2]) for file in (self.start / detail).glob("*.csv"))
        self.assertLess(sizes["summary"], sizes["ranks"])
        limit = (sizes["summary"] + sizes["ranks"]) // 2
        done = self.run_program(ranks=20, env=few | {"COMMPROF_OUTPUT": "limited", "COMMPROF_MAX_SIZE": str(limit)})
        self.assertIn("more than COMMPROF_MAX_SIZE: it has the sums of all ranks, and the rows of few", self.lines(done)[1])
        ranks = [{row["rank"] for row in read_csv(self.start / name / "operations.csv")} for name in ("ranks", "limited")]
        self.assertEqual(len(ranks[0]), 20)
        self.assertLess(len(ranks[1]), 20)


if __name__ == "__main__":
    unittest.main()
