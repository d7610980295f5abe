#!/usr/bin/env python3
"""commands.py MPISEE_THROUGH HAS_PAGE HAS_NETWORK: each command that README.md and docs/ show is run, or listed here with the reason why not.

Commands are: the lines of a block of ```sh; the lines with a prompt ("$ ") of a block of ```console; what is indented and
begins with a program; spans of code that begin with mpisee-through and name a profile. Names of profiles in them (PROFILE, BEFORE, lj, …) are
copies of the profiles of the tests. Blocks of ```text show no commands. Each command and option of --help is in docs/reader. tests/unit/mpisee_through/golden.py
compares what the examples in COMPARED print. HAS_PAGE: 1 if the tool can write reports. HAS_NETWORK: 1 if it has links and place.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

root = Path(__file__).resolve().parents[2]
tool, has_page, has_network = Path(sys.argv[1]).resolve(), sys.argv[2] == "1", sys.argv[3] == "1"
pages = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
COMPARED = "docs/reader/"
PROGRAMS = ("mpisee-through", "mpirun", "cmake", "ctest", "npm", "./", "bench/")

BUILDS = "installs, builds or tests all of the tree: ./test and CI do"
JOB = "a job with the profiler: tests/mpi runs those"
JOB_OF_SLURM = "a job of Slurm: tests/slurm/jobs.py runs some"
COMPILES = "compiles a program of the user: tests/install does"
INSTALLS = "installs: tests/install/check_packages and tests/platforms/installed do, by the same steps"
ELSEWHERE = "needs Spack or EasyBuild, which Debian lacks: docs/platforms.md says what ran by hand"
OLD = "installs a Debian 11 and builds in it"
HOURS = "measures for minutes to hours"
SYNOPSIS = "a synopsis, no command"
# As they stand on the pages, without comments.
NOT_RUN = {
    "commprof mpirun -n 4 ./your_program": JOB,
    "commprof mpirun -n 4 ./solver input.dat": JOB,
    "commprof --ops='-Test*,-Iprobe*' --output='profiles/%x-%n' srun ./solver": JOB,
    "commprof ./solver": JOB,
    "commprof mpirun -n 2 python3 solve.py": JOB,
    "commprof -q mpirun -n 4 ./solver > result.txt": JOB,
    "commprof mpirun -n 2 julia solve.jl": JOB,
    "LD_PRELOAD=libcommprof.so mpirun -n 4 adaptive": JOB,
    "mpirun -n 4 adaptive": JOB,
    "LD_PRELOAD=libcommprof.so mpirun -n 8 reorder": JOB,
    "mpirun -n 8 reorder": JOB,
    "COMMPROF_SPOOL=/local/commprof-%j mpirun …": JOB,
    "srun --mpi=pmix --export=ALL,LD_PRELOAD=/path/to/libcommprof.so ./your_program": JOB_OF_SLURM,
    "export LD_PRELOAD=/path/to/libcommprof.so COMMPROF_OUTPUT=profiles/%x-%j": JOB_OF_SLURM,
    "srun --mpi=pmix ./your_program": JOB_OF_SLURM,
    "mpirun ./your_program": JOB_OF_SLURM,
    "COMMPROF_OUTPUT=profiles/%x-%a sbatch --array=1-100 job.sh": JOB_OF_SLURM,
    "srun --mpi=pmix -n1 --export=ALL,LD_PRELOAD=$LIBRARY ./coupler : -n8 --export=ALL,LD_PRELOAD=$LIBRARY ./ocean": JOB_OF_SLURM,
    "srun --mpi=pmix --commprof ./your_program": JOB_OF_SLURM,
    "srun --mpi=pmix --commprof=profiles/%x-%j ./your_program": JOB_OF_SLURM,
    "./demo": BUILDS,
    'export PATH="$PWD/build/demo/bin:$PATH"': "sets a variable of the shell",
    "./test": BUILDS,
    "cmake --preset release": BUILDS,
    "cmake --build --preset release": BUILDS,
    "cmake --install build/release --prefix /usr/local": BUILDS,
    "cmake --preset release -DCMAKE_INSTALL_PREFIX=/opt/commprof": BUILDS,
    "cmake --preset release -DCMAKE_INSTALL_PREFIX=/usr": BUILDS,
    "cmake --install build/release": BUILDS,
    "cpack --config build/release/CPackConfig.cmake -G TGZ": INSTALLS,
    "cpack --config build/release/CPackConfig.cmake -G DEB": INSTALLS,
    "tar xf commprof-1.0.0-Linux-x86_64.tar.gz": INSTALLS,
    "commprof-1.0.0-Linux-x86_64/bin/mpisee-through --version": INSTALLS,
    "debootstrap bullseye ROOT": OLD,
    "packaging/old-glibc ROOT": OLD,
    "apt install ./commprof_1.0.0_amd64.deb": INSTALLS,
    "LD_PRELOAD=libcommprof.so mpirun -n 4 ./your_program": JOB,
    "mpicc $(pkg-config --cflags commprof) program.c $(pkg-config --libs commprof)": INSTALLS,
    "LD_PRELOAD=$(pkg-config --variable=preload commprof) mpirun -n 4 ./program": INSTALLS,
    "module use /opt/commprof/share/modulefiles": INSTALLS,
    "module load commprof": INSTALLS,
    "spack repo add packaging/spack": ELSEWHERE,
    "spack install commprof ^openmpi": ELSEWHERE,
    "spack load commprof": ELSEWHERE,
    "git archive --prefix=commprof-1.0.0/ -o commprof-1.0.0.tar.gz v1.0.0": ELSEWHERE,
    "eb --sourcepath=. --robot packaging/easybuild/commprof-1.0.0-gompi-2024a.eb": ELSEWHERE,
    "cmake --preset tsan -DCOMMPROF_MPIS=mpicxx.mpich": BUILDS,
    "cmake --build --preset tsan --target libcommprof.so mpisee-through mpich-12.counter mpich-12.threads": BUILDS,
    "ctest --preset tsan -R mpi.threads": BUILDS,
    "mpirun -n 4 env LD_PRELOAD=$(gcc -print-file-name=libasan.so):$PWD/build/asan/lib/libcommprof.so "
    "ASAN_OPTIONS=detect_leaks=0:suppressions=FILE UBSAN_OPTIONS=print_stacktrace=1 "
    "build/asan/mpi/mpicxx.openmpi/tests/mpi/torture SEED": BUILDS,
    "mpifort -I$PREFIX/include $PREFIX/include/commprof/commprof.f90 program.f90 -L$PREFIX/lib -lcommprof_api": COMPILES,
    "mpicc program.c -L$PREFIX/lib -lcommprof": COMPILES,
    "mpicc program.c $PREFIX/lib/commprof/openmpi-40.a -lstdc++": COMPILES,
    "mpifort program.f90 $PREFIX/lib/commprof/openmpi-40.a -lstdc++": COMPILES,
    "bench/run": HOURS,
    "bench/run --programs": HOURS,
    "bench/run --quick --only loops": HOURS,
    "bench/scale": HOURS,
    "bench/scale --before DIRECTORY": HOURS,
    "bench/write_results NAME": HOURS,
    "mpisee-through [OPTIONS] PROFILE [PROFILE …]": SYNOPSIS,
    "mpisee-through compare [OPTIONS] BEFORE AFTER [AFTER …]": SYNOPSIS,
    "mpisee-through compare [OPTIONS] BEFORE … --with AFTER … [--with AFTER …]": SYNOPSIS,
    "mpisee-through compare --correlate [OPTIONS] RUN RUN RUN …": SYNOPSIS,
    "mpisee-through scaling [OPTIONS] RUN RUN …": SYNOPSIS,
    "mpisee-through scaling [OPTIONS] --history DIRECTORY": SYNOPSIS,
    "for n in 1 2 4 8; do LD_PRELOAD=libcommprof.so COMMPROF_OUTPUT=heat-$n mpirun -n $n ./heat; done": JOB,
    "LD_PRELOAD=libcommprof.so COMMPROF_OUTPUT=history/$(git rev-parse HEAD)/run-4 mpirun -n 4 ./heat": JOB,
    "mpisee-through scaling --history history --html scaling.html --badge efficiency.svg": JOB,
    "mpisee-through now DIRECTORY": "looks at spool files: tests/mpi/now.py has some",
    "mpisee-through collect PROFILE": "moves spool files: tests/mpi/killed.py has some",
    "mpisee-through collect DIRECTORY": "moves spool files: tests/mpi/killed.py has some",
    "mpisee-through --recover PROFILE": "recovers spool files: tests/mpi/killed.py has some",
}


def without_comment(line):
    return re.sub(r"(^|\s+)#(\s.*|$)", "", line).strip()


def commands_of(page):
    """(line number, command) of each, and what is wrong with the page."""
    found, problems = [], []
    name = str(page.relative_to(root))
    language, pending = None, ""
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if line.startswith("```"):
            if language is None:
                language = line[3:]
                if not language:
                    problems.append(f"{name}:{number}: the block does not say what it holds: sh, console, text, …")
            else:
                language = None
            continue
        if language == "sh":
            pending += without_comment(line).removesuffix("\\")
            if line.endswith("\\"):
                continue
            found.append((number, re.sub(r"\s+", " ", pending)))
            pending = ""
        elif language == "console" and line.startswith("$ ") and not name.startswith(COMPARED):
            found.append((number, without_comment(line[2:])))
        elif language is None and line.startswith("    ") and re.match(r"(\w+=\S+ )*(%s)" % "|".join(PROGRAMS), line[4:]):
            found.append((number, without_comment(line)))
        elif language is None:
            spans = re.findall(r"`(mpisee-through [^`]*)`", line)
            found += [(number, span) for span in spans if re.search(r"\b[A-Z]{3,}\b", span)]
    return name, [(number, command) for number, command in found if command], problems


def add_sites(profile):
    """All calls come from one site, in the tool's own file."""
    operations = profile / "operations.csv"
    header, *rows = operations.read_text().splitlines()
    operations.write_text("\n".join([header + ",site", *(row + ",tool+0x10" for row in rows)]) + "\n")
    (profile / "sites.csv").write_text("site,module,offset,function,file,line\ntool+0x10,tool,0x10,,,\n")
    (profile / "modules.csv").write_text(f"module,path,build_id\ntool,{tool},\n")
    run_file = profile / "run.json"
    run = json.loads(run_file.read_text())
    run["files"] |= {"sites.csv": {"rows": 1}, "modules.csv": {"rows": 1}}
    run_file.write_text(json.dumps(run))


