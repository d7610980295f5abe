#!/usr/bin/env python3
"""properties.py MPISEE_THROUGH [--without-network] [SEED...]: what holds of every profile, tried on random ones.

Times are multiples of 2^-9 s: nine decimals, whose sums are exact in any order. TEST_LONG=1 tries more profiles.
"""
import collections
import csv
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import profiles

here = Path(__file__).resolve().parent
RANKS = 8
OPERATIONS = "Send Recv Irecv Waitall Wait Test-none Allreduce Barrier Bcast Comm_dup Put File_write Sendrecv Pcontrol".split()
KINDS = "p2p collective completion communicator one-sided file other".split()
REGIONS = ("main", "*", "solve", "solve/halo")
SITES = ("", "solver+0x10", "solver+0x20", "libblas.so+0x30")
WAITS = (("collective", "Allreduce", SITES[1]), ("collective", "Waitall", SITES[2]), ("late-sender", "Waitall", SITES[2]))
COMMUNICATORS = ["W_s1.0,W,Comm_split,4,0-3,,,rows,0,solver+0x10", "W_s1.4,W,Comm_split,4,4-7,,,,1,solver+0x10",
                 "W_s2.0,W,Comm_split,4,0-6:2,,,,0,", "W_d3,W,Comm_dup,8,0-7,,,,0,", "W_d*,W,Comm_dup,3,0,,,,0,",
                 *(f"SELF_d1,SELF,Comm_dup,1,{rank},,,,0," for rank in range(RANKS))]
SUMS = ("calls", "bytes_sent", "bytes_received", "time_s")
VIEWS = ("", "--operations", "--operations --by site", "--operations --by size", "--sites", "--communicators", "--ranks",
         "--operations --by direction", "--matrix", "--matrix --by size", "--matrix --by host", "--regions", "--waits --by cause", "--waits", "--waits --by rank")


class Profile:
    """Rows of files. With sums, summary.csv is there, too; hidden: without the rows that it has the sums of."""

    def __init__(self, rows, ranks=RANKS, sums=False, hidden=False):
        self.rows, self.ranks, self.sums, self.hidden = rows, ranks, sums, hidden

    def of(self, name):
        return [profiles.fields_of(row) for file, row in self.rows if file == name and row]

    def changed(self, change):
        """With each row of operations.csv and peers.csv replaced by those that the change makes of its fields."""
        return Profile([(file, one) for file, row in self.rows for one in
                        (change(file, row.split(",")) if file in ("operations", "peers") and row else [row])], self.ranks)

    def write(self, directory):
        rows = [*self.rows, *summary_of(self.of("operations"))] if self.sums else self.rows
        profiles.write(directory, rows, self.ranks)
        if self.hidden:
            (directory / "operations.csv").unlink()


