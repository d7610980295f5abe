"""COMMPROF_INTERNAL=1 adds rows where the MPI tells of its messages, a line where it does not, and changes nothing else."""

import os
import unittest

from driver import DriverTest, MPIEXEC, PROGRAMS, finish, read_csv, run_tool, start_mpirun

SWITCH = "OMPI_MCA_pml_monitoring_enable"
TELLS = os.environ["TELLS_OF_MESSAGES"] == "1"
HAS_MONITORING = "openmpi" in MPIEXEC[0]


class Internal(DriverTest):
    def rows(self, program="small_program", ranks=2, **env):
        """The profiler's lines and the rows of peers.csv."""
        done = finish(start_mpirun([PROGRAMS / program], ranks=ranks, cwd=self.start,
                                   env={"COMMPROF_OUTPUT": str(self.start / "profile"), "COMMPROF_VERBOSE": "0"} | env))
        self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace"))
        if program == "small_program":
            self.assertEqual((done.stdout, done.stderr.splitlines()[-1]), (b"a line on stdout\n", b"a line on stderr"))
            self.assertEqual(len(done.stderr.splitlines()), 1 + len(self.lines(done)), done.stderr)
        profile = self.check_profile(self.start / "profile", ranks=ranks)
        rows = read_csv(profile / "peers.csv")
        self.remove_profile(profile)
        return self.lines(done), rows

    def internal(self, rows):
        return [row for row in rows if row["class"] == "internal"]

    def check_told_that_there_are_none(self, lines, rows):
        self.assertEqual(len(lines), 1, lines)
        self.assertIn("internal messages", lines[0])
        self.assertEqual(self.internal(rows), [])

    def test_off_by_default(self):
        for env in ({}, {"COMMPROF_INTERNAL": "0"}, {SWITCH: "1"}):
            lines, rows = self.rows(**env)
            self.assertEqual((lines, rows), ([], []))

    def test_on(self):
        for ranks in (2, 4):
            lines, rows = self.rows(ranks=ranks, COMMPROF_INTERNAL="1")
            if not TELLS:
                self.check_told_that_there_are_none(lines, rows)
                continue
            self.assertEqual(lines, [])
            self.assertEqual({(row["comm"], row["op"]) for row in self.internal(rows)},
                             {("W", "Comm_dup"), ("W", "Barrier"), ("W_d1", "Barrier")})

    def test_one_process_sends_nothing(self):
        lines, rows = self.rows(ranks=1, COMMPROF_INTERNAL="1")
        self.assertEqual((len(lines), rows), (0 if TELLS else 1, []))

    @unittest.skipUnless(HAS_MONITORING, "only where the MPI has a monitoring of its own")
    def test_switched_off_by_the_user(self):
        lines, rows = self.rows(COMMPROF_INTERNAL="1", **{SWITCH: "0"})
        self.check_told_that_there_are_none(lines, rows)

    def test_without_peers(self):
        self.assertEqual(self.rows(COMMPROF_INTERNAL="1", COMMPROF_PEERS="0"), ([], []))

    def test_messages_of_the_program_are_the_same(self):
        found = [[row for row in self.rows("datatypes", 4, COMMPROF_INTERNAL=value)[1] if row["class"] != "internal"]
                 for value in "01"]
        self.assertGreater(len(found[0]), 4)
        self.assertEqual(*found)

    def test_environment_is_left_alone(self):
        # A program without MPI, and one that looks at its environment between MPI_Init and MPI_Finalize.
        shell = finish(start_mpirun(["sh", "-c", f"echo ${SWITCH}"], ranks=1, cwd=self.start, env={"COMMPROF_INTERNAL": "1"}))
        self.assertEqual((shell.returncode, shell.stdout, shell.stderr), (0, b"\n", b""))
        for value in (None, "0", "1"):
            env = {"COMMPROF_INTERNAL": "1", "COMMPROF_OUTPUT": str(self.start / "profile")} | ({SWITCH: value} if value else {})
            done = finish(start_mpirun([PROGRAMS / "tell_variable", SWITCH], ranks=2, cwd=self.start, env=env))
            self.assertEqual(done.returncode, 0)
            # The lines of two processes may run into each other.
            self.assertEqual(done.stdout.replace(b"\n", b""), (value or "not set").encode() * 2)
            self.remove_profile(self.start / "profile")

    @unittest.skipUnless(HAS_MONITORING, "only where the MPI has a monitoring of its own")
    def test_monitoring_of_the_mpi_goes_on(self):
        told = {"0": [], "1": []}
        for internal, lines in told.items():
            _, rows = self.rows(COMMPROF_INTERNAL=internal, **{SWITCH: "1", f"{SWITCH}_output": "3",
                                                             "OMPI_MCA_pml_monitoring_filename": str(self.start / "own")})
            self.assertEqual(len(self.internal(rows)) > 0, internal == "1")
            for rank in (0, 1):
                file = self.start / f"own.{rank}.prof"
                lines += [line for line in file.read_text().splitlines() if line.startswith(f"E\t{rank}\t{1 - rank}\t")]
                file.unlink()
        self.assertEqual((len(told["0"]), len(told["1"])), (2, 2))
        self.assertEqual(told["1"][0], told["0"][0])  # rank 1 also sends its rows of the profile

    @unittest.skipUnless(HAS_MONITORING, "only where the MPI can send by neither UCX nor libfabric")
    def test_messages_of_which_no_transport_was_given_anything(self):
        output = self.start / "profile"
        done = finish(start_mpirun([PROGRAMS / "transport", "send", 100, 5], ranks=3, cwd=self.start, env={
            "OMPI_MCA_pml": "ob1", "COMMPROF_TRANSPORT": "1", "COMMPROF_OUTPUT": str(output), "COMMPROF_VERBOSE": "0"}))
        self.assertEqual((done.returncode, len(self.lines(done))), (0, 1), done.stderr)
        self.assertIn("\nTransport  was given nothing for 15 of 15 messages of the program, those of 3 pairs of ranks\n",
                      run_tool("--matrix", output).stdout.decode())
        self.remove_profile(self.check_profile(output, ranks=3))


if __name__ == "__main__":
    unittest.main()