def make_profiles(home):
    samples = root / "tests/unit/mpisee_through"
    names = {"sample": ["sample", "lj", "PROFILE", "DIRECTORY", "BEFORE", "base-1", "base-2", "base-3", "base-4", "run-1", "run-2", "run-3",
                        "commprof-your_program-12345"],
             "sample-scaling/ranks-1": ["heat-1"], "sample-scaling/ranks-2": ["heat-2"],
             "sample-tuned": ["AFTER", "tuned-1", "tuned-2", "tuned-3", "tuned-4"]}
    for network in "net", "DIR":
        shutil.copytree(samples / "network", home / network)
    for sample, copies in names.items():
        for copy in copies:
            shutil.copytree(samples / sample, home / copy)
    for profile in ("PROFILE", "DIRECTORY"):
        add_sites(home / profile)
    (home / "build/release/bin").mkdir(parents=True)
    (home / "build/release/bin/mpisee-through").symlink_to(tool)


def undocumented():
    """Commands without a page of their own, and options that their page does not name, or no page if they are of all views."""
    pages = {page.stem: page.read_text() for page in (root / "docs/reader").glob("*.md")}

    def help_of(*command):
        return subprocess.run([tool, *command, "--help"], capture_output=True, text=True, check=True).stdout

    def missing(text, section):
        """Options of a section of a help, as -o,--output, of which the text has no name."""
        options = re.findall(r"^  ((?:-\w,)?--(?!help)[a-z-]+)", section, re.M)
        return [one for one in options if not any(re.search(rf"{name}(?![\w-])", text) for name in one.split(","))]

    overview = help_of()
    yield from (f"docs/reader has no {one}" for one in missing("\n".join(pages.values()), overview))
    commands = re.findall(r"^  ([a-z]+) {2,}", overview.split("\nCommands")[1].split("\n\n")[0], re.M)
    if len(commands) < 5:
        yield f"--help has only the commands {commands}"
    for command in commands:
        if command not in pages or f"]({command}.md)" not in pages["README"]:
            yield f"docs/reader/README.md leads to no {command}.md"
            continue
        for section in re.split(r"\n(?=\S.*:\n)", help_of(command)):
            page = "options" if section.startswith("Selection") else command
            found = missing(pages[page], section)
            yield from (f"docs/reader/{page}.md has no {one} of {command}" for one in found)


problems, run, listed = list(undocumented()), 0, set()
with tempfile.TemporaryDirectory() as directory:
    home = Path(directory)
    make_profiles(home)
    environment = os.environ | {"PATH": f"{tool.parent}:{os.environ['PATH']}", "TMPDIR": directory}
    for page in pages:
        name, commands, wrong = commands_of(page)
        problems += wrong
        for number, command in commands:
            if command in NOT_RUN:
                listed.add(command)
                continue
            if ("mpisee-through report" in command or "--html" in command) and not has_page:
                continue
            if re.search(r"mpisee-through (links|place)\b|--fabric\b", command) and not has_network:
                continue
            done = subprocess.run(["sh", "-c", command], cwd=home, env=environment, capture_output=True, text=True, timeout=60)
            run += 1
            if done.returncode != 0:
                problems.append(f"{name}:{number}: {command}: exit code {done.returncode}: {done.stderr.strip()}")
problems += [f"commands.py lists what no page shows: {command}" for command in NOT_RUN.keys() - listed]
if run < 10:
    problems.append(f"only {run} commands were run")
print("\n".join(problems) or f"{run} commands run, {len(listed)} listed")
sys.exit(1 if problems else 0)
