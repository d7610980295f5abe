"""What comes from outside stays text: names of programs and regions, and links that others have planted where the profile goes."""

import json
import os
import shutil
import stat
import sys
import unittest
from pathlib import Path

from driver import LIBRARY, PROGRAMS, DriverTest, read_csv, run_tool, sample, shared_between_mpis

HOSTILE = {
    "comma": b"a,b,,c",
    "quote": b'say "hi"",',
    "newline": b"one\ntwo\r\nthree",
    "escape": b"\x1b[31mred\x1b]0;title\x07\x7f \xc2\x9b31m",
    "not utf-8": b"\xff\xfe caf\xe9 \xc3(\xed\xa0\x80",
    "json": b'\\"}]},"x":"\\u0000',
    "parent": b"../../../up",
    "long": b"x" * 10_000,
}
# All of it at once, and each by itself.
CASES = [("all", b"".join(HOSTILE.values())), *HOSTILE.items()]


@shared_between_mpis
class Outside(DriverTest):
    def check_shown(self, profile):
        """The tool accepts the profile and lets nothing through that a terminal would obey."""
        for view in ([], ["--json"], ["--csv"], ["--regions"]):
            shown = run_tool(profile, *view)
            self.assertEqual(shown.returncode, 0, shown.stderr)
            text = shown.stdout.decode("utf-8")
            controls = [c for c in text if (ord(c) < 32 and c not in "\n\t") or 0x7F <= ord(c) < 0xA0]
            self.assertEqual(controls, [])

    def test_name_of_program(self):
        for name, text in sample(CASES, len(CASES)):
            with self.subTest(name):
                (self.start / "name").write_bytes(text)
                script = self.start / "script"
                script.write_text(f"#!{sys.executable}\nimport os\n"
                                  f"os.execv('{PROGRAMS}/small_program', [open('name', 'rb').read()])\n")
                script.chmod(0o755)
                self.run_program(words=[script])
                [profile] = [name for name in self.found() if name not in ("name", "script")]
                self.assertRegex(profile, r"^commprof-[A-Za-z0-9._+-]{1,100}-[0-9]+$")
                run = json.loads((self.check_profile(self.start / profile) / "run.json").read_bytes())
                self.assertEqual(run["program"], text.decode(errors="replace"))
                self.check_shown(self.start / profile)
                self.remove_profile(self.start / profile)

    def test_names_of_regions_and_communicators(self):
        for name, text in sample(CASES, len(CASES)):
            with self.subTest(name):
                (self.start / "name").write_bytes(text)
                self.run_program("--region", self.start / "name", "--name", self.start / "name",
                                 env={"COMMPROF_OUTPUT": "profile"})
                profile = self.check_profile(self.start / "profile")
                regions = {row["region"] for row in read_csv(profile / "operations.csv") if row["op"] == "Barrier"}
                self.assertEqual(len(regions), 1)
                self.assertNotIn("/", regions.pop())
                self.check_shown(profile)
                self.remove_profile(profile)
                self.assertEqual(self.found(), ["name"])

    def test_values_of_options(self):
        # As the environment can hold them; what is complained of is one line without anything that a terminal would obey.
        for name, text in sample(CASES, len(CASES)):
            with self.subTest(name):
                value = os.fsdecode(text)
                done = self.run_program(env={"COMMPROF_CLOCK": value, "COMMPROF_OUTPUT": "profile"})
                self.assertEqual(len(self.lines(done)), 2, self.lines(done))
                self.assertNotRegex(done.stderr, b"[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]")
                self.remove_profile(self.check_profile(self.start / "profile"))

    def test_modes(self):
        for umask, directory, file in sample((("077", 0o700, 0o600), ("022", 0o755, 0o644), ("002", 0o775, 0o664)), 2):
            script = self.start / "script"
            script.write_text(f"#!/bin/sh\numask {umask}\nexec {PROGRAMS}/small_program\n")
            script.chmod(0o755)
            self.run_program(words=[script], env={"COMMPROF_OUTPUT": "a/profile"})
            profile = self.check_profile(self.start / "a" / "profile")
            for made in (self.start / "a", profile):
                self.assertEqual(stat.S_IMODE(made.stat().st_mode), directory)
            self.assertEqual({stat.S_IMODE((profile / name).stat().st_mode) for name in self.found(profile)}, {file})
            self.remove_profile(profile)
            (self.start / "a").rmdir()

    def run_with_spool(self, spool, limit="200"):
        """Without a profile, so that the spool stays. Returns the line on the spool, if there is one."""
        done = self.run_program("--file-limit", limit, env={"COMMPROF_OUTPUT": "profile", "COMMPROF_SPOOL": str(spool)})
        lines = [line for line in self.lines(done) if "COMMPROF_SPOOL" in line]
        self.assertLessEqual(len(lines), 1)
        return lines[0] if lines else None

    def check_private(self, top):
        """Directories and files that only their owner can read."""
        self.assertEqual(stat.S_IMODE(top.stat().st_mode), 0o700)
        for directory, directories, files in os.walk(top):
            for name in directories:
                self.assertEqual(stat.S_IMODE((Path(directory) / name).stat().st_mode), 0o700, name)
            for name in files:
                self.assertEqual(stat.S_IMODE((Path(directory) / name).stat().st_mode), 0o600, name)
        self.assertEqual(len(list(top.rglob("*.spool"))), 2)

    def test_modes_of_the_spool(self):
        # A spool has command lines and names in it.
        self.addCleanup(os.umask, os.umask(0o022))
        self.run_with_spool("on")
        self.check_private(self.start / "profile" / "spool")
        self.run_with_spool(self.start / "a" / "b")
        self.check_private(self.start / "a")

    def check_used(self, spool, really):
        self.assertIsNone(self.run_with_spool(spool))
        (run,) = really.iterdir()
        self.assertEqual(self.found(run), ["0.spool", "1.spool"])
        shutil.rmtree(run)

    def check_refused(self, spool, victim):
        self.assertRegex(self.run_with_spool(spool) or "", "2 of 2 processes cannot write to .*: Permission denied; ")
        self.assertEqual(self.found(victim), [])

    @unittest.skipUnless(os.geteuid() == 0, "makes directories of other users")
    def test_spool_below_directories_of_others(self):
        other = 65534
        shared, plain = self.start / "shared", self.start / "plain"
        for directory, mode in ((shared, 0o1777), (plain, 0o755)):
            directory.mkdir()
            directory.chmod(mode)
            for name in ("own", "others", "target"):
                (directory / name).mkdir()
            for name in ("own-link", "others-link"):
                (directory / name).symlink_to(directory / "target")
            for name in ("others", "others-link"):
                os.chown(directory / name, other, other, follow_symlinks=False)
        self.check_used(shared / "own", shared / "own")
        self.check_used(shared / "own-link", shared / "target")
        self.check_refused(shared / "others", shared / "others")
        self.check_refused(shared / "others-link", shared / "target")
        # Only what lies in a directory where everybody may make something is looked at.
        self.check_used(plain / "others", plain / "others")
        self.check_used(plain / "own-link", plain / "target")
        self.check_used(plain / "others-link", plain / "target")
        # A link of one's own does not lead past that.
        (plain / "way").symlink_to("../shared/others")
        self.check_refused(plain / "way" / ".." / "others" / "deeper", shared / "others")
        # Whom the shared directory belongs to can exchange anything in it.
        os.chown(shared, other, other)
        self.check_used(shared / "others", shared / "others")

    def test_who_makes_directories(self):
        """Rank 0 makes what is missing; the others find it."""
        report = self.start / "report"
        for spool in ("on", str(self.start / "c" / "d")):
            words = {"LD_PRELOAD": f"{os.environ['SYSTEM']}:{LIBRARY}", "SYSTEM_REPORT": str(report), "COMMPROF_SPOOL": spool,
                     "UCX_MEM_EVENTS": "n", "UCX_MEM_MMAP_HOOK_MODE": "none"}
            self.run_program(ranks=3, preload=False, inner_env=words, env={"COMMPROF_OUTPUT": "b/profile"})
            made = [int(dict(map(str.split, Path(f"{report}.{rank}").read_text().splitlines()))["directories"]) for rank in range(3)]
            self.assertGreater(made[0], 0)
            self.assertEqual(made[1:], [0, 0])
            shutil.rmtree(self.start / "b")

    def test_planted_links(self):
        victim = self.start / "victim"
        victim.mkdir()
        shared = self.start / "shared"
        shared.mkdir()
        for target in (victim, victim / "new", self.start / "new"):
            (shared / "profile").symlink_to(target)
            script = self.start / "script"
            # The names that the library writes under until the profile is whole are known once its pid is.
            script.write_text(f"#!/bin/sh\nfor n in 0 1 2; do ln -s {target} {shared}/profile.writing-$$-$n; done\n"
                              f"exec {PROGRAMS}/small_program\n")
            script.chmod(0o755)
            done = self.run_program(words=[script], env={"COMMPROF_OUTPUT": str(shared / "profile")})
            self.check_profile(shared / "profile-2")
            self.assertTrue(self.lines(done)[-1].endswith("/profile-2"))
            self.assertEqual(self.found(), ["script", "shared", "victim"])
            self.assertEqual(self.found(victim), [])
            self.remove_profile(shared / "profile-2")
            for name in self.found(shared):
                self.assertTrue((shared / name).is_symlink(), name)
                (shared / name).unlink()


if __name__ == "__main__":
    unittest.main()
