"""How well waits.csv tells how long calls wait for messages: against the counter, whose messages of the same run are all matched."""

import unittest

from driver import DriverTest, LIBRARY, PROGRAMS, finish, start_mpirun
from waiting import compare, deviations

COUNTER = PROGRAMS / "libcounter.so"
# Mode, ranks, the operation and kind that must have an estimate.
RUNS = (("pipeline", 4, "Recv", "late-sender"),
        ("halo", 4, "Waitall", "late-sender"),
        ("both", 2, "Sendrecv", "late-receiver"),
        ("farm", 3, "Wait", "late-sender"),
        ("persistent", 2, "Wait", "late-sender"))


class MessageTruth(DriverTest):
    def compared(self, mode, ranks):
        records, counted, profile = (self.start / f"{mode}{what}" for what in ("-messages", "-counted", ""))
        records.mkdir()
        counted.mkdir()
        done = finish(start_mpirun([PROGRAMS / "message_waits", mode], ranks=ranks, cwd=self.start, preload=False,
                                   env={"COMMPROF_OUTPUT": str(profile), "COUNTER_OUTPUT": str(counted), "COUNTER_MESSAGES": str(records)},
                                   inner_env={"LD_PRELOAD": f"{COUNTER}:{LIBRARY}"}))
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
