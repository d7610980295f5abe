#!/usr/bin/env python3
"""golden.py MPISEE_THROUGH [--update] [--without-network] [NAME...]: sessions with mpisee-through, and all that they print.

Each file of golden/ is a session of a shell, in a directory of its own with the sample profiles:

    # A comment.
    @ NAME RANKS SECONDS           makes a profile (of 2 ranks and 10 s); its rows are in the lines below: FILE ROW (profiles.py)
    $ mpisee-through --ranks NAME  runs a command; what it prints stands below, stderr after stdout
    > its next line                 as in a shell
    $ … --csv | columns comm op    some columns alone: session/ has such commands
    ! a line of stderr
    !2 its last line, if the command ends with exit code 2

The blocks of ```console in docs/reader are such sessions, too. --update writes the output anew; look at what git says about it.
MPISEE_THROUGH must have a page.
"""
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import profiles

here = Path(__file__).resolve().parent
golden, docs = here / "golden", here.parents[2] / "docs" / "reader"
MARKERS = ("# ", "@ ", "$ ", "> ", "!")


def environment_of(tool, home):
    """Without what a user may have set, and with the tool first in PATH."""
    programs = home / "bin"
    programs.mkdir()
    (programs / "mpisee-through").symlink_to(tool)
    kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR", "TERM")}
    return {**kept, "LC_ALL": "C.UTF-8", "PATH": f"{programs}:{here / 'session'}:{kept['PATH']}"}


def run(command, directory, environment, plain):
    """plain: with standard error as it is."""
    done = subprocess.run(["sh", "-c", command], cwd=directory, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, errors="backslashreplace", timeout=100)
    if plain:
        return done.stdout + done.stderr
    if wrong := [line for line in done.stdout.splitlines() if line.startswith(MARKERS)]:
        sys.exit(f"{command} prints what a session cannot have: {wrong[0]}")
    errors = ["! " + line for line in done.stderr.splitlines()]
    if done.returncode:
        errors = [*errors[:-1], f"!{done.returncode}" + (errors[-1][1:] if errors else "")]
    return done.stdout + "".join(line + "\n" for line in errors) if not done.stdout or done.stdout.endswith("\n") else \
        f"{done.stdout}\n! no newline at the end\n"


def blocks_of(text):
    """The comments, profiles and commands of a session, each with the lines below it."""
    blocks = (re.match(r"([^\n]*(?:\n> [^\n]*)*)\n?(.*)", block, re.S) for block in re.split(r"^(?=[#@$] )", text, flags=re.M) if block)
    return [block.groups() for block in blocks]


def make_profile(directory, name, ranks="2", wall_s="10", *, text):
    rows = [line.split(" ", 1) if " " in line else (line, "") for line in text.splitlines() if line]
    more_of_run = "".join(f", {row}" for file, row in rows if file == "run")
    profiles.write(directory / name, [row for row in rows if row[0] != "run"], int(ranks), wall_s, more_of_run)


def played(session, tool, plain=False):
    """The session with what its commands print now."""
    with tempfile.TemporaryDirectory(prefix="golden.") as home:
        directory = Path(home) / "session"
        directory.mkdir()
        for sample in [*here.glob("sample*"), here / "network"]:
            (directory / sample.name).symlink_to(sample)
        environment = environment_of(tool, Path(home))
        text = ""
        for head, body in blocks_of(session):
            if head.startswith("@ "):
                make_profile(directory, *head.split()[1:], text=body)
            elif head.startswith("$ "):
                body = run(head[2:].replace("\n> ", "\n"), directory, environment, plain)
            text += f"{head}\n{body}"
        return text


def played_page(page, tool, left_out):
    """A page of the documentation with what the commands in it print."""
    def block(found):
        return found.group() if left_out.search(found.group(2)) else found.group(1) + played(found.group(2), tool, plain=True) + found.group(3)
    return re.sub(r"(^```console\n)(\$ .*?)(^```$)", block, page, flags=re.M | re.S)


def first_difference(expected, found):
    command, expected, found = "", expected.splitlines(), found.splitlines()
    for number, (left, right) in enumerate(zip(expected, found), 1):
        command = left if left.startswith("$ ") else command
        if left != right:
            return f"{number}: {command}\n  expected: {left}\n  found:    {right}"
    return f"{len(expected)} lines expected, {len(found)} found"


def main():
    tool, options = Path(sys.argv[1]).resolve(), sys.argv[2:]
    names = [name for name in options if not name.startswith("--")]
    left_out = re.compile(r"mpisee-through (links|place)|--fabric" if "--without-network" in options else r"^$")
    files = [path for path in (*sorted(golden.iterdir()), *sorted(docs.glob("*.md"))) if (not names or path.name in names)]
    sessions = {path: path.read_text() for path in files if not (left_out.search(path.read_text()) and path.parent == golden)}

    def now(path):
        return played(sessions[path], tool) if path.parent == golden else played_page(sessions[path], tool, left_out)
    with ThreadPoolExecutor(2) as pool:
        found = dict(zip(sessions, pool.map(now, sessions)))
    different = [path for path in sessions if sessions[path] != found[path]]
    for path in different:
        if "--update" in options:
            path.write_text(found[path])
        else:
            print(f"{path}:{first_difference(sessions[path], found[path])}")
    if different and "--update" not in options:
        print(f"{len(different)} of {len(sessions)} sessions differ; {__file__} {sys.argv[1]} --update writes them anew")
    return 1 if different and "--update" not in options else 0


if __name__ == "__main__":
    sys.exit(main())
