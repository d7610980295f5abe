#!/usr/bin/env python3
"""Extends mpisee-through as CONTRIBUTING.md says, by one line in each file.
extend.py --column VIEW.cpp NEW.cpp: copies a view, and adds a column.
extend.py --view SHOWN_VIEWS.cpp NEW.cpp: copies the list of views, and adds the view of one_more_view.cpp.
extend.py --check MPISEE_THROUGH: both are in the text, CSV, JSON and page of the program that has the copies, and the docs are
found to lack the column."""
import csv
import json
import subprocess
import sys
from pathlib import Path

from forms import columns_without_description, page_data

COLUMN = ('      {"operations", "Operations", Kind::count',
          '      {"half_time_s", "Half the time", Kind::seconds, [](Line const& line) { return line.totals.time_s / 2; }},\n')
VIEW = ('      {"--sites", ', '      {"--times", "Time of each communicator", {}, {},\n'
        '       [](Profile const& profile, Request const& request) { return view_of_summary(profile, request, {{by_comm | by_op}}, times); }},\n')
DECLARATION = ("namespace mpisee_through {\n", "Document times(Summary const&, Arrangement const&);\n")


def extend(file, new, before, line, declaration=("", "")):
    text = Path(file).read_text()
    assert text.count(before) == 1, f"{file} does not have one line that begins with {before}"
    Path(new).write_text(text.replace(before, line + before).replace(declaration[0], "".join(declaration), 1))


def check(tool):
    def shown(*options):
        return subprocess.run([tool, *options, "sample"], cwd=Path(__file__).parent, check=True,
                              capture_output=True, text=True, timeout=60).stdout

    def rows_and_objects(*view):
        return list(csv.DictReader(shown(*view, "--csv").splitlines())), json.loads(shown(*view, "--json"))["tables"][0]["lines"]

    rows, objects = rows_and_objects("--operations", "--by", "direction")
    assert rows and [float(row["half_time_s"]) for row in rows] == [float(row["time_s"]) / 2 for row in rows]
    assert [one["half_time_s"] for one in objects] == [one["time_s"] / 2 for one in objects]
    titles = next(line for line in shown("--operations", "--by", "direction").splitlines() if line.startswith("Communicator"))
    assert "Half the time" in titles
    table = page_data(shown("--operations", "--by", "direction", "--html", "/dev/stdout"))["sections"][0]["tables"][0]
    place = [column["title"] for column in table["columns"]].index("Half the time")
    assert [cells[place] for cells in table["lines"]] == [one["half_time_s"] for one in objects]
    csv_text = shown("--operations", "--by", "direction", "--csv")
    assert columns_without_description([csv_text]) == ["half_time_s"]

    rows, objects = rows_and_objects("--times")
    times = {row["comm"]: float(row["time_s"]) for row in csv.DictReader(shown("--communicators", "--csv").splitlines())}
    assert times and {row["comm"]: float(row["time_s"]) for row in rows} == times
    assert {one["comm"]: one["time_s"] for one in objects} == times
    text = shown("--times").splitlines()
    titles = next(number for number, line in enumerate(text) if line.startswith("Communicator"))
    assert text[titles].split() == ["Communicator", "Size", "Time"] and len(text) == titles + 1 + len(times)
    assert "Time of each communicator" in subprocess.run([tool, "--help"], capture_output=True, text=True, timeout=60).stdout


if sys.argv[1] == "--check":
    check(sys.argv[2])
elif sys.argv[1] == "--column":
    extend(*sys.argv[2:], *COLUMN)
else:
    extend(*sys.argv[2:], *VIEW, DECLARATION)
