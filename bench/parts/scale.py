"""What the profiler does in each process at the start and at the end, against the number of ranks."""
import json
import shutil
import sys

from statistics import mean, median

NAMES = {"openmpi": "Open MPI", "mpich": "MPICH"}
PHASES = {"start": "MPI_Init", "end": "MPI_Finalize"}
CALLS_OF_MPI = ("other", "send", "collective", "poll", "pause")  # kinds of calls that are not in own_ns
TIMEOUT_S = 900


class Process:
    """One process in one phase."""

    def __init__(self, rank, told, received):
        self.rank = rank
        self.told = told
        self.received = received  # messages, bytes

    def calls(self, kind):
        return {name: call[1:] for name, call in self.told["calls"].items() if call[0] == kind}

    def number_of(self, kind):
        return sum(calls for calls, _, _ in self.calls(kind).values())

    def ms_of(self, *kinds):
        return sum(ns for kind in kinds for _, ns, _ in self.calls(kind).values()) / 1e6

    def all_ms(self):
        return self.told["all_ns"] / 1e6

    def own_ms(self):
        return self.told["own_ns"] / 1e6

    def waiting_ms(self):
        return self.told["waiting_ns"] / 1e6

    def mpi_ms(self):
        return self.ms_of(*CALLS_OF_MPI)

    def messages(self):
        return self.received[0] + sum(messages for messages, _ in self.told["sent"].values())

    def kib(self):
        return (self.received[1] + sum(size for _, size in self.told["sent"].values())) / 1024

    def collectives(self):
        return self.number_of("collective")

    def kib_of_collectives(self):
        return sum(size for _, _, size in self.calls("collective").values()) / 1024

    def system_calls(self):
        return self.number_of("system")

    def naps(self):
        return self.number_of("pause") - self.told["calls"].get("sched_yield", ("", 0))[1]

    def faults(self):
        return self.told["faults"]

    def resident_kib(self):
        return self.told["resident_kib"]


def received_by(lines, phase):
    """Who sends tells to whom: then it does not matter by which call it is received."""
    received = {line["rank"]: (0, 0) for line in lines}
    for line in lines:
        for rank, (messages, size) in line[phase]["sent"].items():
            before = received[int(rank)]
            received[int(rank)] = before[0] + messages, before[1] + size
    return received


class Run:
    """All processes of one run, by phase."""

    def __init__(self, lines):
        self.processes = {}
        for phase in PHASES:
            received = received_by(lines, phase)
            self.processes[phase] = [Process(line["rank"], line[phase], received[line["rank"]])
                                     for line in sorted(lines, key=lambda line: line["rank"])]

    def busiest_other(self, phase):
        return max(self.processes[phase][1:], key=Process.own_ms)

    def values(self, phase, quantity):
        """Of rank 0, the most of any process, and the mean."""
        values = [quantity(process) for process in self.processes[phase]]
        return values[0], max(values), mean(values)


EACH = ("rank 0", "most", "mean")
# Quantities: name, function, digits, and of whom they are shown.
TIME = (("own", Process.own_ms, 2, EACH), ("in MPI", Process.mpi_ms, 2, EACH), ("waiting", Process.waiting_ms, 1, EACH),
        ("in all", Process.all_ms, 1, EACH))
TRAFFIC = (("messages", Process.messages, 0, EACH), ("KiB", Process.kib, 0, EACH),
           ("collectives", Process.collectives, 0, EACH[1:2]), ("KiB", Process.kib_of_collectives, 1, EACH[1:2]))
SYSTEM = (("calls", Process.system_calls, 0, EACH), ("naps", Process.naps, 0, EACH), ("page faults", Process.faults, 0, EACH),
          ("memory, KiB", Process.resident_kib, 0, EACH))


def measure(bench, library, ranks, options):
    report = bench.scratch / "report"
    report.unlink(missing_ok=True)
    libraries = bench.programs.parent / "lib"
    preload = [libraries / "libbench_meter.so", library]
    if bench.mpi == "mpich":
        preload.append(libraries / "libbench_yields.so")

    def lines_of_report():
        return report.read_text(encoding="utf-8").splitlines() if report.exists() else []

    # On an overloaded machine mpirun of Open MPI 4.1.4 sometimes takes the end of a process for a failure: the process does
    # not wait long enough at the end of PMPI_Finalize for the launcher to hear of it.
    def is_complete():
        return len(lines_of_report()) == ranks and (bench.profile / "run.json").exists()

    bench.run(ranks, bench.programs / "bench_scale", options.repetitions, options.regions, options.steps, timeout=TIMEOUT_S,
              preload=":".join(map(str, preload)), settings={"METER_REPORT": report, "METER_APART": 1}, is_complete=is_complete)
    if not is_complete():
        sys.exit(f"{ranks} ranks: {len(lines_of_report())} of them reported, or there is no profile")
    lines = [json.loads(line) for line in lines_of_report()]
    if options.raw:
        with open(options.raw, "a", encoding="utf-8") as raw:
            for line in lines:
                print(json.dumps({"mpi": bench.mpi, "library": str(library), "ranks": ranks} | line), file=raw)
    return Run(lines)


