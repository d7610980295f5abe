"""Links of a page to lines of the sources: [`code`](../file#L12), where the code is in that line of the file only."""
import re
import sys

LINK = re.compile(r"\[`([^`]+)`\]\(\.\./([^)#]+)#L(\d+)\)")


def check(root, page):
    """What is wrong with the links of the page. With --fix on the command line: puts them right, and ends."""
    problems = []

    def put_right(match):
        code, file, number = match.groups()
        found = [i for i, line in enumerate((root / file).read_text().splitlines(), 1) if code in line]
        if len(found) != 1:
            problems.append(f"{file} has {len(found)} lines with {code}")
            return match[0]
        if found != [int(number)]:
            problems.append(f"{code} is in line {found[0]} of {file}, not {number}")
        return f"[`{code}`](../{file}#L{found[0]})"

    fixed = LINK.sub(put_right, page.read_text())
    if "--fix" in sys.argv:
        page.write_text(fixed)
        sys.exit(0)
    return problems


def lines_of(root, files):
    return sum(len((root / file).read_text().splitlines()) for file in files)
