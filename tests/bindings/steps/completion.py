"""Completion of requests: on the communicators of its requests; of any or some of them, on that of the first completed one."""
place_in_array: int
completed: int
indices: int[2]


# A receive whose message is not there before send_awaited().
def await_message():
    Irecv(result, 10, INT, rank, 5, dup, reqs[0]) >> dup(0, 12)
    reqs[1] = MPI_REQUEST_NULL


def send_awaited():
    Isend(buf, 3, INT, rank, 5, dup, req) >> dup(12, 0)


await_message()
Test(reqs[0], flag, MPI_STATUS_IGNORE) >> dup.none
Testall(2, reqs, flag, MPI_STATUSES_IGNORE) >> dup.none
Testany(2, reqs, place_in_array, flag, MPI_STATUS_IGNORE) >> dup.none
Testsome(2, reqs, completed, indices, MPI_STATUSES_IGNORE) >> dup.none
Request_get_status(reqs[0], flag, MPI_STATUS_IGNORE) >> dup.none
if has(Request_get_status_all):
    Request_get_status_all(2, reqs, flag, MPI_STATUSES_IGNORE) >> dup.none
    Request_get_status_any(2, reqs, place_in_array, flag, MPI_STATUS_IGNORE) >> dup.none
    Request_get_status_some(2, reqs, completed, indices, MPI_STATUSES_IGNORE) >> dup.none
send_awaited()
flag = False
while not flag:
    Request_get_status(reqs[0], flag, st) >> dup
if has(Request_get_status_all):
    Request_get_status_all(2, reqs, flag, sts) >> dup
    Request_get_status_any(2, reqs, place_in_array, flag, st) >> dup
    Request_get_status_some(2, reqs, completed, indices, sts) >> dup
flag = False
while not flag:
    Test(reqs[0], flag, st) >> dup
wait(dup)

await_message()
send_awaited()
flag = False
while not flag:
    Testall(2, reqs, flag, sts) >> dup
wait(dup)

await_message()
send_awaited()
flag = False
while not flag:
    Testany(2, reqs, place_in_array, flag, st) >> dup
wait(dup)

await_message()
send_awaited()
completed = 0
while completed == 0:
    Testsome(2, reqs, completed, indices, sts) >> dup
wait(dup)

await_message()
send_awaited()
Waitany(2, reqs, place_in_array, MPI_STATUS_IGNORE) >> dup
wait(dup)

await_message()
send_awaited()
Waitsome(2, reqs, completed, indices, sts) >> dup
wait(dup)

# The requests are on two communicators. The first message arrives only when the second has been received.
await_message()
Irecv(result, 10, INT, place, 5, mirror, reqs[1]) >> mirror(0, 8)
Isend(buf, 2, INT, place, 5, mirror, req) >> mirror(8, 0)
Waitany(2, reqs, place_in_array, st) >> mirror
wait(mirror)
send_awaited()
Waitany(2, reqs, place_in_array, st) >> dup
wait(dup)

await_message()
Irecv(result, 10, INT, place, 5, mirror, reqs[1]) >> mirror(0, 8)
Isend(buf, 2, INT, place, 5, mirror, req) >> mirror(8, 0)
Waitsome(2, reqs, completed, indices, MPI_STATUSES_IGNORE) >> mirror
wait(mirror)
send_awaited()
Waitsome(2, reqs, completed, indices, sts) >> dup
wait(dup)

# No request is active.
Waitall(2, reqs, MPI_STATUSES_IGNORE) >> SELF
req = MPI_REQUEST_NULL
Wait(req, st) >> SELF

Irecv(result, 10, INT, rank, 5, dup, req) >> dup
Cancel(req) >> dup
Wait(req, st) >> dup
Isend(buf, 1, INT, MPI_PROC_NULL, 5, dup, req) >> dup
Request_free(req) >> dup
