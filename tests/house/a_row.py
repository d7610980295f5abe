#!/usr/bin/env python3
"""a_row.py [--fix]: docs/a-row.md shows lines that are in the sources, and leads through few files.

--fix puts the numbers of lines right where they have moved.
"""
import re
import sys
from pathlib import Path

from line_links import check, lines_of

MOST_FILES, MOST_LINES = 15, 2400
root = Path(__file__).resolve().parents[2]
page = root / "docs/a-row.md"
problems = check(root, page)
files = set(re.findall(r"\]\(\.\./((?:src|tools)/[^)#]+)", page.read_text()))
lines = lines_of(root, files)
print(f"{len(files)} files, {lines} lines")
if len(files) > MOST_FILES or lines > MOST_LINES:
    problems.append(f"the way leads through more than {MOST_FILES} files or {MOST_LINES} lines")
print("\n".join(problems))
sys.exit(1 if problems else 0)
