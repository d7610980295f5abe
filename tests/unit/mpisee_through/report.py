#!/usr/bin/env python3
"""report.py MPISEE_THROUGH [--without-network]: the data of a report's page are those of the views and of the profile's rows.

MPISEE_THROUGH must have a page. A page has columns of numbers as text: counts in groups of seven bits, seconds as doubles.
"""
import base64
import collections
import csv
import html
import itertools
import json
import struct
import sys
import tempfile
from pathlib import Path

import profiles
from forms import page_data
from properties import Profile, Tool, random_profile

here = Path(__file__).resolve().parent


def counts(text):
    numbers, shift = [0], 0
    for byte in base64.b64decode(text):
        numbers[-1] |= (byte & 127) << shift
        shift = shift + 7 if byte >= 128 else 0
        numbers += [0] if byte < 128 else []
    return numbers[:-1]


def seconds(text):
    data = base64.b64decode(text)
    return list(struct.unpack(f"<{len(data) // 8}d", data))


def columns_of(packed, names, times=("time",)):
    """Lines of these columns."""
    return zip(*(seconds(packed[name]) if name in times else counts(packed[name]) for name in names.split()))


class Report:
    def __init__(self, tool, profile, options=""):
        self.data = json.loads(page_data(tool.text(profile, f"--html {options}")))
        self.comms = [one["name"] for one in self.data["communicators"]]

    def comm(self, place):
        return self.comms[place] if place < len(self.comms) else "further"

    def calls(self):
        """By communicator, operation and smallest size."""
        data = self.data
        return {(self.comm(comm), data["operations"][op], data["sizes"][size]["min"]): sums for comm, op, size, *sums in
                columns_of(data["calls"], "communicator operation size calls sent received time")}


def require(what, found, expected):
    if found != expected:
        keys = [key for key in {*found, *expected} if found.get(key) != expected.get(key)] if isinstance(found, dict) else []
        sys.exit(f"{what}: {[(key, found.get(key), expected.get(key)) for key in keys[:3]] or (found, expected)}")


def calls_are_those_of_sizes(tool, profile, options):
    report = Report(tool, profile, options)
    lines = tool.table(profile, f"--operations --by size {options}")
    require(f"calls {options}", report.calls(), {(line["comm"], line["op"], int(line["size_min"])): [
        int(line["calls"]), int(line["bytes_sent"]), int(line["bytes_received"]), float(line["time_s"])] for line in lines})
    bounds = [(one["min"], one["max"]) for one in report.data["sizes"]]
    require("sizes without a gap", [least for least, _ in bounds[1:]], [most + 1 for _, most in bounds[:-1]])


def ranks_are_those_of_ranks(tool, profile):
    report = Report(tool, profile)
    ranks, data = report.data["ranks"], report.data
    lines = sorted(tool.table(profile, "--ranks"), key=lambda line: int(line["rank"]))
    expected = [(float(line["wall_s"]), float(line["mpi_s"]), float(line["outside_mpi_s"]), float(line["wait_s"] or 0),
                 ranks["host_names"].index(line["host"]), rank) for rank, line in enumerate(lines)]
    found = columns_of(ranks, "wall mpi outside waiting host max_rank", ("wall", "mpi", "outside", "waiting"))
    require("ranks", [[round(number, 9) for number in line] for line in found], [[round(number, 9) for number in line] for line in expected])
    for name, of, place in (("by_operation", data["operations"].__getitem__, 4), ("by_communicator", report.comm, 1)):
        sums = collections.Counter()
        for row in profile.of("operations"):
            sums[int(row[3]), row[place]] += float(row[10])
        require(name, {(rank, of(one)): time for rank, one, time in columns_of(ranks[name], "bin of time")}, dict(sums))


def pairs_are_those_of_the_rows(tool, profile):
    report = Report(tool, profile)
    pairs, sums = report.data["pairs"], collections.defaultdict(lambda: [0, 0])
    for _, comm, kind, source, to, _, _, messages, size, *_ in profile.of("peers"):
        key = comm if comm in report.comms else "further", kind, int(source), int(to) % (profile.ranks + 1)  # -1: another world
        sums[key] = [sums[key][0] + int(messages), sums[key][1] + int(size)]
    found = {(report.comm(comm), pairs["classes"][kind], source, to): amount for comm, kind, source, to, *amount in
             columns_of(pairs, "communicator class from to messages bytes")}
    require("pairs", found, dict(sums))


def sites_are_those_of_sites(tool, profile):
    report = Report(tool, profile)
    sites, sums = report.data["sites"], collections.defaultdict(lambda: [0, 0, 0, 0])
    for line, *amounts in columns_of(sites["parts"], "line calls sent received time"):
        one = sites["list"][line]
        key = one["site"], one["function"], report.data["operations"][one["operation"]]
        sums[key] = [a + b for a, b in zip(sums[key], amounts)]
    require("sites", dict(sums), {(line["site"], line["function"], line["op"]): [
        int(line["calls"]), int(line["bytes_sent"]), int(line["bytes_received"]), float(line["time_s"])]
        for line in tool.table(profile, "--sites")})


