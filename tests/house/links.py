#!/usr/bin/env python3
"""links.py: the links of the documentation lead to files that are there, and to headings and lines that they have.

So do the names of pages in messages, helps and comments ("docs/front.md"), and the paths in code spans of the pages.
"""
import re
import subprocess
import sys
from pathlib import Path

root = Path(__file__).resolve().parents[2]
names = subprocess.run(["git", "ls-files"], cwd=root, check=True, capture_output=True, text=True).stdout.split("\n")[:-1]
pages = {root / name: (root / name).read_text() for name in names if name.endswith(".md")}
TEXT = {"", ".c", ".h", ".cpp", ".hpp", ".S", ".py", ".js", ".mjs", ".css", ".html", ".txt", ".cmake", ".in", ".f90", ".sh", ".json"}
FOLDERS = "bench|cmake|docs|examples|include|scripts|src|tests|tools"


def without_fences(text):
    return re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)


def anchors(text):
    """Of the headings, as GitHub makes them: a title that comes again has a number. What lies between fences has none."""
    found = {}
    for title in re.findall(r"^#+ (.*)$", without_fences(text), re.M):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)
        anchor = re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")
        found[anchor] = found.get(anchor, -1) + 1
    return {f"{one}-{i}" if i else one for one, times in found.items() for i in range(times + 1)}


def problem_with(page, target):
    """What is wrong with a link of a page, or nothing."""
    file, _, anchor = target.partition("#")
    other = (page.parent / file).resolve() if file else page
    if not other.exists():
        return f"{file} is not there"
    if not other.is_relative_to(root):
        return f"{file} is not in the tree"
    if anchor and other in pages and anchor not in anchors(pages[other]):
        return f"{other.relative_to(root)} has no heading #{anchor}"
    if anchor and other not in pages:
        line = re.fullmatch(r"L(\d+)", anchor)
        if not line or int(line[1]) > len(other.read_text().splitlines()):
            return f"{other.relative_to(root)} has no line #{anchor}"
    return None


problems, links, mentions = [], 0, 0
for page, text in pages.items():
    # A link may be broken over two lines; lambdas of C++ are none.
    targets = re.findall(r"\]\(\s*([^()\s]+)\s*\)", without_fences(text)) + re.findall(r"(?:href|src)=\"([^\"]+)\"", text)
    for target in targets:
        if re.match(r"\w+:", target):
            continue
        links += 1
        if problem := problem_with(page, target):
            problems.append(f"{page.relative_to(root)}: {problem}")
    for path in re.findall(rf"`((?:{FOLDERS})/[\w./-]+)`", text):
        mentions += 1
        known = path.rstrip("/").split("::")[0]
        if not any(name == known or name.startswith(known + "/") or name.startswith(known + ".") for name in names):
            problems.append(f"{page.relative_to(root)}: `{path}` is not there")
for name in names:
    file = root / name
    if file in pages or file.suffix not in TEXT or not file.is_file():
        continue
    for target in re.findall(r"\bdocs/[\w/-]+\.(?:md|txt|png)(?:#[\w-]+)?", file.read_text(errors="ignore")):
        mentions += 1
        if problem := problem_with(root / "x", target):
            problems.append(f"{name}: {problem}")
if links == 0 or mentions == 0:
    problems.append("there are no links at all")

print("\n".join(problems) or f"{links} links, {mentions} mentions")
sys.exit(1 if problems else 0)
