#!/usr/bin/env python3
"""Small faults put into a copy of the source, to see which of them the tests find.

mutants.py draw BUILD COUNT SEED FOLDER...: puts COUNT faults, drawn by SEED, into the .cpp files below the folders, each behind
    a question for the variable DRAWN_MUTANT, so that one build has all of them. BUILD/compile_commands.json says how the
    files are compiled; faults that do not compile are taken out again. Lists the faults in mutants.txt. Work in a copy, of the library with
    COMMPROF_WERROR=OFF. The variable is no option of the profiler, which the tests would take away.
mutants.py run COMMAND...: runs the commands, in their order, for each fault, until one fails; lists the faults that none
    found. Each command must succeed without a fault.
"""
import json
import os
import random
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

LIST = Path("mutants.txt")
# Asks the environment at the first question, which may come before static initialisation, from a signal handler or a new thread. A
# library without the C++ runtime has no guards for local statics.
QUESTION = """#ifndef DRAWN_MUTANT_IS
#define DRAWN_MUTANT_IS
#include <cstdlib>
inline int drawn_mutant = -1;
inline bool mutant_is(int number) {
  if (drawn_mutant < 0) {
    char const* const chosen = std::getenv("DRAWN_MUTANT");
    drawn_mutant = chosen != nullptr ? std::atoi(chosen) : 0;
  }
  return number == drawn_mutant;
}
#endif
"""
OPERATORS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+", "*": "/", "&&": "||",
             "||": "&&", "+=": "-=", "-=": "+="}
NEVER = re.compile(r'constexpr|static_assert|template|operator|^\s*(#|//|case |using |struct |class )|R"')
STATEMENT = re.compile(r"^\s+(?!return|throw|auto|break|delete|using|static)(?:\+\+|--)?[\w.>\[\]-]+(?:\(.*\)| [-+*/|&]?= .+)?;(\s*//.*)?$")


