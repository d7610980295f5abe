"""The module commprof: regions, pauses and snapshots of programs in Python, and profiles in pandas. The code of docs/python.md runs."""

import contextlib
import json
import os
import re
import shutil
import sys
import unittest
from collections import defaultdict
from pathlib import Path

PYTHON = "/usr/bin/python3"
if sys.executable != PYTHON:  # the one that has Debian's pandas
    os.execv(PYTHON, [PYTHON, "-B", *sys.argv])

from driver import DriverTest, finish, read_csv, start_mpirun

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(__file__).resolve().parent / "python_regions.py"
MPI_LIBRARY, ABI = os.environ["MPI_LIBRARY"], os.environ["ABI"]
RANKS = 2
FRAMES = ("operations", "communicators", "ranks", "regions", "peers", "sites", "modules", "waits", "waits_by_rank", "summary")

sys.path.insert(0, str(ROOT / "python"))
import commprof


class PythonModule(DriverTest):
    def run_python(self, *words, **how):
        done = finish(start_mpirun([PYTHON, "-B", *words], ranks=RANKS, cwd=self.start,
                                   env={"COMMPROF_OUTPUT": "out", "PYTHONPATH": str(ROOT / "python")}, **how))
        self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace"))
        return done

    def calls(self, profile, op):
        """By region, of all ranks."""
        calls = defaultdict(int)
        for row in read_csv(self.start / profile / "operations.csv"):
            if row["op"] == op:
                calls[row["region"]] += int(row["calls"])
        return {region: number / RANKS for region, number in calls.items()}

    def test_with_the_profiler(self):
        done = self.run_python(PROGRAM, MPI_LIBRARY)
        said = json.loads(done.stdout)
        self.assertRegex(said.pop("version"), r"^\d+\.\d+\.\d+$")
        self.assertEqual(said, {
            "before": False, "read before": None, "within": True, "returns": 2, "raises": "for the test", "read": 14,
            "no such operation": None, "name": "W", "snapshot": True, "after": False})
        until_now = {"solve": 3, "solve/NA": 2, "solve/halo": 2, "solve/halo/halo": 1, "ends early": 1, "main": 5}
        self.assertEqual(self.calls("until now", "Barrier"), until_now)
        self.assertEqual(self.calls("out", "Barrier"), until_now | {"main": 6})
        regions = {(row["region"], row["rank"], row["entered"]) for row in read_csv(self.start / "out/regions.csv")}
        self.assertEqual(regions, {(region, str(rank), "1") for region in until_now for rank in range(RANKS)})
        dropped = json.loads((self.start / "out/run.json").read_text())["dropped"]
        self.assertEqual((dropped["region_ends_ignored"], dropped["regions_left_open"]), (0, 0))
        self.assertFalse([line for line in self.lines(done) if "ignored" in line])
        self.in_pandas(self.start / "out")
        self.in_a_history()
        self.damaged(self.start / "out")
        shutil.rmtree(self.start / "until now")
        shutil.rmtree(self.start / "out")

    def in_a_history(self):
        """new is a day later, twice as slow on one rank, and has a name in a file."""
        samples = ROOT / "tests/unit/mpisee_through/sample-scaling"
        for commit, ranks in ("old", 1), ("new", 1), ("new", 2):
            shutil.copytree(samples / f"ranks-{ranks}", self.start / "commits" / commit / f"run-{ranks}")
        (self.start / "commits/new/commit").write_text("abc <1>\n")
        (self.start / "commits/without profiles").mkdir()
        for run in (self.start / "commits/new").glob("run-*"):
            text = (run / "run.json").read_text().replace("2026-11-21", "2026-11-22").replace('"wall_s": 8.1', '"wall_s": 16.2')
            (run / "run.json").write_text(text)
        history = commprof.history(self.start / "commits").fillna(-1)
        self.assertEqual(history[["start", "commit", "ranks", "runs", "wall_s", "change"]].values.tolist(), [
            ["2026-11-21T10:01:00Z", "old", 1, 1, 8.1, -1], ["2026-11-22T10:01:00Z", "abc <1>", 1, 1, 16.2, 1],
            ["2026-11-22T10:01:00Z", "abc <1>", 2, 1, 4.25, -1]])
        (of_tool,) = self.data(self.start / "commits/new/run-2")["efficiencies"]
        for name in ("parallel_efficiency", "load_balance", "communication_efficiency"):
            self.assertAlmostEqual(history.iloc[2][name], of_tool[name])

    def in_pandas(self, directory):
        """Frames hold what the files hold."""
        profile = commprof.Profile(directory)
        self.assertEqual(profile.run["ranks"], RANKS)
        for name in FRAMES:
            frame, rows = getattr(profile, name), read_csv(directory / f"{name}.csv")
            self.assertEqual(list(frame.columns), (directory / f"{name}.csv").read_text().splitlines()[0].split(","), name)
            self.assertEqual(len(frame), len(rows), name)
            for column in frame.columns:
                values, kind = [row[column] for row in rows], str(frame[column].dtype)
                if kind == "object":
                    self.assertEqual(list(frame[column]), values, f"{name} {column}")
                    continue
                number = float if column.endswith("_s") or column.endswith("_share") else int
                self.assertIn(kind, {"float64"} if number is float else {"int64", "Int64"}, f"{name} {column}")
                known = [number(value) for value in values if value]
                self.assertEqual(list(frame[column].dropna()), known, f"{name} {column}")
        kinds = {column: str(kind) for column, kind in profile.operations.dtypes.items()}
        self.assertEqual({column for column, kind in kinds.items() if kind == "int64"},
                         {"comm_size", "rank", "size_min", "size_max", "calls", "bytes_sent", "bytes_received"})
        self.assertEqual({column for column, kind in kinds.items() if kind == "object"}, {"region", "comm", "op", "site"})

    def in_other_layouts(self, directory, talp):
        """Frames and trees add up to the calls; TALP's efficiencies multiply, and are those of the time outside MPI."""
        calls, ranks = read_csv(directory / "operations.csv"), read_csv(directory / "ranks.csv")
        time_s = sum(float(row["time_s"]) for row in calls)
        frames = commprof.frames(directory)
        self.assertAlmostEqual(frames["stacks"].time_s.sum(), time_s, 6)
        self.assertEqual(frames["windows"].calls.sum(), sum(int(row["calls"]) for row in calls))
        [root] = commprof.to_hatchet(directory)
        nodes = [root]
        for node in nodes:
            nodes += node["children"]
        self.assertAlmostEqual(sum(node["metrics"]["time"] for node in nodes), time_s, 6)
        self.assertAlmostEqual(root["metrics"]["time (inc)"], time_s, 6)
        self.assertLessEqual({"region", "function", "mpi"}, {node["frame"]["type"] for node in nodes})
        self.assertEqual(set(talp["Application"]), {"Global", "solve", "solve/halo"})
        for one in talp["Application"].values():
            self.assertAlmostEqual(one["parallelEfficiency"], one["mpiLoadBalance"] * one["mpiCommunicationEfficiency"])
            self.assertAlmostEqual(one["mpiLoadBalance"], one["mpiLoadBalanceIn"] * one["mpiLoadBalanceOut"])
        useful = [float(row["wall_s"]) - float(row["mpi_s"]) for row in ranks]
        self.assertAlmostEqual(talp["Application"]["Global"]["parallelEfficiency"],
                               sum(useful) / RANKS / max(float(row["wall_s"]) for row in ranks))

    def damaged(self, directory):
        """Errors say which file is wrong, and how."""
        def says(error, text, profile=directory):
            with self.assertRaisesRegex(error, text):
                commprof.Profile(profile).operations

        says(FileNotFoundError, "elsewhere: there is no such profile", self.start / "elsewhere")
        says(NotADirectoryError, "run.json: a file, where a profile is a directory", directory / "run.json")
        operations = directory / "operations.csv"
        whole = operations.read_text()
        lines = whole.splitlines(keepends=True)
        operations.write_text(whole[:-9])
        says(ValueError, "operations.csv is truncated: it ends within a row")
        operations.write_text("".join(lines[:-1]))
        says(ValueError, f"operations.csv is truncated or damaged: it has {len(lines) - 2} rows, where run.json says {len(lines) - 1}")
        operations.write_text(lines[0] + lines[1].replace(",W,", ",W,x") + "".join(lines[2:]))
        says(ValueError, "operations.csv is damaged: .*x2")
        operations.unlink()
        says(FileNotFoundError, "operations.csv is missing, though run.json lists it")
        (directory / "run.json").write_text("{")
        says(ValueError, "run.json is damaged")
        (directory / "run.json").unlink()
        says(FileNotFoundError, "run.json is missing: .* is no profile, or its run did not end")

    def test_without_the_profiler(self):
        said = json.loads(self.run_python(PROGRAM, MPI_LIBRARY, preload=False).stdout)
        self.assertEqual(said, {
            "version": None, "before": False, "read before": None, "within": False, "returns": 2, "raises": "for the test",
            "read": None, "no such operation": None, "name": None, "snapshot": False, "after": False})
        self.assertEqual(self.found(), [])

    @unittest.skipUnless(ABI.startswith("openmpi"), "Debian's mpi4py is for Open MPI")
    def test_the_page(self):
        program, queries, talp = re.findall(r"^```python\n(.*?)^```$", (ROOT / "docs/python.md").read_text(), flags=re.M | re.S)
        (self.start / "solve.py").write_text(program)
        [line] = self.run_python("solve.py").stdout.decode().splitlines()
        self.assertRegex(line, r"^Numbers\(calls=100, bytes_sent=800, bytes_received=800, time_s=\d.*\) on W$")
        self.assertEqual(self.calls("out", "Sendrecv"), {"solve/halo": 100})
        self.assertEqual(self.calls("out", "Barrier"), {"solve": 1})
        here = {}
        exec(re.sub(r'"commprof-[^"]*"', repr(str(self.start / "out")), queries), here)
        self.assertEqual(here["calls"].calls.to_dict()[("solve/halo", "Sendrecv")], 100 * RANKS)
        self.assertEqual(here["bytes"].loc[0, 1], 800)
        (self.start / "runs/heat").mkdir(parents=True)
        with contextlib.chdir(self.start):
            exec(re.sub(r'"commprof-[^"]*"', '"out"', talp))
        self.in_other_layouts(self.start / "out", json.loads((self.start / "runs/heat/2x4.json").read_text()))
        shutil.rmtree(self.start / "runs")
        (self.start / "solve.py").unlink()
        shutil.rmtree(self.start / "out")
        shutil.rmtree(self.start / "out-snapshot-1")


if __name__ == "__main__":
    unittest.main()
