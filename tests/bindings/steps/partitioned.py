"""Partitioned messages."""

# The module mpi of MPICH 4.0.2 has an integer for this logical.
if binding == "use_mpi" and mpi == "mpich" and not has(Buffer_flush):
    arrived: int

    def poll_arrival():
        arrived = 0
        while arrived == 0:
            Parrived(reqs[1], 3, arrived) >> dup
else:
    arrived: logical

    def poll_arrival():
        arrived = False
        while not arrived:
            Parrived(reqs[1], 3, arrived) >> dup


third: int[1] = [3]
if has(Psend_init):
    Psend_init(buf, 4, 2, INT, right, 9, dup, MPI_INFO_NULL, reqs[0]) >> dup
    Precv_init(result, 4, 2, INT, left, 9, dup, MPI_INFO_NULL, reqs[1]) >> dup
    for i in range(2):
        Startall(2, reqs) >> dup(32, 32)
        Parrived(reqs[1], 0, arrived) >> dup.none
        Barrier(dup) >> dup
        Pready(0, reqs[0]) >> dup
        Pready_range(1, 2, reqs[0]) >> dup
        Pready_list(1, third, reqs[0]) >> dup
        poll_arrival()
        Waitall(2, reqs, sts) >> dup
    Request_free(reqs[0]) >> dup
    Request_free(reqs[1]) >> dup
