"""Jobs in which some processes have no profiler, or want no profile: nobody waits for the others, and one line says so."""

import subprocess
import unittest

from driver import LIBRARY, MPIEXEC, PROGRAMS, DriverTest, finish, sample, shared_between_mpis, start_mpirun
from hosts import named_hosts

ABSENT = "processes of this job run without the profiler: there is no profile; \"commprof mpirun …\" gives it to all"
PRELOAD, DISABLE, APPS = f"LD_PRELOAD={LIBRARY}", "COMMPROF_ENABLE=0", "COMMPROF_APPS=other"
WHOLE = "a profile"  # of all processes, and the line that says where
# The ranks that have a setting, the number of ranks, the setting, and what is said.
ONE_HOST = (
    ("-ge 2", 5, PRELOAD, f"commprof: 2 of 5 {ABSENT}"), ("!= 1", 3, PRELOAD, f"commprof: 1 of 3 {ABSENT}"), ("= 1", 2, PRELOAD, f"commprof: some {ABSENT}"),
    ("!= 0", 4, PRELOAD, f"commprof: 1 of 4 {ABSENT}"), ("-ge 0", 4, PRELOAD, WHOLE),
    ("= 1", 3, DISABLE, f"commprof: 1 of 3 {ABSENT}"), ("= 0", 3, DISABLE, f"commprof: 1 of 3 {ABSENT}"), ("-ge 0", 2, DISABLE, None),
    ("!= 1", 3, APPS, WHOLE), ("-ge 0", 3, APPS, None),
)
TWO_HOSTS = (
    ("-lt 2", 4, PRELOAD, f"commprof: some {ABSENT}"), ("-ge 0", 4, PRELOAD, WHOLE), ("-ge 2", 4, PRELOAD, f"commprof: some {ABSENT}"),
    ("!= 3", 4, PRELOAD, f"commprof: some {ABSENT}"), ("!= 0", 4, PRELOAD, f"commprof: some {ABSENT}"), ("= 3", 4, DISABLE, f"commprof: some {ABSENT}"),
)


@shared_between_mpis
class Participants(DriverTest):
    def check(self, those, ranks, setting, *says):
        script = f"rank=${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}; if test $rank {those}; then export {setting}; fi; exec {PROGRAMS}/small_program"
        done = finish(start_mpirun(["sh", "-c", script], ranks=ranks, cwd=self.start, preload=setting != PRELOAD))
        self.assertEqual((done.returncode, done.stdout), (0, b"a line on stdout\n"), done.stderr.decode())
        profiles = [self.start / name for name in self.found() if name.startswith("commprof-")]
        self.assertEqual(len(profiles), 1 if says == (WHOLE,) else 0)
        for profile in profiles:
            self.remove_profile(self.check_profile(profile, ranks=ranks))
        self.assertIn(WHOLE if profiles and len(self.lines(done)) == 1 else "\n".join(self.lines(done)) or None, says)

    def test_one_host(self):
        for case in ONE_HOST:
            self.check(*case)

    def test_a_pid_namespace_for_each_rank(self):
        """As in a container for each: Hydra's ranks do not see its process, and have its port alone in common, if that."""
        apart = ["unshare", "--map-root-user", "--pid", "--fork", "--mount-proc"]
        if "openmpi" in " ".join(MPIEXEC):
            self.skipTest("Open MPI's shared memory does not get along with equal pids")
        if subprocess.run([*apart, "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("the system makes no namespaces for this user")
        # Debian's UCX sends long messages between such ranks by TCP, and then hangs in MPI_Finalize: of 8 runs without the profiler that send 10,000 bytes, in 4.
        done = finish(start_mpirun([*apart, PROGRAMS / "small_program"], ranks=3, cwd=self.start, inner_env={"UCX_TLS": "^tcp"}))
        self.assertEqual((done.returncode, done.stdout), (0, b"a line on stdout\n"), done.stderr.decode())
        (profile,) = (self.start / name for name in self.found() if name.startswith("commprof-"))
        self.remove_profile(self.check_profile(profile, ranks=3))

    def test_two_hosts(self):
        with named_hosts(self, "h1:2,h2:2", variables=()):
            for case in sample(TWO_HOSTS, 2):
                self.check(*case)


if __name__ == "__main__":
    unittest.main()
