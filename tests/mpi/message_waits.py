"""Who waits for whose message: the rows of a profile, and what they say, against the counter, whose messages of the same run are all matched."""

import unittest

from driver import LIBRARY, PROGRAMS, DriverTest, over_runs, read_csv, shared_between_mpis
from hosts import named_hosts
from waiting import compare

COUNTER = PROGRAMS / "libcounter.so"
LATE_SENDER, LATE_RECEIVER = "late-sender", "late-receiver"
# A row is a mode of message_waits, its ranks, and (operation, kind, who is waited for, who is the cause); None: nobody alone is.
ESTIMATES = (
    ("pipeline", 4, ("Recv", LATE_SENDER, None, 0)),
    ("halo", 4, ("Waitall", LATE_SENDER, None, 1)),
    ("mixed", 2, ("Waitall", LATE_SENDER, 0, None)),
    ("many_requests", 2, ("Waitall", LATE_SENDER, 0, None)),
    ("any_and_some", 2, ("Waitany", LATE_SENDER, 0, None), ("Waitsome", LATE_SENDER, 0, None)),
    ("exchanges", 2, ("Sendrecv_replace", LATE_SENDER, 0, None)),
    ("late_receiver", 2, ("Send", LATE_RECEIVER, 1, 1)),
    ("eager", 2, ("Recv", LATE_SENDER, None, None)),
    ("farm", 4, ("Wait", LATE_SENDER, None, None)),
    ("persistent", 2, ("Wait", LATE_SENDER, 0, None)),
    ("cancelled", 2, ("Sendrecv", LATE_SENDER, 0, None), ("Sendrecv", LATE_RECEIVER, 0, None)),
    ("probes", 2, ("Probe", LATE_SENDER, 0, None), ("Mprobe", LATE_SENDER, 0, None)),
    ("paused", 2, ("Recv", LATE_SENDER, 0, None)),
    ("communicators", 4, ("Recv", LATE_SENDER, 0, None)),
    ("threads", 2, ("Recv", LATE_SENDER, 0, None)),
    ("many_tags", 2, ("Recv", LATE_SENDER, 0, None)),
)


