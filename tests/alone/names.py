"""What comes from outside stays text: names of programs, arguments, communicators and regions, and values of options."""

import os
import sys
import unittest

from driver import PROGRAMS, DriverTest, read_csv

HOSTILE = {
    "plain": b"  blanks around  ",
    "comma": b"a,b,,c",
    "quote": b'say "hi"",',
    "formula": b"=1+1",
    "newline": b"one\ntwo\r\nthree",
    "escape": b"\x1b[31mred\x1b]0;title\x07\x7f \xc2\x9b31m\t\x01",
    "not utf-8": b"\xff\xfe caf\xe9 \xc3(\xed\xa0\x80",
    "utf-8": "Größe · 通信子".encode(),
    "json": b'\\"}]},"x":"\\u0000',
    "parent": b"../../../up",
    "long": b"x" * 10_000,
}
ESCAPED = {"newline": r"one\x0atwo\x0d\x0athree", "escape": r"\x1b[31mred\x1b]0;title\x07\x7f \xc2\x9b31m\x09\x01",
           "not utf-8": r"\xff\xfe caf\xe9 \xc3(\xed\xa0\x80", "long": "x" * 1024}


class Names(DriverTest):
    def check_shown(self, profile):
        """The tool accepts the profile and lets nothing through that a terminal would obey."""
        self.check_profile(profile)
        for view in ([], ["--json"], ["--csv"], ["--regions"]):
            text = self.tool(profile, *view)
            self.assertEqual([c for c in text if (ord(c) < 32 and c not in "\n\t") or 0x7F <= ord(c) < 0xA0], [])

    def each(self):
        for name, text in HOSTILE.items():
            (self.start / "text").write_bytes(text)
            yield name, text
            for left in self.found():
                if left != "text":
                    self.remove_profile(self.start / left)

    def test_names_of_programs_and_arguments(self):
        code = f"import os\ntext = open('text', 'rb').read()\nos.execv('{PROGRAMS}/small_program', [text, text, 'last'])"
        for _, text in self.each():
            self.run_program(words=[sys.executable, "-c", code], env={"COMMPROF_APPS": "*"})
            (profile,) = (name for name in self.found() if name != "text")
            self.assertRegex(profile, r"^commprof-[A-Za-z0-9._+-]{1,100}-[0-9]+$")
            run = self.run_json(self.start / profile)
            self.assertEqual((run["program"], run["arguments"]), (text.decode(errors="replace"), [text.decode(errors="replace"), "last"]))
            self.check_shown(self.start / profile)

    def test_names_of_regions_and_communicators(self):
        for name, text in self.each():
            self.run_program("--region", self.start / "text", "--name", self.start / "text", env={"COMMPROF_OUTPUT": "profile"})
            profile = self.start / "profile"
            (region,) = {row["region"] for row in read_csv(profile / "operations.csv") if row["op"] == "Barrier"}
            self.assertNotIn("/", region)
            comms = {row["comm"]: row for row in read_csv(profile / "communicators.csv")}
            self.assertEqual(comms["W_d1"]["user_name"], ESCAPED.get(name) or text.decode())
            self.check_shown(profile)

    def test_values_of_options(self):
        """What is complained of is one line without anything that a terminal would obey."""
        for _, text in self.each():
            done = self.run_program(env={"COMMPROF_CLOCK": os.fsdecode(text), "COMMPROF_OUTPUT": "profile"})
            self.assertEqual(len(self.lines(done)), 2, self.lines(done))
            self.assertNotRegex(done.stderr, b"[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]")


if __name__ == "__main__":
    unittest.main()
