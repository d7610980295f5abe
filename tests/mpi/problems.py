"""The first page of mpisee-through names the problem that a program has, and none where there is none."""

import csv
import os
import re
import shlex
import subprocess
import unittest
from pathlib import Path

from driver import DriverTest, TIMEOUT, TOOL, clean_environment, finish, long, read_csv, start_mpirun

EXAMPLES = Path(os.environ["EXAMPLES"])
HAS_NETWORK = os.environ["HAS_NETWORK"] == "1"  # the tool has the command `place`
RANKS = 4


def rank_rows(ranks):
    """Each rank begins a row."""
    return [rf"^ *{rank}\b" for rank in ranks]


def rank_after(words):
    return lambda fact: rank_rows(re.findall(rf"{words}\D*(\d+)", fact))


def lines_of_code(fact):
    return [re.escape(line) for line in re.findall(r"problems\.c:\d+", fact)]


def what_dominates(fact):
    """Of an operation that dominates: for whom it waits, the sizes in the words of the table, or the ranks that it compares."""
    awaited = re.search(r"waiting for (late senders|late receivers)", fact)
    if awaited:
        return [rf" of {fact.split()[0]} on W .* is waiting for {awaited[1]}[;.]"]
    sizes = re.findall(r"; ([\d-]+ B|\d+ [KMG]iB to <\d+ [KMG]iB) a call", fact)
    return [re.escape(size) for size in sizes] or rank_after("[;,] rank")(fact) or lines_of_code(fact)


# By rule, what a fact names that the command below it must show: patterns of lines.
NAMED = {
    "processors": lambda fact: rank_rows(range(RANKS)),
    "mapping": lambda fact: [r"^The proposal costs \d", r"^ +Between hosts +\d"],
    "change": rank_after("; rank"),
    "slower-rank": rank_after(", rank"),
    "uneven-work": rank_after("outside MPI, rank"),
    "waiting": rank_after("; rank"),
    # Where it is not measured: from those named last to those named first.
    "late-senders": lambda fact: [r"^W +Recv +late senders "] if "for late senders" in fact else [r"^ *0 +2\b", r"^ *1 +3\b"],
    "late-receivers": lambda fact: [r"^W +Send +late receivers "],
    "communicator-churn": lines_of_code,
    "tiny-messages": lambda fact: [re.search(r"most of ([\d-]+ B)", fact)[1]],
    "polling": lines_of_code,
    "tiny-collectives": lambda fact: [r"^ +Allreduce +8-15 B"],
    "window-churn": lines_of_code,
    "paired-barriers": lines_of_code,
    "files": lines_of_code,
    "dominant-operation": what_dominates,
}


