"""What a program in Python can tell commprof, and a profile as tables of pandas.

    import commprof

    with commprof.region("solve"):      # calls of MPI in here count in the region solve
        ...

    @commprof.region("halo")            # each call of the function is in the region
    def exchange(): ...

    commprof.Profile("commprof-python3-12345").operations

One file of the standard library, to be copied or put on PYTHONPATH; pandas is imported when a table is read. Without the
profiler in the process, before MPI_Init and after MPI_Finalize, regions and the other functions do nothing and never
fail. docs/python.md has the details.
"""

import contextlib
import ctypes
import functools
import json
import os
import typing

__all__ = ["Numbers", "Profile", "active", "comm_name", "frames", "history", "pause", "read", "region", "reset", "resume", "snapshot",
           "talp_json", "to_hatchet", "version"]


class Numbers(typing.NamedTuple):
    """What this process has counted on a communicator."""

    calls: int
    bytes_sent: int
    bytes_received: int
    time_s: float


class _Numbers(ctypes.Structure):  # commprof_numbers of commprof.h
    _fields_ = [("calls", ctypes.c_ulonglong), ("bytes_sent", ctypes.c_ulonglong), ("bytes_received", ctypes.c_ulonglong),
                ("time_s", ctypes.c_double)]


# A handle is an integer in MPICH and a pointer in Open MPI; both are passed in the same register.
_HANDLE = ctypes.c_void_p
_MPI_SUCCESS = 0
_MPI_ERR_ARG = (12, 13)  # MPICH's and Open MPI's
_MAX_NAME = 2049


def _function(name, result, *arguments):
    """A function of commprof.h; None without the profiler in the process."""
    try:
        function = getattr(ctypes.CDLL(None), name)
    except (AttributeError, OSError):
        return None
    function.restype, function.argtypes = result, arguments
    return function


_region_begin = _function("commprof_region_begin", None, ctypes.c_char_p)
_region_end = _function("commprof_region_end", None, ctypes.c_char_p)
_pause = _function("commprof_pause", None)
_resume = _function("commprof_resume", None)
_flush = _function("commprof_flush", ctypes.c_int, ctypes.c_char_p)
_version = _function("commprof_version", ctypes.c_char_p)
_read = _function("commprof_read", ctypes.c_int, _HANDLE, ctypes.c_char_p, ctypes.POINTER(_Numbers), ctypes.c_size_t)
_comm_name = _function("commprof_comm_name", ctypes.c_int, _HANDLE, ctypes.c_char_p, ctypes.c_int)


def version():
    """The version of the profiler in this process, as "1.2.3"; None without one."""
    return _version().decode() if _version else None


def active():
    """Whether calls of MPI are profiled now: between MPI_Init and MPI_Finalize, with the profiler."""
    # Nothing to read into is a wrong argument, but only where there is something to read.
    return _read is not None and _read(None, None, None, 0) in _MPI_ERR_ARG


class region(contextlib.ContextDecorator):  # named as what it is used like
    """A region: `with region("solve"):`, or `@region("solve")` before a function. Regions nest, and end with an exception.

    Regions belong to the process, as in docs/api.md: threads that begin and end their own at the same time disturb each
    other. In generators and coroutines use `with`, and do not leave them in between.
    """

    def __init__(self, name):
        self.name = name
        self._bytes = name.encode("utf-8", "surrogateescape")
        self._began = []  # for each entry that is open: a function may call itself

    def __enter__(self):
        # What began before MPI_Init did not begin for the profiler, and must not end.
        began = active()
        if began:
            _region_begin(self._bytes)
        self._began.append(began)
        return self

    def __exit__(self, *exception):
        if self._began.pop():
            _region_end(self._bytes)
        return False


def pause():
    """Counts nothing from now on, in this process."""
    if _pause:
        _pause()


def resume():
    """Counts again."""
    if _resume:
        _resume()


def snapshot(path=None):
    """Writes a profile of everything until now, to a directory; without a path beside the final profile, with -snapshot-1,
    -snapshot-2 … added. Collective over MPI_COMM_WORLD; the path of rank 0 counts. Returns whether it was written."""
    if not active():
        return False
    return _flush(None if path is None else os.fsencode(path)) == _MPI_SUCCESS


def _handle(comm):
    """The handle of a communicator of mpi4py, or what is a handle already."""
    if isinstance(comm, (int, ctypes._SimpleCData)):
        return getattr(comm, "value", comm)
    from mpi4py import MPI

    return int.from_bytes(ctypes.string_at(MPI._addressof(comm), MPI._sizeof(comm)), "little")


