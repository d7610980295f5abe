#!/usr/bin/env python3
"""headers.py COMPILER [MPI_H…]: the headers of MPIs with the standard ABI agree with src/mpi_abi: each constant, type and prototype.
Without a header, looks where Debian's packages and installations of MPI have theirs; the exit code is 77 if there is none."""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

OURS = Path(__file__).resolve().parents[2] / "src/mpi_abi"
PLACES = ("usr/lib/*/openmpi/include/standard_abi", "usr/lib/*/mpi_abi_mpich/include", "usr/include/standard_abi",
          "usr/local/include/standard_abi", "opt/*/include/standard_abi")
# MPICH 5.0.2 has the count as int, and adds MPI_Psend_init_c and MPI_Precv_init_c, which it does not define.
DIFFERENT = {name for call in ("Psend_init", "Precv_init") for name in (f"MPI_{call}", f"PMPI_{call}")}
HEADER = '#include "mpi.h"\n#include <stddef.h>\n#include <stdio.h>\n'


def output(compiler, directory, text):
    """What a program prints that is compiled with the mpi.h of a directory."""
    with tempfile.TemporaryDirectory(prefix="commprof-test-") as work:
        source = Path(work, "values.c")
        source.write_text(HEADER + text)
        subprocess.run([compiler, "-w", f"-I{directory}", source, "-o", Path(work, "values")], check=True)
        return subprocess.run([Path(work, "values")], check=True, capture_output=True, text=True).stdout.splitlines()


def values():
    names = re.findall(r"^#define (MPI_\w+)", (OURS / "constants.h").read_text(), re.M)
    names += re.findall(r"\b(MPI_T_\w+) = ", (OURS / "mpi.h").read_text())
    types = re.findall(r"^typedef .*\b(MPI_\w+);", (OURS / "mpi.h").read_text(), re.M) + ["MPI_Status"]
    lines = [f'  printf("{name} %lld\\n", (long long)({name}));' for name in names]
    lines += [f'  printf("{name} %zu\\n", sizeof({name}));' for name in types]
    lines += [f'  printf("{name} %zu\\n", offsetof(MPI_Status, {name}));' for name in ("MPI_SOURCE", "MPI_TAG", "MPI_ERROR")]
    return "int main(void) {\n" + "\n".join(lines) + "\n  return 0;\n}\n"


def conflicts(compiler, directory):
    """The functions that a header declares otherwise than our list does."""
    done = subprocess.run([compiler, "-fsyntax-only", "-fno-diagnostics-color", f"-I{directory}", "-x", "c", "-"], capture_output=True,
                          text=True, input=f'#include "mpi.h"\n#include "{OURS}/calls.h"\n')
    return set(re.findall(r"error: conflicting types for .(P?MPI_\w+)", done.stderr)), done.stderr.count("error:")


compiler, *given = sys.argv[1:]
headers = [Path(path) for path in given] or [file for place in PLACES for file in sorted(Path("/").glob(place + "/mpi.h"))]
if not headers:
    print("there is no mpi.h of the standard ABI here")
    sys.exit(77)
failed = False
ours = output(compiler, OURS, values())
for header in headers:
    theirs = output(compiler, header.parent, values())
    different = [f"{ours_line}, there {their_line}" for ours_line, their_line in zip(ours, theirs) if ours_line != their_line]
    names, errors = conflicts(compiler, header.parent)
    different += sorted(names - DIFFERENT)
    if errors != len(names):
        different.append(f"{errors} errors of the compiler, {len(names)} of them different functions")
    print(f"{header}: {len(theirs)} values, {', '.join(different) or 'all as ours'}")
    failed = failed or bool(different)
sys.exit(1 if failed else 0)
