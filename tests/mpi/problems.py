"""The first page of mpisee-through names the problem that a program has, and none where there is none."""

import csv
import os
import re
import shlex
import subprocess
import unittest
from pathlib import Path

from driver import TIMEOUT, TOOL, DriverTest, clean_environment, over_runs, read_csv

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
    """Of an operation that dominates: the sizes in the words of the table, or else its place."""
    sizes = re.findall(r"; ([\d-]+ B|\d+ [KMG]iB to <\d+ [KMG]iB) a call", fact)
    return [re.escape(size) for size in sizes] or lines_of_code(fact) or [fact.split()[0]]


# By rule, what a fact names that the command below it must show: patterns of lines.
NAMED = {
    "processors": lambda fact: rank_rows(range(RANKS)),
    "mapping": lambda fact: [r"^The proposal costs \d", r"^ +Between hosts +\d"],
    "change": rank_after(", rank"),
    "uneven-work": rank_after(": rank"),
    "waiting": lambda fact: [r"^W\S* +\w+ +all to come "],
    "late-senders": lambda fact: [r"^W +\S+ +late senders "],
    "late-receivers": lambda fact: [r"^W +\S+ +late receivers "],
    "no-progress": lambda fact: [r"^W\S* +\w+ +others to enter MPI "],
    "communicator-churn": lines_of_code,
    "tiny-messages": lambda fact: [re.search(r"most of ([\d-]+ B)", fact)[1]],
    "polling": lines_of_code,
    "tiny-collectives": lambda fact: [r"^ +Allreduce +8-15 B"],
    "window-churn": lines_of_code,
    "paired-barriers": lines_of_code,
    "files": lines_of_code,
    "dominant-operation": what_dominates,
}


def late(rule, what):
    return rule, rf"of {what} on W \(4 ranks\)( at problems\.c:\d+)? is waiting for {rule.replace('-', ' ')}[;,]"


SLOW = r"rank 3 computes [34]\.\d times as long"
# By problem: the rule that finds it, and what the fact says. 4 ranks, 30 steps of 100 messages of 8 bytes are 96,000 B; 4 ranks write 20,000 numbers.
FOUND = {
    "slow-rank": ("waiting", r"of Allreduce on W \(4 ranks\) at problems\.c:\d+ is waiting for all to come; rank 3 causes \d+\.\d % of it"),
    "slowed-rank": ("change", rf"^From ([45]\d|60) % of the run on \(since [\d:]+ UTC\), {SLOW} between calls \("),
    "burst": ("change", rf"^From (2[5-9]|3\d|4[0-3]) % to (6\d|7[0-8]) % of the run \(.*\), {SLOW}"),
    "slowed-worker": ("change", rf"^From ([45]\d|60) % of the run on \(since [\d:]+ UTC\), {SLOW} between calls \("),
    "growing-imbalance": ("uneven-work", r"; the difference grows from \d[\d.]* ms in the first third of the run to "),
    "one-stop": ("uneven-work", r"; most of the difference comes at once, between \d[\d.]* ms and "),
    "slow-stage": ("uneven-work", r"; rank 0 ends \d[\d.]* m?s before the last one"),
    "late-senders": late("late-senders", "Recv"),
    "late-receivers": late("late-receivers", "Send"),
    "sends-last": late("late-senders", "Recv"),
    "tiny-messages": ("tiny-messages", r"12,000 messages on W carry 93\.75 KiB, 8 B on average: 100\.0 % of them are in calls that carry less than 256 B, most of 8-15 B, "),
    "communicator-churn": ("communicator-churn", r"Each rank calls Comm_dup on W at problems\.c:\d+ 150 times and frees 100\.0 % of what it "
                                                 r"makes, after 1\.0 calls on each"),
    "window-churn": ("window-churn", r"Each rank makes 300 windows on W \(Win_create at problems\.c:\d+\) and frees 100\.0 % of them"),
    "files": ("files", r"Calls on files take \d+\.\d % of the ranks' time, .* 80,000 calls write 625\.0 KiB, 8 B a call, "),
    "polling": ("late-senders", r"of Test-none on W \(4 ranks\) at problems\.c:\d+ is waiting for late senders; rank 0 causes "),
    "taking-turns": ("waiting", r"of Allreduce on W \(4 ranks\) at problems\.c:\d+ is waiting for all to come"),
}
# Profiles that do not tell who waited say it by the times of ranks. 64 KiB: four blocks of 16.
FOUND_BY_TIMES = {
    "slow-rank": ("uneven-work", r": rank 3 computes "),
    "dominant-operation": ("dominant-operation", r"Alltoall on W \(4 ranks\) at problems\.c:\d+ takes .*64 KiB to <128 KiB a call"),
}
NO_CHANGE = ("growing-imbalance", "one-stop", "slow-stage", "two-phases")