def read(comm, op=None):
    """What this process has counted on a communicator since MPI_Init: of an operation ("Allreduce"), or of all.
    None where nothing is known of it. comm: of mpi4py, or a handle as an integer."""
    numbers = _Numbers()
    if not active() or _read(_handle(comm), op and op.encode(), numbers, ctypes.sizeof(numbers)) != _MPI_SUCCESS:
        return None
    return Numbers(numbers.calls, numbers.bytes_sent, numbers.bytes_received, numbers.time_s)


def comm_name(comm):
    """The name of a communicator in the profile, such as "W_s1.0"; None where it has none."""
    name = ctypes.create_string_buffer(_MAX_NAME)
    if not active() or _comm_name(_handle(comm), name, _MAX_NAME) != _MPI_SUCCESS:
        return None
    return name.value.decode("utf-8", "replace")


# Columns that always hold a number, and that hold one or are empty. Those whose name ends in _s, and shares, are
# floating-point numbers; all others, and those of later versions, are texts. No categories: grouped by several of these, pandas
# makes rows for combinations that do not occur.
_COUNTS = ("rank", "src", "dst", "calls", "bytes_sent", "bytes_received", "messages", "bytes", "entered", "samples", "ranks", "last",
           "pid", "threads", "size", "freed", "comm_size", "size_min", "size_max")
_MAY_BE_EMPTY = ("time_min_rank", "time_max_rank", "reorder", "last_rank", "caused_by", "instants", "voluntary_switches", "involuntary_switches",
                 "minor_faults", "major_faults")
_MAY_BE_EMPTY_IN_SUMMARY = ("comm_size", "size_min", "size_max")  # of several


def _dtype(name, column):
    if column.endswith(("_s", "_share")):
        return "float64"
    if column in _MAY_BE_EMPTY or (name == "summary.csv" and column in _MAY_BE_EMPTY_IN_SUMMARY):
        return "Int64"
    return "int64" if column in _COUNTS else "str"


def _table(name, summary):
    def read_table(self):
        return self._read(name)

    read_table.__doc__ = f"{name} as a DataFrame: {summary}."
    return functools.cached_property(read_table)


class Profile:
    """A profile: the directory that a run has written. Each file is read when it is first asked for, into a DataFrame.

    Columns are those of docs/profile.md. Counts are int64 (Int64 where they may be unknown), seconds float64, all else
    str; an empty text is "", and a region called NA is "NA".
    """

    operations = _table("operations.csv", "calls, bytes and time by region, communicator, rank, operation, size and site")
    communicators = _table("communicators.csv", "where each communicator comes from, and its members")
    ranks = _table("ranks.csv", "host, wall time and time in MPI of each process")
    regions = _table("regions.csv", "the regions of each process")
    peers = _table("peers.csv", "messages by sender and receiver")
    sites = _table("sites.csv", "the places of calls in the program")
    modules = _table("modules.csv", "the program and its libraries")
    waits = _table("waits.csv", "how long processes wait in collective calls and for messages, and who causes it")
    waits_by_rank = _table("waits_by_rank.csv", "the same by process")
    waits_by_pair = _table("waits_by_pair.csv", "whom processes wait for")
    causes = _table("causes.csv", "who causes waiting, and before which calls")
    when = _table("when.csv", "what ranks did in each window of time, by kind of call")
    summary = _table("summary.csv", "the rows of operations.csv added up over ranks, with subtotals")
    sizes = _table("sizes.csv", "the same by operation and size")
    host_pairs = _table("host_pairs.csv", "messages by the hosts of sender and receiver, if few ranks have rows")

    def __init__(self, path):
        self.path = os.fspath(path)
        if not os.path.exists(self.path):
            raise FileNotFoundError(f"{self.path}: there is no such profile")
        if not os.path.isdir(self.path):
            raise NotADirectoryError(f"{self.path}: a file, where a profile is a directory")
        self.run = self._read_run()

    def __repr__(self):
        return f"commprof.Profile({self.path!r})"

    def _read_run(self):
        path = os.path.join(self.path, "run.json")
        try:
            with open(path, encoding="utf-8") as file:
                return json.load(file)
        except FileNotFoundError:
            raise FileNotFoundError(f"{path} is missing: {self.path} is no profile, or its run did not end "
                                    f"(then write it: mpisee-through collect --recover {self.path})") from None
        except ValueError as problem:
            raise ValueError(f"{path} is damaged: {problem}") from None

    def _read(self, name):
        import pandas

        path = os.path.join(self.path, name)
        listed = self.run.get("files", {}).get(name)
        if not os.path.exists(path):
            why = "though run.json lists it" if listed else "as this run did not write it"
            raise FileNotFoundError(f"{path} is missing, {why}")
        with open(path, "rb") as file:
            columns = file.readline().decode("utf-8", "replace").strip().split(",")
            file.seek(max(-1, -os.path.getsize(path)), os.SEEK_END)
            is_whole = file.read() == b"\n"
        dtypes = {column: _dtype(name, column) for column in columns}
        numbers = {column: [""] for column, dtype in dtypes.items() if dtype != "str"}
        try:
            frame = pandas.read_csv(path, dtype=dtypes, keep_default_na=False, na_values=numbers, encoding="utf-8") if is_whole else None
        except ValueError as problem:  # of pandas' parser, too
            raise ValueError(f"{path} is damaged: {problem}") from None
        if frame is None:
            raise ValueError(f"{path} is truncated: it ends within a row")
        if listed and listed["rows"] != len(frame):
            raise ValueError(f"{path} is truncated or damaged: it has {len(frame)} rows, where run.json says {listed['rows']}")
        return frame


