"""Starts MPI; what all steps use."""
provided: int
if arguments > 0:
    Init_thread(MPI_THREAD_SINGLE, provided)
else:
    Init()
rank: int
ranks: int
Comm_rank(MPI_COMM_WORLD, rank)
Comm_size(MPI_COMM_WORLD, ranks)
left: int = (rank + ranks - 1) % ranks
right: int = (rank + 1) % ranks

# Larger than any message, and never looked at.
buf: int[16384] = 1
out: int[16384] = 2
result: int[16384] = 0
i: int
flag: logical
req: request
reqs: request[2]
st: status
sts: status[2]

dup: comm = "W_d1"
Comm_dup(MPI_COMM_WORLD, dup) >> W
Comm_set_name(dup, "a name, with blanks  ")


def wait(comm):
    Wait(req, MPI_STATUS_IGNORE) >> comm


# A prepared request, started twice.
def start_twice(comm, expected):
    for i in range(2):
        Start(req) >> expected
        Wait(req, st) >> comm
    Request_free(req) >> comm


# A call that is blocking and nonblocking
def two_forms(comm, blocking, nonblocking, expected, *arguments):
    blocking(*arguments) >> expected
    nonblocking(*arguments, req) >> expected
    wait(comm)


# … and, where the MPI has it so, persistent.
def every_form(comm, blocking, nonblocking, prepared, expected, *arguments):
    two_forms(comm, blocking, nonblocking, expected, *arguments)
    if has(prepared):
        prepared(*arguments, MPI_INFO_NULL, req) >> comm
        start_twice(comm, expected)


# Ranks run against the world's here.
mirror: comm = "W_d1_s1.0"
Comm_split(dup, 0, -rank, mirror) >> dup
place: int = ranks - 1 - rank

# A loop over these communicators has the steps that must count alike on each: the communicator, this process's rank on it and its size.
comms: comm[3]
comms[0] = W
comms[1] = mirror
comms[2] = SELF
here: comm
me: int
members: int
before: int
after: int


def on(which):
    here = comms[which]
    me = rank if which == 0 else (place if which == 1 else 0)
    members = 1 if which == 2 else ranks
    before = (me + members - 1) % members
    after = (me + 1) % members


# A call whose last argument is a status, and what this tells: integers from a source. Its error stays as it was (MPI-4.0
# 3.2.5), though MPICH 4.0.2 sometimes clears it; in Fortran, Open MPI 4.1.4 leaves anything there.
number: int


def tells(call, expected, source, tag, integers, *arguments):
    st.MPI_ERROR = 4711
    call(*arguments, st) >> expected
    Get_count(st, INT, number)
    assert st.MPI_SOURCE == source and st.MPI_TAG == tag and number == integers
    if binding == "c":
        assert st.MPI_ERROR == 4711 or st.MPI_ERROR == MPI_SUCCESS
