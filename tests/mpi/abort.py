"""MPI_Abort ends a job as it does without the profiler, which notes who called it and with which code."""

import json
import shutil
import unittest

from driver import DriverTest, MPIEXEC, PROGRAMS, finish, run_tool, start_mpirun


class Abort(DriverTest):
    def test_exit_code(self):
        for comm, code in (("world", 1), ("self", 5), ("dup", 77)):
            for preload in (False, True):
                with self.subTest(comm=comm, preload=preload):
                    done = finish(start_mpirun([PROGRAMS / "abort", comm, code], preload=preload, cwd=self.start))
                    # Whether what was printed before arrives is up to the launcher. That of MPICH now and then says how the other
                    # process ended, with the profiler or without, where only one was to be aborted.
                    codes = (code, 1) if comm == "self" and "mpich" in " ".join(MPIEXEC) else (code,)
                    self.assertIn(done.returncode, codes, done.stderr.decode(errors="replace"))
                    self.assertNotIn(b"commprof:", done.stderr)
                    if not preload:
                        continue
                    (profile,) = self.found()
                    self.assertEqual(self.found(self.start / profile), ["spool"])
                    shown = json.loads(run_tool("--json", self.start / profile).stdout)
                    self.assertEqual(shown["run"]["unfinished"]["aborted"], {"rank": 0, "code": code})
                    self.assertRegex(run_tool(self.start / profile).stdout.decode(),
                                     rf"aborted by rank 0 with code {code} after .*; last known call after ")
                    shutil.rmtree(self.start / profile)
        self.assertEqual(self.found(), [])


if __name__ == "__main__":
    unittest.main()