def _runs_of(folder):
    """The profiles of a folder, which may be one itself."""
    inside = sorted(entry.path for entry in os.scandir(folder) if entry.is_dir())
    return [path for path in [folder, *inside] if os.path.exists(os.path.join(path, "run.json"))]


def _commit_of(folder):
    try:
        with open(os.path.join(folder, "commit"), encoding="utf-8") as file:
            return file.readline().strip() or os.path.basename(folder)
    except FileNotFoundError:
        return os.path.basename(folder)


def _threads(ranks):
    """Of each rank, how many call MPI at the same time: its time in MPI is theirs."""
    return ranks["threads_at_once" if "threads_at_once" in ranks else "threads"].astype("int64").clip(lower=1)


def history(directory):
    """A program from commit to commit: a DataFrame with a line for each commit and number of ranks.

    The directory has a folder for each commit, in which the profiles of its runs are, or which is one. A commit is named by
    the first line of the folder's file "commit", or by the folder; commits are in the order of their first runs. wall_s is
    the median over the runs, in seconds; parallel_efficiency, load_balance and communication_efficiency are medians from 0
    to 1; change is that of wall_s since the commit before with runs on as many ranks, as a part of it. A folder without
    profiles is left out; files that cannot be read raise ValueError or OSError.
    """
    import pandas

    lines = []
    for folder in sorted(entry.path for entry in os.scandir(directory) if entry.is_dir()):
        for profile in map(Profile, _runs_of(folder)):
            ranks = profile.ranks
            threads = _threads(ranks)
            outside, wall = (ranks.wall_s - ranks.mpi_s / threads).clip(lower=0), profile.run["wall_s"]
            useful = ranks.work_s / threads if "work_s" in ranks and ranks.work_s.notna().all() else outside
            lines.append((_commit_of(folder), profile.run.get("start", ""), profile.run["ranks"], profile.path, wall,
                          useful.mean() / wall, useful.mean() / useful.max(), outside.max() / wall))
    frame = pandas.DataFrame(lines, columns=["commit", "start", "ranks", "runs", "wall_s", "parallel_efficiency", "load_balance",
                                             "communication_efficiency"])
    frame["start"] = frame.groupby("commit").start.transform("min")
    efficiencies = dict.fromkeys(frame.columns[4:], "median")
    frame = frame.groupby(["start", "commit", "ranks"]).agg({"runs": "count", **efficiencies}).reset_index()
    frame["change"] = frame.groupby("ranks").wall_s.pct_change()
    return frame


def _stacks(profile):
    """A DataFrame with a line for each region, site and operation; callers: a list of functions, outermost first."""
    keys = ["op", "site"]
    calls = profile.operations.groupby(["region", "site", "op"], as_index=False)[["calls", "bytes_sent", "bytes_received", "time_s"]].sum()
    try:
        waits = profile.waits[profile.waits.kind != "pending"].groupby(keys).wait_s.sum()
    except FileNotFoundError:
        waits = calls.groupby(keys).time_s.sum() * 0
    # Waiting is known by site: regions with the same site share it as they share its time.
    share = (waits / calls.groupby(keys).time_s.sum()).fillna(0).clip(upper=1).rename("share")
    calls = calls.merge(share, "left", left_on=keys, right_index=True)
    calls["wait_s"] = calls.pop("share").fillna(0) * calls.time_s
    sites = profile.sites.set_index("site")
    names = {site: (sites.function.get(site) or site or "(unknown)").split(" < ")[::-1] for site in calls.site.unique()}
    calls["callers"] = calls.site.map(names)
    return calls


def frames(path, library="pandas"):
    """A profile as few tables: a dictionary of DataFrames of "pandas", or of "polars" if that is installed.

    "stacks": calls, bytes, time_s and wait_s (seconds over all ranks) by region, site and operation, with the callers that
    sites.csv names (mpisee-through resolve). "windows": calls, bytes and mpi_s of neighbouring ranks in each window of time.
    "ranks": ranks.csv, with the classes of the account. Raises FileNotFoundError and ValueError, as Profile.
    """
    profile = Profile(path)
    windows = profile.when.groupby(["rank", "begin_s", "end_s"], as_index=False, sort=False)[["calls", "bytes", "mpi_s"]].sum()
    all_frames = {"stacks": _stacks(profile), "windows": windows, "ranks": profile.ranks}
    if library == "pandas":
        return all_frames
    import polars

    return {name: polars.from_dict(frame.to_dict("list")) for name, frame in all_frames.items()}


