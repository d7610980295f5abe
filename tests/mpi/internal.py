"""COMMPROF_INTERNAL=1 adds rows where the MPI tells of its messages, a line where it does not, and changes nothing else."""

import os
import unittest

from driver import PROGRAMS, DriverTest, finish, read_csv, start_mpirun
from hosts import OPEN_MPI

SWITCH = "OMPI_MCA_pml_monitoring_enable"
TELLS = os.environ["TELLS_OF_MESSAGES"] == "1"


class Internal(DriverTest):
    def rows(self, program="small_program", ranks=2, **env):
        """The profiler's lines and the rows of peers.csv."""
        profile = self.check_profile(self.profile_of(PROGRAMS / program, ranks=ranks, env={"COMMPROF_VERBOSE": "0"} | env), ranks=ranks)
        if program == "small_program":
            self.assertEqual((self.done.stdout, self.done.stderr.splitlines()[-1]), (b"a line on stdout\n", b"a line on stderr"))
            self.assertEqual(len(self.done.stderr.splitlines()), 1 + len(self.lines(self.done)), self.done.stderr)
        return self.lines(self.done), read_csv(profile / "peers.csv")

    def internal(self, rows):
        return {(row["comm"], row["op"]) for row in rows if row["class"] == "internal"}

    def check_told_that_there_are_none(self, lines, rows):
        (line,) = lines
        self.assertIn("internal messages", line)
        self.assertEqual(self.internal(rows), set())

    def test_off_by_default(self):
        for env in ({}, {"COMMPROF_INTERNAL": "0"}, {SWITCH: "1"}, {"COMMPROF_INTERNAL": "1", "COMMPROF_PEERS": "0"}):
            self.assertEqual(self.rows(**env), ([], []))

    def test_on(self):
        for ranks in (1, 2, 4):
            lines, rows = self.rows(ranks=ranks, COMMPROF_INTERNAL="1")
            if TELLS:
                self.assertEqual(lines, [])
                self.assertEqual(self.internal(rows), {("W", "Comm_dup"), ("W", "Barrier"), ("W_d1", "Barrier")} if ranks > 1 else set())
            elif ranks > 1:
                self.check_told_that_there_are_none(lines, rows)

    def test_messages_of_the_program_are_the_same(self):
        found = [[row for row in self.rows("situations", 4, COMMPROF_INTERNAL=value)[1] if row["class"] != "internal"]
                 for value in "01"]
        self.assertGreater(len(found[0]), 4)
        self.assertEqual(*found)

    def test_environment_is_left_alone(self):
        # A program without MPI, and one that looks at its environment between MPI_Init and MPI_Finalize.
        shell = finish(start_mpirun(["sh", "-c", f"echo ${SWITCH}"], ranks=1, cwd=self.start, env={"COMMPROF_INTERNAL": "1"}))
        self.assertEqual((shell.returncode, shell.stdout, shell.stderr), (0, b"\n", b""))
        for value in (None, "0", "1"):
            self.profile_of(PROGRAMS / "tell_variable", SWITCH, ranks=2, env={"COMMPROF_INTERNAL": "1"} | ({SWITCH: value} if value else {}))
            # The lines of two processes may run into each other.
            self.assertEqual(self.done.stdout.replace(b"\n", b""), (value or "not set").encode() * 2)

    if OPEN_MPI:  # it has a monitoring of its own, and need not send by UCX or libfabric
        def test_monitoring_of_the_mpi(self):
            self.check_told_that_there_are_none(*self.rows(COMMPROF_INTERNAL="1", **{SWITCH: "0"}))
            told = {"0": [], "1": []}
            for internal, lines in told.items():
                _, rows = self.rows(COMMPROF_INTERNAL=internal, COMMPROF_WAITS="0", **{SWITCH: "1", f"{SWITCH}_output": "3",
                                                                 "OMPI_MCA_pml_monitoring_filename": str(self.start / "own")})
                self.assertEqual(len(self.internal(rows)) > 0, internal == "1")
                for rank in (0, 1):
                    text = (self.start / f"own.{rank}.prof").read_text()
                    lines += [line for line in text.splitlines() if line.startswith(f"E\t{rank}\t{1 - rank}\t")]
            self.assertEqual((len(told["0"]), len(told["1"])), (2, 2))
            self.assertEqual(told["1"][0], told["0"][0])  # rank 1 also sends its rows of the profile

        def test_messages_of_which_no_transport_was_given_anything(self):
            profile = self.profile_of(PROGRAMS / "transport", "send", 100, 5, ranks=3, env={"OMPI_MCA_pml": "ob1", "COMMPROF_TRANSPORT": "1",
                                                                                          "COMMPROF_VERBOSE": "0"})
            self.assertEqual(len(self.lines(self.done)), 1)
            self.assertIn("\nTransport  was given nothing: ", self.tool("--matrix", profile))


if __name__ == "__main__":
    unittest.main()
