#!/usr/bin/env python3
"""calls_page.py [--fix]: docs/calls.md says of each call what src/calls has of it. --fix writes it anew."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/calls.md"
TEXT = r'"((?:[^"\\]|\\.)*)"'
PLACES = {"on_window": "that of its window", "on_target": "that of its window", "on_opened_file": "that of its file",
          "on_message": "that of its message", "on_self": "`SELF`", "on_world": "`W`"}
OF_COMM = {"creation": "the parent", "release": "the communicator released"}
HEAD = """# Calls

Every MPI call that is counted, the communicator it counts on, and the bytes that it counts there. This page is made from the
call table, `src/calls/call_table.hpp`.

A call with large counts (`MPI_Send_c`) and one with the prefix `MPIX_` count as the call without. All bindings count alike:
C, `mpif.h`, `use mpi`, `use mpi_f08`. A name with `-none` is that of a call that completed or found nothing. What a creation
call makes is marked with the letter that names carry ([names](design.md#names)).
"""
OTHERS = """
## Calls that need none

They neither communicate over a communicator, nor synchronise one, nor make or release one. Functions with the prefix `MPIX_` are those of one MPI, and not counted whatever they do.

"""


def source(name):
    return (ROOT / "src/calls" / name).read_text()


TABLE = source("call_table.hpp")
LETTERS = dict(re.findall(r"^  (\w+) = '(\w)',$", TABLE, re.M))
RULES = dict(re.findall(rf"^    {{{TEXT}, {TEXT}", source("rules.hpp"), re.M))


def rows():
    """Name, family, kind, on, parameters, rule, letter and whether it polls, of each row."""
    row = rf'(polling\()?{{{TEXT}, (\w+), (\w+), (\w+),\s+{TEXT}(?:,\s*(?:{TEXT}|(not_counted)))?(?:,\s*Letter::(\w+))?'
    collective = rf"COMMPROF_COLLECTIVE\((\w+), \w+, {TEXT}, {TEXT},\s*{TEXT},\s*{TEXT}\)"
    for match in re.finditer(f"{row}|{collective}", re.sub(r'",\s+(?=\w+, \w+, on_)', '", ', TABLE.split("Row rows[] = {")[1])):
        polls, name, family, kind, on, parameters, rule, not_counted, letter, joint, *forms, of_all, rule_of_all = match.groups()
        if joint:
            for name, kind, more in zip((*forms, forms[0] + "_init"), ("operation", "operation", "persistent"), ("", " request", " info request")):
                yield name, joint, kind, "on_comm", of_all + more, rule_of_all, None, False
        else:
            yield name, family, kind, on, parameters, not_counted or rule or "none()", letter, bool(polls)


def volume(kind, parameters, rule):
    moved = "" if kind == "completing" else RULES[rule.split("(")[0]]
    if kind == "by_status" and "request" in parameters.split():
        return "; ".join(filter(None, (moved, "received, at completion: what arrived")))
    if kind == "persistent":
        return moved and "with each start, " + moved
    if kind == "persistent_receive":
        return "with each start, received: what arrived"
    return "what the started requests move; counted when their receives have completed" if kind == "start" else moved


def place(kind, on, rule):
    if on in ("on_comm", "on_dest"):
        return OF_COMM.get(kind, "its own")
    if on != "on_requests":
        return PLACES[on]
    if kind == "partition":
        return "that of its request"
    return "that of the first request that it returns" if rule.endswith(("any", "some")) else "those of its requests"


def facts(kind, on, parameters, rule, letter):
    if rule == "not_counted":
        return "not counted: begins, ends or steers the profile, names a communicator, or sets its attributes |"
    return f"{place(kind, on, rule)} | {f'makes `_{LETTERS[letter]}`' if letter else ''}{volume(kind, parameters, rule)}"


def page():
    text = HEAD
    families = re.search(r"enum Family {([^}]*)}", TABLE)[1].replace(",", "").split()
    titles = re.findall(rf"^    {{{TEXT}, OperationKind", source("families.hpp"), re.M)
    for family, title in zip(families, titles, strict=True):
        lines = {}  # calls of which the same is to be said have one line
        for name, of, kind, on, parameters, rule, letter, polls in rows():
            if of == family:
                lines.setdefault(facts(kind, on, parameters, rule, letter), []).extend([name, name + "-none"] if polls else [name])
        text += f"\n## {title}\n\n| call | on communicator | bytes |\n|---|---|---|\n"
        text += "".join(f"| {', '.join(f'`{name}`' for name in names)} | {said} |\n" for said, names in lines.items())
    needs_none = "".join(re.findall(rf"^    {TEXT}", source("other_calls.hpp"), re.M)).split()
    return text + OTHERS + " ".join(f"`{name}`" for name in needs_none) + "\n"


if sys.argv[1:] == ["--fix"]:
    PAGE.write_text(page())
elif page() != PAGE.read_text():
    sys.exit(f"{PAGE} does not say what src/calls has: {sys.argv[0]} --fix")
