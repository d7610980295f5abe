"""The instructions that the profiler adds to calls, which no machine and no load changes: callgrind counts those of its libraries, with
default options and a clock of the program."""

import unittest
from pathlib import Path

from driver import LIBRARY, PROGRAMS, DriverTest

CALLS = 1000
# Today's price of a call, and 3 % more: it differs by less than 1 % from run to run.
BOUNDS = {"Send": 265, "Allreduce": 300, "Iprobe": 208, "exchange": 998, "64 Irecv, Waitall": 28_300, "dup and free": 1_250}


def instructions(dump):
    """The name of what was called, and the instructions in the profiler's own libraries."""
    libraries = {str(path.resolve()) for path in (Path(LIBRARY), *Path(LIBRARY).parent.glob("commprof/*.so"))}
    name, count, is_ours, is_of_callee = None, 0, False, False
    for line in dump.read_text().splitlines():
        word, _, rest = line.partition("=")
        if line.startswith("desc: Trigger: Client Request: "):
            name = line.split(": ", 3)[3]
        elif word == "ob":
            is_ours = rest in libraries
        elif word == "calls":
            is_of_callee = True  # in the next line, which has the callee's instructions
        elif line[:1].isdigit():
            count += int(line.split()[1]) if is_ours and not is_of_callee else 0
            is_of_callee = False
    return name, count


class Price(DriverTest):
    def test_instructions(self):
        callgrind = ["valgrind", "--tool=callgrind", "--compress-strings=no", "--compress-pos=no", f"--callgrind-out-file={self.start}/%p.out"]
        self.profile_of(*callgrind, PROGRAMS / "price", inner_env={"COMMPROF_CLOCK": "monotonic"})
        found = {}
        for dump in self.start.glob("*.out.*"):
            name, count = instructions(dump)
            if name in BOUNDS:
                found.setdefault(name, []).append(count / CALLS)
        self.assertEqual(set(found), set(BOUNDS))
        for name, counts in found.items():
            with self.subTest(name):
                self.assertLessEqual(max(counts), BOUNDS[name])
                self.assertGreater(min(counts), 0.8 * BOUNDS[name])  # else the bound is not one any more


if __name__ == "__main__":
    unittest.main()
