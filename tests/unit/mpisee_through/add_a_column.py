#!/usr/bin/env python3
"""add_a_column.py VIEW.cpp NEW.cpp: copies a view and adds one line, a column, as CONTRIBUTING.md says.
add_a_column.py --check MPISEE_THROUGH: the column is in the text, CSV and JSON of the program that has the copy."""
import csv
import json
import subprocess
import sys
from pathlib import Path

BEFORE = '      {"operations", "Operations", Kind::count'
COLUMN = '      {"half_time_s", "Half the time", Kind::seconds, [](CollectivesRow const& line) { return line.one->totals.time_s / 2; }},\n'


def copy(view, new):
    text = Path(view).read_text()
    assert text.count(BEFORE) == 1, f"{view} has no line that begins with {BEFORE}"
    Path(new).write_text(text.replace(BEFORE, COLUMN + BEFORE))


def check(tool):
    def shown(*options):
        return subprocess.run([tool, "--collectives", *options, "sample"], cwd=Path(__file__).parent, check=True,
                              capture_output=True, text=True, timeout=60).stdout

    rows = list(csv.DictReader(shown("--csv").splitlines()))
    objects = json.loads(shown("--json"))["collectives"]
    assert rows and [float(row["half_time_s"]) for row in rows] == [float(row["time_s"]) / 2 for row in rows]
    assert [one["half_time_s"] for one in objects] == [one["time_s"] / 2 for one in objects]
    titles = next(line for line in shown().splitlines() if line.startswith("Communicator"))
    assert "Half the time" in titles


check(sys.argv[2]) if sys.argv[1] == "--check" else copy(*sys.argv[1:])
