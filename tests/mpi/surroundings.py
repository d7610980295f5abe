"""Programs in which much else goes on: they print and return what they do without the profiler, and are profiled."""

import ctypes.util
import os
import shutil
import unittest
from pathlib import Path

from driver import LIBRARY, PROGRAMS, DriverTest, finish, read_csv, shared_between_mpis, start_mpirun

SYSTEM, LIBASAN = os.environ["SYSTEM"], os.environ["LIBASAN"]
JEMALLOC = ctypes.util.find_library("jemalloc")


@shared_between_mpis
class Surroundings(DriverTest):
    def run_words(self, words, ranks, preloads, env):
        """Returns exit code, output in an order of its own, and the profiler's lines."""
        inner = {"LD_PRELOAD": ":".join(map(str, preloads))} if preloads else {}
        done = finish(start_mpirun(words, ranks=ranks, preload=False, inner_env=inner | (env or {}), cwd=self.start,
                                   env={"COMMPROF_OUTPUT": str(self.start / "profile")}))
        return done.returncode, sorted(done.stdout.splitlines()), self.lines(done), done.stderr.decode(errors="replace")

    def compare(self, program, *arguments, ranks=2, beside=(), behind=(), lines=1, env=None, further=()):
        """Runs it with and without the profiler, between other preloaded libraries. Returns the operations of the profile.

        further: what it prints only with the profiler, since another library waits for that.
        """
        words = [PROGRAMS / program, *arguments]
        plain = self.run_words(words, ranks, [*beside, *behind], env)
        profiled = self.run_words(words, ranks, [*beside, LIBRARY, *behind], env)
        self.assertEqual(profiled[:2], (plain[0], sorted(plain[1] + list(further))), profiled[3])
        self.assertEqual(plain[0], 0, plain[3])
        self.assertGreater(len(plain[1]), 0)
        self.assertEqual((len(plain[2]), len(profiled[2])), (0, lines), profiled[2])
        profile = self.check_profile(self.start / "profile", ranks=ranks)
        operations = {(row["comm"], row["op"]) for row in read_csv(profile / "operations.csv")}
        self.assertEqual({kind for kind, n in self.run_json(profile)["dropped"].items() if n > 0}, set())
        for name in self.found():
            shutil.rmtree(self.start / name)
        return operations

    def test_small_stacks(self):
        operations = self.compare("small_stacks", os.environ["STACK_KIB"], lines=3)
        kinds = {name.rpartition("_")[2][0] for name, op in operations if op == "Allreduce"}
        self.assertEqual(kinds, set("dsuma"))  # the letters of how they were made

    def test_signals_and_children(self):
        operations = self.compare("interrupted", lines=2)
        self.assertIn(("SELF_d1", "Sendrecv"), operations)

    def test_init_after_a_failed_one(self):
        # It is the MPI's own that fails, as the profiler calls it.
        self.compare("interrupted", beside=[SYSTEM], lines=2, env={"SYSTEM_FAILS_INIT": "1"}, further=2 * [b"MPI_Init failed"])

    def test_mpi_in_a_plugin(self):
        for scope in ("local", "global", "deep"):
            operations = self.compare("opens_plugin", PROGRAMS / "plugin.so", scope)
            self.assertIn(("W_d1", "Allreduce"), operations)

    def test_jemalloc(self):
        self.assertIsNotNone(JEMALLOC, "libjemalloc2 is to be installed")
        self.compare("workload", beside=[JEMALLOC])
        self.compare("workload", behind=[JEMALLOC])

    def test_address_sanitizer(self):
        # MPIs leave memory behind; and where UCX patches functions, the sanitizer has patched them before.
        env = {"ASAN_OPTIONS": "detect_leaks=0:alloc_dealloc_mismatch=0", "UCX_MEM_EVENTS": "n",
               "UCX_MEM_MMAP_HOOK_MODE": "none", "OMPI_MCA_memory": "^patcher"}
        self.compare("workload_with_asan", beside=[LIBASAN], env=env)
        env["ASAN_OPTIONS"] += ":verify_asan_link_order=0"
        self.compare("workload_with_asan", behind=[LIBASAN], env=env)


if __name__ == "__main__":
    unittest.main()
