#!/usr/bin/env python3
"""forms.py MPISEE_THROUGH [--update]: every view of the sample profiles, as text, CSV and JSON, byte for byte.

forms/SAMPLE.VIEW holds the command lines of a view and what each prints: standard output, then standard error and the exit
code if they say something. --update writes the files again; look at what git says about them.
"""
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

here = Path(__file__).resolve().parent
golden = here / "forms"

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
    "nothing": "--operations --comm SELF --op Allreduce",
}
SAMPLES = ("sample", "sample-odd", "sample-tuned", "sample-waits")
# By the name of the file; views of several profiles, or of other commands.
OTHERS = {
    "several.operations": "--operations --op Allreduce sample sample-tuned",
    "several.communicators": "--communicators sample sample-odd",
    "scaling": "scaling sample-scaling/ranks-1 sample-scaling/ranks-2 sample-scaling/ranks-4 sample-scaling/ranks-8",
    "scaling.history": "scaling --history sample-scaling",
    "scaling.top": "scaling --top 1 sample-scaling/ranks-1 sample-scaling/ranks-8",
    "compare": "compare sample sample-tuned",
    "compare.odd": "compare sample-odd sample",
    "compare.total": "compare --total --top 2 sample sample-tuned sample-odd",
    "compare.groups": "compare sample sample sample sample --with sample-tuned sample-tuned sample-tuned sample-tuned",
    "compare.correlate": "compare --correlate sample sample-tuned sample",
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


def first_difference(expected, found):
    expected, found = expected.splitlines(), found.splitlines()
    for number, (left, right) in enumerate(zip(expected, found), 1):
        if left != right:
            return f"line {number}\n  expected: {left}\n  found:    {right}"
    return f"{len(expected)} lines expected, {len(found)} found"


def main():
    tool, update = Path(sys.argv[1]).resolve(), "--update" in sys.argv[2:]
    all_commands = dict(commands())
    with ThreadPoolExecutor() as pool:
        found = dict(zip(all_commands, pool.map(lambda arguments: forms_of(tool, arguments), all_commands.values())))
    old = {path.name: path.read_text() for path in golden.glob("*")}
    if update:
        for name in old.keys() - found.keys():
            (golden / name).unlink()
        for name, text in found.items():
            if old.get(name) != text:
                (golden / name).write_text(text)
        return 0
    failures = [f"{name}: {first_difference(old.get(name, ''), text)}" for name, text in found.items() if old.get(name) != text]
    failures += [f"{name}: no view has this name" for name in sorted(old.keys() - found.keys())]
    for failure in failures:
        print(failure)
    if failures:
        print(f"{len(failures)} of {len(found)} files differ; {__file__} {sys.argv[1]} --update writes them again")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
