"""Only what is asked for: COMMPROF_OPS and COMMPROF_COMMS leave rows out, and change nothing about those that stay."""

import collections
import fnmatch
import json
import os
import re
import shutil
import unittest

from driver import DriverTest, PROGRAMS, finish, read_csv, run_tool, sample, shared_between_mpis, start_mpirun

RANKS = 4
TELLS_OF_MESSAGES = os.environ["TELLS_OF_MESSAGES"] == "1"
COMMS = {"W", "SELF", "W_s1.0", "W_s1.2", "W_d2", "SELF_d1"}
SIZES = {"W": 4, "SELF": 1, "W_s1.0": 2, "W_s1.2": 2, "W_d2": 4, "SELF_d1": 1}
# What the program sends: (communicator, class, source, destination) by the operation that counts it, with its messages.
RIGHT = [(rank, (rank + 1) % RANKS) for rank in range(RANKS)]
MESSAGES = [("Isend", "W", "p2p", pair, 7) for pair in RIGHT]
MESSAGES += [("Send", "W", "p2p", pair, 3) for right in RIGHT for pair in (right, right[::-1])]
MESSAGES += [("Put", "W", "rma", pair, 3) for pair in RIGHT]
MESSAGES += [("Startall", "W_d2", "p2p", pair, 2) for pair in RIGHT]
MESSAGES += [("Sendrecv_replace", half, "p2p", pair, 5)
             for half, a, b in (("W_s1.0", 0, 1), ("W_s1.2", 2, 3)) for pair in ((a, b), (b, a))]


def is_wanted(items, names):
    """names(pattern): whether a pattern names it"""
    wanted = [item for item in items if not item.startswith("-")]
    return (not wanted or any(map(names, wanted))) and not any(names(item[1:]) for item in items if item.startswith("-"))


def is_counted(op, comm, ops, comms):
    def names_comm(pattern):
        if not pattern[0].isdigit():
            return fnmatch.fnmatchcase(comm, pattern)
        least, dash, most = pattern.partition("-")
        return int(least) <= SIZES[comm] <= (int(most) if most else RANKS if dash else int(least))
    return (is_wanted(ops.split(","), lambda pattern: fnmatch.fnmatchcase(op.lower(), pattern.lower()))
            and is_wanted(comms.split(","), names_comm))


