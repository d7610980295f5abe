#!/usr/bin/python3
"""Runs the queries of docs/analysis.md on a small profile, and those over many profiles on a thousand: they say what is added up here.

check_queries.py PAGE SAMPLE NODE_MODULES
"""
import csv
import json
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
from collections import defaultdict


def rows(name):
    with open(f"{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


def sums(table, keys, amount):
    """The amount of a row, added up for each combination of keys."""
    result = defaultdict(float)
    for row in table:
        result[tuple(row[key] for key in keys)] += amount(row)
    return dict(result)


def number(*columns):
    return lambda row: sum(float(row[column]) for column in columns)


def host_to_host():
    host = {row["rank"]: row["host"] for row in rows("ranks")}
    table = [row | {"from": host[row["src"]], "to": host[row["dst"]]} for row in rows("peers")]
    return sums(table, ["from", "to"], number("bytes"))


EXPECTED = {
    "Which communicators take the time?": lambda: sums(rows("operations"), ["comm"], number("time_s")),
    "How much goes from host to host?": host_to_host,
}


def questions(page):
    """Each heading with a query in any language: {language: query}."""
    found = {}
    for section in re.split(r"^## ", page.read_text(), flags=re.M)[1:]:
        queries = dict(re.findall(r"^```(python|r|sql)\n(.*?)\n```$", section, flags=re.M | re.S))
        if queries:
            found[section.split("\n")[0]] = queries
    return found


def run_pandas(query):
    import pandas as pd
    return list(pd.DataFrame(eval(query, {"pd": pd})).reset_index().itertuples(index=False))


def run_r(query):
    script = f"write.csv({query}, stdout(), row.names = FALSE)"
    done = subprocess.run(["Rscript", "-e", script], capture_output=True, text=True, check=True)
    return list(csv.reader(done.stdout.splitlines()))[1:]


def run_duckdb(query):
    program = pathlib.Path(__file__).resolve().with_name("run_duckdb.js")
    done = subprocess.run(["node", program, query], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


RUN = {"python": run_pandas, "r": run_r, "sql": run_duckdb}


def is_same(found, expected):
    return found.keys() == expected.keys() and all(
        math.isclose(found[key], expected[key], rel_tol=1e-9, abs_tol=1e-12) for key in expected)


def check(question, language, query):
    if "\n" in query:
        return "is not one line"
    try:
        table = RUN[language](query)
    except Exception as problem:  # whatever a query does wrong is to be told with its question
        return f"fails: {problem} {getattr(problem, 'stderr', '')}"
    found = {tuple(str(key) for key in row[:-1]): float(row[-1]) for row in table}
    expected = EXPECTED[question]()
    if len(found) != len(table) or not is_same(found, expected):
        return f"says\n  {found}\nwhere\n  {expected}\nis right"
    return None


JOBS = 1000
HEADER = ("region,comm,comm_size,site,op,size_min,size_max,ranks,calls,bytes_sent,bytes_received,time_s,time_min_s,time_min_rank,"
          "time_max_s,time_max_rank,call_min_s,call_max_s,level")


def write_jobs(chance):
    """Returns the time in each operation, the jobs that use it, and the jobs with an uneven operation."""
    times, jobs, uneven = defaultdict(float), defaultdict(set), set()
    for number in range(JOBS):
        name, ranks = f"jobs/{number:04}", chance.choice([1, 2, 64])
        os.makedirs(name)
        lines, last = [HEADER], []
        of_comm = 0.0
        for op in chance.sample(["Allreduce", "Bcast", "Send", "Wait"], 2):
            time, most = chance.randint(1, 10**6) / 1000, chance.choice([1, 1, 1, 1, 3])
            longest = min(time, most * time / ranks)
            numbers = f"{ranks},10,80,80,{time:.9f},0.000000001,0,{longest:.9f},1,0.000000001,0.000000002"
            lines += [f"main,W,{ranks},a+0x1,{op},,,{numbers},operation", f"main,W,{ranks},a+0x1,{op},8,15,{numbers},size"]
            last.append(f"main,*,,a+0x1,{op},,,{numbers},all")
            of_comm += time
            times[op] += time
            jobs[op].add(name)
            if ranks > 1 and longest >= 2 * time / ranks:
                uneven.add(name)
        lines.insert(1, f"main,W,{ranks},a+0x1,*,,,{ranks},20,160,160,{of_comm:.9f},0,0,{of_comm:.9f},1,0,1,communicator")
        pathlib.Path(name, "summary.csv").write_text("\n".join(lines + last) + "\n")
    return times, jobs, uneven


def fleet_problems(page):
    """Of the queries over many profiles."""
    (_, copy), (_, by_op), (_, of_uneven), (_, dask) = re.findall(r"^```(sql|python) fleet\n(.*?)\n```$", page.read_text(), flags=re.M | re.S)
    times, jobs, uneven = write_jobs(random.Random(1))
    times = {op: round(time, 3) for op, time in times.items()}
    run_duckdb(copy)
    told = [(by_op, {op: (int(count), round(float(time), 3)) for op, count, time in run_duckdb(by_op)},
             {op: (len(jobs[op]), times[op]) for op in times}),
            (of_uneven, {job for (job,) in run_duckdb(of_uneven)}, uneven)]
    try:
        import dask.dataframe as dd
        told.append((dask, {op: round(time, 3) for op, time in eval(dask, {"dd": dd}).items()}, times))
    except ImportError:
        print("Dask is not installed")
    return [f"{query} says\n  {found}\nwhere\n  {expected}\nis right" for query, found, expected in told if found != expected]


def main():
    page, sample, node_modules = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    os.environ["NODE_PATH"] = str(node_modules)
    asked = questions(page)
    problems = []
    if asked.keys() != EXPECTED.keys():
        problems.append(f"the page asks {sorted(asked)}, this test knows {sorted(EXPECTED)}")
    os.chdir(sample)
    for question in asked.keys() & EXPECTED.keys():
        for language in RUN:
            if language not in asked[question]:
                problems.append(f"{question} has no {language}")
            elif problem := check(question, language, asked[question][language]):
                problems.append(f"{question} ({language}) {problem}")
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        problems += fleet_problems(page)
        os.chdir("/")
    print("\n".join(problems) or f"{len(asked)} questions in {len(RUN)} languages")
    return 1 if problems else 0


sys.exit(main())
