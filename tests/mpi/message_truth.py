"""How well waits.csv tells how long calls wait for messages: against a recorder that matches all messages of the same run."""

import unittest

from driver import DriverTest, LIBRARY, PROGRAMS, finish, start_mpirun
from recorded_messages import compare, deviations

RECORDER = PROGRAMS / "librecorded_messages.so"
# Mode, ranks, the operation and kind that must have an estimate.
RUNS = (("pipeline", 4, "Recv", "late-sender"),
        ("halo", 4, "Waitall", "late-sender"),
        ("both", 2, "Sendrecv", "late-receiver"),
        ("farm", 3, "Wait", "late-sender"),
        ("persistent", 2, "Wait", "late-sender"))


class MessageTruth(DriverTest):
    def compared(self, mode, ranks):
        records, profile = self.start / f"records-{mode}", self.start / mode
        records.mkdir()
        done = finish(start_mpirun([PROGRAMS / "message_waits", mode], ranks=ranks, cwd=self.start, preload=False,
                                   env={"COMMPROF_OUTPUT": str(profile), "MESSAGE_RECORDS": str(records)},
                                   inner_env={"LD_PRELOAD": f"{LIBRARY}:{RECORDER}"}))
        self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace"))
        return compare(profile, records)

    def test_estimates_are_near_the_truth(self):
        """Of correct estimates, one in 20 is more than two standard errors off, and few more than five: waits are skewed."""
        all_compared = []
        for mode, ranks, op, kind in RUNS:
            compared = self.compared(mode, ranks)
            truth = {key[1:]: (seconds, seconds_of_truth) for key, _, seconds, _, seconds_of_truth in compared}
            self.assertIn((op, kind), truth, compared)
            self.assertGreater(min(truth[op, kind]), 0.1, compared)  # the program sleeps for longer
            all_compared += compared
        zs = deviations(all_compared)
        self.assertLess(sum(abs(z) for z in zs) / len(zs), 2, all_compared)  # 0.8 on average
        self.assertLess(sorted(abs(z) for z in zs)[len(zs) // 2], 2, all_compared)


if __name__ == "__main__":
    unittest.main()
