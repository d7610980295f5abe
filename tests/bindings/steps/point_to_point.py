"""Sends and receives around a ring; where there is one process it is its own neighbour."""
attached: int[65536]
attached_size: count
detached: address
found: message
n: count
lengths: count[3] = [0, 1, 5000]


# Ready sends find their receive posted. More is posted than arrives, or as much.
def send_form(comm, source, dest, blocking, nonblocking, prepared, integers):
    Irecv(result, 2 * integers + 1, INT, source, 1, comm, req) >> comm(0, 4 * integers)
    Barrier(comm) >> comm
    blocking(buf, integers, INT, dest, 1, comm) >> comm(4 * integers, 0)
    tells(Wait, comm, source, 1, integers, req)

    for i in range(2):
        Irecv(result, integers, INT, source, 2, comm, reqs[0]) >> comm(0, 4 * integers)
        Barrier(comm) >> comm
        nonblocking(buf, integers, INT, dest, 2, comm, reqs[1]) >> comm(4 * integers, 0)
        if i == 0:
            Waitall(2, reqs, MPI_STATUSES_IGNORE) >> comm
        else:
            tells(Wait, comm, source, 2, integers, reqs[0])
            Wait(reqs[1], MPI_STATUS_IGNORE) >> comm

    prepared(buf, integers, INT, dest, 3, comm, reqs[0]) >> comm
    Recv_init(result, 2 * integers + 1, INT, source, 3, comm, reqs[1]) >> comm
    for i in range(2):
        Start(reqs[1]) >> comm(0, 4 * integers)
        Barrier(comm) >> comm
        Start(reqs[0]) >> comm(4 * integers, 0)
        Waitall(2, reqs, sts) >> comm
    Request_free(reqs[0]) >> comm
    Request_free(reqs[1]) >> comm


# Calls with MPI_PROC_NULL count, but move nothing.
def send_to_nobody(blocking, nonblocking):
    blocking(buf, 100, INT, MPI_PROC_NULL, 17, here) >> here
    nonblocking(buf, 100, INT, MPI_PROC_NULL, 17, here, req) >> here
    wait(here)


Buffer_attach(attached, 262144)
send_form(dup, left, right, Send, Isend, Send_init, 3)
send_form(dup, left, right, Bsend, Ibsend, Bsend_init, 4)
send_form(dup, left, right, Ssend, Issend, Ssend_init, 5)
send_form(dup, left, right, Rsend, Irsend, Rsend_init, 6)
for which in range(3):
    on(which)
    for length in range(3):
        n = lengths[length]
        send_form(here, before, after, Send, Isend, Send_init, n)
        send_form(here, before, after, Bsend, Ibsend, Bsend_init, n)
        send_form(here, before, after, Ssend, Issend, Ssend_init, n)
        send_form(here, before, after, Rsend, Irsend, Rsend_init, n)
    send_to_nobody(Send, Isend)
    send_to_nobody(Bsend, Ibsend)
    send_to_nobody(Ssend, Issend)
    send_to_nobody(Rsend, Irsend)

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

# Receives with a status and without, into as much room as the message needs, and more.
come_from: int
go_to: int
for which in range(3):
    on(which)
    for length in range(3):
        n = lengths[length]
        for spare in range(2):
            Isend(buf, n, INT, after, 17, here, req) >> here(4 * n, 0)
            tells(Recv, here(0, 4 * n), before, 17, n, result, n + spare * (n + 1), INT, before, 17, here)
            wait(here)
            Isend(buf, n, INT, after, 17, here, req) >> here(4 * n, 0)
            Recv(result, n + spare * (n + 1), INT, before, 17, here, MPI_STATUS_IGNORE) >> here(0, 4 * n)
            wait(here)

    # The first process takes i + 1 integers of each process i as they come.
    Barrier(here) >> here
    Isend(buf, me + 1, INT, 0, 17, here, req) >> here(4 * (me + 1), 0)
    if me == 0:
        for i in range(members):
            Recv(result, members, INT, MPI_ANY_SOURCE, MPI_ANY_TAG, here, st) >> here(0, 4 * (i + 1))
            Get_count(st, INT, number)
            assert st.MPI_TAG == 17 and number == st.MPI_SOURCE + 1
    wait(here)
    Barrier(here) >> here

    # A process receives another number of bytes than it sends.
    tells(Sendrecv, here(4 * (me + 1), 4 * (before + 1)), before, 17, before + 1,
          buf, me + 1, INT, after, 17, result, members + 5, INT, before, 17, here)
    Sendrecv(buf, me + 1, INT, after, 17, result, members + 5, INT, before, 17, here,
             MPI_STATUS_IGNORE) >> here(4 * (me + 1), 4 * (before + 1))
    tells(Sendrecv_replace, here(160, 160), before, 17, 40, buf, 40, INT, after, 17, before, 17, here)
    Sendrecv_replace(buf, 40, INT, after, 17, before, 17, here, MPI_STATUS_IGNORE) >> here(160, 160)

    # Along a line, whose ends have MPI_PROC_NULL as neighbour.
    go_to = MPI_PROC_NULL if me == members - 1 else after
    come_from = MPI_PROC_NULL if me == 0 else before
    Sendrecv(buf, 7, INT, go_to, 17, result, 7, INT, come_from, 17, here,
             MPI_STATUS_IGNORE) >> here(0 if me == members - 1 else 28, 0 if me == 0 else 28)
    Sendrecv_replace(buf, 9, INT, go_to, 17, come_from, 17, here,
                     MPI_STATUS_IGNORE) >> here(0 if me == members - 1 else 36, 0 if me == 0 else 36)

    # From nobody. MPICH 4.0.2 gives the status of MPI_Irecv a source.
    tells(Recv, here, MPI_PROC_NULL, MPI_ANY_TAG, 0, result, 100, INT, MPI_PROC_NULL, 17, here)
    Irecv(result, 100, INT, MPI_PROC_NULL, 17, here, req) >> here
    wait(here)
    tells(Probe, here, MPI_PROC_NULL, MPI_ANY_TAG, 0, MPI_PROC_NULL, 17, here)
    Iprobe(MPI_PROC_NULL, 17, here, flag, MPI_STATUS_IGNORE) >> here
    assert flag

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