def number(value, digits):
    return f"{value:.{digits}f}"


def medians(runs, phase, quantities):
    """A value for each column."""
    found = []
    for _, quantity, _, shown in quantities:
        by_run = [dict(zip(EACH, run.values(phase, quantity))) for run in runs]
        found += [median(values[who] for values in by_run) for who in shown]
    return found


def print_quantities(table, title, runs, phase, quantities):
    """runs: {version: {ranks: runs}}"""
    columns = [f"{name}: {who}" if who == shown[0] else who for name, _, _, shown in quantities for who in shown]
    all_digits = [digits for _, _, digits, shown in quantities for _ in shown]
    table.title(title, ("ranks", *columns), [18] + [max(9, len(column) + 2) for column in columns])
    for version, by_ranks in runs.items():
        name = f" {version}" if len(runs) > 1 else ""
        found = {ranks: medians(of_ranks, phase, quantities) for ranks, of_ranks in by_ranks.items()}
        for ranks, values in found.items():
            table.row(f"{ranks}{name}", *map(number, values, all_digits))
        first, last = 16 if 16 in found else min(found), max(found)
        if first != last:
            pairs = zip(found[first], found[last])
            table.row(f"{last} : {first}{name}", *(f"{after / before:.1f}" if before > 0 else "" for before, after in pairs))


def parts_of(process):
    """Milliseconds of a process, which add up to all of its time."""
    system = process.ms_of("system")
    parts = {"own: system calls": system, "own: the rest": process.own_ms() - system,
             "waiting for messages": process.waiting_ms(), "other calls of MPI": process.mpi_ms()}
    parts["other threads"] = process.all_ms() - sum(parts.values())
    return parts


def longest_calls(runs):
    """Medians of the calls and milliseconds of one process in each run, by name."""
    by_run = [{name: call for kind in ("system", *CALLS_OF_MPI) for name, call in process.calls(kind).items()} for process in runs]
    found = {name: [median(of_run.get(name, (0, 0, 0))[i] for of_run in by_run) for i in (0, 1)] for of_run in by_run for name in of_run}
    return sorted(found.items(), key=lambda call: -call[1][1])[:6]


def print_parts(table, title, by_ranks, phase):
    """Where the time goes in rank 0, and in the other process that does most itself, in the largest runs."""
    last = max(by_ranks)
    columns = {"rank 0": [run.processes[phase][0] for run in by_ranks[last]],
               "most of others": [run.busiest_other(phase) for run in by_ranks[last]]}
    table.title(f"{title}, {last} ranks: parts of the time, ms", ("", *columns), (34, 16, 16))
    parts = {who: [parts_of(process) for process in runs] for who, runs in columns.items()}
    for part in parts["rank 0"][0]:
        table.row(part, *(number(median(of_run[part] for of_run in of_runs), 2) for of_runs in parts.values()))
    for who, runs in columns.items():
        table.title(f"Among these, the longest calls ({who})", ("", "calls", "ms"), (34, 16, 16))
        for name, (calls, ns) in longest_calls(runs):
            table.row(name, number(calls, 0), number(ns / 1e6, 2))


def run(bench, table, libraries, numbers_of_ranks, options):
    runs = {version: {ranks: [] for ranks in numbers_of_ranks} for version in libraries}
    for ranks in numbers_of_ranks:
        for turn in range(options.rounds):
            versions = list(libraries)
            for version in versions[turn % len(versions):] + versions[:turn % len(versions)]:
                print(f"{NAMES[bench.mpi]}, {ranks} ranks, {version}", end="\033[K\r", file=sys.stderr, flush=True)
                runs[version][ranks].append(measure(bench, libraries[version], ranks, options))
    rows = {name: of_file["rows"] for name, of_file in json.loads((bench.profile / "run.json").read_text())["files"].items()}
    print(f"{NAMES[bench.mpi]}: {rows['operations.csv'] / ranks:.0f} rows of operations.csv and {rows['peers.csv'] / ranks:.0f} of "
          f"peers.csv a process")
    shutil.rmtree(bench.profile, ignore_errors=True)
    for phase, call in PHASES.items():
        title = f"{NAMES[bench.mpi]}, in {call}"
        print_quantities(table, f"{title}: processor time, ms", runs, phase, TIME)
        print_quantities(table, f"{title}: messages, sent and received", runs, phase, TRAFFIC)
        print_quantities(table, f"{title}: system", runs, phase, SYSTEM)
        for version, by_ranks in runs.items():
            print_parts(table, title + (f", {version}" if len(runs) > 1 else ""), by_ranks, phase)
