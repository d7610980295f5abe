"""Whole programs on 2 processes: how much longer they take, in pairs of runs one after the other."""
import csv
import math
import pathlib
import re
import shutil

from statistics import median

from parts.samples import interleaved, number

BOUND = 0.003
MELT = pathlib.Path(__file__).resolve().parents[1] / "programs/in.melt"


def interval_of_median(values, confidence=0.95):
    """The order statistics between which the median lies, whatever the values' distribution (sign test)."""
    values = sorted(values)
    n = len(values)
    outside, rank = 0.0, 0
    while rank < n // 2:
        outside += math.comb(n, rank) / 2**n
        if outside > (1 - confidence) / 2:
            break
        rank += 1
    return (values[rank - 1], values[n - rank]) if rank else (-math.inf, math.inf)


def rows_of(file):
    with open(file, newline="", encoding="utf-8") as opened:
        return list(csv.DictReader(opened))


def facts_of(profile):
    """The share of MPI in the time of all ranks, and the calls a second and rank."""
    ranks = rows_of(profile / "ranks.csv")
    wall = sum(float(row["wall_s"]) for row in ranks)
    calls = sum(int(row["calls"]) for row in rows_of(profile / "operations.csv"))
    return sum(float(row["mpi_s"]) for row in ranks) / wall, calls / wall


def variants(bench, facts, label, pattern, to_seconds, program, *options, floors=False):
    """Runs that find in the program's output, by a pattern, what gives the time that the program itself took."""
    def with_library(preload):
        def measure():
            output = bench.run(2, program, *options, preload=preload, bind=True, timeout=300)
            if preload == bench.library:
                facts.setdefault(label, []).append(facts_of(bench.profile))
            return {"seconds": to_seconds(float(re.search(pattern, output).group(1)))}
        return measure

    found = {"without": with_library(None), "with": with_library(bench.library)}
    if floors:
        found |= {name: with_library(floor) for name, floor in bench.floors.items()}
    return found


def programs(bench, npb, facts):
    found = {}

    def add(label, *args, **kwargs):
        found[label] = variants(bench, facts, label, *args, **kwargs)

    for name in ("halo", "cg_like"):
        add(name, r"seconds (\S+)", float, bench.programs / f"bench_{name}", floors=True)
    if npb:
        for program in sorted(npb.resolve().glob("*.x")):
            # The rate has more digits than the time. Relative times are all that is needed.
            add(f"NAS {program.stem}", r"Mop/s total\s*=\s*(\S+)", lambda rate: 1 / rate, program)
    else:
        print("NAS left out: --npb DIRECTORY of its programs, NAME.CLASS.x")
    lammps = shutil.which("lmp")
    if lammps and bench.mpi == "openmpi":
        add("LAMMPS melt", r"Loop time of (\S+)", float, lammps, "-in", MELT, "-log", "none")
    else:
        print("LAMMPS left out: there is no lmp, or it is another MPI's (Debian builds it with Open MPI)")
    return found


def ratios_of(samples, variant):
    return [with_it / without - 1 for with_it, without in zip(samples.of(variant, "seconds"), samples.of("without", "seconds"))]


def run(bench, table, npb):
    facts = {}
    pairs = 5 if bench.quick else 25
    samples = interleaved(pairs, programs(bench, npb, facts))
    table.title(f"Programs, 2 processes, {pairs} pairs: time with the profiler over time without",
                ("", "in MPI", "calls/s", "at 2 R", "longer by", "95 % interval", "bound", "", *bench.floors),
                (13, 8, 10, 9, 11, 21, 8, 7, 10, 10))
    for label, of_program in samples.items():
        ratios = ratios_of(of_program, "with")
        longer, (lower, upper) = median(ratios), interval_of_median(ratios)
        floors = [f"{100 * median(ratios_of(of_program, floor)):+.2f} %" for floor in bench.floors if floor in of_program.values]
        share, rate = (median(values) for values in zip(*facts[label]))
        table.row(label, f"{100 * share:.0f} %", f"{rate:,.0f}", f"{rate * 2 * bench.pair_ns * 1e-7:.2f} %", f"{100 * longer:+.2f} %",
                  f"{number(100 * lower, 2)} … {number(100 * upper, 2)} %", f"{100 * BOUND:.1f} %",
                  "over" if lower > BOUND else "ok" if longer <= BOUND else "close", *floors)