@shared_between_mpis
class LeftOut(DriverTest):
    @classmethod
    def setUpClass(cls):
        cls.everything = None

    def run_program(self, *words, exit_code=0, **env):
        profile = self.start / "out"
        shutil.rmtree(profile, ignore_errors=True)
        done = finish(start_mpirun([PROGRAMS / "left_out", *words], ranks=RANKS, cwd=self.start, env={"COMMPROF_OUTPUT": "out"} | env))
        self.assertEqual(done.returncode == 0, exit_code == 0, done.stderr.decode(errors="replace"))
        return done, profile

    def counts(self, profile):
        """all that is counted but times, by where"""
        counts = collections.Counter()
        for row in read_csv(profile / "operations.csv"):
            place = tuple(row[column] for column in ("comm", "comm_size", "rank", "op", "size_min", "site"))
            for column in ("calls", "bytes_sent", "bytes_received"):
                counts[*place, column] += int(row[column])
        return counts

    def of_everything(self):
        """The counts and the communicators of a run in which nothing is left out."""
        if self.everything is None:
            _, profile = self.run_program()
            type(self).everything = self.counts(profile), read_csv(profile / "communicators.csv")
        return self.everything

    def check(self, ops="*", comms="*", **env):
        everything, communicators = self.of_everything()
        self.assertEqual({row["comm"] for row in communicators}, COMMS)
        wanted = {place: count for place, count in everything.items() if is_counted(place[3], place[0], ops, comms)}
        self.assertLess(len(wanted), len(everything))  # else nothing is tried here
        done, profile = self.run_program(COMMPROF_OPS=ops, COMMPROF_COMMS=comms, **env)
        self.assertEqual(self.counts(profile), wanted)
        self.assertEqual(read_csv(profile / "communicators.csv"), communicators)
        messages = collections.Counter()
        for op, comm, kind, pair, number in MESSAGES:
            if is_counted(op, comm, ops, comms):
                messages[comm, kind, *pair] += number
        found = collections.Counter()
        for row in read_csv(profile / "peers.csv"):
            found[row["comm"], row["class"], int(row["src"]), int(row["dst"])] += int(row["messages"])
        self.assertEqual(found, messages)
        isends = 7 if is_counted("Isend", "W", ops, comms) else 0
        self.assertEqual(done.stdout.decode().split(), [str(isends)] * RANKS)
        run = json.loads((profile / "run.json").read_text())
        self.assertEqual({name: count for name, count in run["dropped"].items() if count}, {})
        self.assertAlmostEqual(sum(float(row["time_s"]) for row in read_csv(profile / "operations.csv")),
                               sum(float(row["mpi_s"]) for row in read_csv(profile / "ranks.csv")), places=6)
        for name, text in (("operations", ops), ("communicators", comms)):
            items = text.split(",")
            expected = {"only": [item for item in items if item[0] != "-"], "without": [item[1:] for item in items if item[0] == "-"]}
            self.assertEqual(run["left_out"][name], None if text == "*" else expected)
        return profile

    def test_operations(self):
        for ops in sample(("-Send,-Startall,-*replace", "-Isend", "-Send", "*send*,-isend", "-Put", "Waitall,Put", "-*init", "-W*", "-Allreduce"), 3):
            with self.subTest(ops):
                self.check(ops)

    def test_communicators(self):
        for comms in sample(("-1", "2", "3-", "1-2", "W*", "-W", "W_s*,1", "*,-W_?*", "-2-4"), 3):
            with self.subTest(comms):
                self.check(comms=comms)

    def test_both(self):
        self.check("*all,*send*,Put", "-2")

    def test_requests_of_both_sides(self):
        """A receive that is left out is completed by a call that counts, and the other way round."""
        profile = self.check("-Irecv")
        self.assertEqual(sum(int(row["calls"]) for row in read_csv(profile / "operations.csv") if row["op"] == "Waitall"), RANKS * 9)
        profile = self.check("-Waitall")
        received = sum(int(row["bytes_received"]) for row in read_csv(profile / "operations.csv") if row["op"] == "Irecv")
        self.assertEqual(received, RANKS * 7 * 16)

    def test_nothing_at_all(self):
        profile = self.check("-*")
        self.assertEqual(read_csv(profile / "operations.csv") + read_csv(profile / "peers.csv"), [])
        self.assertEqual({row["mpi_s"] for row in read_csv(profile / "ranks.csv")}, {"0.000000000"})

    def test_the_tool_says_so(self):
        _, profile = self.run_program(COMMPROF_OPS="-MPI_Send,-Barrier", COMMPROF_COMMS="-1")
        for view in ([], ["--operations"]):
            shown = run_tool(*view, profile)
            self.assertIn(b"\nLeft out   operations MPI_Send, Barrier; communicators of size 1; their time is not in MPI's (COMMPROF_OPS, COMMPROF_COMMS)\n",
                          shown.stdout, shown.stderr)
        _, profile = self.run_program()
        self.assertNotIn(b"Left out", run_tool(profile).stdout)

    def test_what_makes_no_sense_is_told_and_ignored(self):
        everything, _ = self.of_everything()
        done, profile = self.run_program(COMMPROF_OPS="Snd,-Rcv", COMMPROF_COMMS="5-2,-4x", COMMPROF_VERBOSE="0")
        self.assertEqual(self.lines(done), [
            "commprof: COMMPROF_OPS: no operation matches 'Snd': it is ignored",
            "commprof: COMMPROF_OPS: no operation matches 'Rcv': it is ignored",
            "commprof: COMMPROF_COMMS: '5-2' is neither a size, such as 4, 2- or 2-64, nor a name: it is ignored",
            "commprof: COMMPROF_COMMS: '4x' is neither a size, such as 4, 2- or 2-64, nor a name: it is ignored"])
        self.assertEqual(self.counts(profile), everything)
        self.assertEqual(json.loads((profile / "run.json").read_text())["left_out"], {"operations": None, "communicators": None})

    def test_an_aborted_run(self):
        for ops, is_there in (("*", True), ("-Irecv,-*barrier", False)):
            with self.subTest(ops):
                _, profile = self.run_program("abort", exit_code=3, COMMPROF_OPS=ops)
                shown = run_tool("--operations", profile).stdout
                self.assertIn(b"Unfinished", shown)
                self.assertIn(b"Waitall", shown)
                self.assertEqual(re.search(rb"\bIrecv\b(?!,)", shown.split(b"their time", 1)[-1]) is not None, is_there, shown)
                self.assertEqual(b"\nLeft out   operations Irecv, *barrier;" in shown, not is_there)

    def test_internal_messages(self):
        if not TELLS_OF_MESSAGES:
            self.skipTest("this MPI tells nothing")

        def internal(ops):
            _, profile = self.run_program(COMMPROF_OPS=ops, COMMPROF_INTERNAL="1", OMPI_MCA_coll="^sm")
            return {row["op"] for row in read_csv(profile / "peers.csv") if row["class"] == "internal"}
        everything = internal("*")
        self.assertLess({"Allreduce", "Ibarrier"}, everything)
        self.assertEqual(internal("-Allreduce"), everything - {"Allreduce"})
        self.assertEqual(internal("Ibarrier"), {"Ibarrier"})


if __name__ == "__main__":
    unittest.main()