def to_hatchet(path):
    """The time in MPI of all ranks as a tree in Hatchet's literal format, for hatchet.GraphFrame.from_literal().

    Nodes are the program, regions, callers and MPI calls. Metrics: "time" and "time (inc)" in seconds, "waiting" (inclusive)
    in seconds, "calls" and "bytes".
    """
    profile = Profile(path)

    def node(name, kind):
        metrics = {"time": 0.0, "time (inc)": 0.0, "waiting": 0.0, "calls": 0, "bytes": 0}
        return {"frame": {"name": name, "type": kind}, "metrics": metrics, "children": []}

    root, nodes = node(profile.run["program"], "program"), {}
    for line in _stacks(profile).itertuples():
        steps = [(name, "region") for name in line.region.split("/")] + [(name, "function") for name in line.callers]
        steps.append(("MPI_" + line.op, "mpi"))
        way, path = (), [root]
        for step in steps:
            way += (step,)
            if way not in nodes:
                nodes[way] = node(*step)
                path[-1]["children"].append(nodes[way])
            path.append(nodes[way])
        for one in path:
            for metric, value in (("time (inc)", line.time_s), ("waiting", line.wait_s), ("calls", line.calls),
                                  ("bytes", line.bytes_sent + line.bytes_received)):
                one["metrics"][metric] += value
        path[-1]["metrics"]["time"] += line.time_s
    return [root]


def talp_json(path):
    """The efficiencies of a run and of its regions as a dictionary in the layout of DLB's TALP, for json.dump(): TALP-Pages
    draws it. Times are integers of nanoseconds, inclusive of the regions inside; a rank's useful time is its time outside
    MPI. There are no hardware counters: cycles and instructions are 0."""
    profile = Profile(path)
    ranks = profile.ranks
    of_rank = ranks.assign(threads=_threads(ranks)).set_index("rank")
    calls = profile.operations.groupby("region").calls.sum()

    def metrics(wall_s, mpi_s, mpi_calls):
        """wall_s, mpi_s: by rank."""
        nodes, threads = of_rank.host.loc[wall_s.index], of_rank.threads.loc[wall_s.index]
        elapsed, useful = wall_s.max(), (wall_s - mpi_s / threads).clip(lower=0)
        of_node = useful.groupby(nodes).mean()
        share = {
            "parallelEfficiency": useful.mean() / elapsed,
            "mpiParallelEfficiency": useful.mean() / elapsed,
            "mpiCommunicationEfficiency": useful.max() / elapsed,
            "mpiLoadBalance": useful.mean() / useful.max(),
            "mpiLoadBalanceIn": of_node.max() / useful.max(),
            "mpiLoadBalanceOut": useful.mean() / of_node.max(),
        }
        times = {"elapsedTime": elapsed, "usefulTime": useful.sum(), "mpiTime": mpi_s.sum()}
        ones = ("ompParallelEfficiency", "ompLoadBalance", "ompSchedulingEfficiency", "ompSerializationEfficiency")
        return {"numCpus": int(threads.sum()), "numMpiRanks": len(wall_s), "numNodes": int(nodes.nunique()), "numGpus": 0,
                "avgCpus": float(threads.sum()), "cycles": 0, "instructions": 0, "numMpiCalls": int(mpi_calls),
                **{name: round(seconds * 1e9) for name, seconds in times.items()},
                **{name: float(value) for name, value in share.items()}, **dict.fromkeys(ones, 1.0)}

    regions = {"Global": metrics(of_rank.wall_s, of_rank.mpi_s, calls.sum())}
    for name in profile.regions.region.unique():
        inside = profile.regions[(profile.regions.region == name) | profile.regions.region.str.startswith(name + "/")]
        sums = inside.groupby("rank")[["wall_s", "mpi_s"]].sum()
        if name != "main" and sums.wall_s.max() > 0:
            is_inside = (calls.index == name) | calls.index.str.startswith(name + "/")
            regions[name] = metrics(sums.wall_s, sums.mpi_s, calls[is_inside].sum())
    resources = {"numCpus": regions["Global"]["numCpus"], "numNodes": regions["Global"]["numNodes"],
                 "numMpiRanks": len(ranks), "numGpus": 0}
    return {"dlbVersion": "3.5.0", "timestamp": profile.run["start"].rstrip("Z"), "resources": resources, "Application": regions}
