#!/usr/bin/env python3
"""floors.py: a folder of src or of a tool includes what the tables in docs/design.md let it; the headers there exist."""
import re
import sys
from pathlib import Path

root = Path(__file__).resolve().parents[2]
row = re.compile(r"^\| `(\w+)` \|[^|]*\|([^|]*)\|$", re.M)
tables = re.findall(r"^\| folder \|.*\n(?:\|.*\n)+", (root / "docs/design.md").read_text(), re.M)
floors = {}  # folder -> its place, and the headers that others may include
homes = {root / home: [] for home in ("src", "tools/mpisee-through", "tools/network", "tools/commprof")}
problems = [] if len(tables) == len(homes) else [f"docs/design.md has {len(tables)} tables of folders"]

for home, table in zip(homes, tables):
    for folder, headers in row.findall(table):
        floors[folder] = len(floors), headers.replace("`", "").split()
        homes[home].append(folder)
    folders = {path.name for path in home.iterdir() if path.is_dir()}
    problems += [f"{folder} is in {home} or in its table alone" for folder in folders ^ set(homes[home])]

for home, folders in homes.items():
    for folder in folders:
        named = [header for header in floors[folder][1] if header.endswith(".hpp") or header.endswith(".h")]
        problems += [f"docs/design.md names {folder}/{header}, which does not exist" for header in named
                     if not (home / folder / header).exists()]
    for file in sorted(file for folder in folders for file in (home / folder).rglob("*.[chS]*")):
        own = file.relative_to(home).parts[0]
        for other, header in re.findall(r'^#include "(\w+)/([^"]+)"', file.read_text(), re.M):
            place, headers = floors.get(other, (-1, ["all"]))
            if other != own and place >= floors[own][0]:
                problems.append(f"{file.relative_to(root)} includes {other}/{header}, which is not above {own}")
            elif other != own and headers != ["all"] and header not in headers:
                problems.append(f"{file.relative_to(root)} includes {other}/{header}, which is no header for others")

print("\n".join(problems))
sys.exit(1 if problems else 0)