class Problems(DriverTest):
    def look(self, *arguments):
        environment = clean_environment() | {"LC_ALL": "C.UTF-8", "PATH": f"{Path(TOOL).parent}:{os.environ['PATH']}"}
        return subprocess.run(["mpisee-through", *arguments], cwd=self.start, env=environment, timeout=TIMEOUT,
                              capture_output=True, text=True)

    def forget_processors(self, profile):
        """As if there had been a processor for each rank, whatever runs beside this test."""
        self.edit_ranks(profile, lambda row: row.update(queued_s="0", cpu_s=row["wall_s"]))

    def edit_ranks(self, profile, edit):
        rows = read_csv(profile / "ranks.csv")
        for row in rows:
            edit(row)
        with open(profile / "ranks.csv", "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)

    def profile_of(self, problem, **environment):
        done = finish(start_mpirun([EXAMPLES / "problems", problem], ranks=RANKS, cwd=self.start,
                                   env={"COMMPROF_OUTPUT": str(self.start / "profile")} | environment))
        self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace"))
        profile = self.check_profile(self.start / "profile", ranks=RANKS)
        self.forget_processors(profile)
        return profile

    def findings(self, profile):
        """By rule. What each says is on the page for people, too, and its command has an answer."""
        page = self.look("--width", "100", profile)
        self.assertEqual((page.returncode, page.stderr), (0, ""))
        self.assertLessEqual(len(page.stdout.splitlines()), 50, page.stdout)
        facts = self.look("--csv", profile)
        self.assertEqual((facts.returncode, facts.stderr), (0, ""))
        found = {}
        for row in csv.DictReader(facts.stdout.splitlines()):
            if row["about"] == "finding":
                found.setdefault(row["name"], {})[row["quantity"]] = row["value"]
        in_one_line = " ".join(page.stdout.split())
        for rule, finding in found.items():
            for quantity in () if "may_follow_from" in finding else ("fact",) if "explained_by" in finding else ("fact", "try", "more"):
                self.assertIn(" ".join(finding[quantity].split()), in_one_line)
            words = shlex.split(finding["more"])[1:]
            if words[0] == "place" and not HAS_NETWORK:
                continue
            more = self.look(*([] if words[0] == "place" else ["--width", "200"]), *words)  # place has no bars to widen
            self.assertEqual((more.returncode, more.stderr), (0, ""), finding["more"])
            self.check_carries_on(rule, finding, more.stdout)
        return found

    def check_carries_on(self, rule, finding, more):
        """The command of a finding shows what the fact names: a rank in a row of its own, a line of code, a pair, a size."""
        named = NAMED[rule](finding["fact"])
        self.assertTrue(named, finding["fact"])
        for pattern in named:
            self.assertRegex(more, re.compile(pattern, re.MULTILINE), finding["more"])

    def finding(self, problem, rule, runs=1, **environment):
        """runs: as many as it may take to see it, where other processes on the machine hide it."""
        for _ in range(runs):
            profile = self.profile_of(problem, **environment)
            found = self.findings(profile)
            self.remove_profile(profile)
            if rule in found:
                return found[rule]["fact"]
        self.fail(f"{rule} is not in {found}")

    def test_slow_rank(self):
        fact = self.finding("slow-rank", "uneven-work")
        self.assertIn("outside MPI, rank 3 spends", fact)
        self.assertRegex(fact, r"of Allreduce on W \(4 ranks\) at problems\.c:\d+ is waiting for all to come; "
                               r"rank 3 comes last in \d+\.\d % of the calls")

    @long
    def test_a_rank_that_becomes_slow(self):
        """For 1.6 s of 10 ms steps, then for 1.6 s of 40 ms steps."""
        fact = self.finding("slowed-rank", "change", runs=4)
        begin = re.match(r"From (\d+) % of the run on \(since [\d:]+ UTC\), the share of MPI is .*; rank 3 computes [34]\.\d times as long", fact)
        self.assertTrue(begin, fact)
        self.assertTrue(40 <= int(begin[1]) <= 60, fact)

    @long
    def test_a_rank_that_is_slow_for_a_while(self):
        """From 1 s for 1 s, of 3 s."""
        fact = self.finding("burst", "change", runs=4)
        part = re.match(r"From (\d+) % to (\d+) % of the run \(.*\), the share of MPI is .*; rank 3 computes [34]\.\d times as long", fact)
        self.assertTrue(part, fact)
        self.assertTrue(25 <= int(part[1]) <= 43 and 60 <= int(part[2]) <= 78, fact)

    @long
    def test_a_rank_that_becomes_slow_and_makes_nobody_wait(self):
        """For 1.6 s of tasks of 10 ms, then for 1.6 s of tasks of 40 ms."""
        fact = self.finding("slowed-worker", "slower-rank", runs=4)
        begin = re.match(r"From (\d+) % of the run on \(since [\d:]+ UTC\), rank 3 computes [34]\.\d times as long between calls \(", fact)
        self.assertTrue(begin, fact)
        self.assertTrue(40 <= int(begin[1]) <= 60, fact)

    @long
    def test_growing_imbalance(self):
        profile = self.profile_of("growing-imbalance")
        found = self.findings(profile)
        self.assertIn("uneven-work", found)
        self.assertNotIn("change", found)
        self.remove_profile(profile)

    @long
    def test_two_phases(self):
        profile = self.profile_of("two-phases")
        self.assertNotIn("change", self.findings(profile))
        self.remove_profile(profile)

    @long
    def test_slow_rank_by_durations(self):
        """Of a profile that does not know who waited, how long the ranks take tells it."""
        fact = self.finding("slow-rank", "uneven-work", COMMPROF_WAITS="0")
        self.assertIn("outside MPI, rank 3 spends", fact)
        self.assertIn("In Allreduce on W, rank 3 spends", fact)
        self.assertIn("it arrives last", fact)

    def test_late_senders(self):
        fact = self.finding("late-senders", "late-senders")
        self.assertRegex(fact, r"of Recv on W \(4 ranks\) at problems\.c:\d+ is waiting for late senders; rank [01] causes ")

    def test_late_receivers(self):
        fact = self.finding("late-receivers", "late-receivers")
        self.assertRegex(fact, r"of Send on W \(4 ranks\) is waiting for late receivers, [\d.]+ % of it at problems\.c:\d+; rank \d causes ")

    @long
    def test_late_senders_of_equal_work(self):
        fact = self.finding("sends-last", "late-senders")
        self.assertRegex(fact, r"of Recv on W \(4 ranks\) is waiting for late senders, [\d.]+ % of it at problems\.c:\d+; rank \d causes ")

    @long
    def test_late_senders_by_times(self):
        """Of a profile that does not know who waited, the times of ranks and their messages tell it."""
        fact = self.finding("late-senders", "late-senders", COMMPROF_WAITS="0")
        self.assertIn("Ranks 2-3 spend", fact)
        self.assertIn("100.0 % of the messages to them come from ranks 0-1", fact)

    @long
    def test_tiny_messages(self):
        fact = self.finding("tiny-messages", "tiny-messages")
        # 4 ranks, 30 steps of 100 messages of 8 bytes: 96,000 B
        self.assertIn("12,000 messages on W carry 93.75 KiB: 100.0 % of them are below 256 B, most of 8-15 B, "
                      "and take 100.0 % of the time of calls that carry messages.", fact)

    def test_communicator_churn(self):
        fact = self.finding("communicator-churn", "communicator-churn")
        self.assertRegex(fact, r"Each rank calls Comm_dup on W at problems\.c:\d+ 150 times and frees 100\.0 % of what it "
                               r"makes, after 1\.0 calls on each")

    def test_window_churn(self):
        fact = self.finding("window-churn", "window-churn")
        self.assertRegex(fact, r"Each rank makes 300 windows on W \(Win_create at problems\.c:\d+\) and frees 100\.0 % of them")

    def test_files(self):
        fact = self.finding("files", "files")
        # 4 ranks write 20,000 numbers of 8 B each: 640,000 B
        self.assertRegex(fact, r"Calls on files take \d+\.\d % of the wall time, .* They write 625\.0 KiB, 8 B a call, ")

    @long
    def test_bad_mapping(self):
        profile = self.profile_of("bad-mapping")
        self.assertNotIn("mapping", self.findings(profile))  # on one host, there is nothing to map
        # From here on, the profile says that ranks 0 and 1 ran on one host and ranks 2 and 3 on another.
        self.edit_ranks(profile, lambda row: row.update(host=f"node{int(row['rank']) // 2}"))
        fact = self.findings(profile)["mapping"]["fact"]
        # 4 ranks, 50 messages of 256 KiB each, all of them to the other host
        self.assertIn("100.0 % of the bytes of messages (50.00 MiB of 50.00 MiB) cross hosts; with ranks dealt to the hosts "
                      "in turn, 0.0 % of them would.", fact)
        self.remove_profile(profile)

    @long
    def test_polling(self):
        fact = self.finding("polling", "polling", runs=3)
        self.assertRegex(fact, r" calls of Test on W at problems\.c:\d+ find nothing, ")

    @long
    def test_dominant_operation(self):
        # On a loaded machine much of it is waiting, which would be the finding.
        fact = self.finding("dominant-operation", "dominant-operation", COMMPROF_WAITS="0")
        # 4 blocks of 16 KiB
        self.assertRegex(fact, r"Alltoall on W \(4 ranks\) at problems\.c:\d+ takes ")
        self.assertIn("64 KiB to <128 KiB a call", fact)

    @long
    def test_taking_turns(self):
        fact = self.finding("taking-turns", "waiting")
        self.assertRegex(fact, r"of Allreduce on W \(4 ranks\) at problems\.c:\d+ is waiting for all to come")

    @long
    def test_one_processor_for_all(self):
        """Four ranks that compute on one processor wait for it, whatever else they do."""
        done = finish(start_mpirun(["taskset", "-c", min(os.sched_getaffinity(0)), EXAMPLES / "problems", "--work", "stencil"],
                                   ranks=RANKS, cwd=self.start, env={"COMMPROF_OUTPUT": str(self.start / "profile")}))
        self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace"))
        profile = self.check_profile(self.start / "profile", ranks=RANKS)
        fact = self.findings(profile)["processors"]["fact"]
        self.assertRegex(fact, r"Ranks waited for a processor during \d+\.\d % of the time and got \d+\.\d % of one: "
                               r"4 ranks share 1 processor of host .*\. The time in MPI, \d+\.\d % of the wall time, may come from this\.")
        self.remove_profile(profile)

    def test_no_problem(self):
        profile = self.profile_of("none")
        self.assertEqual(self.findings(profile), {})
        self.assertIn("No findings", self.look(profile).stdout)
        self.remove_profile(profile)


if __name__ == "__main__":
    unittest.main()
