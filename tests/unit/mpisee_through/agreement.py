"""The property of a view: text, CSV, JSON and page have the same lines, in the same order, with the same numbers and marks of
bounds. Text rounds numbers; it agrees with a number that is rounded to what it says."""
import collections
import csv
import json
import re
import statistics
import sys

# The list within each object of a list, if CSV has a line for each member of it.
INNER = {"communicators": "operations", "pairs": "sizes", "ranks": "windows", "commits": "points"}
# JSON has an outer object once, with more members than CSV repeats in each line.
ONLY_IN_OUTER = {
    "operations": "parent created_at size reorder freed instances",
}
# Names that CSV has for members of the outer object, or of an object within the line.
OTHER_NAMES = {"comm_size": ("outer size", "size"), "comm_mpi_share": ("outer mpi_share",),
               "pearson": ("pearson_coefficient",), "spearman": ("spearman_coefficient",)}


def share_of(part, whole):
    return part / whole if part is not None and whole else None


# Numbers of a page that follow from others in the data, by their columns.
DERIVED = {
    "bytes": lambda one: None if one["bytes_sent"] is None else one["bytes_sent"] + one["bytes_received"],
    "before": lambda one: one["before_time_s"] if one["before_runs"] else None,
    "after": lambda one: one["after_time_s"] if one["after_runs"] else None,
    "before_spread": lambda one: share_of(one["before_time_q3_s"] - one["before_time_q1_s"], one["before_time_s"]),
    "after_spread": lambda one: share_of(one["after_time_q3_s"] - one["after_time_q1_s"], one["after_time_s"]),
    "change": lambda one: one["change_s"],
    "relative": lambda one: one["change_relative"] if one["before_runs"] else sys.float_info.max,
    "calls": lambda one: one["after_calls"],
    "volume": lambda one: one["after_bytes"],
    "of_time": lambda one: one["op_time_share"] if "op_time_share" in one else one["wait_share"],
    "of_bytes": lambda one: one["op_bytes_share"],
    "queued": lambda one: share_of(one["queued_s"], one["wall_s"]),
    "bytes_share": lambda one: share_of(one.get("outer bytes", one["bytes"]), one["all"]["bytes"]),
    "messages_share": lambda one: share_of(one.get("outer messages", one["messages"]), one["all"]["messages"]),
    "mean_bytes": lambda one: one["bytes"] // one["links"],
    "mean_messages": lambda one: one["messages"] // one["links"],
    "significant": lambda one: one["p_adjusted"] is None or one["p_adjusted"] <= 0.05,
}
# Numbers whose mark is that of another one. Text leaves them out if they are of few samples.
MARKED_AS = {"of_time": "wait_share"}


def flat(members, prefix=""):
    """{"before": {"calls": 1}} as {"before_calls": 1}; without lists."""
    for key, value in members.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{key}_")
        elif not isinstance(value, list):
            yield prefix + key, value


def lines_within(inner, objects):
    return [{**{f"outer {key}": value for key, value in flat(outer)}, **dict(flat(outer)), **dict(flat(one))}
            for outer in objects for one in outer[inner]]


def lines_of(document):
    """The lines that a document has, by the name of their list. CSV has the last list."""
    for name, objects in document.items():
        if not isinstance(objects, list) or not all(isinstance(one, dict) for one in objects):
            continue
        inner = INNER.get(name)
        if inner and objects and inner in objects[0]:
            yield inner, lines_within(inner, objects)
        else:
            yield name, [dict(flat(one)) for one in objects]


def all_lines(loaded):
    """The lines of one document or several, by the name of their list, and the name of the list that CSV has."""
    lists, last = {}, None
    for document in loaded if isinstance(loaded, list) else [loaded]:
        outside = {"profile": document.get("run", {}).get("profile"), "all": document.get("traffic", {}).get("total")}
        for last, lines in lines_of(document):
            lists.setdefault(last, []).extend({**outside, **one} for one in lines)
    return lists, last


