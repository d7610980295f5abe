#!/usr/bin/env python3
"""tidy.py BUILD [REVISION | --all | --compile]: clang-tidy over the sources that differ from a revision, or all.

The revision is HEAD's parent unless told; without one, all are checked. Takes the commands of the build's
compile_commands.json, of unity builds too. With --compile the build's own compiler reads each source alone, since a
unity build hides what a source lacks.
"""
import json
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

GCC_ONLY = re.compile(r"\s-(fno-gnu-unique|fno-tree-slp-vectorize|mmemset-strategy=\S+|fno-plt|Werror|Winvalid-pch|include \S+/cmake_pch\.hxx)")
ALONE = re.compile(r"^\S*ccache |\s-(o \S+|Winvalid-pch|include \S+/cmake_pch\.hxx)")
root = Path(__file__).resolve().parents[2]
build, since = Path(sys.argv[1]), (sys.argv[2:] or ["HEAD~1"])[0]
alone = since == "--compile"


def wanted(known):
    """Those of the known sources that are to be checked."""
    diff = subprocess.run(["git", "-C", root, "diff", "--name-only", since], capture_output=True, text=True)
    if since in ("--all", "--compile") or diff.returncode:
        return known
    return {str(root / name) for name in diff.stdout.split()} & known


def commands():
    """Each source with its command; a source of several targets with the first."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = Path(entry["file"])
        parts = re.findall(r'^#include "(/.*)"', file.read_text(), re.M) if file.parent.name == "Unity" else [file]
        for part in parts:
            command = (ALONE if alone else GCC_ONLY).sub("", entry["command"]).replace(str(file), str(part))
            found.setdefault(str(part), {"directory": entry["directory"], "file": str(part), "command": command})
    return found


def compiled(file):
    run = subprocess.run(known[file]["command"] + " -fsyntax-only", shell=True, cwd=known[file]["directory"],
                         capture_output=True, text=True)
    return run.stderr if run.returncode else ""


def tidy(file):
    run = subprocess.run(["clang-tidy-14", "--quiet", "--warnings-as-errors=*", f"--header-filter=^{root}/(src|tools)/",
                          "-p", database, file], capture_output=True, text=True)
    return run.stdout if run.returncode else ""


known = {file: command for file, command in commands().items()
         if file.startswith((f"{root}/src/", f"{root}/tools/")) and file.endswith(".cpp")}
files = sorted(wanted(known.keys()))
with tempfile.TemporaryDirectory() as database, ThreadPoolExecutor(2) as pool:
    (Path(database) / "compile_commands.json").write_text(json.dumps(list(known.values())))
    problems = [text for text in pool.map(compiled if alone else tidy, files) if text]
print("\n".join(problems))
print(f"{len(files)} sources, {len(problems)} with problems")
sys.exit(1 if problems or not known else 0)
