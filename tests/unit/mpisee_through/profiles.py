"""Profiles that a test writes: rows of files, by the columns of src/profile/schema.hpp."""
import csv
import itertools
import re
from pathlib import Path

schema = (Path(__file__).resolve().parents[3] / "src/profile/schema.hpp").read_text()
COLUMNS = {name.removesuffix(".csv"): re.findall(r'\{"(\w+)"', re.search(rf"Column {table}\[\]\{{(.*?)\}};", schema, re.S).group(1))
           for table, name in re.findall(r'file<(\w+)>\("([\w.]+)"\)', schema)}
# A file has its rows in the order of these columns.
ORDER = {"operations": "rank", "peers": "src", "regions": "rank"}


def fields_of(row):
    return next(csv.reader([row]))


def in_order(name, rows):
    """As the library writes them."""
    place = COLUMNS[name].index(ORDER[name]) if name in ORDER else None
    return rows if place is None else sorted(rows, key=lambda row: int(fields_of(row)[place]))


def table(name, rows):
    """The text of a file: with as many of the schema's columns as the longest row has, as older profiles have fewer."""
    def filled(row):
        return row + "," * (width - len(fields_of(row))) if name in ("communicators", "ranks") else row
    width = max((len(fields_of(row)) for row in rows), default=len(COLUMNS[name]))
    return "".join(line + "\n" for line in [",".join(COLUMNS[name][:width]),
                                            *map(filled, rows)])


def repeated(row):
    """A row for each number of a range in braces: {0-3}, and what is computed from it: {0-3} … {(i + 1) % 4}."""
    found = re.search(r"\{(\d+)-(\d+)\}", row)
    if not found:
        return [row]
    rows = []
    for i in range(int(found.group(1)), int(found.group(2)) + 1):
        one = row.replace(found.group(), str(i))
        rows += repeated(re.sub(r"\{([^{}]*\bi\b[^{}]*)\}", lambda part: str(eval(part.group(1), {"i": i})), one))
    return rows


def write(directory, rows=(), ranks=2, wall_s=10, more_of_run=""):
    """Writes a profile: of ranks that are in MPI for 2 s, on one host, with MPI_COMM_WORLD, MPI_COMM_SELF, and the rows: pairs
    of a file's name and a row. A row of ranks.csv takes the place of that rank's."""
    files = {"ranks": {rank: f"{rank},host,1,0,1,{wall_s},2" for rank in range(ranks)}, "communicators":
             {-2: f"W,,,{ranks},0-{ranks - 1},,,,0", -1: "SELF,,,1,,,,,0"}, "operations": {}}
    for name, row in itertools.chain.from_iterable(((name, one) for one in repeated(row)) for name, row in rows):
        file = files.setdefault(name, {})
        if row:
            file[int(row.split(",")[0]) if name == "ranks" else len(file)] = row
    directory.mkdir(parents=True)
    files = {name: in_order(name, list(file.values())) for name, file in files.items()}
    for name, lines in files.items():
        (directory / f"{name}.csv").write_text(table(name, lines))
    counts = ", ".join(f'"{name}.csv": {{"rows": {len(lines)}}}' for name, lines in files.items() if name != "ranks")
    (directory / "run.json").write_text(f'{{\n"schema_version": 2,\n"program": "a.out",\n"ranks": {ranks},\n"wall_s": {wall_s},\n'
                                        f'"files": {{{counts}}}{more_of_run}\n}}\n')
