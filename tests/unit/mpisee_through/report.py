#!/usr/bin/env python3
"""report.py MPISEE_THROUGH [--without-network]: the data of a report's page are those of the views and of the profile's rows.

MPISEE_THROUGH must have a page.
"""
import collections
import sys
import tempfile
from pathlib import Path

from forms import PAGE, page_data
from properties import Profile, Tool, random_profile

here = Path(__file__).resolve().parent


class Report:
    """Sections by their names, and tables in them: lines as objects."""

    def __init__(self, tool, profile, options=""):
        self.sections = {one["id"]: one for one in page_data(tool.text(profile, f"{PAGE} {options}"))["sections"]}

    def table(self, section, name):
        return next(table for table in self.sections[section]["tables"] if table["name"] == name)

    def lines(self, section, name):
        return lines_of(self.table(section, name))


def lines_of(table):
    keys = [column["key"] for column in table["columns"]]
    return [dict(zip(keys, line)) for line in table["lines"]]


def require(what, found, expected):
    if found != expected:
        keys = [key for key in {*found, *expected} if found.get(key) != expected.get(key)] if isinstance(found, dict) else []
        sys.exit(f"{what}: {[(key, found.get(key), expected.get(key)) for key in keys[:3]] or (found, expected)}")


def tables_are_those_of_views(tool, profile, options):
    """As each view writes them on a page of its own."""
    report = Report(tool, profile, options)
    checked = 0
    for section, view in (("operations", "--operations"), ("sizes", "--operations --by size"), ("sites", "--sites"),
                          ("regions", "--regions"), ("ranks", "--ranks"), ("communicators", "--communicators")):
        if section not in report.sections or not report.sections[section]["tables"]:
            continue
        for table in page_data(tool.text(profile, f"{view} {PAGE} {options}"))["sections"][0]["tables"]:
            found = report.table(section, table["name"])
            require(f"{view} {options}: columns", found["columns"], table["columns"])
            # With --top, which a report has, lines are in another order.
            require(f"{view} {options}: {table['name']}", sorted(map(str, found["lines"])), sorted(map(str, table["lines"])))
            checked += 1
    assert checked > 3, checked


def bars_are_the_time_of_ranks(tool, profile):
    lines = {int(one["rank"]): one for one in tool.table(profile, "--ranks")}
    for bar in Report(tool, profile).lines("ranks", "bars"):
        rank = lines.pop(int(bar["ranks"]["value"]))
        parts = [bar.get(part) or 0 for part in ("work_s", "without_processor_s", "waiting_s", "moving_s", "other_s", "unknown_s")]
        require("parts of a bar", round(sum(parts), 6), round(float(rank["wall_s"]), 6))
        require("outside", round(parts[0], 9), round(float(rank["outside_mpi_s"]), 9))
    require("ranks without a bar", lines, {})


def the_map_is_the_sum_of_the_rows(tool, profile):
    """Of all messages, of each class, and of each communicator that can be chosen: those with most time."""
    sums = collections.defaultdict(lambda: [0, 0])
    for _, comm, kind, source, to, _, _, messages, size, *_ in profile.of("peers"):
        for of in ("all messages", f"class {kind}", f"on {comm}"):
            key = of, *("other" if rank == "-1" else rank for rank in (source, to))
            sums[key] = [sums[key][0] + int(messages), sums[key][1] + int(size)]
    lines = Report(tool, profile).lines("matrix", "map")
    text = lambda end: end["value"] if isinstance(end, dict) else end
    found = {(one["of"], text(one["src"]), text(one["dst"])): [one["messages"], one["bytes"]] for one in lines}
    shown = {of for of, *_ in found}
    assert "all messages" in shown and any(of.startswith("on ") for of in shown), shown
    require("map", found, {key: amount for key, amount in sums.items() if key[0] in shown})
    require("classes", {of for of in shown if of.startswith("class ")}, {of for of, *_ in sums if of.startswith("class ")})


def what_a_selection_leaves_out_has_a_reason(tool, profile):
    for options, lacking in (("", set()), ("--comm W", {"regions"}), ("--op Send", {"matrix", "regions"}), ("--rank 1", set())):
        sections = Report(tool, profile, options).sections
        without = {name for name in ("matrix", "regions") if not sections[name]["tables"]}
        require(f"lacking with {options}", without, lacking)
        for name in without:
            require(f"reason for {name}", sections[name]["notes"], [["", f"Not with {options.split()[0]}."]])


