#!/usr/bin/env python3
"""forms.py MPISEE_THROUGH [--update]: every view of the sample profiles, as text, CSV and JSON, byte for byte.

forms/SAMPLE.VIEW holds the command lines of a view and what each prints: standard output, then standard error and the exit
code if they say something. --update writes the files again; look at what git says about them.

CSV and JSON of a view must have the same lines in the same order, the same values and the same marks of bounds. docs/reader or
docs/profile.md must describe each column of CSV.
"""
import csv
import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

here = Path(__file__).resolve().parent
golden = here / "forms"
docs = here.parents[2] / "docs"

FORMS = ("", "--csv", "--json")
VIEWS = {
    "first-page": "",
    "first-page-exclusive": "--exclusive",
    "operations": "--operations",
    "operations-top": "--operations --top 3 --sort calls",
    "operations-sites": "--operations --by-site",
    "sizes": "--sizes",
    "sites": "--sites",
    "sites-top": "--sites --top 2 --sort calls",
    "communicators": "--communicators",
    "communicators-top": "--communicators --top 2 --sort name",
    "census": "--census",
    "tree": "--tree",
    "tree-top": "--tree --top 2",
    "ranks": "--ranks",
    "ranks-top": "--ranks --top 1",
    "ranks-calls": "--ranks --op 'B*' --op Allreduce",
    "collectives": "--collectives",
    "collectives-top": "--collectives --top 1",
    "algorithms": "--algorithms",
    "waits": "--waits",
    "waits-top": "--waits --top 1",
    "waits-ranks": "--waits --by-rank",
    "waits-ranks-top": "--waits --by-rank --top 3",
    "matrix": "--matrix",
    "matrix-top": "--matrix --top 2 --by messages",
    "matrix-sizes": "--matrix --sizes --top 2",
    "matrix-hosts": "--matrix --by-host",
    "regions": "--regions",
    "regions-exclusive": "--regions --exclusive --sort name",
    "regions-top": "--regions --top 2",
    "when": "--when",
    "nothing": "--operations --comm SELF --op Allreduce",
}
SAMPLES = ("sample", "sample-odd", "sample-tuned", "sample-waits")
# By the name of the file; views of several profiles, or of other commands.
OTHERS = {
    "several.operations": "--operations --op Allreduce sample sample-tuned",
    "several.communicators": "--communicators sample sample-odd",
    "messages.first-page": "sample-messages",
    "messages.ranks": "--ranks sample-messages",
    "messages.waits": "--waits sample-messages",
    "messages.waits-top": "--waits --top 1 sample-messages",
    "messages.waits-ranks": "--waits --by-rank --op Waitall sample-messages",
    "messages.waits-pairs": "--waits --by-pair sample-messages",
    "when": "--when sample-when",
    "when.first-page": "sample-when",
    "when.kind": "--when --kind p2p --rank 1-2 sample-when",
    "when.part": "--when --from 60% --to 9 --width 60 sample-when",
    "scaling": "scaling sample-scaling/ranks-1 sample-scaling/ranks-2 sample-scaling/ranks-4 sample-scaling/ranks-8",
    "scaling.history": "scaling --history sample-scaling",
    "scaling.top": "scaling --top 1 sample-scaling/ranks-1 sample-scaling/ranks-8",
    "compare": "compare sample sample-tuned",
    "compare.odd": "compare sample-odd sample",
    "compare.total": "compare --total --top 2 sample sample-tuned sample-odd",
    "compare.groups": "compare sample sample sample sample --with sample-tuned sample-tuned sample-tuned sample-tuned",
    "compare.correlate": "compare --correlate sample sample-tuned sample",
    "compare.when": "compare sample-when sample-when sample",
    "links": "links --fabric network sample",
    "links.top": "links --fabric network --top 2 --by messages sample",
    "place": "place --class p2p sample",
    "place.links": "place --class p2p --fabric network sample",
    "place.odd": "place sample-odd",
}


def commands():
    """The name of each file, and the arguments without a form."""
    for sample in SAMPLES:
        for view, options in VIEWS.items():
            yield f"{sample}.{view}", f"{options} {sample}".strip()
    yield from OTHERS.items()


def answer(tool, arguments):
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR")}
    environment["LC_ALL"] = "C.UTF-8"
    run = subprocess.run([tool, *shlex.split(arguments)], cwd=here, env=environment, stdin=subprocess.DEVNULL,
                         capture_output=True, text=True, timeout=60)
    return (f"$ mpisee-through {arguments}\n{run.stdout}" + (f"error: {run.stderr}" if run.stderr else "") +
            (f"exit code: {run.returncode}\n" if run.returncode else ""))


def forms_of(tool, arguments):
    return "\n".join(answer(tool, f"{arguments} {form}".strip()) for form in FORMS)


