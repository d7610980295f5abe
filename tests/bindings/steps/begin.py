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
buf: int[4096] = 1
out: int[4096] = 2
result: int[4096] = 0
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