def random_profile(seed):
    pick = random.Random(seed)
    rows = [("communicators", row) for row in COMMUNICATORS] + [("peers", ""), ("regions", "")]
    for rank in range(RANKS):
        mine = ["W", "SELF", "SELF_d1", f"W_s1.{rank // 4 * 4}", "W_d3", *(["W_d*"] if rank % 2 else ["W_s2.0"]), *(["W_x9"] if rank > 5 else [])]
        spent = 0
        for _ in range(30):
            power, calls, time = pick.randrange(12), pick.choice((0, 1, 2, 7, 30)), pick.choice((64, pick.randrange(1024))) / 256
            low, high, comm, op = 2 ** power // 2, max(2 ** power - 1, 0), pick.choice(mine), pick.choice(OPERATIONS)
            size = {"W": 8, "W_d3": 8, "SELF": 1, "SELF_d1": 1, "W_d*": 3}.get(comm, 4)
            least, most = (pick.randrange(9) / 512, pick.randrange(10, 99) / 512) if calls else (0, 0)
            spent += time
            rows.append(("operations", f"{pick.choice(REGIONS)},{comm},{size},{rank},{op},{low},{high},{calls},{pick.randrange(99999)},"
                                       f"{pick.randrange(99999)},{time},{least},{most},{pick.choice(SITES)}"))
        for _, op, site in WAITS[:2]:  # of which waiting and its causes are known
            spent += 0.25
            rows.append(("operations", f"main,W,8,{rank},{op},0,0,2,0,0,0.25,0.125,0.125,{site}"))
        for _ in range(6):
            kind, op = pick.choice((("p2p", ""), ("rma", ""), ("internal", "Bcast")))
            rows.append(("peers", f"{pick.choice(REGIONS)},{pick.choice(mine)},{kind},{rank},{pick.choice((*range(RANKS), -1))},"
                                  f"8,15,{1 + pick.randrange(9)},{pick.randrange(9999)},{op}"))
        rows += [("regions", f"{region},{rank},2,1.{pick.randrange(999):03},0.5") for region in REGIONS]
        waited = pick.randrange(64) / 256
        rows += [("waits_by_rank", f"{kind},W,{op},{site},{rank},25,0.25,{waited},0.5") for kind, op, site in WAITS]
        caused = sum(before := [pick.randrange(96) / 512 for _ in WAITS[:2]])
        rows += [("causes", f"{rank},W,{op},{site},{time},0.125,{time / 2}") for time, (_, op, site) in zip(before, WAITS)]
        rows.append(("ranks", f"{rank},node{rank // 3},1,0,1,{spent + pick.randrange(1, 9)},{spent},2,0.5,1,2,"
                              f"{len(WAITS) * waited},,,,,,,{caused}"))
    rows += [("waits", f"{kind},W,{op},{site},8,300,200,3,1.5,0.1,0.5,5,0.9,5,0.5,0.25") for kind, op, site in WAITS]
    rows += [("sites", "solver+0x10,solver,0x10,main,solver.c,12"), ("sites", "solver+0x20,solver,0x20,halo,solver.c,40"),
             ("sites", "libblas.so+0x30,libblas.so,0x30,,,"), ("modules", "solver,/bin/solver,"), ("modules", "libblas.so,/lib/libblas.so,")]
    return Profile(rows)


def summary_of(operations):
    """Rows of summary.csv by the rules of docs/profile.md, from the fields of operations.csv."""
    def sums(rows):
        times = collections.Counter()
        for row in rows:
            times[int(row[3])] += float(row[10])
        least, most = min(sorted(times), key=times.get), max(sorted(times), key=times.get)
        called = [row for row in rows if row[7] != "0"]
        calls, sent, received = (sum(int(row[place]) for row in rows) for place in (7, 8, 9))
        return (f"{len(times)},{calls},{sent},{received},{sum(times.values())},{times[least]},{least},{times[most]},{most},"
                f"{min((float(row[11]) for row in called), default=0)},{max((float(row[12]) for row in called), default=0)}")

    def grouped(rows, *places):
        groups = collections.defaultdict(list)
        for row in rows:
            groups[tuple(row[place] for place in places)].append(row)
        return sorted(groups.values(), key=lambda group: [int(group[0][place]) if place == 5 else group[0][place] for place in places])

    def only(rows, place):
        return rows[0][place] if len({row[place] for row in rows}) == 1 else "*"

    def line(rows, op, sizes, level):
        return "summary", f"{only(rows, 0)},{rows[0][1]},{rows[0][2]},{only(rows, 13)},{op},{sizes},{sums(rows)},{level}"

    operations = [[row[0].replace("*", "\\x2a"), *row[1:]] for row in operations]
    for comm in grouped(operations, 1):
        yield line(comm, "*", ",", "communicator")
        for op in grouped(comm, 4):
            name, sites = op[0][4], grouped(op, 13)
            yield line(op, name, ",", "operation")
            yield from (line(site, name, ",", "site") for site in sites if len(sites) > 1)
            for size in grouped(op, 5):
                bounds, cells = f"{size[0][5]},{size[0][6]}", grouped(size, 0, 13)
                yield line(size, name, bounds, "size")
                yield from (line(cell, name, bounds, "part") for cell in cells if len(cells) > 1)
    for group in grouped(operations, 4, 13):
        yield "summary", f"{only(group, 0)},*,,{group[0][13]},{group[0][4]},,,{sums(group)},all"


