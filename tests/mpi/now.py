"""What mpisee-through says of programs that are stuck, slow or busy, while they run and after they were killed."""

import csv
import json
import os
import re
import subprocess
import time
import unittest
from pathlib import Path

from driver import DriverTest, PROGRAMS, TIMEOUT, end, finish, long, read_csv, run_tool, shared_between_mpis, start_mpirun

HERE = Path(__file__).parent
RANKS = 4


def line(mark, source="stuck.c"):
    """file:line of a comment."""
    for number, text in enumerate((HERE / source).read_text().splitlines(), 1):
        if text.endswith(f"/* {mark} */") or text.endswith(f"! {mark}"):
            return f"{source}:{number}"
    raise AssertionError(mark)


@shared_between_mpis
class Now(DriverTest):
    def start_program(self, *words, name="stuck", within=()):
        process = start_mpirun([PROGRAMS / name, *words], ranks=RANKS, cwd=self.start, env={"COMMPROF_OUTPUT": "out"}, within=within)
        self.addCleanup(lambda: process.poll() is None and end(process))
        return process

    def look(self, *options):
        done = run_tool("now", "--json", *options, self.start / "out")
        return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 and done.stdout else None

    def wait_for(self, is_there):
        """The first look that is as it should be."""
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            look = self.look()
            if look is not None and is_there(look):
                return look
            time.sleep(0.1)
        self.fail(f"not seen; at last {look}")

    def groups(self, look):
        """ranks -> (state, operation, communicator, file:line)"""
        found = {}
        for group in look["groups"]:
            place = group["place"] or {"file": "", "line": ""}
            where = f"{Path(place['file'].split(' < ')[0]).name}:{place['line'].split(' < ')[0]}"
            found[group["ranks"]] = (group["state"], group["operation"], group["comm"], where)
        return found

    def seen(self, look, **expected):
        """Whether all ranks are in what is expected: r0_to_1=… stands for ranks 0,1."""
        return self.groups(look) == {ranks[1:].replace("_to_", "-").replace("_", ","): what for ranks, what in expected.items()}

    def waits(self, look, ranks):
        (group,) = [group for group in look["groups"] if group["ranks"] == ranks]
        return group["waits_for"], group["certain"]

    def circles(self, look):
        return [[step["rank"] for step in one["steps"]] for one in look["stuck"] if one["circle"]]

    def text(self, *words):
        done = run_tool(*words, self.start / "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode()

    def check_other_forms(self, look):
        """CSV and the page have the groups of JSON, in the same order."""
        groups = look["groups"]
        rows = list(csv.DictReader(self.text("now", "--csv").splitlines()))
        for key in "ranks", "state", "operation", "comm", "peer", "waits_for":
            self.assertEqual([row[key] for row in rows], [group[key] for group in groups])
        self.assertEqual([(row["file"], row["line"], row["at_least"]) for row in rows],
                         [(group["place"]["file"], group["place"]["line"], "1") for group in groups])
        done = run_tool("now", "--html", self.start / "out")
        if os.environ["HAS_REPORT"] != "1":
            self.assertEqual((done.returncode, done.stdout), (1, b""))
            return
        (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', done.stdout.decode(), re.DOTALL)
        places, *others = map(json.loads, data.splitlines())
        self.assertIn("Circle of waits", places["head"])
        self.assertEqual([line[0] for line in places["table"]["lines"]], [group["ranks"] for group in groups])
        self.assertEqual([len(part["table"]["lines"]) for part in others], [len(part) for part in (look["waits"], look["windows"]) if part])

    def test_watching_is_for_text_and_json(self):
        done = run_tool("now", "--watch", "--csv", self.start)
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"--watch: cannot be combined with --csv or --html", done.stderr)

    def test_receives(self):
        """Ranks of a communicator in another order are world ranks for the user."""
        process = self.start_program("receives", within=("timeout", str(TIMEOUT)))
        receive, all_of_world = ("in_mpi", "Recv", "W_d1_s1.0", line("receive")), ("in_mpi", "Allreduce", "W", line("add up"))
        look = self.wait_for(lambda look: self.seen(look, r0_to_1=receive, r2_to_3=all_of_world))
        self.assertEqual((look["ranks"], look["running"], look["ended"], look["stuck_ranks"]), (4, 4, 0, 4))
        self.assertEqual(self.circles(look), [[0, 1]])
        self.assertEqual([step["peer"] for step in look["stuck"][0]["steps"]], ["from 1", "from 0"])
        self.assertEqual(self.waits(look, "2-3"), ("0-1", True))
        look = self.wait_for(lambda look: look["stuck"][0]["lasting"])
        self.assertGreaterEqual(look["stuck"][0]["seconds"], 5)
        text = " ".join(self.text("now").split())
        self.assertIn(f"Deadlock 0 waits for 1 (Recv from 1 on W_d1_s1.0 at {line('receive')} (receive_from)), 1 waits for 0 (Recv", text)
        self.assertIn("Ranks 2-3 wait in the end for those.", text)
        # mpirun ends with its time limit.
        end(process)
        look = self.wait_for(lambda look: look["ended"] == RANKS)
        self.assertEqual(self.circles(look), [[0, 1]])
        self.assertTrue(all(group["at_least"] for group in look["groups"]))
        self.check_other_forms(look)
        for _ in range(2):  # as it is, and recovered
            page = self.text()
            self.assertIn("When it ended", page)
            self.assertRegex(" ".join(page.split()), r"Findings 1\. (Circle of waits|Deadlock): 0 waits for 1 \(Recv from 1 on W_d1_s1.0 at stuck.c:")
            self.assertRegex(" ".join(page.split()), r"Verdict (in a circle of waits|deadlocked)[^→]*: 0 → 1 → 0\.")
            self.assertNotIn("Efficiency", page)
            data = json.loads(run_tool("--json", self.start / "out").stdout)
            self.assertEqual((data["efficiency"], data["findings"][0]["finding"]), (None, "deadlock"))
            run_tool("--recover", self.start / "out")
        calls = {(row["comm"], row["op"]): row["calls"] for row in read_csv(self.start / "out" / "summary.csv") if row["level"] == "operation"}
        self.assertEqual({of: int(count) for of, count in calls.items() if of[1].endswith("-unfinished")},
                         {("W_d1_s1.0", "Recv-unfinished"): 2, ("W", "Allreduce-unfinished"): 2})
        self.assertIn("run.json", os.listdir(self.start / "out"))

    def test_collective_that_one_rank_skips(self):
        self.start_program("skip")
        look = self.wait_for(lambda look: self.seen(look, r0_to_1_3=("in_mpi", "Allreduce", "W_d1", line("add up")),
                                                    r2=("in_mpi", "Recv", "W", line("receive"))))
        self.assertEqual(self.waits(look, "0-1,3"), ("2", True))
        self.assertEqual(self.circles(look), [[2, 3]])

    def test_collectives_in_different_order(self):
        self.start_program("order")
        look = self.wait_for(lambda look: self.seen(look, r0_2=("in_mpi", "Barrier", "W_d1", line("comm first")),
                                                    r1_3=("in_mpi", "Barrier", "W_d1_s1.0", line("next"))))
        self.assertEqual(self.waits(look, "0,2"), ("1,3", True))
        self.assertEqual(self.waits(look, "1,3"), ("0,2", True))
        self.assertEqual(self.circles(look), [[0, 1]])
        self.assertEqual(look["stuck_ranks"], 4)

    def check_mismatch(self, source, *words, name="stuck"):
        """Bcast of three ranks, Gather of the fourth, both the second collective call on their communicator."""
        process = self.start_program(*words, name=name)
        look = self.wait_for(lambda look: look["mismatches"] and look["stuck_ranks"] == RANKS)
        (one,) = look["mismatches"]
        self.assertEqual(one["comm"], "W_d1")
        self.assertEqual([(side["ranks"], side["peer"]) for side in one["sides"]], [("0-2", "with root 3"), ("3", "with root 3")])
        self.assertEqual(self.circles(look), [])  # each waits for the others: told once
        what = (f"On W_d1, ranks 0-2 are in Bcast with root 3 at {line('bcast', source)} (X), rank 3 is in Gather with root 3 at "
                f"{line('gather', source)} (X): their calls have the same number among its collective calls")
        self.assertRegex(" ".join(self.text("now").split()), "Collective calls that do not match " + re.escape(what).replace("X", r"\w+"))
        end(process)
        self.wait_for(lambda look: look["ended"] == RANKS)
        page = " ".join(self.text().split())
        self.assertRegex(page, r"Verdict stuck.* in Bcast with root 3 on W_d1 at .*, while rank 3 is in Gather with root 3 on the same communicator\.")
        self.assertRegex(page, "Findings 1. Collective calls that do not match: " + re.escape(what).replace("X", r"\w+"))
        self.assertNotIn("Efficiency", page)

    def test_collectives_that_do_not_match(self):
        self.check_mismatch("stuck.c", "mismatch")

    def test_collectives_that_do_not_match_in_fortran(self):
        self.check_mismatch("stuck.f90", "mismatch", name="stuck_f08")

    @long
    def test_requests_that_nobody_answers(self):
        self.start_program("requests")
        look = self.wait_for(lambda look: self.seen(look, r0_to_3=("in_mpi", "Waitall", "", line("wait"))))
        self.assertEqual(self.circles(look), [[0, 1, 2, 3]])
        self.assertEqual(look["groups"][0]["pending"], ["8 Irecv on W_d1"])

    @long
    def test_any_source(self):
        self.start_program("any")
        look = self.wait_for(lambda look: self.seen(look, r0=("in_mpi", "Recv", "W_d1", line("receive")),
                                                    r1_to_3=("in_mpi", "Allreduce", "W", line("add up"))))
        self.assertEqual(look["groups"][[group["ranks"] for group in look["groups"]].index("0")]["peer"], "from any")
        self.assertEqual(self.waits(look, "1-3"), ("0", True))
        self.assertEqual(look["stuck_ranks"], 4)

    def test_slow_rank(self):
        self.start_program("slow")
        look = self.wait_for(lambda look: self.seen(look, r0_2_to_3=("in_mpi", "Allreduce", "W", line("add up")),
                                                    r1=("outside", "", "", line("last"))))
        self.assertEqual(self.waits(look, "0,2-3"), ("1", True))
        self.assertEqual((look["stuck"], look["stuck_ranks"]), ([], 0))
        self.assertRegex(" ".join(self.text("now").split()), r"waiting for 1: 1 is outside MPI for [\d.]+ \S+, after stuck.c:")

    @long
    def test_root_that_does_not_come(self):
        self.start_program("root")
        look = self.wait_for(lambda look: self.seen(look, r0_to_2=("in_mpi", "Bcast", "W_d1", line("from root")),
                                                    r3=("outside", "", "", line("last"))))
        self.assertEqual(self.waits(look, "0-2"), ("3", True))
        self.assertEqual(look["stuck"], [])

    def test_fortran(self):
        self.start_program(name="stuck_f08")
        look = self.wait_for(lambda look: self.seen(look, r0_to_1=("in_mpi", "Recv", "W_d1", line("receive", "stuck.f90")),
                                                    r2_to_3=("in_mpi", "Barrier", "W", line("barrier", "stuck.f90"))))
        self.assertEqual(self.circles(look), [[0, 1]])

    def test_watch(self):
        """Until the run ends; what goes on, by communicator; nobody is stuck."""
        process = self.start_program("busy")
        self.wait_for(lambda look: look["running"] == RANKS)
        watching = subprocess.Popen([os.environ["MPISEE_THROUGH"], "now", "--watch", "0.3", "--json", self.start / "out"],
                                                  stdout=subprocess.PIPE)
        looks = [json.loads(watching.stdout.readline()) for _ in range(3)]
        for look in looks:
            self.assertEqual((look["running"], look["stuck"]), (RANKS, []))
        rates = {rate["comm"]: rate for rate in looks[-1]["rates"]}
        self.assertEqual(set(rates), {"W_d1"})
        self.assertAlmostEqual(rates["W_d1"]["bytes_per_s"], 8 * rates["W_d1"]["calls_per_s"])
        end(process)
        last = json.loads(watching.communicate(timeout=TIMEOUT)[0].splitlines()[-1])
        self.assertEqual(last["running"] + last["ended"], RANKS)
        self.assertEqual(watching.returncode, 0)

    def test_a_program_that_does_something_else(self):
        """First it computes and adds up, 50 times; then all wait for each other. The last windows are unlike the rest."""
        process = self.start_program("turn")
        look = self.wait_for(lambda look: look["last"] and look["last"]["mpi_share"] > 0.99 and look["last"]["calls_per_s"] == 0)
        begin, end = look["last"]["begin_s"], look["last"]["end_s"]
        self.assertAlmostEqual(look["before"]["end_s"], begin)
        self.assertGreaterEqual(15 * (end - begin), 0.8 * begin)  # a sixteenth
        self.assertGreater(look["before"]["calls_per_s"], 0)
        self.assertLess(look["before"]["mpi_share"], look["last"]["mpi_share"])
        windows = look["windows"]
        self.assertTrue(100 < len(windows) <= 256, len(windows))
        calls = sum(one["calls_per_s"] * (one["end_s"] - one["begin_s"]) for one in windows)
        text = self.text("now")
        self.assertRegex(text, r"In MPI, over [\d.]+ m?s  [▁▂▃▄▅▆▇█ ]+█\n")
        self.assertRegex(" ".join(text.split()), r"In the last [\d.]+ m?s, (100\.0|99\.\d) % in MPI and 0 calls a second; before, ")
        # The windows of the running job are those of a profile.
        done = run_tool("--when", "--json", self.start / "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        [job] = [one for one in json.loads(done.stdout)["ranks"] if one["rank"] == "all"]
        self.assertEqual(sum(one["calls"] for one in job["windows"]), round(calls))
        self.assertGreaterEqual(calls, 50 * RANKS)
        self.assertIsNone(process.poll())

    def test_who_has_waited_for_whose_messages_so_far(self):
        process = self.start_program("stream")
        def told(look):
            return [one for one in look["waits"] if (one["comm"], one["op"], one["kind"]) == ("W_d1", "Recv", "late-sender")
                    and one["instants"] > 200]
        [row] = told(self.wait_for(told))
        self.assertEqual(row["caused_by"], 0, row)
        self.assertGreater(row["caused_share"], 0.4, row)
        self.assertGreater(row["wait_s"], 0.3 * row["time_s"], row)
        self.assertLess(row["unknown_share"], 0.3, row)
        text = " ".join(self.text("now").split())
        self.assertRegex(text, r"So far, \d+\.\d ± \d+\.\d % of Recv on W_d1 is waiting for late senders; rank 0 causes \d+\.\d % of it\.")
        self.assertIsNone(process.poll())

    def test_nothing_to_look_at(self):
        process = self.start_program()
        self.assertEqual(finish(process).returncode, 0)
        done = run_tool("now", self.start / "out")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"a finished profile: the run is over", done.stderr)


if __name__ == "__main__":
    unittest.main()
