#!/usr/bin/env python3
"""floors.py: each folder of src includes what the table in docs/design.md lets it."""
import re
import sys
from pathlib import Path

root = Path(__file__).resolve().parents[2]
row = re.compile(r"^\| `(\w+)` \|[^|]*\|([^|]*)\|$", re.M)
floors = {folder: (place, headers.replace("`", "").split())
          for place, (folder, headers) in enumerate(row.findall((root / "docs/design.md").read_text()))}
problems = []

for folder in sorted(path.name for path in (root / "src").iterdir() if path.is_dir()):
    if folder not in floors:
        problems.append(f"src/{folder} is not in the table")
for folder in floors:
    if not (root / "src" / folder).is_dir():
        problems.append(f"the table has a folder {folder}, src has none")

for file in sorted((root / "src").rglob("*.[chS]*")):
    own = file.relative_to(root / "src").parts[0]
    for other, header in re.findall(r'^#include "(\w+)/([^"]+)"', file.read_text(), re.M):
        if other == own or other not in floors or own not in floors:
            continue
        place, headers = floors[other]
        if place >= floors[own][0]:
            problems.append(f"{file.relative_to(root)} includes {other}/{header}, which is not above {own}")
        elif headers != ["all"] and header not in headers:
            problems.append(f"{file.relative_to(root)} includes {other}/{header}, which is no header for others")

print("\n".join(problems))
sys.exit(1 if problems else 0)
