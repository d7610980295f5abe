"""What MPI tells a program is the same with the profiler, with it switched off, and without it."""

import unittest

from driver import DriverTest, PROGRAMS, finish, start_mpirun


class Alike(DriverTest):
    def told(self, program, ranks, preload, enable):
        """What the processes of the program were told, by rank."""
        output = self.start / f"told-{preload}-{enable}"
        done = finish(start_mpirun([PROGRAMS / program, output], ranks=ranks, preload=preload, cwd=self.start,
                                   env={"COMMPROF_ENABLE": enable, "COMMPROF_OUTPUT": str(self.start / "profile")}))
        self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace"))
        return [(self.start / f"{output.name}.{rank}").read_text() for rank in range(ranks)]

    def check(self, program, ranks):
        plain = self.told(program, ranks, preload=False, enable="0")
        self.assertGreater(len(plain[0].splitlines()), 20)
        self.assertEqual(self.told(program, ranks, preload=True, enable="0"), plain)
        self.assertNotIn("profile", self.found())
        self.assertEqual(self.told(program, ranks, preload=True, enable="1"), plain)
        self.assertIn("profile", self.found())

    def test_errors(self):
        self.check("errors", 2)

    def test_invalid_arguments(self):
        self.check("invalid_arguments", 2)


if __name__ == "__main__":
    unittest.main()
