#!/usr/bin/env python3
"""words.py: a comment names its subject. Lists the comments, and the sentences in them, that begin with a reference to what
was said before. Also lists paths that must not exist though they are in no directory of a test: any machine may have them."""
import re
import subprocess
import sys
from pathlib import Path

COMMENT = re.compile(r"^\s*(//|#|!|\*|/\*+)\s+(.*)")
WITHOUT_SUBJECT = re.compile(r"(?:^|[.:] )(Of|The same|Likewise|Those)\b(?! who\b)")
NOWHERE = re.compile(r"[\"' ]/(nonexistent|nowhere)\b")

root = Path(__file__).resolve().parents[2]
names = subprocess.run(["git", "-C", root, "ls-files", "src", "tools", "tests", "bench", "scripts", "cmake"], capture_output=True,
                       text=True, check=True).stdout.split()
found = []
for name in names:
    has_comments = re.search(r"(\.(cpp|hpp|c|h|js|mjs|py|f90|F90|cmake)|CMakeLists\.txt)$", name)
    if not has_comments and not (root / name).read_bytes().startswith(b"#!"):
        continue
    last = ""
    for number, line in enumerate((root / name).read_text(errors="replace").splitlines(), 1):
        if NOWHERE.search(line):
            found.append(f"{name}:{number}: a path that may exist; take one in a directory of the test, or below /dev/null")
        comment = COMMENT.match(line)
        text = comment.group(2) if comment else ""
        for word in WITHOUT_SUBJECT.finditer(text):
            if word.start() > 0 or not last or last.endswith((".", ":")):
                found.append(f"{name}:{number}: a comment's sentence begins with \"{word.group(1)}\"")
        last = text
print("\n".join(found))
sys.exit(1 if found else 0)
