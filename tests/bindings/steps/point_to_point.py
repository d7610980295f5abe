"""Sends and receives around a ring; where there is one process it is its own neighbour."""
attached: int[16384]
attached_size: count
detached: address
found: message


# Ready sends find their receive posted. More is posted than arrives.
def send_form(blocking, nonblocking, prepared, integers):
    Irecv(result, 10, INT, left, 1, dup, req) >> dup(0, 4 * integers)
    Barrier(dup) >> dup
    blocking(buf, integers, INT, right, 1, dup) >> dup(4 * integers, 0)
    wait(dup)

    Irecv(result, 10, INT, left, 2, dup, reqs[0]) >> dup(0, 4 * integers)
    Barrier(dup) >> dup
    nonblocking(buf, integers, INT, right, 2, dup, reqs[1]) >> dup(4 * integers, 0)
    Waitall(2, reqs, MPI_STATUSES_IGNORE) >> dup

    prepared(buf, integers, INT, right, 3, dup, reqs[0]) >> dup
    Recv_init(result, 10, INT, left, 3, dup, reqs[1]) >> dup
    for i in range(2):
        Start(reqs[1]) >> dup(0, 4 * integers)
        Barrier(dup) >> dup
        Start(reqs[0]) >> dup(4 * integers, 0)
        Waitall(2, reqs, sts) >> dup
    Request_free(reqs[0]) >> dup
    Request_free(reqs[1]) >> dup


Buffer_attach(attached, 65536)
send_form(Send, Isend, Send_init, 3)
send_form(Bsend, Ibsend, Bsend_init, 4)
send_form(Ssend, Issend, Ssend_init, 5)
send_form(Rsend, Irsend, Rsend_init, 6)
# A buffered send is complete before anybody receives. Started again at once, it has another handle in Open MPI.
Bsend_init(buf, 4096, INT, right, 11, dup, req) >> dup
start_twice(dup, dup(16384, 0))
for i in range(2):
    Recv(result, 4096, INT, left, 11, dup, st) >> dup(0, 16384)
if has(Buffer_flush):
    Buffer_flush() >> SELF
    Buffer_iflush(req) >> SELF
    wait(SELF)
Buffer_detach(detached, attached_size) >> SELF
if has(Comm_flush_buffer):
    Comm_attach_buffer(dup, attached, 65536)
    Irecv(result, 10, INT, left, 7, dup, req) >> dup(0, 8)
    Bsend(buf, 2, INT, right, 7, dup) >> dup(8, 0)
    wait(dup)
    Comm_flush_buffer(dup) >> dup
    Comm_iflush_buffer(dup, req) >> dup
    wait(SELF if mpi == "openmpi" else dup)  # Open MPI 6 returns MPI_REQUEST_NULL
    Comm_detach_buffer(dup, detached, attached_size) >> dup

Send_init(buf, 5, INT, right, 8, dup, reqs[0]) >> dup
Recv_init(result, 10, INT, left, 8, dup, reqs[1]) >> dup
for i in range(2):
    Startall(2, reqs) >> dup(20, 20)
    Waitall(2, reqs, MPI_STATUSES_IGNORE) >> dup
Request_free(reqs[0]) >> dup
Request_free(reqs[1]) >> dup

# One call that starts or awaits requests on two communicators counts on both. To wait for an inactive one moves nothing again.
Send_init(buf, 1, INT, rank, 10, dup, reqs[0]) >> dup
Recv_init(result, 10, INT, place, 10, mirror, reqs[1]) >> mirror
Startall(2, reqs) >> (dup(4, 0), mirror(0, 8))
Isend(buf, 2, INT, place, 10, mirror, req) >> mirror(8, 0)
Recv(result, 10, INT, rank, 10, dup, MPI_STATUS_IGNORE) >> dup(0, 4)
Waitall(2, reqs, MPI_STATUSES_IGNORE) >> (dup, mirror)
wait(mirror)
Wait(reqs[1], MPI_STATUS_IGNORE) >> mirror
Request_free(reqs[0]) >> dup
Request_free(reqs[1]) >> mirror

Send_init(buf, 5, INT, MPI_PROC_NULL, 1, dup, req) >> dup
start_twice(dup, dup)
Send(buf, 10, INT, MPI_PROC_NULL, 1, dup) >> dup
Recv(result, 10, INT, MPI_PROC_NULL, 1, dup, st) >> dup
Isend(buf, 7, INT, right, 1, dup, req) >> dup(28, 0)
Recv(result, 10, INT, left, 1, dup, MPI_STATUS_IGNORE) >> dup(0, 28)
wait(dup)
if binding == "use_mpi_f08":  # A section of an array reaches MPICH as it is, and is copied for Open MPI.
    Irecv(result, 10, INT, left, 1, dup, req) >> dup(0, 16)
    Send(buf[0:8:2], 4, INT, right, 1, dup) >> dup(16, 0)
    wait(dup)

Sendrecv(buf, 3, INT, right, 1, result, 10, INT, left, 1, dup, st) >> dup(12, 12)
Sendrecv(buf, 3, INT, right, 1, result, 10, INT, left, 1, dup, MPI_STATUS_IGNORE) >> dup(12, 12)
Sendrecv_replace(buf, 4, INT, right, 1, left, 1, dup, st) >> dup(16, 16)
# MPICH 4.0.2 completes these with the status of some other request: they count as they were posted.
if has(Isendrecv):
    Isendrecv(buf, 5, INT, right, 1, result, 10, INT, left, 1, dup, req) >> dup(20, 40)
    wait(dup)
    Isendrecv_replace(buf, 6, INT, right, 1, left, 1, dup, req) >> dup(24, 24)
    wait(dup)

# Ranks are other ones here.
Irecv(result, 10, INT, (place + ranks - 1) % ranks, 6, mirror, reqs[0]) >> mirror(0, 16)
Isend(buf, 4, INT, (place + 1) % ranks, 6, mirror, reqs[1]) >> mirror(16, 0)
Waitall(2, reqs, MPI_STATUSES_IGNORE) >> mirror

# Probes, of a message to oneself.
Iprobe(rank, 4, dup, flag, MPI_STATUS_IGNORE) >> dup.none
Improbe(rank, 4, dup, flag, found, MPI_STATUS_IGNORE) >> dup.none
Isend(buf, 2, INT, rank, 4, dup, req) >> dup(8, 0)
Probe(rank, 4, dup, st) >> dup
flag = False
while not flag:
    Iprobe(rank, 4, dup, flag, st) >> dup
Mprobe(rank, 4, dup, found, st) >> dup
Mrecv(result, 10, INT, found, st) >> dup(0, 8)
wait(dup)
Isend(buf, 2, INT, rank, 4, dup, reqs[0]) >> dup(8, 0)
flag = False
while not flag:
    Improbe(rank, 4, dup, flag, found, st) >> dup
Imrecv(result, 10, INT, found, reqs[1]) >> dup(0, 8)
Waitall(2, reqs, sts) >> dup