class Problems(DriverTest):
    def look(self, *arguments, columns=100):
        environment = clean_environment() | {"COLUMNS": str(columns), "LC_ALL": "C.UTF-8", "PATH": f"{Path(TOOL).parent}:{os.environ['PATH']}"}
        done = subprocess.run(["mpisee-through", *arguments], cwd=self.start, env=environment, timeout=TIMEOUT, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        return done.stdout

    def edit_ranks(self, profile, edit):
        rows = read_csv(profile / "ranks.csv")
        for row in rows:
            edit(row)
        with open(profile / "ranks.csv", "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)

    def profile_of_problem(self, problem, within=(), forgets=True, **environment):
        """forgets: as if there had been a processor for each rank, whatever runs beside this test."""
        profile = self.check_profile(self.profile_of(*within, EXAMPLES / "problems", *problem.split(), ranks=RANKS, env=environment), ranks=RANKS)
        if forgets:
            self.edit_ranks(profile, lambda row: row.update(queued_s="0", queued_outside_s="0", queued_inside_s="0", cpu_s=row["wall_s"]))
        return profile

    def findings(self, profile):
        """By rule. What each says is on the page for people, too, and its command has an answer."""
        page = self.look(profile, columns=100)
        self.assertLessEqual(len(page.splitlines()), 50, page)
        found = {}
        for row in csv.DictReader(self.look("--csv", profile).splitlines()):
            if row["about"] == "finding":
                found.setdefault(row["name"], {})[row["quantity"]] = row["value"]
        in_one_line = " ".join(page.split())
        for rule, finding in found.items():
            is_below = "may_follow_from" in finding or "explained_by" in finding  # then the page has its first clause
            said = [re.split(r"; |\. ", finding["fact"])[0]] if is_below else [finding[one] for one in ("fact", "try", "more")]
            for words in said:
                self.assertIn(" ".join(words.split()), in_one_line)
            words = shlex.split(finding["more"])[1:]
            if words[0] == "place" and not HAS_NETWORK:
                continue
            more = self.look(*words, columns=200)
            named = NAMED[rule](finding["fact"])
            self.assertTrue(named, finding["fact"])
            for pattern in named:  # the command shows what the fact names: a rank in a row of its own, a line of code, a pair, a size
                self.assertRegex(more, re.compile(pattern, re.MULTILINE), finding["more"])
        return found

    def check_found(self, problem, rule, fact, **environment):
        found = self.findings(self.profile_of_problem(problem, **environment))
        self.assertIn(rule, found)
        self.assertRegex(found[rule]["fact"], re.compile(fact, re.DOTALL))

    def test_the_pages_of_a_problem(self):
        """Whatever is found on a busy machine, the page is short, and each command that it names has an answer."""
        self.findings(self.profile_of_problem("communicator-churn"))

    @over_runs
    def test_delays_no_change(self):
        for problem in NO_CHANGE:
            self.assertNotIn("change", self.findings(self.profile_of_problem(problem)))

    @over_runs
    def test_delays_bad_mapping(self):
        profile = self.profile_of_problem("bad-mapping")
        self.assertNotIn("mapping", self.findings(profile))  # on one host, there is nothing to map
        # From here on, the profile says that ranks 0 and 1 ran on one host and ranks 2 and 3 on another.
        self.edit_ranks(profile, lambda row: row.update(host=f"node{int(row['rank']) // 2}"))
        # 4 ranks, 50 messages of 256 KiB each, all of them to the other host
        self.assertIn("100.0 % of the bytes of messages (50.00 MiB of 50.00 MiB) cross hosts; with ranks dealt to the hosts "
                      "in turn, 0.0 % of them would.", self.findings(profile)["mapping"]["fact"])

    @over_runs
    def test_delays_one_processor_for_all(self):
        """Four ranks that compute on one processor wait for it, whatever else they do."""
        profile = self.profile_of_problem("--work stencil", ("taskset", "-c", min(os.sched_getaffinity(0))), forgets=False)
        self.assertRegex(self.findings(profile)["processors"]["fact"],
                         r"anks? .*ready to run but had no processor \d+\.\d % of their time: 4 ranks share 1 processor of host ")

    @over_runs
    def test_delays_no_problem(self):
        profile = self.profile_of_problem("none")
        self.assertEqual(self.findings(profile), {})
        self.assertIn("No findings", self.look(profile))


def finds(problem, rule, fact, **environment):
    return over_runs(lambda self: self.check_found(problem, rule, fact, **environment))


for problem, found in FOUND.items():
    setattr(Problems, f"test_delays_{problem}", finds(problem, *found))
for problem, found in FOUND_BY_TIMES.items():
    setattr(Problems, f"test_delays_{problem}_by_times", finds(problem, *found, COMMPROF_WAITS="0"))

if __name__ == "__main__":
    unittest.main()
