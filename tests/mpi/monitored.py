"""Programs that read performance variables and know nothing of the profiler, with it and without."""

import os
import unittest
from pathlib import Path

from driver import DriverTest, PROGRAMS, finish, read_csv, shared_between_mpis, start_mpirun
from hosts import named_hosts

EXAMPLES = Path(os.environ["EXAMPLES"])
OURS = 4  # commprof_messages_count, _size, _calls, _time


def largest_to_each(ranks):
    """What monitored prints: rank r gets the most from the last one, the last one from the one before."""
    senders = [max((rank for rank in range(ranks) if rank != to), default=-1) for to in range(ranks)]
    return "".join(f"{to}: {sender + 1} messages, {(sender + 1) * 100 * to} bytes\n" for to, sender in enumerate(senders))


@shared_between_mpis
class Monitored(DriverTest):
    def run_words(self, *words, **how):
        """What it prints."""
        done = finish(start_mpirun(words, cwd=self.start, **how))
        self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace"))
        return done.stdout.decode()

    def test_the_messages_of_each_rank(self):
        for ranks in (1, 2, 4):
            with self.subTest(ranks=ranks):
                output = self.start / f"out-{ranks}"
                printed = self.run_words(PROGRAMS / "monitored", ranks=ranks, env={"COMMPROF_OUTPUT": str(output)})
                self.assertEqual(printed, largest_to_each(ranks))
                self.check_profile(output, ranks)

    def test_without_the_profiler_or_peers_the_mpi_is_as_it_is(self):
        for how in ({"preload": False}, {"env": {"COMMPROF_ENABLE": "0"}}, {"env": {"COMMPROF_PEERS": "0", "COMMPROF_OUTPUT": "out"}}):
            self.assertEqual(self.found(), [])
            self.assertEqual(self.run_words(PROGRAMS / "monitored", **how), "there are no such variables\n")

    def test_a_program_that_only_uses_mpi_t(self):
        def variables(**how):
            return int(self.run_words(PROGRAMS / "monitored", "list", ranks=1, **how))

        native = variables(preload=False)
        self.assertEqual(variables(), native + OURS)
        self.assertEqual(variables(env={"COMMPROF_ENABLE": "0"}), native)
        self.assertEqual(self.found(), [])

    def test_the_example_adapts_itself(self):
        # Each rank has a neighbour with many small messages and one with few large ones; 3 of 30 steps tell them apart.
        steps, measured, ranks = 30, 3, 4
        alone = self.run_words(EXAMPLES / "adaptive", steps, ranks=ranks, preload=False)
        self.assertNotIn("together", alone)
        self.assertEqual(self.run_words(EXAMPLES / "adaptive", steps, ranks=ranks, env={"COMMPROF_ENABLE": "0"}), alone)
        profiled = self.run_words(EXAMPLES / "adaptive", steps, ranks=ranks, env={"COMMPROF_OUTPUT": "out"})
        first, last = profiled.splitlines()
        self.assertEqual(first, "rank 0 sends 64 messages of 16 bytes a step to rank 1: from now on together")
        self.assertEqual(last, alone.splitlines()[-1])
        # Until then 64 messages a step to the right, then 1; always 2 to the left.
        sent = self.counts(self.start / "out", "rank", "op")
        expected = measured * 64 + (steps - measured) + steps * 2
        self.assertEqual([sent[str(rank), "Isend"] for rank in range(ranks)], [expected] * ranks)

    def test_a_program_places_itself(self):
        """Of a ring whose neighbours are apart, two places are left where it goes from host to host."""
        steps, ranks = 50, 8
        first, message = 5, 8 * 1000
        alone = self.run_words(EXAMPLES / "reorder", steps, ranks=ranks, preload=False)
        self.assertRegex(alone, rf"^{steps} steps, sum [0-9.]+\n$")
        with named_hosts(self, "h1:4,h2:4"):
            profiled = self.run_words(EXAMPLES / "reorder", steps, ranks=ranks, env={"COMMPROF_OUTPUT": str(self.start / "out")})
        line, rest = profiled.split("\n", 1)
        self.assertEqual(rest, alone)
        # Parts are five apart: all but the pairs 0-3, 1-4, 2-5 ... within a half of the ranks are on two hosts.
        between = 2 * sum(part // 4 != (part + 5) % ranks // 4 for part in range(ranks)) * message
        self.assertEqual(line, f"to other hosts: {between} bytes a step, then {2 * 2 * message}")
        host = {row["rank"]: row["host"] for row in read_csv(self.start / "out" / "ranks.csv")}
        sent = sum(int(row["bytes"]) for row in read_csv(self.start / "out" / "peers.csv")
                   if row["class"] == "p2p" and int(row["size_min"]) <= message <= int(row["size_max"]) and host[row["src"]] != host[row["dst"]])
        moved = sent - first * between - (steps - first) * 4 * message
        self.assertTrue(0 < moved <= ranks * message and moved % message == 0, moved)  # the parts themselves


if __name__ == "__main__":
    unittest.main()