@shared_between_mpis
class MessageWaits(DriverTest):
    def run_program(self, *words, ranks=4, program="message_waits", exit_code=0, **env):
        self.profile = self.profile_of(PROGRAMS / program, *words, ranks=ranks, exit_code=exit_code, env=env)
        if exit_code is None:  # it was killed
            self.wait_until_ended(self.profile)
        return self.profile

    def recover(self):
        self.tool("collect", "--recover", self.profile)
        self.assertEqual(self.run_json(self.profile)["unfinished"]["problems"], [])

    def rows(self, op=None, kind=LATE_SENDER, file="waits.csv"):
        """Of an operation, the longest first."""
        rows = [row for row in read_csv(self.profile / file) if row["kind"] == kind and op in (None, row["op"])]
        return sorted(rows, key=lambda row: -float(row.get("time_s", 0)))

    def check_instants(self, row, whom=None, cause=None):
        self.assertGreaterEqual(int(row["instants"]), 30, row)
        if whom is not None:
            self.assertEqual(int(row["last_rank"]), whom, row)
            self.assertGreater(float(row["last_share"]), 0.6, row)
        if cause is not None:
            self.assertEqual(int(row["caused_by"]), cause, row)
            self.assertGreater(float(row["caused_share"]), 0.3, row)

    # What holds however long anything takes: rows and names.

    def test_rows_of_a_pipeline(self):
        self.run_program("pipeline")
        for row in self.rows("Recv", file="waits_by_pair.csv"):
            self.assertEqual(int(row["for_rank"]), int(row["rank"]) - 1, row)
        self.assertEqual({row["rank"] for row in self.rows("Recv", file="waits_by_rank.csv")}, {"1", "2", "3"})
        waited = {}
        for row in read_csv(self.profile / "waits_by_rank.csv"):
            if row["op"] != "Finalize":
                waited[row["rank"]] = waited.get(row["rank"], 0) + float(row["wait_s"])
        for row in read_csv(self.profile / "ranks.csv"):
            self.assertAlmostEqual(float(row["waiting_s"]), waited.get(row["rank"], 0), delta=1e-6)
        for options in ["--waits"], ["--ranks"], []:
            self.tool(self.profile, *options)

    def test_rows_of_a_killed_pipeline_without_the_file_of_a_rank(self):
        """Rank 2 waits for rank 1 alone: whether it did is unknown."""
        self.run_program("pipeline", "killed", exit_code=None)
        (self.profile / "spool" / "1.spool").unlink()
        self.recover()
        self.assertEqual({row["rank"] for row in self.rows("Recv", file="waits_by_rank.csv")}, {"3"})
        self.assertGreater(float(self.rows("Recv")[0]["unknown_share"]), 0)

    def test_rows_of_fortran(self):
        self.run_program(ranks=2, program="message_waits_f08")
        for op in "Recv", "Wait", "Waitall":
            self.assertGreater(int(self.rows(op)[0]["instants"]), 0)

    def test_communicators_without_rows(self):
        self.run_program("folded", ranks=2, COMMPROF_MAX_COMMS="1")
        self.assertEqual({row["comm"] for row in self.rows("Recv")}, {"W", "W_d1"})
        # After a receive that has failed, it is not known what later ones wait for.
        self.run_program("truncated", ranks=2)
        self.assertEqual({row["comm"] for row in self.rows("Recv")}, {"W_d1"})
        self.run_program("pipeline", ranks=2, COMMPROF_WAITS="0")
        self.assertEqual(self.rows(), [])

    def test_a_rank_that_waits_in_another_call_is_the_one_waited_for(self):
        self.run_program("in_barrier")
        row = self.rows("Recv")[0]
        self.assertEqual((row["last_rank"], float(row["last_share"])), ("2", 1), row)
        self.assertTrue(row["caused_by"] != "2" or float(row["caused_share"]) < 0.9, row)  # it is late between its calls only

    # Real delays.

    @over_runs
    def test_delays_a_rank_that_waits_in_another_call_is_not_the_cause(self):
        for mode, *killed in ("in_barrier",), ("in_barrier", "killed"), ("in_pause",):
            self.run_program(mode, *killed, exit_code=None if killed else 0)
            if killed:
                self.recover()
            row = self.rows("Recv")[0]
            self.check_instants(row, whom=2, cause=3 if mode == "in_barrier" else None)
            if mode == "in_pause":
                self.assertLess(float(row["caused_share"] or 0), 0.4, row)
            self.assertNotIn("let rank 2", " ".join(self.tool(self.profile).split()))

    @over_runs
    def test_delays_a_request_that_sends_and_receives_waits_for_its_source(self):
        for killed in (), ("killed",):
            self.run_program("exchanges", *killed, exit_code=None if killed else 0)
            if killed:
                self.recover()
            self.check_instants(self.rows("Wait")[0], cause=0)

    @over_runs
    def test_delays_fortran_and_threads_of_one_stream(self):
        for program, *words in ("message_waits_f08",), ("message_waits", "one_stream"):
            self.run_program(*words, ranks=2, program=program)
            row = self.rows("Recv")[0]
            self.check_instants(row, whom=0)
            self.assertGreater(float(row["wait_s"]) / float(row["time_s"]), 0.3, row)

    @over_runs
    def test_delays_a_small_message_does_not_wait_for_its_receive(self):
        self.run_program("eager", ranks=2)
        for row in self.rows(kind=LATE_RECEIVER):
            self.assertLess(float(row["wait_s"]), 0.05, row)

    @over_runs
    def test_delays_requests_are_pending_while_the_process_computes(self):
        self.run_program("overlap", ranks=2)
        pending = [line.split() for line in self.done.stdout.decode().splitlines() if line.startswith("pending ")]
        self.assertEqual(len(pending), 2)
        for _, op, seconds, share in pending:
            row = self.rows(op, "pending")[0]
            time, wait, error = (float(row[column]) for column in ("time_s", "wait_s", "wait_error_s"))
            self.check_instants(row)
            self.assertAlmostEqual(time / float(seconds), 1, delta=0.3, msg=row)
            self.assertAlmostEqual(wait / time, float(share), delta=4 * error / time + 0.02, msg=row)

    @over_runs
    def test_delays_killed_processes_leave_how_long_they_waited(self):
        for mode, ranks, op, kind, cause, how in (("pipeline", 4, "Recv", LATE_SENDER, 0, "killed"), ("farm", 4, "Wait", LATE_SENDER, None, "killed"),
                                                  ("late_receiver", 2, "Send", LATE_RECEIVER, 1, "killed"), ("pipeline", 4, "Recv", LATE_SENDER, None, "alarm")):
            self.run_program(mode, how, ranks=ranks, exit_code=None)
            self.recover()
            row = self.rows(op, kind)[0]
            self.check_instants(row, cause=cause)
            self.assertLess(float(row["unknown_share"]), 0.1, row)
            self.assertGreater(float(row["wait_s"]) / float(row["time_s"]), 0.05, row)

    @over_runs
    def test_delays_several_hosts(self):
        """Each host has a name and, where the system lets us, a clock of its own."""
        for clock, *killed in ("tsc",), ("monotonic",), ("tsc", "killed"), ("monotonic", "killed"):
            with named_hosts(self, "h1:2,h2:2", variables=("COMMPROF_OUTPUT", "COMMPROF_CLOCK"), own_clocks=True):
                self.run_program("pipeline", *killed, exit_code=None if killed else 0, COMMPROF_CLOCK=clock)
            if killed:
                self.recover()
            self.assertEqual({row["host"] for row in read_csv(self.profile / "ranks.csv")}, {"h1", "h2"})
            row = self.rows("Recv")[0]
            self.check_instants(row, cause=0)
            self.assertGreater(float(row["wait_s"]) / float(row["time_s"]), 0.5, row)

    def check_estimates(self, mode, ranks, *wanted):
        """Estimates are within four of their standard errors, and the one waited for and the cause are known."""
        records, counted = self.start / "messages", self.start / "counted"
        for directory in records, counted:
            directory.mkdir(exist_ok=True)
            for file in directory.iterdir():
                file.unlink()
        self.profile = self.profile_of(PROGRAMS / "message_waits", mode, ranks=ranks, preload=False, inner_env={"LD_PRELOAD": f"{COUNTER}:{LIBRARY}"},
                                       env={"COUNTER_OUTPUT": str(counted), "COUNTER_MESSAGES": str(records)})
        compared = compare(self.profile, records)
        for op, kind, whom, cause in wanted:
            found = [one for one in compared if one[0][1:] == (op, kind)]
            self.assertTrue(found, compared)
            for _, _, seconds, error, truth in found:
                self.assertGreater(truth, 0.1, found)  # the program rests for longer
                self.assertAlmostEqual(seconds, truth, delta=4 * error + 0.02 * truth, msg=found)
            self.check_instants(self.rows(op, kind)[0], whom, cause)


def estimate(mode, ranks, *wanted):
    return over_runs(lambda self: self.check_estimates(mode, ranks, *wanted))


def rows_of_requests_that_send_and_receive(self):
    self.run_program("by_request")
    pairs = [(int(row["for_rank"]), int(row["rank"])) for row in self.rows("Wait", file="waits_by_pair.csv")]
    self.assertIn((0, 1), pairs)
    self.assertEqual([(before + 1) % 4 for before, _ in pairs], [rank for _, rank in pairs])


# Both MPIs take it: one alone has such requests.
MessageWaits.test_rows_of_requests_that_send_and_receive = rows_of_requests_that_send_and_receive
for case in ESTIMATES:
    setattr(MessageWaits, f"test_delays_estimates_of_{case[0]}_on_{case[1]}", estimate(*case))

if __name__ == "__main__":
    unittest.main()
