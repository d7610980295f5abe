"""Only what is asked for: COMMPROF_OPS and COMMPROF_COMMS leave rows out, and change nothing about those that stay."""

import collections
import fnmatch
import os
import re
import unittest

from driver import PROGRAMS, DriverTest, read_csv, sample, shared_between_mpis

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
    everything = None

    def run_program(self, *words, exit_code=0, **env):
        return self.profile_of(PROGRAMS / "left_out", *words, ranks=RANKS, exit_code=exit_code, env=env)

    def counted(self, profile):
        """All that is counted but times, by where."""
        place = ("comm", "comm_size", "rank", "op", "size_min", "site")
        return [self.counts(profile, *place, count=count) for count in ("calls", "bytes_sent", "bytes_received")]

    def of_everything(self):
        """The counts and the communicators of a run in which nothing is left out."""
        if self.everything is None:
            profile = self.run_program()
            type(self).everything = self.counted(profile), read_csv(profile / "communicators.csv")
        return self.everything

    def check(self, ops="*", comms="*"):
        everything, communicators = self.of_everything()
        self.assertEqual({row["comm"] for row in communicators}, COMMS)
        wanted = [{place: count for place, count in counts.items() if is_counted(place[3], place[0], ops, comms)} for counts in everything]
        self.assertLess(len(wanted[0]), len(everything[0]))  # else nothing is tried here
        profile = self.run_program(COMMPROF_OPS=ops, COMMPROF_COMMS=comms)
        self.assertEqual(self.counted(profile), wanted)
        self.assertEqual(read_csv(profile / "communicators.csv"), communicators)
        messages = collections.Counter()
        for op, comm, kind, pair, number in MESSAGES:
            if is_counted(op, comm, ops, comms):
                messages[comm, kind, *map(str, pair)] += number
        self.assertEqual(self.counts(profile, "comm", "class", "src", "dst", count="messages", file="peers.csv"), messages)
        isends = 7 if is_counted("Isend", "W", ops, comms) else 0
        self.assertEqual(self.done.stdout.decode().split(), [str(isends)] * RANKS)
        run = self.run_json(profile)
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
            self.check(ops)

    def test_communicators(self):
        for comms in sample(("-1", "2", "3-", "1-2", "W*", "-W", "W_s1.*,1", "*,-W_?*", "-2-4"), 3):
            self.check(comms=comms)

    def test_both(self):
        self.check("*all,*send*,Put", "-2")
        profile = self.check("-*")
        self.assertEqual({row["mpi_s"] for row in read_csv(profile / "ranks.csv")}, {"0.000000000"})

    def test_requests_of_both_sides(self):
        """A receive that is left out is completed by a call that counts, and the other way round."""
        self.assertEqual(self.counts(self.check("-Irecv"), "op")["Waitall",], RANKS * 9)
        self.assertEqual(self.counts(self.check("-Waitall"), "op", count="bytes_received")["Irecv",], RANKS * 7 * 16)

    def test_the_tool_says_so(self):
        said = "\nLeft out   by COMMPROF_OPS=-MPI_Send,-Barrier; the time of these calls is not in MPI's\n" \
               "Left out   by COMMPROF_COMMS=-1; the time of these calls is not in MPI's\n"
        profile = self.run_program(COMMPROF_OPS="-MPI_Send,-Barrier", COMMPROF_COMMS="-1")
        for view in ([], ["--operations"]):
            self.assertIn(said, self.tool(*view, profile))
        for ops, is_there in (("*", True), ("-Irecv,-*barrier", False)):
            profile = self.run_program("abort", exit_code=None, COMMPROF_OPS=ops)
            self.assertNotEqual(self.done.returncode, 0)
            shown = self.tool("--operations", profile)
            self.assertIn("Unfinished", shown)
            self.assertIn("Waitall", shown)
            self.assertEqual(re.search(r"\bIrecv\b(?!,)", shown.split("the time of these calls", 1)[-1]) is not None, is_there, shown)
            self.assertEqual("\nLeft out   by COMMPROF_OPS=-Irecv,-*barrier;" in shown, not is_there)

    def test_what_makes_no_sense_is_told_and_ignored(self):
        everything, _ = self.of_everything()
        profile = self.run_program(COMMPROF_OPS="Snd,-Rcv", COMMPROF_COMMS="5-2,-4x", COMMPROF_VERBOSE="0")
        self.assertEqual(self.lines(self.done), [
            "commprof: COMMPROF_OPS: no operation matches 'Snd': it is ignored",
            "commprof: COMMPROF_OPS: no operation matches 'Rcv': it is ignored",
            "commprof: COMMPROF_COMMS: '5-2' is neither a size, such as 4, 2- or 2-64, nor a name: it is ignored",
            "commprof: COMMPROF_COMMS: '4x' is neither a size, such as 4, 2- or 2-64, nor a name: it is ignored"])
        self.assertEqual(self.counted(profile), everything)
        self.assertEqual(self.run_json(profile)["left_out"], {"operations": None, "communicators": None})

    @unittest.skipUnless(TELLS_OF_MESSAGES, "this MPI tells nothing of its messages")
    def test_internal_messages(self):
        def internal(ops):
            profile = self.run_program(COMMPROF_OPS=ops, COMMPROF_INTERNAL="1", OMPI_MCA_coll="^sm")
            return {row["op"] for row in read_csv(profile / "peers.csv") if row["class"] == "internal"}
        everything = internal("*")
        self.assertLess({"Allreduce", "Ibarrier"}, everything)
        self.assertEqual(internal("-Allreduce"), everything - {"Allreduce"})
        self.assertEqual(internal("Ibarrier"), {"Ibarrier"})


if __name__ == "__main__":
    unittest.main()
