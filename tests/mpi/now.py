"""What mpisee-through says of programs that are stuck, slow or busy, while they run and after they were killed."""

import csv
import json
import os
import re
import subprocess
import unittest
from pathlib import Path

from driver import PROGRAMS, TIMEOUT, TOOL, DriverTest, by_table, end, finish, long, over_runs, run_tool, shared_between_mpis, start_mpirun

HERE = Path(__file__).parent
RANKS = 4


def line(mark, source="stuck.c"):
    """file:line of a comment."""
    for number, text in enumerate((HERE / source).read_text().splitlines(), 1):
        if text.endswith(f"/* {mark} */") or text.endswith(f"! {mark}"):
            return f"{source}:{number}"
    raise AssertionError(mark)


def circles(look):
    return [[step["rank"] for step in one["steps"]] for one in look["stuck"] if one["circle"]]


def told(look):
    """What is said of ranks: state, operation, communicator, place."""
    found = {}
    for group in look["groups"]:
        place = group["place"] or {"file": "", "line": ""}
        where = f"{Path(place['file'].split(' < ')[0]).name}:{place['line'].split(' < ')[0]}"
        found[group["ranks"]] = (group["state"], group["operation"], group["comm"], where)
    return found


def waits(look):
    """For whom ranks wait, where that is certain."""
    return {group["ranks"]: group["waits_for"] for group in look["groups"] if group["waits_for"] and group["certain"]}


# By mode of stuck: what is said of ranks, for whom they wait, and the circles (None: it may find one or none).
SITUATIONS = {
    "skip": ({"0-1,3": ("in_mpi", "Allreduce", "W_d1", line("add up")), "2": ("in_mpi", "Recv", "W", line("receive"))},
             {"0-1,3": "2"}, [[2, 3]]),
    "order": ({"0,2": ("in_mpi", "Barrier", "W_d1", line("comm first")), "1,3": ("in_mpi", "Barrier", "W_d1_s1.0", line("next"))},
              {"0,2": "1,3", "1,3": "0,2"}, [[0, 1]]),
    "requests": ({"0-3": ("in_mpi", "Waitall", "", line("wait"))}, {}, [[0, 1, 2, 3]]),
    "any": ({"0": ("in_mpi", "Recv", "W_d1", line("receive")), "1-3": ("in_mpi", "Allreduce", "W", line("add up"))},
            {"1-3": "0"}, None),
    "slow": ({"0,2-3": ("in_mpi", "Allreduce", "W", line("add up")), "1": ("outside", "", "", line("last"))},
             {"0,2-3": "1"}, []),
    "root": ({"0-2": ("in_mpi", "Bcast", "W_d1", line("from root")), "3": ("outside", "", "", line("last"))},
             {"0-2": "3"}, []),
}