def facts_of_first_page(document):
    """(about, name, quantity, value) for each fact; not the efficiencies under their earlier names."""
    def facts(about, name, members, prefix="", without=()):
        for key, value in members.items():
            if value not in (None, "") and key not in without:
                yield about, name, prefix + key, value

    earlier = ("ranks", "parallel", "communication", "serialisation", "transfer")
    yield from facts("run", "", document["run"]["selected"])
    yield from facts("run", "", document["efficiency"] or {}, without=earlier)
    for one in document["regions"]:
        yield from facts("region", one["region"], one["efficiency"], without=earlier)
        yield from facts("region", one["region"], one["inclusive_efficiency"], "inclusive_", without=earlier)
    for about in ("communicators", "kinds", "findings"):
        names = {"communicators": "comm", "kinds": "kind", "findings": "finding"}
        for one in document[about]:
            yield from facts(about.removesuffix("s"), one[names[about]], one, without=[names[about]])
    for about, member in (("call", "costliest_call"), ("uneven", "most_uneven")):
        if one := document[member]:
            yield from facts(about, f"{one['op']} on {one['comm']}", one, without=["op", "comm"])
    if one := document["busiest_pair"]:
        yield from facts("pair", f"{one['src']} {one['dst']}", one, without=["src", "dst"])
    for kind, one in (document["main_sizes"] or {}).items():
        yield from facts("size", f"{one['size_min']} {one['size_max']}", {"share": one["share"]}, f"{kind}_")


def story_disagreements(text, document, story):
    """Between the other forms and the page's efficiencies, which are those of inclusive times in any case, and findings."""
    lines = story["efficiencies"]["lines"]
    objects = [document["efficiency"], *(region["inclusive_efficiency"] for region in document["regions"])] if document["efficiency"] else []
    columns = [column for column in story["efficiencies"]["columns"] if column["key"] in (objects or [()])[0]]
    places = [story["efficiencies"]["columns"].index(column) for column in columns]
    shown = [(columns, [cells[place] for place in places]) for cells in lines]
    yield from page_disagreements(shown, objects[:len(lines)])
    told = [one["fact"] for one in document["findings"] if not (one["explained_by"] or one["may_follow_from"])]
    if [one["fact"] for one in story["findings"]] != told:
        yield "the page has other findings than JSON"
    words = " ".join(text.split())
    for one in [finding["fact"] for finding in story["findings"]] + [one["text"] for one in story["highlights"]]:
        if " ".join(one.split()) not in words:
            yield f"the page says what the text does not: {one}"


def first_page_disagreements(rows, document):
    facts = sorted((about, name, quantity, as_field(value)) for about, name, quantity, value in facts_of_first_page(document))
    # The order of CSV is that of explanation, of JSON that of its members.
    for row, fact in zip(sorted(rows, key=lambda row: tuple(row.values())[:3]), sorted(facts, key=lambda fact: fact[:3])):
        if tuple(row.values())[:3] != fact[:3] or not is_same(row["value"], fact[3]):
            yield f"{row} in CSV, {fact} in JSON"
    if len(rows) != len(facts):
        yield f"{len(rows)} facts in CSV, {len(facts)} in JSON"


def lines_over_time(before, after):
    """The share of MPI in each part of the runs, if both sides have windows of time."""
    def sides_of(runs):
        for shares in zip(*(run["mpi_over_time"] for run in runs if run["mpi_over_time"])):
            q1, median, q3 = statistics.quantiles(shares, method="inclusive") if len(shares) > 1 else shares * 3
            yield {"runs": len(shares), "time_s": median, "time_mean_s": statistics.fmean(shares), "time_q1_s": q1,
                   "time_q3_s": q3}

    for part, (left, right) in enumerate(zip(sides_of(before), sides_of(after)), 1):
        yield {"quantity": "mpi_share", "part": part, "change_s": right["time_s"] - left["time_s"], "change_relative": None,
               "p": None, "p_adjusted": None, **dict(flat({"before": left, "after": right}))}


