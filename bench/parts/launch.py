"""Starts programs with and without a preloaded library."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

LAUNCHER = {
    "openmpi": ["mpirun.openmpi", "--oversubscribe", "--bind-to"],
    "mpich": ["mpirun.mpich", "-bind-to"],
}


class Disturbed(float):
    """A value measured while the processor was shared with somebody else."""


class Bench:
    """An MPI, the build to measure, and a place for the profiles."""

    def __init__(self, mpi, build, library, quick):
        self.mpi = mpi
        self.quick = quick
        of_mpi = build / "mpi" / f"mpicxx.{mpi}"
        self.programs = of_mpi / "bin"
        self.library = library
        for file in (library, self.programs / "bench_loops"):
            if not file.exists():
                sys.exit(f"{file} is missing: cmake --build {build}")
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="commprof-bench-"))
        self.profile = self.scratch / "profile"
        self.environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        self.environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        self.environment |= {"COMMPROF_OUTPUT": str(self.profile), "COMMPROF_VERBOSE": "0"}
        # How fast the processor is while nothing disturbs it: the least that any run has seen.
        self.pair_ns = self.work_ns = float("inf")
        self.values(1, self.programs / "bench_loops", "stamps")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.scratch, ignore_errors=True)

    def command(self, ranks, program, *options, preload=None, settings=None, bind=False):
        launcher = LAUNCHER[self.mpi] + ["core" if bind else "none", "-n", str(ranks)]
        # env, so that the launcher itself is left alone.
        setting = [f"{name}={value}" for name, value in (settings or {}).items()]
        setting += [f"LD_PRELOAD={preload}"] if preload else []
        return launcher + ["env", *setting, str(program), *map(str, options)]

    def run(self, *args, timeout=120, is_complete=lambda: False, **kwargs):
        """The output of a program; arguments: see command(). Its profile stays until the next.

        is_complete: tells of a run that ended badly whether it has done everything nevertheless.
        """
        shutil.rmtree(self.profile, ignore_errors=True)
        command = self.command(*args, **kwargs)
        # An mpirun that is killed leaves its processes behind; one that is asked to end does not.
        done = subprocess.run(["timeout", "--kill-after=20", str(timeout), *command], env=self.environment,
                              cwd=self.scratch, capture_output=True, text=True)
        if done.returncode and not is_complete():
            sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def values(self, *args, **kwargs):
        """What a program prints as lines of a name and a number, and perhaps "disturbed"."""
        lines = (line.split() for line in self.run(*args, **kwargs).splitlines())
        values = {words[0]: Disturbed(words[1]) if words[2:] == ["disturbed"] else float(words[1])
                  for words in lines if len(words) in (2, 3) and words[0] != "#"}
        self.pair_ns = min(self.pair_ns, values.get("stamps", self.pair_ns))
        self.work_ns = min(self.work_ns, values.get("work", self.work_ns))
        self.environment["BENCH_WORK_NS"] = str(self.work_ns)
        return values
