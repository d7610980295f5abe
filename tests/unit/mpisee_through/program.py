#!/usr/bin/env python3
"""program.py MPISEE_THROUGH WITH_DATA_PAGE MANUALS: what the program needs and offers, apart from what it prints.

WITH_DATA_PAGE is the program with a page that has nothing but its data; MANUALS a directory, empty if there are none.
"""
import collections
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import profiles
from forms import page_data

here = Path(__file__).resolve().parent
tool, with_data_page = (Path(program).resolve() for program in sys.argv[1:3])
manuals = sys.argv[3] if len(sys.argv) > 3 else ""


def shown(*arguments, program=tool, cwd=here, expect=0):
    done = subprocess.run([program, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, timeout=60)
    assert done.returncode == expect, f"{arguments}: exit code {done.returncode}, {done.stderr}"
    return done.stderr if expect else done.stdout


def peak_kib(*arguments):
    """Resident memory of the program alone."""
    code = "import os, sys; _, _, usage = os.wait4(os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:]), 0); print(usage.ru_maxrss, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-S", "-c", code, tool, *map(str, arguments)], capture_output=True, text=True, timeout=100)
    return int(done.stderr), done.stdout


def memory_does_not_grow_with_rows(home):
    """The files are longer than the parser's window. 400,000 more rows of calls would take 28 MB as text, 1,000,000 of messages 60."""
    def profile(name, ranks, file, rows):
        profiles.write(home / name, ranks=ranks)
        (home / name / f"{file}.csv").write_text(profiles.table(file, []) + "".join(rows))
        if file == "operations":
            text = (home / name / "run.json").read_text()
            (home / name / "run.json").write_text(text.replace('"operations.csv": {"rows": 0}', f'"operations.csv": {{"rows": {ranks * 10}}}'))
        return home / name

    def of_calls(ranks):
        rows = (f"main,W,{ranks},{rank},Allreduce,{1 << size},{(2 << size) - 1},123456,12345678,0,0.123456789,0.000000123,0.000123456,"
                "solver+0x4a2f\n" for rank in range(ranks) for size in range(10))
        kib, text = peak_kib("--operations", "--by", "size", profile(f"calls{ranks}", ranks, "operations", rows))
        assert "512-1,023 B" in text
        return kib

    def of_messages(rounds):
        rows = (f"solve/{one},W_d{one},internal,{pair // 100},{pair % 100},1024,2047,123456,123456789,Allreduce,64,127\n"
                for one in range(rounds) for pair in range(10000))
        kib, text = peak_kib("--matrix", "--by", "size", "--region", "solve/*", profile(f"messages{rounds}", 100, "peers", rows))
        assert "between 10,000 pairs of ranks" in text
        return kib

    assert of_calls(90000) - of_calls(50000) < 12 * 1024  # of which 40,000 more ranks take 100 bytes each
    assert of_messages(200) - of_messages(100) < 8 * 1024


# The options of the view that reads a file; those of a fabric are beside a sample.
READING = {"ranks": "", "communicators": "", "operations": "--operations", "sites": "--sites", "peers": "--matrix --by size", "regions": "--regions",
           "waits": "--waits", "waits_by_rank": "--waits --by rank", "causes": "--waits --by cause", "when": "--when", "run": "", "cables": "links --fabric", "tables": "links --fabric"}


def damaged(pick, whole):
    text = bytearray(whole)
    for _ in range(pick.randrange(3) + 1):
        at, length = pick.randrange(len(text)), pick.randrange(40)
        awkward = bytes([pick.choice(b'\0\n\r",:{}[]-.eE09x \x1b\x80\xff*')])
        text[at:at + pick.choice((0, 1, length))] = pick.choice((b"", awkward, text[at:at + length], b"9" * length))
    return text


def damage_ends_in_one_line(home):
    """Whatever the damage, the reader answers or names a file in one line. A table that is cut off is noticed."""
    pick, ends = random.Random(20261121), collections.Counter()
    has_network = "built without links" not in subprocess.run([tool, "links", "--fabric", "x", "y"], capture_output=True, text=True).stderr
    names = ("sample", "sample-messages", "sample-when", *["network"][:has_network])
    for path in (file for name in names for file in sorted((here / name).iterdir())):
        for attempt in range(60 if os.environ.get("TEST_LONG") == "1" else 8) if path.stem in READING else ():
            is_table, is_cut, whole = path.parent.name != "network", attempt % 4 == 0, path.read_bytes()
            directory = home / path.parent.name
            shutil.rmtree(directory, ignore_errors=True)
            shutil.copytree(path.parent, directory)
            (directory / path.name).write_bytes(whole[:pick.randrange(len(whole) - 2)] if is_cut else damaged(pick, whole))
            arguments = [*READING[path.stem].split(), directory, *([] if is_table else [here / "sample"])]
            done = subprocess.run([tool, *arguments], capture_output=True, timeout=60)
            about = f"{path.name}: exit code {done.returncode}, {done.stderr}"
            assert done.returncode == 0 or done.returncode == 1 and done.stderr.count(b"\n") == 1 and f": {home}".encode() in done.stderr, about
            assert done.returncode == 1 or not (is_cut and is_table), about
            ends[done.returncode] += 1
    assert min(ends[0], ends[1]) > 20, ends