def lines_of_comparison(document):
    """As CSV has them: times of whole runs, efficiencies, the share of MPI over time, calls or communicators."""
    runs = {"before_runs": len(document["before"]), "after_runs": None}
    none = {f"{side}_{amount}": None for side in ("before", "after") for amount in ("calls", "bytes")}
    for one in document["comparisons"]:
        same = dict.fromkeys(("size_min", "size_max", "before_algorithm", "after_algorithm"))
        of_all = {"after": one["after"][0]["profile"], "comm": "", "op": "", "part": None, **none, **runs, **same,
                  "after_runs": len(one["after"])}
        for quantity in ("wall_s", "rank_mpi_mean_s", "rank_outside_mpi_mean_s"):
            yield {**of_all, "quantity": quantity, **dict(flat(one[quantity]))}
        for quantity, both in (one["efficiencies"] or {}).items():
            times = {"value": "time_s", "mean": "time_mean_s", "q1": "time_q1_s", "q3": "time_q3_s"}
            yield {**of_all, "quantity": quantity, "change_relative": None, "change_s": both["change"], "p": both["p"],
                   "p_adjusted": both["p"],
                   **{f"{side}_{times[key]}": both[side][key] for side in ("before", "after") for key in times}}
        for line in lines_over_time(document["before"], one["after"]):
            yield {**of_all, **line}
        for comm in one["communicators"]:
            for line in comm.get("operations", [comm]):
                yield {"after": of_all["after"], "comm": comm["comm"], "op": "", "quantity": "rank_mean_s", "part": None,
                       **same, **dict(flat(line))}
        for line in one["algorithms"]:
            yield {**of_all, "quantity": "algorithm_mean_s", **dict(flat(line))}


def changes_of_page(document):
    """As the page has them: communicators, and their calls below."""
    for one in document["comparisons"]:
        for comm in one["communicators"]:
            yield dict(flat(comm))
            yield from (dict(flat(line)) for line in comm.get("operations", []))


def tables_of_comparison(document):
    """The tables of the page, by name."""
    efficiencies, over_time = [], []
    for one in document["comparisons"]:
        for both in (one["efficiencies"] or {}).values():
            efficiencies.append({"before": both["before"]["value"], "after": both["after"]["value"], "p": both["p"]})
        for runs in document["before"], one["after"]:
            over_time += [{} for run in runs if run["mpi_over_time"]][:8]
    return {"communicators": list(changes_of_page(document)), "efficiencies": efficiencies, "over_time": over_time}


# Where JSON has the effects of a placement, by their names on the page.
EFFECTS = {"Between hosts": ("between_hosts", "bytes"), "Within hosts": ("within", "host", "bytes"),
           "Between hosts, below one switch of level 2": ("within", "switch2", "bytes"),
           "Most that leaves one host": ("most_bytes_leaving_host",), "Hop-bytes": ("hop_bytes",),
           "Most on one link": ("links", "most_bytes"), "Sum over links": ("links", "sum_bytes")}


def effects_of_page(document, names):
    for name in names:
        of = {side: document[side] for side in ("today", "proposed")}
        for member in EFFECTS[name]:
            of = {side: members[member] for side, members in of.items()}
        yield of


def lines_of_scaling(document):
    """As CSV has them: numbers of ranks, those beyond, communicators on numbers of ranks."""
    own = ("mpi_share", "queued_share")  # CSV has them with names, as wall_share, or for readers of the page
    for point in document["points"]:
        yield {"comm": "", "runs": len(point["runs"]), "wall_share": point["mpi_share"], "extrapolated": False,
               **{key: value for key, value in flat(point) if not key.startswith("communicators_") and key not in own}}
    for one in document["extrapolation"]["times"]:
        yield {"ranks": one["ranks"], "wall_s": one["wall_s"], "wall_min_s": one["low_s"], "wall_max_s": one["high_s"],
               "extrapolated": True}
    for family in document["points"][0]["communicators"]:
        for point in document["points"]:
            if family in point["communicators"]:
                yield {"comm": family, "ranks": point["ranks"], "runs": len(point["runs"]), "hosts": point["hosts"],
                       "wall_share": point["communicators"][family], "extrapolated": False}


def as_field(value):
    return {None: "", True: "1", False: "0"}[value] if value is None or isinstance(value, bool) else value


def is_same(field, value):
    value = as_field(value)
    if isinstance(value, str):
        return field == value
    return field == str(value) or (field != "" and float(field) == value)


def is_within_null(key, one):
    """Whether the object that has the key is null."""
    return any(key.startswith(f"{outer}_") for outer, value in one.items() if value is None)


