#!/usr/bin/env python3
"""forms.py MPISEE_THROUGH [--without-network]: every view of the sample profiles, as text, CSV, JSON and data of a page.

MPISEE_THROUGH must have a page; mpisee_through_with_data_page of the unit tests has one in any build. The forms of a view must
agree (agreement.py); golden.py knows what some of them print. docs/reader or docs/profile.md must describe each column of CSV.
"""
import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import profiles
from agreement import disagreements

here = Path(__file__).resolve().parent
docs = here.parents[2] / "docs"

PAGE = "--html /dev/stdout"
FORMS = ("", "--csv", "--json", PAGE)
VIEWS = {
    "first-page": "",
    "operations": "--operations",
    "operations-top": "--operations --top 3 --sort calls",
    "operations-sites": "--operations --by site",
    "sizes": "--operations --by size",
    "sites": "--sites",
    "sites-top": "--sites --top 2 --sort calls",
    "communicators": "--communicators",
    "communicators-top": "--communicators --top 2 --sort name",
    "ranks": "--ranks",
    "ranks-top": "--ranks --top 1",
    "ranks-calls": "--ranks --op 'B*' --op Allreduce",
    "collectives": "--operations --by direction",
    "collectives-top": "--operations --by direction --top 1",
    "algorithms": "--algorithms",
    "waits": "--waits",
    "waits-top": "--waits --top 1",
    "waits-ranks": "--waits --by rank",
    "waits-ranks-top": "--waits --by rank --top 3",
    "matrix": "--matrix",
    "matrix-top": "--matrix --top 2 --weight messages",
    "matrix-sizes": "--matrix --by size --top 2",
    "matrix-hosts": "--matrix --by host",
    "regions": "--regions",
    "regions-exclusive": "--regions --exclusive --sort name",
    "regions-top": "--regions --top 2",
    "when": "--when",
    "nothing": "--operations --comm SELF --op Allreduce",
}
SAMPLES = ("sample", "sample-odd", "sample-tuned", "sample-waits")
# Views of several profiles, or of other commands.
OTHERS = {
    "several.operations": "--operations --op Allreduce sample sample-tuned",
    "several.communicators": "--communicators sample sample-odd",
    "messages.first-page": "sample-messages",
    "messages.ranks": "--ranks sample-messages",
    "messages.waits": "--waits sample-messages",
    "messages.waits-top": "--waits --top 1 sample-messages",
    "messages.waits-ranks": "--waits --by rank --op Waitall sample-messages",
    "messages.waits-pairs": "--waits --by pair sample-messages",
    "messages.waits-causes": "--waits --by cause sample-messages",
    "messages.waits-causes-top": "--waits --by cause --top 2 sample-messages",
    "when": "--when sample-when",
    "when.first-page": "sample-when",
    "when.kind": "--when --kind p2p --rank 1-2 sample-when",
    "when.part": "--when --during 60%-9 sample-when",
    "scaling": "scaling sample-scaling/ranks-1 sample-scaling/ranks-2 sample-scaling/ranks-4 sample-scaling/ranks-8",
    "scaling.top": "scaling --top 1 sample-scaling/ranks-1 sample-scaling/ranks-8",
    "compare": "compare sample sample-tuned",
    "compare.odd": "compare sample-odd sample",
    "compare.total": "compare --total --top 2 sample sample-tuned sample-odd",
    "compare.groups": "compare sample sample sample sample --with sample-tuned sample-tuned sample-tuned sample-tuned",
    "compare.correlate": "compare --correlate sample sample-tuned sample",
    "algorithms": "--algorithms --op Bcast sample-doubling",
    "links": "links --fabric network sample",
    "links.top": "links --fabric network --top 2 --weight messages sample",
    "place": "place --class p2p sample",
    "place.links": "place --class p2p --fabric network sample",
    "place.odd": "place sample-odd",
}


def commands():
    """The name of each view, and the arguments without a form."""
    for sample in SAMPLES:
        for view, options in VIEWS.items():
            yield f"{sample}.{view}", f"{options} {sample}".strip()
    yield from OTHERS.items()


def page_data(page):
    """What stands in a page for its script to read."""
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S).group(1))


class Answers:
    """What a view prints, by form."""

    def __init__(self, tool, name, arguments):
        environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR")}
        environment["LC_ALL"] = "C.UTF-8"
        self.name, self.arguments = name, arguments
        self.runs = {form: subprocess.run([tool, *shlex.split(f"{arguments} {form}")], cwd=here, env=environment,
                                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60) for form in FORMS}
        if "without the page" in self.runs[PAGE].stderr:
            sys.exit(f"{tool} has no page: take mpisee_through_with_data_page of the unit tests")

    def first_disagreement(self):
        failed = {(run.returncode, run.stderr, run.stdout) for run in self.runs.values() if run.returncode}
        if failed:
            is_same = len(failed) == 1 and all(run.returncode for run in self.runs.values())
            return None if is_same else "the forms do not fail alike"
        text, csv_text, json_text, page = (self.runs[form].stdout for form in FORMS)
        return next(iter(disagreements(self.name, text, csv_text, json_text, page_data(page))), None)


def described_columns():
    """A pattern of the names in code spans of the pages, in which … is any part: `inclusive_…`, `src,dst`."""
    pages = [*docs.glob("reader/*.md"), docs / "profile.md"]
    spans = re.findall(r"`([\w,…]+)`", "\n".join(page.read_text() for page in pages))
    names = {name for span in spans for name in span.split(",") if name.strip("…")}
    return re.compile("|".join(sorted(name.replace("…", r"\w+") for name in names)))


def columns_without_description(texts):
    """texts: what --csv printed."""
    described = described_columns()
    columns = {column for text in texts if text for column in text.splitlines()[0].split(",")}
    return sorted(column for column in columns if not described.fullmatch(column))


def schema_disagreements():
    """docs/profile.md has the files and columns of the schema in sections of their own, and no others."""
    sections = {}
    for section in re.split(r"^## ", (docs / "profile.md").read_text(), flags=re.M):
        for name in profiles.COLUMNS:
            if f" {name}.csv" in " " + section.partition("\n")[0]:
                sections[name] = sections.get(name, "") + section
    for name, columns in profiles.COLUMNS.items():
        yield from (f"profile.md lacks {column} of {name}" for column in columns if f"`{column}`" not in sections.get(name, ""))
    for name, section in sections.items():
        known = {column for file, columns in profiles.COLUMNS.items() if f"{file}.csv" in section for column in columns}
        for table in re.findall(r"^\| column \|.*\n((?:\|.*\n)+)", section, re.M):
            shown = re.findall(r"`([^`]+)`", " ".join(line.split("|")[1] for line in table.splitlines()))
            yield from (f"profile.md has {column}, which {name} lacks" for column in shown if column not in known)


def main():
    tool = Path(sys.argv[1]).resolve()
    left_out = re.compile(r"^(links|place)(\.|$)" if "--without-network" in sys.argv[2:] else r"^$")
    all_commands = {name: arguments for name, arguments in commands() if not left_out.search(name)}
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda command: Answers(tool, *command), all_commands.items()))
    failures = [f"{one.name}: {problem}" for one in answers if (problem := one.first_disagreement())]
    failures += [f"no page describes the column {column}"
                 for column in columns_without_description(one.runs["--csv"].stdout for one in answers)]
    failures += schema_disagreements()
    print(*failures, f"{len(failures)} failures, {len(answers)} views", sep="\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
