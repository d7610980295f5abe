"""What COMMPROF_OPS and COMMPROF_COMMS of the environment have counted: globs with commas between, a - before what is left out.
Those of operations are in small letters."""
import fnmatch
import os


def _is_wanted(variable, name):
    items = os.environ.get(variable, "*").split(",")
    included = [item for item in items if not item.startswith("-")]
    excluded = [item[1:] for item in items if item.startswith("-")]
    names = lambda glob: fnmatch.fnmatchcase(name, glob)
    return (not included or any(map(names, included))) and not any(map(names, excluded))


def is_asked_for(comm, op):
    return _is_wanted("COMMPROF_COMMS", comm) and _is_wanted("COMMPROF_OPS", op.lower())
