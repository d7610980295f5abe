#!/usr/bin/env python3
"""What the first page says first, of programs with one planted cause each: a confusion matrix, planted x told.

Usage: tests/gallery/confusion.py BUILD [--runs N] [--ranks 2,4,8] [--situations quiet,one-core,neighbours] [--abi ABI]...
       [--programs NAME,NAME...] [--beside-processors]

BUILD: the directory of a build with examples and both MPIs, e.g. build/release. Prints Markdown; docs/findings.md sums
it up. Every run is a job of its own: with R runs, 3 numbers of ranks and 2 MPIs that is 6 R jobs for each program and
situation. With --savings it runs each program also mended, and prints what the first finding says that would save,
and what it did. No test: on a machine that is busy with something else, it tells that. With --beside-processors it prints the
first finding that is not `processors`.
"""

import argparse
import collections
import contextlib
import csv
import datetime
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

CAUSES = {  # what a program is planted with: the rules that say it, one of which may come first
    "slow-rank": "uneven-work",
    "taking-turns": "waiting",
    "late-senders": "uneven-work",  # half of the processes have all the work
    "sends-last": "late-senders",  # of equal work
    "late-receivers": "late-receivers",
    "tiny-messages": "tiny-messages",
    "communicator-churn": "communicator-churn",
    "polling": "uneven-work late-senders",  # the others poll meanwhile
    "dominant-operation": "dominant-operation",
    "tiny-collectives": "tiny-collectives",
    "window-churn": "window-churn",
    "paired-barriers": "paired-barriers",
    "files": "files",
    "slow-rank tiny-messages": "uneven-work",
    "slowed-rank": "change",
    "burst": "change",
    "slowed-worker": "change",
    "growing-imbalance": "uneven-work",
    "one-stop": "uneven-work",
    "slow-stage": "uneven-work",
    "two-phases": "(none)",
    "none": "(none)",
    "stencil": "(none)",
}
LAUNCHERS = {
    "openmpi-40": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none"],
    "mpich-12": ["mpirun.mpich"],
}
AGAIN = {"tiny-messages": 20, "communicator-churn": 20, "dominant-operation": 10, "tiny-collectives": 20, "paired-barriers": 20,
         "window-churn": 10}  # those that take few milliseconds
UNMENDED = ("dominant-operation",)  # has nothing but its operation
SECONDS = 120


class Neighbours:
    """A process on each processor that computes for ever."""

    def __enter__(self):
        self.all = [subprocess.Popen(["taskset", "-c", str(cpu), sys.executable, "-c", "while True: pass"])
                    for cpu in os.sched_getaffinity(0)]

    def __exit__(self, *_):
        for one in self.all:
            one.kill()
            one.wait()


def first_told(build, abi, program, ranks, situation, beside=(), mended=False):
    """The rule of the first finding that is not beside, "(none)", or "(failed)"; what it saves, as a share of the wall time;
    and the wall time in seconds."""
    with tempfile.TemporaryDirectory() as directory:
        profile = Path(directory) / "profile"
        preload = [build / "lib/libcommprof.so", build / f"mpi/mpicxx.{abi.split('-')[0]}/tests/mpi/libyields.so"]
        words = [*LAUNCHERS[abi], "-n", ranks, "env", f"LD_PRELOAD={':'.join(str(one) for one in preload if one.exists())}",
                 f"COMMPROF_OUTPUT={profile}", "COMMPROF_VERBOSE=0", build / f"examples/{abi}/problems"]
        # With as many processors as ranks, computing takes one; else sleeping plays it, as if there were enough.
        if ranks <= os.cpu_count() or situation != "quiet":
            words.append("--work")
        if mended:
            words.append("--mended")
        names = [name for name in program.split() for _ in range(AGAIN.get(name, 1))]
        if situation == "one-core":
            words = ["taskset", "-c", "0", *words]
        done = subprocess.run(["timeout", str(SECONDS), *map(str, words), *names], capture_output=True,
                              text=True, check=False)
        if done.returncode != 0:
            return "(failed)", 0, 0
        told = subprocess.run([build / "bin/mpisee-through", "--csv", profile], capture_output=True, text=True, check=True)
        rows = list(csv.DictReader(told.stdout.splitlines()))
        wall = next(float(row["value"]) for row in rows if (row["about"], row["quantity"]) == ("run", "wall_max_s"))
        findings = [row for row in rows if row["about"] == "finding" and row["name"] not in beside]
        saving = max((float(row["value"]) for row in findings
                      if row["name"] == findings[0]["name"] and row["quantity"] in ("wall_share", "wall_share_most")), default=0)
        return findings[0]["name"] if findings else "(none)", saving, wall


