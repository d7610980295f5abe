#!/usr/bin/env python3
"""headers.py COMPILER [MPI_H…]: src/mpi_abi has the numbers of values.txt, and so have the headers of MPIs with the standard ABI, which
agree with it in each prototype, too. Without a header, looks where Debian's packages and installations of MPI have theirs."""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
OURS = HERE.parents[1] / "src/mpi_abi"
PLACES = ("usr/lib/*/openmpi/include/standard_abi", "usr/lib/*/mpi_abi_mpich/include", "usr/include/standard_abi",
          "usr/local/include/standard_abi", "opt/*/include/standard_abi")
# MPICH 5.0.2 has the count as int.
DIFFERENT = re.compile(r"P?MPI_(Psend|Precv)_init")
HEADER = '#include "mpi.h"\n#include <stddef.h>\n#include <stdio.h>\n'


def run(words, **options):
    return subprocess.run(words, capture_output=True, text=True, **options)


def values(compiler, directory):
    """The numbers of the table's names, by a program that is compiled with the mpi.h of a directory; "none" for a name that it lacks."""
    with tempfile.TemporaryDirectory(prefix="commprof-test-") as work:
        source = Path(work, "values.c")
        command = [compiler, "-w", "-fno-diagnostics-color", f"-I{directory}", source, "-o", Path(work, "values")]
        names = list(TABLE)
        while True:
            lines = "".join(f'  printf("%lld\\n", (long long)({name}));  // {name}\n' for name in names)
            source.write_text(HEADER + "int main(void) {\n" + lines + "  return 0;\n}\n")
            done = run(command)
            first_line = HEADER.count("\n") + 1
            lacking = {int(line) - first_line - 1 for line in re.findall(r"values\.c:(\d+):\d+: error", done.stderr)}
            if done.returncode == 0:
                break
            if not lacking:
                sys.exit(done.stderr)
            names = [name for number, name in enumerate(names) if number not in lacking]
        found = dict(zip(names, run([Path(work, "values")], check=True).stdout.split()))
    return {name: found.get(name, "none") for name in TABLE}


def constants_and_functions(compiler, directory):
    """The names that a header has."""
    source = {"input": '#include "mpi.h"\n', "check": True}
    macros = run([compiler, "-E", "-dM", f"-I{directory}", "-x", "c", "-"], **source).stdout
    text = run([compiler, "-E", "-P", f"-I{directory}", "-x", "c", "-"], **source).stdout
    constants = set(re.findall(r"^#define (MPI_\w+) ", macros, re.M)) | set(re.findall(r"\b(MPI_\w+)\s*=", text))
    functions = set(re.findall(r"\b(P?MPI_\w*[a-z]\w*)\s*\(", text))
    return constants, {name for name in functions if not re.search("_function(_c)?$", name)}  # types are declared in several ways


def conflicts(compiler, directory):
    """The functions that a header declares otherwise than our list does."""
    done = run([compiler, "-fsyntax-only", "-fno-diagnostics-color", f"-I{directory}", "-x", "c", "-"],
               input=f'#include "mpi.h"\n#include "{OURS}/calls.h"\n')
    return set(re.findall(r"error: conflicting types for .(P?MPI_\w+)", done.stderr)), done.stderr.count("error:")


def different_from_table(compiler, directory):
    found = values(compiler, directory)
    return [f"{name} {TABLE[name]}, there {found[name]}" for name in TABLE if found[name] != TABLE[name]]


compiler, *given = sys.argv[1:]
TABLE = dict(line.rsplit(" ", 1) for line in (HERE / "values.txt").read_text().splitlines() if not line.startswith("#"))
headers = [Path(path) for path in given] or [file for place in PLACES for file in sorted(Path("/").glob(place + "/mpi.h"))]
failed = False


def report(header, different):
    global failed
    print(f"{header}: {len(TABLE)} values, {', '.join(different) or 'all as in the table'}")
    failed = failed or bool(different)


our_constants, our_functions = constants_and_functions(compiler, OURS)
report(OURS / "mpi.h", different_from_table(compiler, OURS) + [f"{name}, which the table lacks" for name in sorted(our_constants - set(TABLE))])
for header in headers:
    _, functions = constants_and_functions(compiler, header.parent)
    different = different_from_table(compiler, header.parent)
    different += [f"no {name}" for name in sorted(our_functions - functions)]
    names, errors = conflicts(compiler, header.parent)
    different += sorted(name for name in names if not DIFFERENT.fullmatch(name))
    if errors != len(names):
        different.append(f"{errors} errors of the compiler, {len(names)} of them different functions")
    report(header, different)
if not headers:
    print("there is no mpi.h of an MPI with the standard ABI here")
sys.exit(1 if failed else 0)
