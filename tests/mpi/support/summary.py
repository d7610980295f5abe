"""What summary.csv must hold, added up from operations.csv."""

import csv
from collections import defaultdict
from decimal import Decimal

ALL = "*"


def read_rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def only(values):
    """The one value that all have, or * for several."""
    values = set(values)
    return values.pop() if len(values) == 1 else ALL


def seconds(time):
    return f"{time:.9f}"


def sum_of(rows):
    """The fields behind the key, of rows of operations.csv."""
    of_rank = defaultdict(Decimal)
    for row in rows:
        of_rank[int(row["rank"])] += Decimal(row["time_s"])
    least, most = min(of_rank.values()), max(of_rank.values())

    def total(column):
        return str(sum(int(row[column]) for row in rows))

    return (str(len(of_rank)), total("calls"), total("bytes_sent"), total("bytes_received"), seconds(sum(of_rank.values())),
            seconds(least), str(min(rank for rank, time in of_rank.items() if time == least)),
            seconds(most), str(min(rank for rank, time in of_rank.items() if time == most)),
            seconds(min(Decimal(row["time_min_s"]) for row in rows)), seconds(max(Decimal(row["time_max_s"]) for row in rows)))


def groups(rows, *columns):
    grouped = defaultdict(list)
    for row in rows:
        grouped[tuple(row[column] for column in columns)].append(row)
    return grouped.items()


def expected(operations):
    """The rows of summary.csv, in any order, of those of operations.csv."""
    found = []

    def add(rows, comm, size, op, level, bounds=("", ""), place=None):
        region, site = place or (only(row["region"] for row in rows), only(row["site"] for row in rows))
        found.append((region, comm, size, site, op, *bounds) + sum_of(rows) + (level,))
        return region, site

    for (comm,), of_comm in groups(operations, "comm"):
        size = max((row["comm_size"] for row in of_comm), key=int)
        add(of_comm, comm, size, ALL, "communicator")
        for (op,), of_op in groups(of_comm, "op"):
            if add(of_op, comm, size, op, "operation")[1] == ALL:
                for _, of_site in groups(of_op, "site"):
                    add(of_site, comm, size, op, "site")
            for bounds, of_size in groups(of_op, "size_min", "size_max"):
                if ALL in add(of_size, comm, size, op, "size", bounds):
                    cells = groups(of_size, "region", "site")
                    for place, of_cell in cells:
                        add(of_cell, comm, size, op, "part", bounds, place)
    for (op, _), of_op in groups(operations, "op", "site"):
        add(of_op, ALL, "", op, "all")
    return found


def told(profile, name):
    with open(profile / name, newline="", encoding="utf-8") as file:
        return [tuple(row) for row in list(csv.reader(file))[1:]]


def check(test, profile):
    """profile: a directory with the rows of all ranks."""
    operations = read_rows(profile / "operations.csv")
    test.assertEqual(sorted(told(profile, "summary.csv")), sorted(expected(operations)))
