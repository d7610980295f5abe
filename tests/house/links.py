#!/usr/bin/env python3
"""links.py: the links of the documentation lead to files that are there, and to headings that they have."""
import re
import subprocess
import sys
from pathlib import Path

root = Path(__file__).resolve().parents[2]
names = subprocess.run(["git", "ls-files", "*.md"], cwd=root, check=True, capture_output=True, text=True).stdout.split()
pages = {root / name: (root / name).read_text() for name in names}


def anchors(text):
    """Of the headings, as GitHub makes them; what lies between fences has none."""
    titles = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


problems, links = [], 0
for page, text in pages.items():
    for target in re.findall(r"\]\(([^()\s]+)\)", text):
        if re.match(r"\w+:", target):
            continue
        links += 1
        file, _, anchor = target.partition("#")
        other = (page.parent / file).resolve() if file else page
        if not other.exists():
            problems.append(f"{page.relative_to(root)}: {file} is not there")
        elif anchor and other in pages and anchor not in anchors(pages[other]):
            problems.append(f"{page.relative_to(root)}: {other.relative_to(root)} has no heading #{anchor}")
if links == 0:
    problems.append("there are no links at all")

print("\n".join(problems))
sys.exit(1 if problems else 0)
