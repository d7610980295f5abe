#!/usr/bin/env python3
"""commands.py MPISEE_THROUGH HAS_PAGE HAS_NETWORK: the commands of mpisee-through that README.md and docs/ show on a profile end well, and
docs/reader has each command and option of --help.

PROFILE, BEFORE, lj and others are copies of the profiles of the tests. tests/unit/mpisee_through/golden.py compares what the examples of
docs/reader print. HAS_PAGE: 1 if the tool can write reports. HAS_NETWORK: 1 if it has links and place.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

root = Path(__file__).resolve().parents[2]
tool, has_page, has_network = Path(sys.argv[1]).resolve(), sys.argv[2] == "1", sys.argv[3] == "1"
PROFILES = {"sample": ["sample", "lj", "PROFILE", "DIRECTORY", "BEFORE", "base-1", "base-2", "base-3", "base-4", "run-1", "run-2", "run-3",
                       "commprof-your_program-12345"],
            "sample-scaling/ranks-1": ["heat-1"], "sample-scaling/ranks-2": ["heat-2"],
            "sample-tuned": ["AFTER", "tuned-1", "tuned-2", "tuned-3", "tuned-4"], "network": ["net", "DIR"]}
# On running jobs, spool files and histories, which tests/mpi/now.py, tests/mpi/killed.py and the tests of scaling have; and synopses.
ELSEWHERE = re.compile(r"mpisee-through (now|collect|resolve)\b|\[OPTIONS\]|…")


def commands_of(page):
    """(line number, command) of each."""
    shown = not page.is_relative_to(root / "docs/reader")
    language = None
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if line.startswith("```"):
            language = (line[3:] or "text") if language is None else None
        found = [re.sub(r"(^|\s+)#(\s.*|$)", "", line)] if language == "sh" else [line[2:]] if language == "console" and shown and line[:2] == "$ " else []
        if language is None:
            found = [span for span in re.findall(r"`(mpisee-through [^`]*)`", line) if re.search(r"\b[A-Z]{3,}\b", span)]
        yield from ((number, command) for command in found if re.match(r"mpisee-through ", command) and not ELSEWHERE.search(command))


def undocumented():
    """Commands without a page of their own, and options that their page does not name, or no page if they are of all views."""
    pages = {page.stem: page.read_text() for page in (root / "docs/reader").glob("*.md")}

    def help_of(*command):
        return subprocess.run([tool, *command, "--help"], capture_output=True, text=True, check=True).stdout

    def missing(text, section):
        """Options of a section of a help, as -o,--output, of which the text has no name."""
        options = re.findall(r"^  ((?:-\w,)?--(?!help)[a-z-]+)", section, re.M)
        return [one for one in options if not any(re.search(rf"{name}(?![\w-])", text) for name in one.split(","))]

    overview = help_of()
    yield from (f"docs/reader has no {one}" for one in missing("\n".join(pages.values()), overview))
    for command in re.findall(r"^  ([a-z]+) {2,}", overview.split("\nCommands")[1].split("\n\n")[0], re.M):
        if command not in pages or f"]({command}.md)" not in pages["README"]:
            yield f"docs/reader/README.md leads to no {command}.md"
            continue
        for section in re.split(r"\n(?=\S.*:\n)", help_of(command)):
            page = "options" if section.startswith("Selection") else command
            yield from (f"docs/reader/{page}.md has no {one} of {command}" for one in missing(pages[page], section))


problems, run = list(undocumented()), 0
with tempfile.TemporaryDirectory() as directory:
    for sample, copies in PROFILES.items():
        for copy in copies:
            shutil.copytree(root / "tests/unit/mpisee_through" / sample, Path(directory) / copy)
    environment = os.environ | {"PATH": f"{tool.parent}:{os.environ['PATH']}", "TMPDIR": directory}
    for page in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        for number, command in commands_of(page):
            if not has_page and re.search("mpisee-through report|--html", command):
                continue
            if not has_network and re.search(r"mpisee-through (links|place)\b|--fabric\b", command):
                continue
            done = subprocess.run(["sh", "-c", command], cwd=directory, env=environment, capture_output=True, text=True, timeout=60)
            run += 1
            if done.returncode != 0:
                problems.append(f"{page.relative_to(root)}:{number}: {command}: exit code {done.returncode}: {done.stderr.strip()}")
print("\n".join(problems) or f"{run} commands run")
sys.exit(1 if problems or run < 10 else 0)
