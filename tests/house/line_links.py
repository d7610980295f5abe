#!/usr/bin/env python3
"""line_links.py [--fix]: links of pages to lines of the sources, [`code`](../file#L12), lead to the lines that have the code.

--fix puts the numbers of lines right where they have moved.
"""
import re
import sys
from pathlib import Path

LINK = re.compile(r"\[`([^`]+)`\]\(\.\./([^)#]+)#L(\d+)\)")
root = Path(__file__).resolve().parents[2]
problems, links = [], 0


def put_right(match):
    global links
    links += 1
    code, file, number = match.groups()
    found = [i for i, line in enumerate((root / file).read_text().splitlines(), 1) if code in line]
    if found != [int(number)]:
        problems.append(f"{code} is in lines {found} of {file}, not in {number}")
    return f"[`{code}`](../{file}#L{found[0]})" if len(found) == 1 else match[0]


for page in (root / "docs").glob("*.md"):
    fixed = LINK.sub(put_right, page.read_text())
    if "--fix" in sys.argv:
        page.write_text(fixed)
print("\n".join(problems) or f"{links} links")
sys.exit(1 if (problems and "--fix" not in sys.argv) or links == 0 else 0)