@shared_between_mpis
class Now(DriverTest):
    def start_program(self, *words, name="stuck", within=()):
        process = start_mpirun([PROGRAMS / name, *words], ranks=RANKS, cwd=self.start, env={"COMMPROF_OUTPUT": "out"}, within=within)
        self.addCleanup(lambda: process.poll() is None and end(process))
        return process

    def look(self, check):
        """The first look for which a check holds."""
        def now():
            done = run_tool("now", "--json", self.start / "out")
            self.assertEqual(done.returncode, 0, done.stderr)
            look = by_table(json.loads(done.stdout.splitlines()[-1]), True)
            check(look)
            return look
        return self.eventually(now)

    def text(self, *words):
        return " ".join(self.tool(*words, self.start / "out").split())

    def end(self, process):
        end(process)
        return self.look(lambda look: self.assertEqual(look["ended"], RANKS))

    def check_other_forms(self, look):
        """CSV and the page have the groups of JSON, in the same order."""
        groups = look["groups"]
        rows = list(csv.DictReader(self.tool("now", "--csv", self.start / "out").splitlines()))
        for key in "ranks", "state", "operation", "comm", "peer", "waits_for":
            self.assertEqual([row[key] for row in rows], [group[key] for group in groups])
        self.assertEqual([(row["file"], row["line"], row["at_least"]) for row in rows],
                         [(group["place"]["file"], group["place"]["line"], "1") for group in groups])
        if os.environ["HAS_REPORT"] != "1":
            self.tool("now", "--html", "/dev/stdout", self.start / "out", exit_code=1)
            return
        page = self.tool("now", "--html", "/dev/stdout", self.start / "out")
        (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
        ((places, *others),) = [section["tables"] for section in json.loads(data)["sections"]]
        self.assertIn("Circle of waits", str(json.loads(data)["head"]["facts"]))
        self.assertEqual([line[0] for line in places["lines"]], [group["ranks"] for group in groups])
        self.assertEqual([len(part["lines"]) for part in others], [len(part) for part in (look["waits"], look["windows"]) if part])

    def check_metrics(self, expected):
        self.tool("now", "--openmetrics", self.start / "job.prom", self.start / "out")
        metrics = dict(re.findall(r"^commprof_(\w+)\{.*\} (\S+)$", (self.start / "job.prom").read_text(), re.M))
        self.assertEqual({name: int(metrics[name]) for name in expected}, expected)
        self.assertGreaterEqual(float(metrics["quiet_seconds"]), 5 if expected["ranks_alive"] else 0)
        (self.start / "job.prom").unlink()

    def check_trace(self, first_awaited):
        """Each rank has its call, and an arrow to a rank that it waits for; processes of a trace are ranks plus 1."""
        events = json.loads(self.tool("export", "perfetto", self.start / "out"))["traceEvents"]
        calls = {event["pid"]: event["name"] for event in events if event["ph"] == "X" and event["name"].startswith("MPI_")}
        self.assertEqual({rank: calls[rank + 1].split()[0] for rank in range(RANKS)},
                         {0: "MPI_Recv", 1: "MPI_Recv", 2: "MPI_Allreduce", 3: "MPI_Allreduce"})
        ends = {event["id"]: str(event["pid"] - 1) for event in events if event["ph"] == "f"}
        awaited = {}
        for event in events:
            if event["ph"] == "s":
                awaited.setdefault(str(event["pid"] - 1), ends[event["id"]])
        self.assertEqual(awaited, first_awaited)

    def test_receives(self):
        """Ranks of a communicator in another order are world ranks for the user."""
        process = self.start_program("receives", within=("timeout", str(TIMEOUT)))
        expected = {"0-1": ("in_mpi", "Recv", "W_d1_s1.0", line("receive")), "2-3": ("in_mpi", "Allreduce", "W", line("add up"))}

        def check(look):
            self.assertEqual((told(look), waits(look).get("2-3"), circles(look)), (expected, "0-1", [[0, 1]]))
            self.assertEqual((look["ranks"], look["running"], look["ended"], look["stuck_ranks"]), (4, 4, 0, 4))
            self.assertEqual([step["peer"] for step in look["stuck"][0]["steps"]], ["from 1", "from 0"])
            self.assertTrue(look["stuck"][0]["lasting"])
        self.assertGreaterEqual(self.look(check)["stuck"][0]["seconds"], 5)
        text = self.text("now")
        self.assertIn(f"Deadlock 0 waits for 1 (Recv from 1 on W_d1_s1.0 at {line('receive')} (receive_from)), 1 waits for 0 (Recv", text)
        self.assertIn("Ranks 2-3 wait in the end for those.", text)
        self.check_metrics({"ranks": 4, "finished": 0, "ranks_alive": 4, "ranks_stuck": 4})
        look = self.end(process)
        self.check_metrics({"ranks": 4, "finished": 0, "ranks_alive": 0, "ranks_stuck": 4})
        self.check_trace({"0": "1", "1": "0", "2": "0", "3": "0"})
        self.assertEqual(circles(look), [[0, 1]])
        self.assertTrue(all(group["at_least"] for group in look["groups"]))
        self.check_other_forms(look)
        for _ in range(2):  # as it is, and recovered
            page = self.text()
            self.assertIn("When it ended", page)
            self.assertRegex(page, r"What to change 1\. (Circle of waits|Deadlock): 0 waits for 1 \(Recv from 1 on W_d1_s1.0 at stuck.c:")
            self.assertRegex(page, r"Verdict (in a circle of waits|deadlocked)[^→]*: 0 → 1 → 0\.")
            self.assertNotIn("Efficiency", page)
            data = self.data(self.start / "out")
            self.assertEqual((data["efficiencies"], data["findings"][0]["finding"]), ([], "deadlock"))
            run_tool("collect", "--recover", self.start / "out")
        calls = self.counts(self.start / "out", "comm", "op")
        self.assertEqual({of: count for of, count in calls.items() if of[1].endswith("-unfinished")},
                         {("W_d1_s1.0", "Recv-unfinished"): 2, ("W", "Allreduce-unfinished"): 2})

    def check_situation(self, how):
        self.start_program(how)
        groups, waiting, of_circles = SITUATIONS[how]

        def check(look):
            self.assertEqual((told(look), circles(look) if of_circles is not None else None), (groups, of_circles))
            self.assertEqual({ranks: waits(look).get(ranks) for ranks in waiting}, waiting)
            self.assertEqual(look["stuck_ranks"], 0 if "outside" in str(groups) else RANKS)
        return self.look(check)

    def test_collective_that_one_rank_skips(self):
        self.check_situation("skip")

    def test_collectives_in_different_order(self):
        self.check_situation("order")

    def test_slow_rank(self):
        self.check_situation("slow")
        self.assertRegex(self.text("now"), r"waiting for 1: 1 is outside MPI for [\d.]+ \S+, after stuck.c:")

    @long
    def test_requests_that_nobody_answers(self):
        self.assertEqual(self.check_situation("requests")["groups"][0]["pending"], ["8 Irecv on W_d1"])

    @long
    def test_any_source(self):
        self.assertIn("from any", [group["peer"] for group in self.check_situation("any")["groups"]])

    @long
    def test_root_that_does_not_come(self):
        self.check_situation("root")

    def check_mismatch(self, source, *words, name="stuck"):
        """Bcast of three ranks, Gather of the fourth, both the second collective call on their communicator."""
        process = self.start_program(*words, name=name)

        def check(look):
            self.assertEqual((look["stuck_ranks"], circles(look)), (RANKS, []))  # each waits for the others: told once
            self.assertEqual([(one["comm"], [(side["ranks"], side["peer"]) for side in one["sides"]]) for one in look["mismatches"]],
                             [("W_d1", [("0-2", "with root 3"), ("3", "with root 3")])])
        self.look(check)
        what = re.escape(f"On W_d1, ranks 0-2 are in Bcast with root 3 at {line('bcast', source)} (X), rank 3 is in Gather with root 3 at "
                         f"{line('gather', source)} (X): their calls have the same number among its collective calls").replace("X", r"\w+")
        self.assertRegex(self.text("now"), "Collective calls that do not match " + what)
        self.end(process)
        page = self.text()
        self.assertRegex(page, r"Verdict stuck.* in Bcast with root 3 on W_d1 at .*, while rank 3 is in Gather with root 3 on the same communicator\.")
        self.assertRegex(page, "What to change 1. Collective calls that do not match: " + what)
        self.assertNotIn("Efficiency", page)

    def test_collectives_that_do_not_match(self):
        self.check_mismatch("stuck.c", "mismatch")

    def test_collectives_that_do_not_match_in_fortran(self):
        self.check_mismatch("stuck.f90", "mismatch", name="stuck_f08")

    def test_fortran(self):
        self.start_program(name="stuck_f08")
        expected = {"0-1": ("in_mpi", "Recv", "W_d1", line("receive", "stuck.f90")), "2-3": ("in_mpi", "Barrier", "W", line("barrier", "stuck.f90"))}
        self.look(lambda look: self.assertEqual((told(look), circles(look)), (expected, [[0, 1]])))

    def test_watch(self):
        """Until the run ends; what goes on, by communicator; nobody is stuck."""
        self.assertIn("--watch: cannot be combined with --csv or --html", self.tool("now", "--watch", "--csv", self.start, exit_code=2))
        process = self.start_program("busy")
        self.look(lambda look: self.assertEqual(look["running"], RANKS))
        watching = subprocess.Popen([TOOL, "now", "--watch", "0.3", "--json", self.start / "out"], stdout=subprocess.PIPE)
        looks = [by_table(json.loads(watching.stdout.readline()), True) for _ in range(3)]
        for look in looks:
            self.assertEqual((look["running"], look["stuck"]), (RANKS, []))
        rates = {rate["comm"]: rate for rate in looks[-1]["rates"]}
        self.assertEqual(set(rates), {"W_d1"})
        self.assertAlmostEqual(rates["W_d1"]["bytes_per_s"], 8 * rates["W_d1"]["calls_per_s"])
        end(process)
        last = by_table(json.loads(watching.communicate(timeout=TIMEOUT)[0].splitlines()[-1]), True)
        self.assertEqual(last["running"] + last["ended"], RANKS)
        self.assertEqual(watching.returncode, 0)

    def test_a_program_that_does_something_else(self):
        """First it computes and adds up, 50 times; then all wait for each other. The last windows are unlike the rest."""
        process = self.start_program("turn")

        def check(look):
            self.assertTrue(look["before_and_last"])
            self.assertGreater(look["before_and_last"][1]["mpi_share"], 0.99)
            self.assertEqual(look["before_and_last"][1]["calls_per_s"], 0)
        look = self.look(check)
        before, last = look["before_and_last"]
        self.assertAlmostEqual(before["end_s"], last["begin_s"])
        self.assertGreater(before["calls_per_s"], 0)
        self.assertLess(before["mpi_share"], last["mpi_share"])
        self.assertLessEqual(len(look["windows"]), 256)
        calls = sum(one["calls_per_s"] * (one["end_s"] - one["begin_s"]) for one in look["windows"])
        self.assertGreaterEqual(round(calls), 50 * RANKS)
        text = self.tool("now", self.start / "out")
        self.assertRegex(text, r"In MPI, over [\d.]+ m?s  [▁▂▃▄▅▆▇█ ]+█\n")
        self.assertRegex(" ".join(text.split()), r"In the last [\d.]+ m?s, (100\.0|99\.\d) % in MPI and 0 calls a second; before, ")
        # The windows of the running job are those of a profile.
        job = [one for one in self.data("--when", self.start / "out")["windows"] if one["rank"] == "all"]
        self.assertEqual(sum(one["calls"] for one in job), round(calls))
        self.assertIsNone(process.poll())

    @over_runs
    def test_delays_who_has_waited_for_whose_messages_so_far(self):
        process = self.start_program("stream")

        def check(look):
            rows = [one for one in look["waits"] if (one["comm"], one["op"], one["kind"]) == ("W_d1", "Recv", "late-sender")]
            self.assertGreater(sum(row["instants"] for row in rows), 200)
        [row] = [one for one in self.look(check)["waits"] if one["kind"] == "late-sender" and one["op"] == "Recv"]
        self.assertEqual(row["caused_by"], 0, row)
        self.assertGreater(row["caused_share"], 0.4, row)
        self.assertGreater(row["wait_s"], 0.3 * row["time_s"], row)
        self.assertLess(row["unknown_share"], 0.3, row)
        self.assertRegex(self.text("now"), r"So far, \d+\.\d ± \d+\.\d % of Recv on W_d1 is waiting for late senders; rank 0 causes \d+\.\d % of it\.")
        end(process)
        subprocess.run(["rm", "-r", self.start / "out"], check=True)

    def test_nothing_to_look_at(self):
        self.assertEqual(finish(self.start_program()).returncode, 0)
        self.assertIn("a finished profile: the run is over", self.tool("now", self.start / "out", exit_code=1))


if __name__ == "__main__":
    unittest.main()
