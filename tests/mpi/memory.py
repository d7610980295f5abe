"""The profiler's memory levels off, whatever a program does again and again."""

import unittest

from driver import DriverTest, PROGRAMS, finish, start_mpirun

BOUND = 1 << 20  # bytes, for hundreds of thousands of calls: an entry that is left behind takes more


class Memory(DriverTest):
    def growth(self, preload):
        """By how much the process grew in the last nine tenths of each loop."""
        done = finish(start_mpirun([PROGRAMS / "memory", self.start / "file"], ranks=1, preload=preload,
                                   env={"COMMPROF_ENABLE": str(int(preload)), "COMMPROF_OUTPUT": str(self.start / "profile")}))
        self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace"))
        return {name: int(grown) for name, grown in (line.split() for line in done.stdout.decode().splitlines())}

    def test_levels_off(self):
        plain, profiled = self.growth(preload=False), self.growth(preload=True)
        self.assertIn("profile", self.found())
        self.assertGreater(len(plain), 9)
        self.assertEqual(plain.keys(), profiled.keys())
        for name, grown in profiled.items():
            with self.subTest(loop=name):
                # What an MPI leaks itself is none of the profiler's.
                self.assertLess(grown, max(plain[name], 0) + BOUND, f"without the profiler: {plain[name]}")


if __name__ == "__main__":
    unittest.main()