# Probes find nothing of a tag that nobody sends, and again what MPI_Probe has found.
for which in range(3):
    on(which)
    Iprobe(before, 18, here, flag, MPI_STATUS_IGNORE) >> here.none
    assert not flag
    Isend(buf, 13, INT, after, 17, here, req) >> here(52, 0)
    tells(Probe, here, before, 17, 13, before, 17, here)
    tells(Iprobe, here, before, 17, 13, before, 17, here, flag)
    assert flag
    Recv(result, 50, INT, before, 17, here, MPI_STATUS_IGNORE) >> here(0, 52)
    wait(here)

    for i in range(2):
        Isend(buf, 20, INT, after, 3, here, req) >> here(80, 0)
        tells(Mprobe, here, before, 3, 20, before, 3, here, found)
        if i == 0:
            tells(Mrecv, here(0, 80), before, 3, 20, result, 200, INT, found)
        else:
            Mrecv(result, 200, INT, found, MPI_STATUS_IGNORE) >> here(0, 80)
        assert found == MPI_MESSAGE_NULL
        wait(here)

    Isend(buf, 30, INT, after, 3, here, req) >> here(120, 0)
    tells(Mprobe, here, before, 3, 30, before, 3, here, found)
    Imrecv(result, 200, INT, found, reqs[0]) >> here(0, 120)
    tells(Wait, here, before, 3, 30, reqs[0])
    wait(here)

    Improbe(before, 4, here, flag, found, MPI_STATUS_IGNORE) >> here.none
    assert not flag
    Isend(buf, 40, INT, after, 3, here, req) >> here(160, 0)
    Probe(before, 3, here, MPI_STATUS_IGNORE) >> here
    tells(Improbe, here, before, 3, 40, before, 3, here, flag, found)
    assert flag
    Mrecv(result, 40, INT, found, MPI_STATUS_IGNORE) >> here(0, 160)
    wait(here)

# A message is received on the communicator on which it was matched, whichever variable has it, and in any order.
matched: message[4]
Isend(buf, 50, INT, right, 3, W, reqs[0]) >> W(200, 0)
tells(Mprobe, W, left, 3, 50, left, 3, W, matched[0])
on(1)
Isend(buf, 60, INT, after, 3, mirror, reqs[1]) >> mirror(240, 0)
tells(Mprobe, mirror, before, 3, 60, before, 3, mirror, matched[1])
matched[2] = matched[1]
matched[3] = matched[0]
Mrecv(result, 200, INT, matched[2], MPI_STATUS_IGNORE) >> mirror(0, 240)
Mrecv(result, 200, INT, matched[3], MPI_STATUS_IGNORE) >> W(0, 200)
Wait(reqs[1], MPI_STATUS_IGNORE) >> mirror
Wait(reqs[0], MPI_STATUS_IGNORE) >> W

# Messages from MPI_PROC_NULL are all MPI_MESSAGE_NO_PROC, whatever their communicator.
Mprobe(MPI_PROC_NULL, 3, W, matched[0], MPI_STATUS_IGNORE) >> W
Improbe(MPI_PROC_NULL, 3, mirror, flag, matched[1], MPI_STATUS_IGNORE) >> mirror
assert flag and matched[0] == MPI_MESSAGE_NO_PROC and matched[1] == MPI_MESSAGE_NO_PROC
Imrecv(result, 200, INT, matched[1], req) >> mirror
wait(mirror)
Mrecv(result, 200, INT, matched[0], st) >> W
assert st.MPI_SOURCE == MPI_PROC_NULL