def neighbours_share_a_bar_and_a_cell(tool):
    """4,100 ranks would make more than 512 bars of 8; 300 x 300 pairs, listed for all and their class, more than 32,768 cells."""
    many = [("ranks", f"{rank},host,1,0,1,10,{rank % 2}") for rank in range(4100)]
    many += [("peers", f"main,W,p2p,{source},{to},8,15,1,{source * to},") for source in range(300) for to in range(300)]
    report = Report(tool, Profile(many, 4100))
    bars = report.lines("ranks", "bars")
    require("bars", [len(bars), bars[0]["ranks"], bars[-1]["ranks"]],
            [456, {"value": "0-8", "by": 0}, {"value": "4095-4099", "by": 4095}])
    for bar, expected in ((bars[0], 4 / 9), (bars[1], 5 / 9)):
        require("mean", [round(bar["work_s"], 6), round(bar["other_s"], 6)], [round(10 - expected, 6), round(expected, 6)])
    lines = report.lines("matrix", "map")
    width = report.table("matrix", "map")["drawing"]["width"]
    assert width == 4 and len(lines) <= 32768, (width, len(lines))
    require("a cell", [(one["bytes"], one["messages"]) for one in lines
                       if one["of"] == "all messages" and one["src"]["by"] == 8 and one["dst"]["by"] == 16],
            [(sum(source * to for source in range(8, 12) for to in range(16, 20)), 16)])


def tables_have_a_limit(tool):
    """Of operations 5,000 lines; more than 2,000 communicators are a line for each call site that made them."""
    many = [("sites", "a+0x1,a,0x1,,,"), ("sites", "a+0x2,a,0x2,,,")]
    for i in range(5200):
        many += [("communicators", f"W_d{i},W,Comm_dup,4,0-3,,,,0,a+0x{1 + i % 2}"),
                 ("operations", f"main,W_d{i},4,0,Barrier,0,0,1,0,0,{9000 - i},0,0,a+0x1")]
    report = Report(tool, Profile(many, 4))
    table = report.table("operations", "operations")
    assert len(table["lines"]) == 5000 and table["hidden"] >= 200, (len(table["lines"]), table["hidden"])
    assert len(report.sections["communicators"]["tables"][0]["lines"]) < 10
    assert len(report.lines("communicators", "communicators")) < 10


def links_are_those_of_links(tool):
    tool.directories["sample"] = tool.home / "sample" / "profile"
    tool.directories["sample"].parent.mkdir()
    tool.directories["sample"].symlink_to(here / "sample")
    network = f"--fabric {here / 'network'}"
    page = tool.home / "page.html"
    tool.text("sample", f"links --html {page} {network}")
    (section,) = page_data(page.read_text())["sections"]
    keys = ("node", "peer", "level", "bytes", "messages")
    links = [[str(line[key]) for key in keys] for table in section["tables"] if table["name"] == "links" for line in lines_of(table)]
    require("links", links, [[row[key] for key in keys] for row in tool.table("sample", f"links {network}")])
    levels = section["tables"][0]
    drawn = {(nodes[one][0], nodes[other][0], level): sent for level in ("host-leaf", "leaf-host")
             for nodes in [levels["drawing"]["nodes"]] for ends in levels["drawing"]["cables"]
             for one, sent, other in [(ends[0], ends[2], ends[3]), (ends[3], ends[5], ends[0])]}
    wrong = [link for link in links if link[2] in ("host-leaf", "leaf-host") and drawn[tuple(link[:3])] != int(link[3])]
    assert levels["name"] == "levels" and not wrong, wrong


def text_cannot_end_its_element(tool):
    name = "</script><script>alert(1)</script>"
    lines = Report(tool, Profile([("communicators", f"W_d1,W,Comm_dup,2,0-1,,,{name},0")], 2)).lines("communicators", "tree")
    assert any(name in one["made_by"] for one in lines), lines


def main():
    with tempfile.TemporaryDirectory(prefix="report.") as home:
        tool, profile = Tool(Path(sys.argv[1]).resolve(), home), random_profile(1)
        for options in ("", "--comm W_s*", "--rank 2-5", "--op Recv,Wait --size 8-1k"):
            tables_are_those_of_views(tool, profile, options)
        for holds in (bars_are_the_time_of_ranks, the_map_is_the_sum_of_the_rows, what_a_selection_leaves_out_has_a_reason):
            holds(tool, profile)
        for holds in (neighbours_share_a_bar_and_a_cell, tables_have_a_limit, text_cannot_end_its_element):
            holds(tool)
        if "--without-network" not in sys.argv:
            links_are_those_of_links(tool)


if __name__ == "__main__":
    main()