class Tool:
    """Runs mpisee-through on profiles in a directory; keeps what it wrote for a profile."""

    def __init__(self, program, home):
        self.program, self.home, self.directories = program, Path(home), {}

    def path(self, profile):
        if profile not in self.directories:
            self.directories[profile] = self.home / f"p{len(self.directories)}" / "profile"
            profile.write(self.directories[profile])
        return self.directories[profile]

    def text(self, profile, options, others=()):
        done = subprocess.run([self.program, *options.split(), *(["profile"] if not others else map(self.path, (profile, *others)))],
                              cwd=self.path(profile).parent, capture_output=True, text=True, timeout=60)
        if done.returncode:
            raise RuntimeError(f"{options}: {done.stderr}")
        return done.stdout

    def table(self, profile, options, others=()):
        return list(csv.DictReader(self.text(profile, f"{options} --csv", others).splitlines()))

    def sums(self, profile, options, columns=SUMS):
        return [sum(float(row[column]) for row in self.table(profile, options)) for column in columns]


def same_in(views):
    """The property that a changed profile looks the same in these views."""
    def difference(tool, one, other):
        for options in views:
            for form in ("", "--csv", "--json"):
                left, right = (tool.text(profile, f"{options} {form}").splitlines() for profile in (one, other))
                if left != right:
                    place = next((place for place, (a, b) in enumerate(zip(left, right)) if a != b), min(len(left), len(right)))
                    yield f"{options} {form}: {left[place:place + 1]} becomes {right[place:place + 1]}"
    return difference


def in_other_order(tool, profile):
    """Rows of a rank may have any order. Reports sums in the order of the rows: only exact because times are."""
    other = Profile(random.Random(1).sample(profile.rows, len(profile.rows)))
    other.rows.sort(key=lambda row: row[0] not in ("operations", "peers"))
    order = {file: [row for row in profile.rows if row[0] == file] for file in ("communicators", "ranks", "regions", "sites", "modules",
                                                                             "waits", "waits_by_rank", "causes")}
    other.rows = [row for row in other.rows if row[0] in ("operations", "peers")] + [row for rows in order.values() for row in rows]
    yield from same_in(VIEWS)(tool, profile, other)