def data_disagreements(rows, objects, only_in_json=(), may_lack=False):
    """Between lines of CSV and those of JSON. may_lack: an object lacks a member that is empty in CSV."""
    if len(rows) != len(objects):
        yield f"{len(rows)} lines of CSV, {len(objects)} of JSON"
    for number, (row, one) in enumerate(zip(rows, objects), 1):
        for key, field in row.items():
            name = next((name for name in (key, *OTHER_NAMES.get(key, ())) if name in one), key)
            if name not in one and not (field == "" and (may_lack or is_within_null(key, one))):
                yield f"line {number}: JSON has no {key}"
            elif not is_same(field, one.get(name)):
                yield f"line {number}: {key} is {field} in CSV and {one[name]} in JSON"
        named = {*row, *only_in_json, *(name for key in row for name in OTHER_NAMES.get(key, ()))}
        if further := [key for key in one if key not in named and not key.startswith("outer ")]:
            yield f"line {number}: CSV has no {', '.join(further)}"


# What text says of a number: "12.35 ms", "at most 12.3 %", "-".
MARKS = "at most|at least|estimated"
NUMBER = rf"(?:(?:{MARKS}) )?<?[-+]?[\d.,]+(?:e[-+]\d+)?(?: [nmµ]?s\b| [KMGTPE]iB\b| B\b| %)?|-"
UNITS = {"": 1, "s": 1, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9, "%": 0.01,
         **{f"{prefix}B": 1024 ** power for power, prefix in enumerate(("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"))}}
WORDS = ("name", "figure", "flag")


def parts_of(cell):
    """Value, mark and order of a cell of a page."""
    return (cell["value"], cell.get("bound", ""), cell.get("by")) if isinstance(cell, dict) else (cell, "", None)


def rounds_to(text, cell):
    """Whether the text says the number of the cell, rounded, with its mark."""
    value, bound, _ = parts_of(cell)
    if value is None or text == "-":
        return value is None and text == "-"
    mark, is_less, digits, unit = re.fullmatch(rf"(?:({MARKS}) )?(<?)([-+\d.,e]+) ?(.*)", text).groups()
    number = float(digits.replace(",", "")) * UNITS[unit]
    if (mark or "") != bound:
        return False
    if is_less:
        return value < number and (value > 0 or unit == "")  # a probability may be 0
    mantissa, _, exponent = digits.partition("e")
    of_last_digit = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2])) * UNITS[unit]
    return abs(number - value) <= 0.5 * of_last_digit * (1 + 1e-6) + 1e-12 * abs(value)


def pattern_of(kind, cell):
    if kind not in WORDS:
        return f"({NUMBER})"
    value = parts_of(cell)[0]
    words = {None: "-", True: "yes", False: "no"}[value] if value is None or isinstance(value, bool) else value.strip()
    # Text cuts long names, and has only the last part of a path.
    shorter = [re.escape(words[:length]) + r"\.\.\." for length in range(8, len(words))] if kind == "name" else []
    return "(?:" + "|".join([re.escape(words), *shorter, re.escape(words.rpartition("/")[2])]) + ")"


def is_line(text, columns, cells, has_more):
    """Whether a line of text shows these cells. has_more: text has more before them."""
    patterns = [pattern_of(column["kind"], cell) for column, cell in zip(columns, cells)]
    found = re.fullmatch((r".*?\s*" if has_more else r"\s*") + r"\s{2,}".join(patterns) + r"(?:\s.*)?", text.ljust(len(text) + 200))
    numbers = [cell for column, cell in zip(columns, cells) if column["kind"] not in WORDS]
    return found is not None and all(map(rounds_to, found.groups(), numbers))


def titles_in(line, columns):
    """The columns, as a range, that have their titles in this line of text: at least two, to the end of the line or to a bar."""
    for begin in range(len(columns) - 1):
        for end in range(len(columns), begin + 1, -1):
            titles = r"\s{2,}".join(re.escape(column["title"].strip()) for column in columns[begin:end])
            if re.fullmatch(rf"(?:.*\s)?{titles}(?:\s+[A-Z][a-z ]+)?\s*", line):
                return begin, end
    return None


