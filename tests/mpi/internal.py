"""COMMPROF_INTERNAL=1 adds rows where the MPI tells of its messages, a line where it does not, and changes nothing else."""

import os
import unittest

from driver import PROGRAMS, DriverTest, finish, read_csv, start_mpirun
from hosts import OPEN_MPI

SWITCH = "OMPI_MCA_pml_monitoring_enable"
TELLS = os.environ["TELLS_OF_MESSAGES"] == "1"


def binary(rank):
    """The parent in a binary tree, level by level: 0 has 1 and 2, 1 has 3 and 5, 2 has 4 and 6."""
    above = 1  # processes on the level above
    while 4 * above - 1 <= rank:
        above *= 2
    return rank - above if rank - above < 2 * above - 1 else rank - 2 * above


def in_order(rank):
    """The parent in a binomial tree where a subtree's ranks follow its root's."""
    return rank & (rank - 1)


def by_bits(rank):
    """The parent in a binomial tree where a subtree's ranks end in its root's bits."""
    return rank - (1 << rank.bit_length() - 1)


def up(parent, ranks):
    return {(rank, parent(rank)) for rank in range(1, ranks)}


def down(parent, ranks):
    return {(parent(rank), rank) for rank in range(1, ranks)}


def doubling(ranks):
    return {(rank, rank ^ 1 << far) for rank in range(ranks) for far in range((ranks - 1).bit_length())}


class Edges(DriverTest):
    """The messages of a collective are the edges of the algorithm that the MPI was told to use."""

    def check(self, expected, *words, ranks, **algorithms):
        """expected: by communicator and operation the edges, messages along each, and their bytes."""
        env = {f"OMPI_MCA_coll_tuned_{name}": str(value) for name, value in algorithms.items()}
        profile = self.start / "profile"
        done = finish(start_mpirun([PROGRAMS / "transport", *words], ranks=ranks, cwd=self.start,
                                   env={"COMMPROF_INTERNAL": "1", "COMMPROF_OUTPUT": str(profile),
                                        "OMPI_MCA_coll_tuned_use_dynamic_rules": "1"} | env))
        self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace"))
        operations = {op for _, op in expected}
        found = {}
        for row in read_csv(self.check_profile(profile, ranks=ranks) / "peers.csv"):
            if row["class"] == "internal" and row["op"] in operations:
                comm = row["comm"] if row["comm"] == "W" else "duplicates"
                messages, size = found.setdefault((comm, row["op"]), {}).get((int(row["src"]), int(row["dst"])), (0, 0))
                found[comm, row["op"]][int(row["src"]), int(row["dst"])] = messages + int(row["messages"]), size + int(row["bytes"])
        self.assertEqual(found, {key: dict.fromkeys(edges, (messages, size)) for key, (edges, messages, size) in expected.items()})
        self.remove_profile(profile)

    def test_blocking(self):
        for ranks in (4, 16):
            with self.subTest(ranks=ranks):
                self.check({("W", "Reduce"): (up(binary, ranks), 3, 3000)}, "reduce", 1000, 3, ranks=ranks, reduce_algorithm=4)
                self.check({("W", "Reduce"): (up(in_order, ranks), 3, 3000)}, "reduce", 1000, 3, ranks=ranks, reduce_algorithm=5)
                self.check({("W", "Bcast"): (down(by_bits, ranks), 3, 6000)}, "bcast", 2000, 3, ranks=ranks, bcast_algorithm=6)
                self.check({("W", "Allreduce"): (doubling(ranks), 3, 51)}, "allreduce", 17, 3, ranks=ranks, allreduce_algorithm=3)
        self.check({("W", "Reduce"): (up(binary, 4), 5, 5000)}, "reduce", 5000, 1, ranks=4, reduce_algorithm=4,
                   reduce_algorithm_segmentsize=1024)
        everybody = {(one, other) for one in range(4) for other in range(4) if one != other}
        self.check({("W", "Alltoall"): (everybody, 2, 200)}, "alltoall", 100, 2, ranks=4, alltoall_algorithm=1)

    def test_nonblocking(self):
        for ranks in (4, 16):
            with self.subTest(ranks=ranks):
                edges = up(in_order, ranks) | down(by_bits, ranks)
                self.check({("W", "Iallreduce"): (edges, 3, 300)}, "iallreduce", 100, 3, ranks=ranks)
                self.check({("W", "Allreduce_init"): (edges, 6, 240)}, "persistent", 40, 3, ranks=ranks)

    def test_several_at_once(self):
        flat, from_last = {(0, rank) for rank in range(1, 4)}, {(3, rank) for rank in range(3)}
        for words in (("pending", 10, 20), ("again", 10, 20)):
            with self.subTest(words=words):
                self.check({("W", "Ibcast"): (flat, 20, 200), ("duplicates", "Ibcast"): (from_last, 20, 400)}, *words, ranks=4)
        self.check({("W", "Allreduce"): (doubling(4), 100, 3200), ("duplicates", "Allreduce"): (doubling(4), 100, 6400)},
                   "threads", 32, 100, ranks=4, allreduce_algorithm=3)


if not OPEN_MPI:  # it has no monitoring of its own
    del Edges


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
            else:
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

    if OPEN_MPI:  # it has a monitoring of its own, and can send by neither UCX nor libfabric
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
