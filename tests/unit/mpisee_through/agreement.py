"""The property of a view: text, CSV, JSON and page have the same lines, in the same order, with the same numbers and marks of
bounds. Text rounds numbers; it agrees with a number that is rounded to what it says."""
import csv
import json
import re


def tables_of(loaded):
    """The lines of each table of a document or several, by its name."""
    tables = {}
    for document in loaded if isinstance(loaded, list) else [loaded]:
        profile = {"profile": document["run"].get("profile")} if document["run"] else {}
        for table in document["tables"]:
            named = [{**profile, **line} for line in table["lines"]]
            tables.setdefault(table["name"], []).extend(named)
            keys = [column["key"] for column in table["columns"]]
            assert all(set(keys) <= set(line) for line in named), f"lines of {table['name']} lack some of {keys}"
    return tables


def as_field(value):
    return {None: "", True: "1", False: "0"}[value] if value is None or isinstance(value, bool) else value


def is_same(field, value):
    value = as_field(value)
    if isinstance(value, str):
        return field == value
    return field == str(value) or (field != "" and float(field) == value)


def data_disagreements(rows, tables):
    """Between the lines of CSV and those of a table of JSON: the first one that has its columns."""
    keys = set(rows[0]) if rows else set()
    lines = next((lines for lines in tables.values() if lines and keys <= set(lines[0])), [])
    if len(rows) != len(lines):
        yield f"{len(rows)} lines of CSV, {len(lines)} of JSON"
    for number, (row, one) in enumerate(zip(rows, lines), 1):
        for key, field in row.items():
            if not is_same(field, one[key]):
                yield f"line {number}: {key} is {field} in CSV and {one[key]} in JSON"


# The tables that have the facts of the first page, and the columns that name a line.
FACTS = {"run": ("efficiencies", ["region"]), "region": ("efficiencies", ["region"]), "communicator": ("communicators", ["comm"]),
         "kind": ("kinds", ["kind"]), "call": ("calls", ["op", "comm"]),
         "pair": ("pairs", ["src", "dst"]), "size": ("sizes", ["size_min", "size_max"]), "finding": ("findings", ["finding"]), "account": ("account", ["class"])}


def first_page_disagreements(rows, document, tables):
    """Each fact of CSV is in JSON, and there are as many."""
    selected = document["run"]["selected"]
    for row in rows:
        about, name, quantity, value = row.values()
        table, keys = FACTS[about]
        lines = [one for one in tables[table] if re.split(" on | ", name) == [str(one[key]) for key in keys] or name == one[keys[0]]]
        lines += [selected] if about == "run" else []
        key = re.sub("^(inclusive|time|bytes)_(?=.*_|share)", "", quantity) if about in ("region", "size") else quantity
        if not any(is_same(value, one[key]) for one in lines if key in one):
            yield f"JSON has no {row}"
    named = {"region", "times", "of"} | {key for table, keys in FACTS.values() for key in keys}
    used = [table for table, _ in FACTS.values()]
    known = sum(value not in (None, "") for name, lines in tables.items() if name in used for one in lines
                for key, value in one.items() if key not in named or name == "communicators" and key in ("op",))
    known -= sum(len(tables[name]) for name in set(used) if tables[name] and "profile" in tables[name][0])
    if known + len(selected) != len(rows):
        yield f"{len(rows)} facts in CSV, {known + len(selected)} in JSON"


def story_disagreements(text, tables, page):
    """Between the other forms and the page's findings."""
    told = [(one["finding"], one["fact"]) for one in tables["findings"]]
    section = next((one for one in page["sections"] if one["id"] == "findings"), {"notes": [], "tables": []})
    found = []
    for table in section["tables"]:
        places = [[column["key"] for column in table["columns"]].index(key) for key in ("finding", "fact")]
        found += [tuple(map(line.__getitem__, places)) for line in table["lines"]]
    if found != told:
        yield "the page has other findings than JSON"
    words = " ".join(text.split())
    for one in [fact for _, fact in found] + [note for _, note in section["notes"]]:
        if " ".join(one.split()) not in words and not any(rule for rule, fact in found if fact == one):
            yield f"the page says what the text does not: {one}"


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
        columns, all_cells = [column for column in part["columns"] if "drawn" not in column], part["lines"]
        if not has_table or not all_cells:
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


def page_disagreements(part, tables):
    """Between the lines of a page and those of JSON, where both have the same lines."""
    lines = tables.get(part["name"], [])
    if len(lines) != len(part["lines"]):
        return
    for number, (cells, one) in enumerate(zip(part["lines"], lines), 1):
        for column, cell in zip(part["columns"], cells):
            value, bound, by = parts_of(cell)
            key = column["key"]
            if column["kind"] not in ("name", "figure") and by is None and key in one:
                if value != one[key] or bound != (one.get(f"{key}_bound") or ""):
                    yield f"line {number}: {key} is {cell} on the page, {one[key]} in JSON"


# Views that text shows as pictures or as tables of another shape, and tables that only pages have, for their pictures.
OTHER_IN_TEXT = re.compile(r"matrix$|matrix-hosts|when|^place|^scaling")
ONLY_ON_PAGES = ("bars", "waits_for")


def disagreements(name, text, csv_text, json_text, page):
    """What differs between the forms of the view with this name. page: its data."""
    rows, loaded = list(csv.DictReader(csv_text.splitlines())), json.loads(json_text)
    tables = tables_of(loaded)
    if "first-page" in name:
        return [*first_page_disagreements(rows, loaded, tables), *story_disagreements(text, tables, page)]
    found = list(data_disagreements(rows, tables))
    parts = [table for section in page["sections"] for table in section["tables"] if table["name"] not in ONLY_ON_PAGES]
    for part in parts:
        found += page_disagreements(part, tables)
    return found + list(text_disagreements(text, parts, not OTHER_IN_TEXT.search(name)))