def text_disagreements(text, parts, has_table=True):
    """Between text and pages: each line of the page is in the text, in order, and the text has no other lines between them.
    has_table: whether text has the table, not a picture or a matrix."""
    lines, at = text.splitlines(), 0
    for part in parts:
        head = part["head"].splitlines()
        while head and lines[at:at + len(head)] != head:
            at += 1
            if at >= len(lines):
                yield "the text does not have the head of the page"
                return
        at += len(head)
        columns, all_cells = part["table"]["columns"], part["table"]["lines"]
        if not has_table or not all_cells or part["table"]["name"] in OTHER_TABLES_IN_TEXT:
            continue
        found = [titles_in(line, columns) for line in lines[at:]]
        if not any(found):
            yield f"the text has no titles of {[column['title'] for column in columns]}"
            return
        begin, end = next(filter(None, found))
        for number, cells in enumerate(all_cells, 1):
            start = at
            while at < len(lines) and not is_line(lines[at], columns[begin:end], cells[begin:end], begin > 0):
                at += 1
            if at == len(lines) and number > 1 and any(line.startswith("Not shown") for line in lines[start:]):
                at = start  # text has a limit of its own
                break
            if at == len(lines):
                yield f"line {number} of the page is not in the text: {cells}\n  {lines[start:start + 2]}"
                return
            # Further lines about the line before begin far to the right; a block begins after an empty line.
            skipped = [line for line in lines[start:at] if not line.startswith("    ")]
            if number > 1 and skipped and "" not in skipped:
                yield f"the page has no {skipped}"
            at += 1


def page_disagreements(lines, objects):
    """Between lines of a page, (columns, cells), and those of JSON, by the keys of columns."""
    if len(lines) != len(objects):
        yield f"{len(lines)} lines on the page, {len(objects)} in the data"
    for number, ((columns, cells), one) in enumerate(zip(lines, objects), 1):
        for column, cell in zip(columns, cells):
            key = column["key"].replace(".", "_")
            value, bound, by = parts_of(cell)
            if column["kind"] in ("name", "figure") and by is None:
                continue
            names = [f"outer {MARKED_AS.get(key)}"] if by is not None else [key, *OTHER_NAMES.get(key, ())]
            known = [name for name in names if name in one]
            if not known and value is None and is_within_null(key, one):
                continue
            if not known and key not in DERIVED:
                yield f"line {number}: the data have no {key}"
                continue
            found = one[known[0]] if known else DERIVED[key](one)
            mark = one.get(f"{MARKED_AS.get(key, key)}_bound") or ""
            is_same_mark = bound == mark or by is not None  # a figure has it in its text
            is_left_out = value is None and key in MARKED_AS
            if not is_left_out and (not is_same_mark or (value if by is None else by) != found):
                yield f"line {number}: {key} is {cell} on the page, {found} {mark} in the data"


# Views that text shows as pictures or as tables of another shape.
OTHER_TABLES_IN_TEXT = ("census",)
OTHER_IN_TEXT = re.compile(r"census|matrix$|matrix-hosts|when|^place")


def disagreements(name, text, csv_text, json_text, parts, story):
    """What differs between the forms of the view with this name. parts: of its page. story: of the report, the page of the first
    page."""
    rows, loaded = list(csv.DictReader(csv_text.splitlines())), json.loads(json_text)
    if "first-page" in name:
        return [*first_page_disagreements(rows, loaded), *story_disagreements(text, loaded, story)]
    lists, last = all_lines(loaded)
    of_page = lists
    if re.match("compare(?!.correlate)", name):
        found = data_disagreements(rows, list(lines_of_comparison(loaded)), only_in_json=["op"])
        of_page = tables_of_comparison(loaded)
    elif re.match("scaling(?!.history)", name):
        found = data_disagreements(rows, list(lines_of_scaling(loaded)), may_lack=True)
    else:
        found = data_disagreements(rows, lists[last], ["profile", "all", *ONLY_IN_OUTER.get(last, "").split()])
    found = list(found)
    tables = collections.defaultdict(list)
    for part in parts:
        tables[part["table"]["name"]] += [(part["table"]["columns"], cells) for cells in part["table"]["lines"]]
    if "effects" in tables:
        of_page["effects"] = list(effects_of_page(loaded, [cells[0] for _, cells in tables["effects"]]))
    for table, lines in tables.items():
        found += page_disagreements(lines, of_page.get(table, []))
    text_is_grouped = re.search(r"^ *\S*\{[\d,:-]+\}\S* ", text, re.M)
    return found + list(text_disagreements(text, parts, not text_is_grouped and not OTHER_IN_TEXT.search(name)))