def print_savings(options, beside):
    """Of each program: what its first finding would save, and how much shorter the mended program is, as shares."""
    print("| planted | MPI | ranks | first finding | told | measured |\n|---|---|---|---|---|---|")
    right = of = 0
    for program in options.programs.split(","):
        if CAUSES[program] == "(none)" or program in UNMENDED:
            continue
        for abi in options.abi or LAUNCHERS:
            for ranks in map(int, options.ranks.split(",")):
                runs = [first_told(options.build, abi, program, ranks, "quiet", beside) for _ in range(options.runs)]
                mended = [first_told(options.build, abi, program, ranks, "quiet", mended=True)[2] for _ in range(options.runs)]
                rule = collections.Counter(one[0] for one in runs).most_common(1)[0][0]
                told = statistics.median(one[1] for one in runs)
                measured = 1 - statistics.median(mended) / statistics.median(one[2] for one in runs)
                right += measured - 0.05 <= told <= 1.5 * measured + 0.05
                of += 1
                print(f"| `{program}` | {abi} | {ranks} | `{rule}` | {told:.0%} | {measured:.0%} |", flush=True)
    print(f"\n{right} of {of} are between what was measured and 1.5 times that, within 5 points.")


def is_right(planted, told, situation, ranks):
    """On a crowded machine the crowd is planted, too."""
    is_crowded = situation != "quiet" or ranks > os.cpu_count()
    return told in CAUSES[planted].split() or (is_crowded and told == "processors")


def head(options, right_of, told_of):
    """When and how this was counted, and the sums: a paragraph above the table."""
    def git(*words):
        return subprocess.run(["git", "-C", Path(__file__).parent, *words], capture_output=True, text=True,
                              check=False).stdout.strip()

    changed = " and changes" if git("status", "--porcelain", "--untracked-files=no") else ""
    all_runs = sum(sum(counts.values()) for counts in told_of.values())
    clean = [counts for program, counts in told_of.items() if CAUSES[program] == "(none)"]
    silent, of_clean = sum(counts["(none)"] for counts in clean), sum(sum(counts.values()) for counts in clean)
    return (f"Counted on {datetime.date.today()} with commit {git('rev-parse', '--short=8', 'HEAD')}{changed}: "
            f"{os.cpu_count()} processors, {' and '.join(options.abi or LAUNCHERS)}, "
            f"{options.ranks.replace(',', ', ')} ranks, {options.runs} runs each. {sum(right_of.values())} of {all_runs} "
            f"first findings are right; {silent} of {of_clean} runs of clean programs have none.")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=lambda path: Path(path).resolve())
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--ranks", default="2,4,8")
    parser.add_argument("--situations", default="quiet,one-core,neighbours")
    parser.add_argument("--abi", action="append", choices=LAUNCHERS)
    parser.add_argument("--programs", default=",".join(CAUSES))
    parser.add_argument("--beside-processors", action="store_true",
                        help="the first finding that is not processors: for a machine that is busy with something else")
    parser.add_argument("--savings", action="store_true", help="compare what is told with programs that are mended")
    options = parser.parse_args()
    beside = ("processors",) if options.beside_processors else ()
    if not shutil.which("taskset"):
        sys.exit("taskset is missing: install util-linux")
    if options.savings:
        print_savings(options, beside)
        return
    for situation in options.situations.split(","):
        told_of = collections.defaultdict(collections.Counter)
        right_of = collections.Counter()
        for program in options.programs.split(","):
            for _ in range(options.runs):
                for abi in options.abi or LAUNCHERS:
                    for ranks in map(int, options.ranks.split(",")):
                        with Neighbours() if situation == "neighbours" else contextlib.nullcontext():
                            told = first_told(options.build, abi, program, ranks, situation, beside)[0]
                        told_of[program][told] += 1
                        right_of[program] += is_right(program, told, situation, ranks)
                        if not is_right(program, told, situation, ranks):
                            print(f"{situation}: {program}, {abi}, {ranks} ranks: {told}", file=sys.stderr, flush=True)
        rules = sorted({told for counts in told_of.values() for told in counts})
        print(f"\n### {situation}\n\n{head(options, right_of, told_of)}\n\n| planted | {' | '.join(rules)} | right |\n|---{'|---' * (len(rules) + 1)}|")
        for program, counts in told_of.items():
            cells = " | ".join(str(counts[rule] or "") for rule in rules)
            print(f"| {program} | {cells} | {right_of[program]} of {sum(counts.values())} |", flush=True)


if __name__ == "__main__":
    main()
