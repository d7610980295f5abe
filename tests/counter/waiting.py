"""How well waits.csv tells how long calls wait for messages.

The records are in the directory that the counter wrote in the same run (COUNTER_MESSAGES). All messages are matched, so that it is known for each
call how long it waited. The counter reads its clock around the profiler's calls: entries differ by less than 1 us.
"""

import math
import struct
from collections import Counter, defaultdict
from pathlib import Path

from judge import members_of, read_rows

RECORD = struct.Struct("=qq6i16s")
COMM, MEMBER, SEND, POST, PROBE, ARRIVAL, CANCEL, CALL, AWAITED = range(9)
ENDS_WITH_ANY, IS_PAUSED, REMOTE = 1, 2, 4
NOTHING, UNKNOWN, ANY = -1, -2, -100
LEAST_INSTANTS = 30  # below, a share means little
LATE_SENDER, LATE_RECEIVER = "late-sender", "late-receiver"
NEVER = math.inf
SENDS = {"Send", "Ssend", "Rsend"}
RECEIVES = {"Recv", "Probe", "Mprobe"}


class Comm:
    def __init__(self):
        self.local, self.remote = [], []

    def groups(self):
        return tuple(sorted((tuple(self.local), tuple(self.remote))))

    def members(self):
        return tuple(sorted(self.local + self.remote))

    def world_rank(self, peer):
        return (self.remote or self.local)[peer]


class Process:
    """The records of a process: its communicators, its messages in order, and its calls."""

    def __init__(self, rank, path):
        self.rank = rank
        self.comms, self.names = {}, {}
        self.messages = []  # (what, number, comm, peer, tag, time)
        self.calls = []  # (op, entry, exit, flags, [(message, comm, is a send)])
        self.arrivals, self.cancelled = {}, set()
        for at, end, what, message, comm, peer, tag, flags, op in RECORD.iter_unpack(path.read_bytes()):
            if what == COMM:
                self.comms[comm] = Comm()
            elif what == MEMBER:
                (self.comms[comm].remote if flags & REMOTE else self.comms[comm].local).append(peer)
            elif what in (SEND, POST, PROBE):
                self.messages.append((what, message, comm, peer, tag, at))
            elif what == ARRIVAL:
                self.arrivals[message] = peer, tag
            elif what == CANCEL:
                self.cancelled.add(message)
            elif what == CALL:
                self.calls.append((op.rstrip(b"\0").decode(), at, end, flags, []))
            elif what == AWAITED:
                self.calls[-1][-1].append((message, comm, bool(flags)))
        made = Counter()
        for index, comm in self.comms.items():
            groups = comm.groups()
            self.names[index] = groups, made[groups]  # the same on all members
            made[groups] += 1


class Messages:
    """All messages, each sent one matched with its receive."""

    def __init__(self, directory):
        self.processes = [Process(int(path.name), path) for path in Path(directory).iterdir()]
        self.sent, self.posted = defaultdict(list), defaultdict(list)  # times, by stream
        self.places = {}  # (rank, number of a message) to (stream, place in it)
        for process in self.processes:
            for message in process.messages:
                self.place(process, *message)

    def place(self, process, what, message, comm, peer, tag, at):
        if message in process.cancelled:
            return
        peer, tag = process.arrivals.get(message, (peer, tag))
        if ANY in (peer, tag):  # never completed
            return
        far, near = process.comms[comm].world_rank(peer), process.rank
        ends = (near, far) if what == SEND else (far, near)
        stream = (process.names[comm], *ends, tag)
        times = (self.sent if what == SEND else self.posted)[stream]
        self.places[process.rank, message] = stream, len(times)
        if what != PROBE:
            times.append(at)

    def time_at_other_side(self, rank, message, is_send):
        """When the message was sent, or its receive posted."""
        if (rank, message) not in self.places:
            return NEVER
        stream, place = self.places[rank, message]
        times = (self.posted if is_send else self.sent)[stream]
        return times[place] if place < len(times) else NEVER

    def waiting(self, rank, call):
        """For how long the call waits for late senders, and for late receivers."""
        _, entry, end, flags, awaited = call
        ins, outs = [], []  # until when each is late
        for message, _, is_send in awaited:
            if message == NOTHING:
                continue
            at = self.time_at_other_side(rank, message, is_send)
            if is_send:
                outs.append(at if entry < at < end else entry)  # a send that ends before has not waited
            else:
                ins.append(min(max(at, entry), end))
        if flags & ENDS_WITH_ANY:
            first = min(ins + outs, default=entry)
            return {LATE_SENDER: first - entry if ins else 0, LATE_RECEIVER: 0 if ins else first - entry}
        last_in, last_out = max(ins, default=entry), max(outs, default=entry)
        return {LATE_SENDER: last_in - entry, LATE_RECEIVER: max(last_out - last_in, 0)}

    def truth(self):
        """Seconds of waiting, by members of the communicator, operation and kind."""
        waited, known, all_time = Counter(), Counter(), Counter()
        for process in self.processes:
            for call in process.calls:
                op, entry, end, flags, awaited = call
                if flags & IS_PAUSED:
                    continue
                is_known = all(message != UNKNOWN for message, _, _ in awaited)
                waiting = self.waiting(process.rank, call) if is_known else {LATE_SENDER: 0, LATE_RECEIVER: 0}
                for comm, count in Counter(comm for _, comm, _ in awaited).items():
                    if comm == UNKNOWN:
                        continue
                    part = count / len(awaited)
                    for kind, ns in waiting.items():
                        if op in (RECEIVES if kind == LATE_RECEIVER else SENDS):
                            continue
                        key = process.comms[comm].members(), op, kind
                        all_time[key] += part * (end - entry)
                        if is_known:
                            known[key] += part * (end - entry)
                            waited[key] += part * ns
        return {key: ns * all_time[key] / known[key] / 1e9 for key, ns in waited.items() if known[key] > 0}


def estimates(profile):
    """(instants, seconds, standard error) over all call sites, by members of the communicator, operation and kind."""
    members = {row["comm"]: tuple(members_of(row["members"])) for row in read_rows(Path(profile) / "communicators.csv")}
    sums = defaultdict(lambda: (0, 0.0, 0.0))
    for row in read_rows(Path(profile) / "waits.csv"):
        if row["kind"] not in (LATE_SENDER, LATE_RECEIVER):
            continue
        key = members[row["comm"]], row["op"], row["kind"]
        instants, seconds, square = sums[key]
        sums[key] = (instants + int(row["instants"]), seconds + float(row["wait_s"]),
                     square + float(row["wait_error_s"])**2)
    return {key: (instants, seconds, math.sqrt(square)) for key, (instants, seconds, square) in sums.items()}


def compare(profile, records):
    """(key, instants, estimate, its error, truth) of each estimate from enough instants."""
    truth = Messages(records).truth()
    return [(key, instants, seconds, error, truth.get(key, 0.0))
            for key, (instants, seconds, error) in sorted(estimates(profile).items()) if instants >= LEAST_INSTANTS]
