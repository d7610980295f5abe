#!/usr/bin/env python3
"""lengths.py: no file of src or tools has more than 400 lines, unless its top says why it is "longer than others"."""
import subprocess
import sys
from pathlib import Path

MOST_LINES = 400
root = Path(__file__).resolve().parents[2]
SUFFIXES = {".c", ".h", ".cpp", ".hpp", ".S", ".js", ".css"}
names = subprocess.run(["git", "-C", root, "ls-files", "src", "tools"], capture_output=True, check=True, text=True).stdout.split("\n")
files = [root / name for name in names if Path(name).suffix in SUFFIXES]
too_long = []
for file in files:
    lines = file.read_text().splitlines()
    if len(lines) > MOST_LINES and "longer than others" not in " ".join(lines[:10]):
        too_long.append(f"{file.relative_to(root)} has {len(lines)} lines")
print("\n".join(too_long))
sys.exit(1 if too_long or not files else 0)
