#!/usr/bin/python3
"""Runs the queries of docs/analysis.md over many profiles on a thousand small ones, and compares what they say with sums made here.

check_fleet.py PAGE NODE_MODULES
"""
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
from collections import defaultdict

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


def duckdb(query):
    program = pathlib.Path(__file__).resolve().with_name("run_duckdb.js")
    done = subprocess.run(["node", program, query], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{query}\nfails: {done.stderr}")
    return json.loads(done.stdout)


def check(what, found, expected):
    if found != expected:
        sys.exit(f"{what} says\n  {found}\nwhere\n  {expected}\nis right")


def main():
    page, node_modules = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    os.environ["NODE_PATH"] = str(node_modules)
    queries = re.findall(r"^```(sql|python) fleet\n(.*?)\n```$", page.read_text(), flags=re.M | re.S)
    (_, copy), (_, by_op), (_, of_uneven), (_, dask) = queries
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        times, jobs, uneven = write_jobs(random.Random(1))
        times = {op: round(time, 3) for op, time in times.items()}
        duckdb(copy)
        check(by_op, {op: (int(count), round(float(time), 3)) for op, count, time in duckdb(by_op)},
              {op: (len(jobs[op]), times[op]) for op in times})
        check(of_uneven, {job for (job,) in duckdb(of_uneven)}, uneven)
        ran = "DuckDB"
        try:
            import dask.dataframe as dd
            check(dask, {op: round(time, 3) for op, time in eval(dask, {"dd": dd}).items()}, times)
            ran += ", Dask"
        except ImportError:
            ran += "; Dask is not installed"
        os.chdir("/")
    print(f"{JOBS} profiles: {ran}")


main()