def many_missing_ranks_are_told_at_once(home):
    """The comparison of each range with each other one took 2.5 billion steps."""
    ranks = 100000
    missing = ",".join(str(rank) for rank in range(1, ranks, 2))
    profiles.write(home / "missing", ranks=ranks, more_of_run=f', "unfinished": {{"ranks_missing": "{missing}", "last_record_s": 1, "problems": []}}')
    lines = (home / "missing" / "ranks.csv").read_text().splitlines()
    (home / "missing" / "ranks.csv").write_text("\n".join([lines[0], *lines[1::2]]) + "\n")
    limit = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (60, limit[1]))
    assert "Missing    ranks 1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,...,99999: nothing is known" in shown(home / "missing")
    resource.setrlimit(resource.RLIMIT_CPU, limit)


def options_in(text):
    return re.findall(r"(?:\n  |,)(--[\w-]+)", text)


def completed(*words):
    """The completions of the last word of a command line."""
    script = f'. {here.parents[2]}/tools/completion.bash; COMP_WORDS=(mpisee-through "$@"); COMP_CWORD=$#; PATH={tool.parent}:$PATH _mpisee_through 2>/dev/null; echo ${{COMPREPLY[@]}}'
    return subprocess.run(["bash", "-c", script, "bash", *words], cwd=here, capture_output=True, text=True, timeout=60).stdout.split()


def completion_and_manuals_know_every_option(home):
    for command in ([], ["scaling"], ["compare"]):
        options = options_in(shown(*command, "--help"))
        assert len(options) > 3
        lacking = set(options) - set(completed(*command, "--"))
        assert not lacking, f"completion of {command}: {lacking}"
        if manuals:
            page = (Path(manuals) / ("-".join(["mpisee-through", *command]) + ".1")).read_text()
            lacking = [option for option in options if option.replace("-", "\\-") not in page]
            assert ".TH MPISEE-THROUGH" in page and not lacking, f"manual of {command}: {lacking}"
    for words, expected in (("compare --corr", ["--correlate"]), ("report --outp", ["--output"]), ("report --corr", []), ("comp", ["compare"])):
        assert set(completed(*words.split())) >= set(expected) and (expected or not completed(*words.split())), words


def the_page_is_one_file_that_names_no_other(home):
    profiles.write(home / "page")
    error = subprocess.run([tool, "report", "."], cwd=home / "page", capture_output=True, text=True, timeout=60).stderr
    if error:
        assert error == "mpisee-through: this mpisee-through was built without the page: configure with -DCOMMPROF_REPORT=ON\n"
        assert not (home / "page.html").exists() and shown("--html", home / "one.html", "--operations", home / "page", expect=1) == error
        return
    page = (home / "page.html").read_text()
    assert page.startswith("<!doctype html>") and page.endswith("</body>\n</html>\n") and "{{" not in page
    assert '"title":"a.out"' in page and "@observablehq/plot" in page and not re.search(r" src=|<link|@import|url\((?!#)", page)
    shown("--html", home / "one.html", ".", cwd=home / "page")
    assert (home / "one.html").read_text() == page


def the_page_of_scaling_has_the_data_of_json(home):
    import json
    runs = [here / "sample-scaling" / f"ranks-{ranks}" for ranks in (1, 2, 4, 8)]
    shown("scaling", *runs, "--html", home / "scaling.html", program=with_data_page)
    (section,) = page_data((home / "scaling.html").read_text())["sections"]
    (table,) = section["tables"]
    points = [one for one in json.loads(shown("scaling", *runs, "--json"))["tables"][0]["lines"] if not one["comm"]]
    for key in ("ranks", "wall_s", "parallel_efficiency"):
        place = [column["key"] for column in table["columns"]].index(key)
        assert [line[place] for line in table["lines"]] == [one[key] for one in points], key


if __name__ == "__main__":
    for check in (memory_does_not_grow_with_rows, damage_ends_in_one_line, many_missing_ranks_are_told_at_once, completion_and_manuals_know_every_option,
                  the_page_is_one_file_that_names_no_other, the_page_of_scaling_has_the_data_of_json):
        with tempfile.TemporaryDirectory(prefix="program.") as directory:
            check(Path(directory))
