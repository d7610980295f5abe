"""What an MPI declares: the functions of its mpi.h with the types of their parameters, and which of them the profiler counts."""
import fnmatch
import os
import re
from collections import namedtuple

Parameter = namedtuple("Parameter", "type is_pointer")


def read_prototypes(path):
    """The functions of a preprocessed mpi.h: name -> list of Parameters."""
    with open(path) as file:
        text = "".join(line for line in file if not line.startswith("#"))
    return {name: [_parameter(words) for words in parameters.split(",") if words.strip() not in ("", "void", "...")]
            for name, parameters in re.findall(r"\bint\s+(MPIX?_\w+)\s*\(([^;{]*?)\)\s*(?:__attribute__[^;]*)?;", text)}


def _parameter(words):
    is_pointer = "*" in words or "[" in words
    types = [word for word in re.findall(r"\w+", re.sub(r"\[.*", "", words)) if word != "const"]
    return Parameter(types[0], is_pointer)


def read_exceptions(mpi, program, prototypes):
    """The rows of exceptions.txt for one program: function pattern -> reason."""
    def is_of(which):
        name, _, function = which.partition(":")
        return name in (mpi, "*") and (not function or function in prototypes)
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "exceptions.txt")) as file:
        rows = [line.split(None, 3) for line in file if line.strip() and not line.startswith("#")]
    return {pattern: reason for name, programs, pattern, reason in rows
            if is_of(name) and fnmatch.fnmatch(program, programs)}


class Mpi:
    """One MPI as one program sees it: openmpi or mpich; c, cxx, mpif_h, use_mpi, use_mpi_f08, or one with -large, whose calls
    have large counts where the MPI declares them so; the preprocessed mpi.h; the coverage.txt of the profiler's build, the
    functions that it wraps."""

    def __init__(self, name, program, prototypes, coverage):
        self.name, self.program = name, program
        self.binding = "c" if program == "cxx" else program.removesuffix("-large")
        self.large = program.endswith("-large")
        self.prototypes = read_prototypes(prototypes)
        with open(coverage) as file:
            self.counted = set(file.read().split()) & self.prototypes.keys()  # not those of newer MPIs
        self.exceptions = read_exceptions(name, program, self.prototypes)

    def function(self, call):
        """The C function of a call: MPI_Send, MPI_Send_c, MPIX_Bcast_init; None where there is none."""
        for function in (f"MPI_{call}", f"MPIX_{call}"):
            if self.large and function + "_c" in self.counted and not self.is_exception(function + "_c"):
                return function + "_c"
            if function in self.prototypes and not self.is_exception(function):
                return function
        return None

    def is_exception(self, function):
        return any(fnmatch.fnmatch(function, pattern) for pattern in self.exceptions)


def operation(function):
    """The name of a function in a profile."""
    return re.sub(r"_c$", "", re.sub(r"^MPIX?_", "", function))