def tables_are_those_of_views(tool, profile):
    tables = Report(tool, profile).data["tables"]
    for view in ("operations", "sizes", "sites", "regions", "ranks"):
        options = "operations --by size" if view == "sizes" else view
        part = json.loads(page_data(tool.text(profile, f"--{options} --html")).strip().splitlines()[0])
        found = tables[view].get("table", tables[view])
        require(view, found["lines"] if view != "sizes" else sorted(map(str, found["lines"])),
                part["table"]["lines"] if view != "sizes" else sorted(map(str, part["table"]["lines"])))


def what_a_selection_leaves_out_has_a_reason(tool, profile):
    for options, lacking in (("", ""), ("--comm W", "regions"), ("--op Send", "pairs regions"), ("--rank 1", "")):
        data = Report(tool, profile, options).data
        found = " ".join(name for name in ("pairs", "regions") if data[name] is None)
        require(f"lacking with {options}", (found, [bool(data[f"no_{name}"]) for name in ("pairs", "regions")]),
                (lacking, [name in lacking for name in ("pairs", "regions")]))


def neighbours_share_a_bin(tool):
    """4,100 ranks would make more than 2,048 bins of 2. Communicators of a call site beyond the 1,000 costliest share a place."""
    many = [("operations", f"main,W,4100,{rank},Send,8,15,1,8,0,{2 ** rank},0,0,") for rank in (0, 3, 4)]
    many += [("ranks", "5,host,1,0,1,10,1"), ("ranks", "6,other,1,0,1,10,9"), ("sites", "a+0x1,a,0x1,,,"), ("sites", "a+0x2,a,0x2,,,")]
    for i in range(1010):
        many += [("communicators", f"W_d{i},W,Comm_dup,4100,0-4099,,,,0,a+0x{1 + i % 2}"),
                 ("operations", f"main,W_d{i},4100,0,Barrier,0,0,1,0,0,{4000 - i},0,0,a+0x1")]
    report = Report(tool, Profile(many, 4100))
    ranks, data = report.data["ranks"], report.data
    require("ranks of a bin", ranks["ranks_per_bin"], 4)
    require("bins", [list(line) for line in columns_of(ranks, "ranks wall mpi mpi_min mpi_max outside max_rank several_hosts", (
        "wall", "mpi", "mpi_min", "mpi_max", "outside"))][:2], [[4, 40, 8, 2, 2, 32, 0, 0], [4, 40, 14, 1, 9, 26, 6, 1]])
    sends = data["operations"].index("Send")
    require("times", [line for line in columns_of(ranks["by_operation"], "bin of time") if line[1] == sends], [(0, sends, 9), (1, sends, 16)])
    require("communicators", (len(report.comms), [(one["communicators"], one["further"]) for one in data["groups"]],
                              data["further_communicators"]), (1001, [(505, 5), (505, 5)], 1))
    further = collections.Counter(comm for comm, *_ in columns_of(data["calls"], "communicator operation size"))
    require("further places", [further[place] for place in (1000, 1001, 1002)], [1, 1, 1])


def links_are_those_of_links(tool):
    tool.directories["sample"] = tool.home / "sample" / "profile"
    tool.directories["sample"].parent.mkdir()
    tool.directories["sample"].symlink_to(here / "sample")
    network = f"--fabric {here / 'network'}"
    page = tool.home / "page.html"
    tool.text("sample", f"report -o {page} {network}")
    links = json.loads(page_data(page.read_text()))["links"]
    rows = tool.table("sample", f"links {network}")
    require("links", [[str(one[key]) for key in ("node", "peer", "level", "bytes", "messages")] for one in links["list"]],
            [[row[key] for key in ("node", "peer", "level", "bytes", "messages")] for row in rows])
    parts = map(json.loads, page_data(tool.text("sample", f"links {network} --html")).strip().splitlines())
    table = next(part["table"] for part in parts if part["table"]["name"] == "links")
    require("table of links", [line[:6] for line in links["links"]["lines"]], [line[:6] for line in table["lines"]])


def text_cannot_end_its_element(tool):
    name = "</script><script>alert(1)</script>"
    report = Report(tool, Profile([("communicators", f"W_d1,W,Comm_dup,2,0-1,,,{name},0")], 2))
    require("a name", report.data["communicators"][report.comms.index("W_d1")]["user_name"], name)


def main():
    with tempfile.TemporaryDirectory(prefix="report.") as home:
        tool, profile = Tool(Path(sys.argv[1]).resolve(), home), random_profile(1)
        for options in ("", "--comm W_s*", "--rank 2-5", "--op Recv,Wait --size 8-1k"):
            calls_are_those_of_sizes(tool, profile, options)
        for holds in (ranks_are_those_of_ranks, pairs_are_those_of_the_rows, sites_are_those_of_sites, tables_are_those_of_views,
                      what_a_selection_leaves_out_has_a_reason):
            holds(tool, profile)
        neighbours_share_a_bin(tool)
        text_cannot_end_its_element(tool)
        if "--without-network" not in sys.argv:
            links_are_those_of_links(tool)


if __name__ == "__main__":
    main()
