"""What a program tells the profiler by commprof.h, from outside: what is said about it, and where nobody listens."""

import os
import shutil
import unittest
from pathlib import Path

from driver import MPIEXEC, PROGRAMS, DriverTest, finish, read_csv, start_mpirun
from hosts import named_hosts


class Steered(DriverTest):
    def steer(self, *arguments, ranks=2, **how):
        done = finish(start_mpirun([PROGRAMS / "steered", *arguments], ranks=ranks, cwd=self.start, **how))
        self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace"))
        return done

    def barriers(self, name, ranks=2):
        """The calls of Barrier in each region, which all ranks agree on."""
        counts = self.counts(self.check_profile(self.start / name, ranks), "rank", "op", "region")
        found = [{region: calls for (rank, op, region), calls in counts.items() if (rank, op) == (str(own), "Barrier")} for own in range(ranks)]
        self.assertEqual(found, [found[0]] * ranks)
        return found[0]

    def test_too_many_regions_count_as_the_one_around_them(self):
        names = ["begin=a", "begin=b", "end=b", "begin=c", "end=c", "begin=b", "end=b", "end=a"]
        self.steer(*names, env={"COMMPROF_OUTPUT": "out", "COMMPROF_MAX_REGIONS": "2"})
        self.assertEqual(self.barriers("out"), {"main": 1, "a": 5, "a/b": 2})
        self.assertEqual(self.run_json(self.start / "out")["folded"]["regions"], 2)
        self.assertEqual(self.run_json(self.start / "out")["dropped"]["region_ends_ignored"], 0)

    def test_too_deep_regions_count_as_the_deepest(self):
        self.steer(*["begin=x"] * 70, *["end=x"] * 70, env={"COMMPROF_OUTPUT": "out"})
        # After each begin and each end, at a depth of 1 … 64, six times deeper; the last end is followed by one outside.
        expected = {"/".join(["x"] * depth): 2 for depth in range(1, 64)}
        self.assertEqual(self.barriers("out"), expected | {"/".join(["x"] * 64): 13, "main": 1})
        self.assertEqual(self.run_json(self.start / "out")["folded"]["regions"], 12)

    def test_a_snapshot_is_announced_and_is_beside_the_profile(self):
        done = self.steer("begin=a", "flush", "end=a", "flush", env={"COMMPROF_OUTPUT": "there/out/"})
        names = ["out", "out-snapshot-1", "out-snapshot-2"]
        self.assertEqual(self.found(self.start / "there"), names)
        self.assertEqual(self.barriers("there/out-snapshot-1"), {"a": 1})
        self.assertEqual(self.barriers("there/out-snapshot-2"), {"a": 2, "main": 1})
        self.assertEqual(self.barriers("there/out"), {"a": 2, "main": 2})
        told = [line.split("/")[-1] for line in self.lines(done)]
        self.assertEqual(told, names[1:] + names[:1])
        self.assertEqual([self.run_json(self.start / f"there/{name}")["snapshot"] for name in names], [None, 1, 2])

    def test_a_snapshot_has_the_default_name(self):
        self.steer("flush", "flush", env={"COMMPROF_VERBOSE": "0"})
        profile = min(self.found(), key=len)
        self.assertEqual(self.found(), [profile, f"{profile}-snapshot-1", f"{profile}-snapshot-2"])
        self.assertTrue(profile.startswith("commprof-steered-"))

    def test_an_existing_directory_is_never_touched(self):
        for name in ("out-snapshot-1", "mine"):
            (self.start / name).mkdir()
        self.steer("flush", "flush=mine", env={"COMMPROF_OUTPUT": "out"})
        self.assertEqual(self.found(), ["mine", "mine-2", "out", "out-snapshot-1", "out-snapshot-1-2"])
        for name in ("mine", "out-snapshot-1"):
            self.assertEqual(self.found(self.start / name), [])
        self.assertEqual(self.barriers("mine-2"), {"main": 1})

    def test_a_snapshot_that_cannot_be_written(self):
        (self.start / "file").write_text("no directory")
        for path, reason in (("file/out", "Not a directory"), ("100%", "in which % is followed by")):
            done = self.steer(f"flush={path}", "flush", env={"COMMPROF_OUTPUT": "out", "COMMPROF_VERBOSE": "0"})
            self.assertEqual(done.stdout, b"flush failed\nflush succeeded\n")
            self.assertEqual(len(self.lines(done)), 1, self.lines(done))
            self.assertIn("cannot write the snapshot", self.lines(done)[0])
            self.assertIn(path, self.lines(done)[0])
            self.assertIn(reason, self.lines(done)[0])
            self.assertEqual(self.barriers("out"), {"main": 2})
            self.assertEqual(self.barriers("out-snapshot-2"), {"main": 1})
            for name in ("out", "out-snapshot-2"):
                self.remove_profile(self.start / name)
        self.assertEqual(self.found(), ["file"])

    def test_a_snapshot_beyond_the_limit(self):
        done = self.steer("flush", env={"COMMPROF_OUTPUT": "out", "COMMPROF_MAX_SIZE": "100"})
        self.assertEqual(done.stdout, b"flush failed\n")
        of_snapshot, of_profile = self.lines(done)
        self.assertRegex(of_snapshot, "cannot write the snapshot: it would have [0-9]+ bytes, more than COMMPROF_MAX_SIZE")
        self.assertIn("there is no profile", of_profile)
        self.assertEqual(self.found(), [])

    def test_the_end_of_a_job_is_as_without_and_told(self):
        for comm, code in ("world", 1), ("self", 5), ("duplicate", 77):
            for preload in False, True:
                with self.subTest(comm=comm, preload=preload):
                    done = finish(start_mpirun([PROGRAMS / "steered", f"abort={comm[0]}{code}"], preload=preload, cwd=self.start))
                    # Whether what was printed before arrives is up to the launcher. That of MPICH now and then says how the other
                    # process ended, with the profiler or without.
                    codes = (code, 1) if "mpich" in " ".join(MPIEXEC) else (code,)
                    self.assertIn(done.returncode, codes, done.stderr.decode(errors="replace"))
                    self.assertNotIn(b"commprof:", done.stderr)
            (profile,) = self.found()
            self.assertEqual(self.found(self.start / profile), ["spool"])
            self.assertEqual(self.data(self.start / profile)["run"]["unfinished"]["aborted"], {"rank": 0, "code": code})
            self.assertRegex(self.tool(self.start / profile), rf"aborted by rank 0 with code {code} after .*; last known call after ")
            shutil.rmtree(self.start / profile)

    def test_nobody_listens(self):
        steps = ("begin=a", "end=b", "end", "end", "pause", "resume", "flush", "flush=out")
        for how in ({"preload": False}, {"env": {"COMMPROF_ENABLE": "0"}}):
            done = self.steer(*steps, **how)
            self.assertEqual(done.stdout, b"flush succeeded\n" * 2)
            self.assertEqual(self.lines(done), [])
            self.assertEqual(self.found(), [])

    def test_a_program_places_itself(self):
        """Of a ring whose neighbours are apart, two places are left where it goes from host to host."""
        steps, ranks = 50, 8
        first, message = 5, 8 * 1000

        def reorder(**how):
            done = finish(start_mpirun([Path(os.environ["EXAMPLES"], "reorder"), steps], ranks=ranks, cwd=self.start, **how))
            self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace"))
            return done.stdout.decode()

        alone = reorder(preload=False)
        self.assertRegex(alone, rf"^{steps} steps, sum [0-9.]+\n$")
        with named_hosts(self, "h1:4,h2:4"):
            profiled = reorder(env={"COMMPROF_OUTPUT": str(self.start / "out")})
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