def closing(text, begin):
    """The place of the bracket that closes the one at begin, or -1."""
    depth = 0
    for place in range(begin, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return place
    return -1


def expression_in(line):
    """Where a whole expression is in the line: a condition, a value that is returned or assigned."""
    if found := re.match(r"\s*(?:} else )?(?:if|while) \(", line):
        end = closing(line, found.end() - 1)
        inner = line[found.end():end]
        return None if end < 0 or ";" in inner or re.search(r" = |\bauto\b", inner) else (found.end(), end)
    if found := re.match(r"\s*(?:if \(.*\) )?(?:return |[\w:<>*& .\[\]-]+ [-+]?= )(.+);(\s*//.*)?$", line):
        return found.span(1)
    return None


def changes_of(expression):
    """Each expression that one small fault makes of it."""
    for found in re.finditer(r" ([<>]=?|[=!]=|[-+*]|&&|\|\|) ", expression):
        yield expression[:found.start(1)] + OPERATORS[found.group(1)] + expression[found.end(1):]
    for found in re.finditer(r"(?<![\w.\"'])\d+(?![\w.\"'])", expression):
        yield expression[:found.start()] + str(int(found.group()) + 1) + expression[found.end():]
    for old, new in (("true", "false"), ("false", "true")):
        if expression == old:
            yield new


def mutants_of(lines, place):
    """What the line may become; @ stands for the number of the fault."""
    line, before = lines[place], lines[place - 1].split(" //")[0].rstrip() if place else ""
    if NEVER.search(line) or not line.startswith(" "):
        return
    if span := expression_in(line):
        old = line[span[0]:span[1]]
        changes = [*changes_of(old), *([f"!({old})"] if re.match(r"\s*(?:} else )?if \(", line) else [])]
        for new in changes:
            yield f"{line[:span[0]]}mutant_is(@) ? ({new}) : ({old}){line[span[1]:]}", f"{old}  ->  {new}"
    is_whole = before.endswith((";", "{", "}"))
    if is_whole and (STATEMENT.match(line) or line.strip() == "continue;"):
        yield f"if (!mutant_is(@)) {line.lstrip()}", f"without {line.strip()}"
        for old in (" += ", " -= "):
            if old in line:
                yield (f"if (mutant_is(@)) {line.strip().split(' //')[0].replace(old, f' {OPERATORS[old.strip()]} ', 1)} "
                       f"else {line.lstrip()}", f"other sign in {line.strip()}")


def compilations(build, files):
    """The commands that check these files, which may be compiled as parts of others; and where they run."""
    for entry in json.loads((Path(build) / "compile_commands.json").read_text()):
        source = Path(entry["file"])
        if source in files or ("unity" in entry["file"] and any(f'"{file}"' in source.read_text() for file in files)):
            words = shlex.split(entry["command"])
            flags = [word for word in words[:words.index("-o")] if word not in ("ccache", "-Werror")]
            yield [*flags, "-w", "-fsyntax-only", "-fmax-errors=0", str(source)], entry["directory"]


def write(file, lines, chosen):
    text = [chosen[place][0].replace("mutant_is(@)", f"mutant_is({chosen[place][2]})") if place in chosen else line for place, line in enumerate(lines)]
    file.write_text(QUESTION + "\n".join(text) + "\n")


def take_out_what_fails(compilation, sources, drawn):
    """Compiles until no fault is in the way."""
    command, directory = compilation
    while errors := subprocess.run(command, cwd=directory, capture_output=True, text=True).stderr:
        bad = {(Path(file), int(line) - QUESTION.count("\n") - 1) for file, line in re.findall(r"^(/.*?):(\d+):\d+: error", errors, re.M)}
        bad = {(file, place) for file, place in bad if place in drawn.get(file, {})}
        if not bad:
            sys.exit(errors)
        for file, place in bad:
            del drawn[file][place]
            write(file, sources[file], drawn[file])


def draw(build, count, seed, *folders):
    files = sorted(file.resolve() for folder in folders for file in Path(folder).rglob("*.cpp"))
    sources = {file: file.read_text().splitlines() for file in files}
    sites = [(file, place, mutant) for file, lines in sources.items() for place in range(len(lines))
             for mutant in mutants_of(lines, place)]
    random.Random(int(seed)).shuffle(sites)
    drawn, number = {}, 0
    for file, place, (text, what) in sites:
        if number < int(count) and place not in drawn.setdefault(file, {}):
            number += 1
            drawn[file][place] = (text, what, number)
    drawn = {file: chosen for file, chosen in drawn.items() if chosen}
    for file, chosen in drawn.items():
        write(file, sources[file], chosen)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda one: take_out_what_fails(one, sources, drawn), compilations(build, drawn)))
    kept = [(number, f"{os.path.relpath(file)}:{place + 1}: {what}") for file, chosen in drawn.items()
            for place, (_, what, number) in chosen.items()]
    LIST.write_text("".join(f"{number} {what}\n" for number, what in sorted(kept)))
    print(f"{len(kept)} of {len(sites)} possible faults")


def run(*commands):
    faults = dict(line.split(" ", 1) for line in LIST.read_text().splitlines())
    alive = []
    for number, what in {"0": "no fault", **faults}.items():
        environment = {**os.environ, "DRAWN_MUTANT": number}
        for command in commands:
            try:
                failed = subprocess.run(command, shell=True, env=environment, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, timeout=600).returncode
            except subprocess.TimeoutExpired:
                failed = True
            if failed:
                break
        if number == "0" and failed:
            sys.exit(f"fails without a fault: {command}")
        if number != "0" and not failed:
            alive.append(number)
        print(f"{number} {f'found by {command.split()[0]}' if failed else 'alive'}: {what}", flush=True)
    print(f"{len(faults) - len(alive)} of {len(faults)} found")


if __name__ == "__main__":
    if sys.argv[1:2] not in (["draw"], ["run"]):
        sys.exit(__doc__)
    (draw if sys.argv[1] == "draw" else run)(*sys.argv[2:])
