"""Jobs in which some processes have no profiler, or want no profile: nobody waits for the others, and one line says so."""

import unittest

from driver import LIBRARY, PROGRAMS, DriverTest, finish, long, sample, shared_between_mpis, start_mpirun
from hosts import named_hosts

PROGRAM = PROGRAMS / "small_program"
ABSENT = "processes of this job run without the profiler: there is no profile; \"commprof mpirun …\" gives it to all"
REFUSED = "commprof: COMMPROF_ENABLE is 0 in some processes of this job: there is no profile"


class ParticipantsTest(DriverTest):
    def run_where(self, condition, ranks, setting=f"export LD_PRELOAD={LIBRARY}", **how):
        """The program, in the ranks of a condition of the shell behind a setting."""
        script = f"rank=${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}; if {condition}; then {setting}; fi; exec {PROGRAM}"
        done = finish(start_mpirun(["sh", "-c", script], ranks=ranks, cwd=self.start, **how))
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertEqual(done.stdout, b"a line on stdout\n")
        return self.lines(done)

    def check_absent(self, lines, count):
        self.assertEqual(lines, [f"commprof: {count} {ABSENT}"])
        self.assertEqual(self.found(), [])


@shared_between_mpis
class OneHost(ParticipantsTest):
    def test_some_have_no_profiler(self):
        for those, ranks, lacking in sample((("!= 1", 3, "1 of 3"), ("!= 0", 4, "1 of 4"), ("-ge 2", 5, "2 of 5")), 3):
            self.check_absent(self.run_where(f"test $rank {those}", ranks=ranks, preload=False), lacking)

    def test_one_has_the_profiler(self):
        self.check_absent(self.run_where("test $rank = 1", ranks=2, preload=False), "some")

    def test_all_have_it(self):
        lines = self.run_where("true", ranks=4, preload=False)
        self.assertEqual(len(lines), 1)
        self.check_profile(self.start / self.found()[0], ranks=4)

    def test_some_are_disabled(self):
        for rank in sample((1, 0), 2):
            lines = self.run_where(f"test $rank = {rank}", ranks=3, setting="export COMMPROF_ENABLE=0")
            self.assertEqual(len(lines), 1, lines)
            self.assertTrue(lines[0] == REFUSED or lines[0] == f"commprof: 1 of 3 {ABSENT}", lines)
            self.assertEqual(self.found(), [])

    def test_all_are_disabled(self):
        self.assertEqual(self.run_where("true", ranks=2, setting="export COMMPROF_ENABLE=0"), [])
        self.assertEqual(self.found(), [])

    def test_one_is_named(self):
        lines = self.run_where("test $rank != 1", ranks=3, setting="export COMMPROF_APPS=other")
        self.assertEqual(len(lines), 1)
        self.check_profile(self.start / self.found()[0], ranks=3)

    def test_none_is_named(self):
        self.assertEqual(self.run_where("true", ranks=3, setting="export COMMPROF_APPS=other"), [])
        self.assertEqual(self.found(), [])


@shared_between_mpis
class SeveralHosts(ParticipantsTest):
    def run_on_hosts(self, *arguments, **how):
        with named_hosts(self, "h1:2,h2:2", variables=()):
            return self.run_where(*arguments, ranks=4, **how)

    def test_a_host_without(self):
        for those in sample(("-lt 2", "-ge 2"), 2):
            self.check_absent(self.run_on_hosts(f"test $rank {those}", preload=False), "some")

    @long
    def test_a_process_without(self):
        self.check_absent(self.run_on_hosts("test $rank != 3", preload=False), "some")

    def test_all_have_it(self):
        lines = self.run_on_hosts("true", preload=False)
        self.assertEqual(len(lines), 1)
        self.check_profile(self.start / self.found()[0], ranks=4)

    @long
    def test_a_process_is_disabled(self):
        lines = self.run_on_hosts("test $rank = 3", setting="export COMMPROF_ENABLE=0")
        self.assertIn(lines, ([REFUSED], [f"commprof: some {ABSENT}"]))
        self.assertEqual(self.found(), [])


if __name__ == "__main__":
    unittest.main()