# Columns that CSV has for want of an object around the line, by the member of the outer object that they repeat.
REPEATED = {"comm_size": "size", "comm_mpi_share": "mpi_share"}
# Views whose CSV has a fact in each line, or lines of several tables, or whose JSON has more lists.
OTHER_SHAPES = re.compile(r"first-page|^scaling(?!\.history)|^links|^compare(?!\.correlate)")


def flat(members, prefix=""):
    """{"before": {"calls": 1}} as {"before_calls": 1}."""
    for key, value in members.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{key}_")
        else:
            yield prefix + key, value


def lines_of(document):
    """The objects that CSV has lines for: those of the longest list, or those of lists within its objects."""
    lists = [value for value in document.values() if isinstance(value, list) and value and isinstance(value[0], dict)]
    for outer in lists[-1] if lists else []:
        inner = [value for value in outer.values() if isinstance(value, list) and value and isinstance(value[0], dict)]
        profile = document.get("run", {}).get("profile")
        yield from ({"profile": profile, **{f"outer {key}": value for key, value in flat(outer)}, **dict(flat(outer)), **dict(flat(one))}
                    for one in (inner[0] if inner else [{}]))


def as_field(value):
    return {None: "", True: "1", False: "0"}[value] if value is None or isinstance(value, bool) else value


def is_same(field, value):
    value = as_field(value)
    if isinstance(value, str):
        return field == value
    return field == str(value) or (field != "" and float(field) == value)


def disagreements(csv_text, json_text):
    rows = list(csv.DictReader(csv_text.splitlines()))
    loaded = json.loads(json_text)
    objects = [one for document in (loaded if isinstance(loaded, list) else [loaded]) for one in lines_of(document)]
    if len(rows) != len(objects):
        yield f"{len(rows)} lines of CSV, {len(objects)} of JSON"
    for number, (row, one) in enumerate(zip(rows, objects), 1):
        for key, field in row.items():
            name = key if key in one else f"outer {REPEATED.get(key)}"
            if name not in one:
                yield f"line {number}: JSON has no {key}"
            elif not is_same(field, one[name]):
                yield f"line {number}: {key} is {field} in CSV and {one[name]} in JSON"


def first_disagreement(name, text):
    if OTHER_SHAPES.search(name) or "exit code" in text or "error:" in text:
        return None
    _, csv_text, json_text = re.split(r"^\$ .*\n", text, flags=re.M)[1:]
    return next(disagreements(csv_text.strip(), json_text), None)


def described_columns():
    """A pattern of the names in code spans of the pages, in which … is any part: `inclusive_…`, `src,dst`."""
    pages = [*docs.glob("reader/*.md"), docs / "profile.md"]
    spans = re.findall(r"`([\w,…]+)`", "\n".join(page.read_text() for page in pages))
    names = {name for span in spans for name in span.split(",") if name.strip("…")}
    return re.compile("|".join(sorted(name.replace("…", r"\w+") for name in names)))


def columns_without_description(texts):
    headers = {header for text in texts for header in re.findall(r"^\$ .* --csv\n(?!error)(.+)", text, re.M)}
    described = described_columns()
    return sorted({column for header in headers for column in header.split(",") if not described.fullmatch(column)})


def first_difference(expected, found):
    expected, found = expected.splitlines(), found.splitlines()
    for number, (left, right) in enumerate(zip(expected, found), 1):
        if left != right:
            return f"line {number}\n  expected: {left}\n  found:    {right}"
    return f"{len(expected)} lines expected, {len(found)} found"


def main():
    tool, update = Path(sys.argv[1]).resolve(), "--update" in sys.argv[2:]
    left_out = re.compile(r"^(links|place)(\.|$)" if "--without-network" in sys.argv[2:] else r"^$")
    all_commands = {name: arguments for name, arguments in commands() if not left_out.search(name)}
    with ThreadPoolExecutor() as pool:
        found = dict(zip(all_commands, pool.map(lambda arguments: forms_of(tool, arguments), all_commands.values())))
    old = {path.name: path.read_text() for path in golden.glob("*") if not left_out.search(path.name)}
    if update:
        for name in old.keys() - found.keys():
            (golden / name).unlink()
        for name, text in found.items():
            if old.get(name) != text:
                (golden / name).write_text(text)
        return 0
    failures = [f"{name}: {first_difference(old.get(name, ''), text)}" for name, text in found.items() if old.get(name) != text]
    failures += [f"{name}: no view has this name" for name in sorted(old.keys() - found.keys())]
    forms_agree = {name: first_disagreement(name, text) for name, text in found.items()}
    failures += [f"{name}: {problem}" for name, problem in forms_agree.items() if problem]
    failures += [f"no page describes the column {column}" for column in columns_without_description(found.values())]
    for failure in failures:
        print(failure)
    if failures:
        print(f"{len(failures)} failures, {len(found)} files; {__file__} {sys.argv[1]} --update writes them again")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