def in_halves(tool, profile):
    """A row may be two rows of half the calls and times."""
    def halves(file, fields):
        places = (7, 8, 9) if file == "operations" else (7, 8)
        left, right = list(fields), list(fields)
        for place in places:
            left[place], right[place] = str(int(fields[place]) // 2), str(int(fields[place]) - int(fields[place]) // 2)
        if file == "operations":
            left[10] = right[10] = str(float(fields[10]) / 2)
            if left[7] == "0":
                return [",".join(fields)]
        return [",".join(left), ",".join(right)]
    yield from same_in(VIEWS[:-2])(tool, profile, profile.changed(halves))


def from_sums(tool, profile):
    """With summary.csv, which has sums over ranks, everything looks as from the rows, also without them."""
    selections = [f"{view} {selection}".strip() for view in ("--operations", "--operations --by site", "--sites", "--communicators",
                                                           "--operations --by size", "--operations --by direction", "--waits")
                  for selection in ("", "--op Recv", "--comm W_d3", "--comm W_s* --comm SELF", "--sort imbalance --top 40")
                  if not ("--sort" in selection and view == "--waits"
                          or "--sites --comm W_s*" in f"{view} {selection}")]
    chosen = selections if os.environ.get("TEST_LONG") == "1" else random.Random(2).sample(selections, 9)
    yield from same_in(chosen)(tool, profile, Profile(profile.rows, sums=True, hidden=True))
    selected = ["--rank 2-5", "--op Recv,Wait", "--kind collective", "--site solver.c:12 --op Bcast", "--site libblas.so+0x30 --comm W_d3",
                "--region solve", "--size 8-1k"]
    views = [f"{view} {one}" for view in ("--operations", "--sites", "--operations --by size") for one in selected]
    views = views if os.environ.get("TEST_LONG") == "1" else random.Random(3).sample(views, 5)
    yield from same_in(["--ranks", "--sites --comm W_s* --comm SELF", *views])(tool, profile, Profile(profile.rows, sums=True))


def grouped_alike(tool, profile):
    """Sums over any grouping are those of the rows."""
    rows = [dict(zip(profiles.COLUMNS["operations"], fields)) for fields in profile.of("operations")]
    expected = [sum(float(row[column]) for row in rows) for column in SUMS]
    for options in ("--operations", "--operations --by site", "--operations --by size", "--sites", "--communicators", "--ranks"):
        if (found := tool.sums(profile, options)) != expected:
            yield f"{options}: {found}, {expected} in the rows"
    by_op = collections.defaultdict(collections.Counter)
    for row in rows:
        by_op[row["comm"], row["op"]][row["rank"]] += float(row["time_s"])
    for line in tool.table(profile, "--operations"):
        times = by_op.pop((line["comm"], line["op"]))
        calls = [row for row in rows if (row["comm"], row["op"]) == (line["comm"], line["op"]) and row["calls"] != "0"]
        bounds = [min((float(row["time_min_s"]) for row in calls), default=0), max((float(row["time_max_s"]) for row in calls), default=0)]
        least = min(times.values()) if len(times) == int(line["ranks"]) else 0
        told = [float(line[column]) for column in ("time_s", "rank_max_s", "rank_min_s", "rank_mean_s", "time_min_s", "time_max_s")]
        if told != [sum(times.values()), max(times.values()), least, sum(times.values()) / int(line["ranks"]), *bounds]:
            yield f"{line} of {times}"
    if by_op:
        yield f"--operations lacks {list(by_op)}"
    messages = [float(sum(int(row[place]) for row in profile.of("peers"))) for place in (7, 8)]
    for options in ("--matrix", "--matrix --by size", "--matrix --by host"):
        if (found := tool.sums(profile, options, ("messages", "bytes"))) != messages:
            yield f"{options}: {found}, {messages} in the rows"


def divided(tool, profile):
    """Selections that divide a profile divide its sums."""
    names = {one: sorted({fields[place] for fields in profile.of("operations")}) for one, place in (("--comm", 1), ("--op", 4), ("--region", 0))}
    names["--region"] = [name.replace("*", "[*]") for name in names["--region"]]
    names["--comm"] = [name.replace("*", "[*]") for name in names["--comm"]]
    names |= {"--kind": KINDS, "--rank": ["0-1", "2,4", "3-5:2", "6-7"], "--size": ["0", "1-63", "64-511", "512-"]}
    whole = tool.sums(profile, "--operations")
    for option, values in names.items():
        parts = [tool.sums(profile, f"--operations {option} {value}") for value in values]
        if (found := [sum(one) for one in zip(*parts)]) != whole:
            yield f"{option}: {found} in parts, {whole} in all"
    for options, column in (("--matrix --from", "src"), ("--matrix --size", "bytes")):
        parts = [tool.sums(profile, f"{options} {value}", ["bytes"])[0] for value in (["0-3", "4-7"] if column == "src" else names["--size"])]
        if sum(parts) != tool.sums(profile, "--matrix", ["bytes"])[0]:
            yield f"{options}: {parts}"


def cut(tool, profile):
    """--top has the first lines of all, in order."""
    for view in ("--operations", "--operations --by size", "--communicators", "--sites", "--ranks", "--operations --by direction", "--matrix"):
        for key in ("time", "calls", "imbalance") if view not in ("--matrix", "--operations --by direction") else ("",):
            options = f"{view} --sort {key}" if key else view
            lines, top = tool.table(profile, options), tool.table(profile, f"{options} --top 7")
            if view in ("--operations", "--operations --by size", "--matrix"):  # others stand between them
                places = [lines.index(line) for line in top]
                column = {"time": "time_s", "calls": "calls", "imbalance": "imbalance", "": "bytes"}[key]
                left = [float(line[column] or -1) for line in lines if line not in top]
                if len(top) != min(7, len(lines)) or places != sorted(places) and view != "--matrix" or \
                        view != "--operations --by size" and left and max(left) > min(float(line[column] or -1) for line in top):
                    yield f"{options} --top 7: {places}"
            elif top != lines[:7]:
                yield f"{options} --top 7 are other lines"


def merged(tool, profile):
    """Two runs side by side, as one of twice the ranks, have the sums of both, and each rank its own."""
    def shifted(file, row):
        fields = row.split(",")
        place = {"operations": 3, "ranks": 0, "regions": 1, "waits_by_rank": 4}.get(file)
        if place is not None:
            fields[place] = str(int(fields[place]) + RANKS)
        return ",".join(fields)
    own = ("operations", "ranks", "regions")
    second = random_profile(99)
    rows = [row for row in profile.rows if row[0] in (*own, "sites", "modules")] + [(file, shifted(file, row)) for file, row in second.rows
                                                                                if file in own and row]
    both = Profile(rows, 2 * RANKS)
    for options in ("--operations", "--regions"):
        columns = SUMS if options == "--operations" else ("wall_s", "mpi_s", "entered")
        expected = [a + b for a, b in zip(tool.sums(profile, options, columns), tool.sums(second, options, columns))]
        if any(abs(a - b) > 1e-9 * b for a, b in zip(tool.sums(both, options, columns), expected)):
            yield f"{options}: {tool.sums(both, options, columns)}, {expected} expected"
    of_rank = {row["rank"]: row for row in tool.table(both, "--ranks --sort name")}
    for row in tool.table(Profile([row for row in profile.rows if row[0] in (*own, "sites", "modules")]), "--ranks --sort name"):
        if of_rank[row["rank"]] != row:
            yield f"--ranks: {row} becomes {of_rank[row['rank']]}"


def placed(tool, profile):
    """A proposal has one rank a slot, costs what its messages cost, no more than simple placements, and loads no link more than today."""
    spread = Profile([(file, row.replace(f",node{int(row[0]) // 3},", f",node{1 + int(row[0]) // 2},") if file == "ranks" else row)
                      for file, row in profile.rows])
    costs = 4, 20, 40  # by the level that two ranks share: a host, a leaf of the network, the network

    def cost(hosts, weight, knows_leaves):
        total = 0
        for fields in spread.of("peers"):
            source, to, messages, size = (int(fields[place]) for place in (3, 4, 7, 8))
            if fields[2] == "p2p" and 0 <= to != source:
                one, other = hosts[source], hosts[to]
                of_one = costs[0 if one == other else 2 if knows_leaves and int(one[-1]) % 2 != int(other[-1]) % 2 else 1]
                total += of_one * (size if weight == "bytes" else messages)
        return total
    def placed(options):
        document = json.loads(tool.text(spread, f"place --json --class p2p {options}"))
        mapping = next(table for table in document["tables"] if table["name"] == "mapping")
        return document["run"], [one["host"] for one in mapping["lines"]]
    today = [f"node{1 + rank // 2}" for rank in range(RANKS)]
    in_turn = [f"node{1 + rank % (RANKS // 2)}" for rank in range(RANKS)]
    for weight, fabric in (("bytes", f"--fabric {here / 'network'}"), ("messages", "")):
        told, hosts = placed(f"--weight {weight} {fabric}")
        for name, of in (("today", today), ("proposed", hosts)):
            if abs(told[name]["cost"] - cost(of, weight, fabric)) > 1e-6 * cost(of, weight, fabric):
                yield f"{weight} {name}: {told[name]['cost']}, {cost(of, weight, fabric)} by its messages"
        if sorted(hosts) != sorted(today):
            yield f"{weight}: {hosts}"
        if not fabric and cost(hosts, weight, fabric) > min(cost(today, weight, fabric), cost(in_turn, weight, fabric)):
            yield f"{weight}: {hosts} cost more than {today} or {in_turn}"
        if fabric and told["proposed"]["links"]["most_load"] > told["today"]["links"]["most_load"]:
            yield "the busiest link has more load than today"
    slots = {"a": 3, "b": 1, "c": 6}  # two are free
    (tool.path(spread).parent / "hosts").write_text("".join(f"{name} slots={number}\n" for name, number in slots.items()))
    told, hosts = placed("--hosts hosts")
    found = told["proposed"]["cost"]
    expected = cost(hosts, "bytes", "")
    if any(hosts.count(name) > number for name, number in slots.items()) or abs(found - expected) > 1e-6 * expected:
        yield f"{hosts} on {slots}: {found}, {expected} by its messages"


def caused(tool, profile):
    """What ranks cause, the pattern and what is not known add up to all waiting, and each rank has its own sum."""
    lines, waits = tool.table(profile, "--waits --by cause"), tool.table(profile, "--waits")
    found, expected = sum(float(line["caused_s"]) for line in lines), sum(float(row["wait_s"]) for row in waits)
    if found != expected or abs(sum(float(line["caused_share"]) for line in lines) - 1) > 1e-9:
        yield f"{found} s have a cause or none, {expected} are waiting"
    of_rank = collections.Counter()
    for line in lines:
        of_rank[line["rank"]] += float(line["caused_s"])
    if {line["cause"] for line in lines if not line["rank"]} != {"pattern", "unknown"}:
        yield f"{lines[-2:]} are not the pattern and what is not known"
    for row in tool.table(profile, "--ranks"):
        if float(row["caused_s"]) != of_rank[row["rank"]]:
            yield f"rank {row['rank']}: {row['caused_s']} s, {of_rank[row['rank']]} by its causes"


def compared(tool, profile):
    """A run has not changed from itself; sides that change places change signs."""
    if changes := [row for row in tool.table(profile, "compare", [profile]) if float(row["change_s"]) or row["before_calls"] != row["after_calls"]]:
        yield f"compared with itself: {changes[0]}"
    other = random_profile(98)

    def changes(one, two):
        return {(row["comm"], row["op"], row["quantity"]): row for row in tool.table(one, "compare --sort name", [two])}
    there, back = changes(profile, other), changes(other, profile)
    if there.keys() != back.keys():
        yield f"{there.keys() ^ back.keys()} in one direction only"
    for key, row in there.items():
        if float(row["change_s"]) != -float(back[key]["change_s"]) or row["before_calls"] != back[key]["after_calls"]:
            yield f"{row} and {back[key]}"
    for comm in {comm for comm, op, _ in there if op}:
        total = next(row for row in tool.table(profile, "compare --total", [other]) if row["comm"] == comm)
        of_calls = sum(float(row["change_s"]) for key, row in there.items() if key[0] == comm and key[1])
        if abs(of_calls - float(total["change_s"])) > 1e-9:
            yield f"{comm}: {of_calls} over its calls, {total['change_s']} in all"


PROPERTIES = (in_other_order, in_halves, from_sums, grouped_alike, divided, cut, merged, caused, compared, placed)


def problem(tool, holds, profile):
    try:
        return next(holds(tool, profile), None)
    except (RuntimeError, ValueError, KeyError) as error:
        return f"{type(error).__name__}: {error}"


def main():
    seeds = [int(seed) for seed in sys.argv[2:] if seed.isdigit()] or (range(1, 4) if os.environ.get("TEST_LONG") == "1" else [1])
    failures = 0
    for seed in seeds:
        for holds in PROPERTIES[:-1] if "--without-network" in sys.argv else PROPERTIES:
            with tempfile.TemporaryDirectory(prefix="properties.") as home:
                tool, profile = Tool(Path(sys.argv[1]).resolve(), home), random_profile(seed)
                if found := problem(tool, holds, profile):
                    failures += 1
                    calls = [row for file, row in profile.rows if file in ("operations", "peers") and row]
                    print(f"seed {seed}: {holds.__doc__}\n  {found}\n  with", *calls[:20], sep="\n    ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
