#!/usr/bin/env python3
"""a_call.py [--fix] GENERATED: docs/a-call.md shows what the sources and the generated wrappers say, and fits its bounds.

--fix puts the numbers of lines right where they have moved.
"""
import re
import sys
from pathlib import Path

from line_links import LINK as link, check, lines_of

MOST_FILES, MOST_LINES = 6, 600  # of each way
root = Path(__file__).resolve().parents[2]
page = root / "docs/a-call.md"
text = page.read_text()
problems = check(root, page)
blocks = re.findall(r"```cpp\n(.*?)```", text, re.S)
sections = re.findall(r"^## (The fast path|From the record to the CSV)$(.*?)(?=^## |\Z)", text, re.M | re.S)
if not blocks or len(sections) != 2 or not all(link.search(section) for _, section in sections):
    problems.append("a block of the generated wrapper, a section, or its links are missing")
for block in blocks:
    if block not in Path(sys.argv[-1]).read_text():
        problems.append("the generated wrapper is another one:\n" + block)
for title, section in sections:
    files = {file for _, file, _ in link.findall(section)}
    lines = lines_of(root, files)
    print(f"{title}: {len(files)} files, {lines} lines")
    if len(files) > MOST_FILES or (title == "The fast path" and lines > MOST_LINES):
        problems.append(f"{title} leads through more than {MOST_FILES} files or {MOST_LINES} lines")
print("\n".join(problems))
sys.exit(1 if problems else 0)
