"""Collectives, each in its blocking, nonblocking and persistent form. Process i has i + 1 integers in the v-forms."""
blocks: count[8]
starts: displacement[8]
pairs: count[8]  # between this process and process i: as many in both directions
byte_starts: displacement[8]
types: datatype[8] = INT
for i in range(ranks):
    blocks[i] = i + 1
    starts[i] = 16 * i
    pairs[i] = rank + i + 1
    byte_starts[i] = 64 * i


# The second start of MPI_Scatter_init ends MPICH 4.0.2 with "Invalid communicator".
def scatter_forms(*arguments):
    if mpi == "mpich":
        two_forms(dup, Scatter, Iscatter, dup(0, 12), *arguments)
        Scatter_init(*arguments, MPI_INFO_NULL, req) >> dup
        Start(req) >> dup(0, 12)
        wait(dup)
        Request_free(req) >> dup
    else:
        every_form(dup, Scatter, Iscatter, Scatter_init, dup(0, 12), *arguments)


every_form(dup, Barrier, Ibarrier, Barrier_init, dup, dup)
every_form(dup, Bcast, Ibcast, Bcast_init, dup(0, 0 if rank == 0 else 40), buf, 10, INT, 0, dup)
every_form(dup, Gather, Igather, Gather_init, dup(12, 0), buf, 3, INT, result, 3, INT, 0, dup)
every_form(dup, Gatherv, Igatherv, Gatherv_init, dup(4 * blocks[rank], 0),
           buf, rank + 1, INT, result, blocks, starts, INT, 0, dup)
scatter_forms(buf, 3, INT, result, 3, INT, 0, dup)
every_form(dup, Scatterv, Iscatterv, Scatterv_init, dup(0, 4 * blocks[rank]),
           buf, blocks, starts, INT, result, rank + 1, INT, 0, dup)
every_form(dup, Allgather, Iallgather, Allgather_init, dup(12, 0), buf, 3, INT, result, 3, INT, dup)
every_form(dup, Allgatherv, Iallgatherv, Allgatherv_init, dup(4 * blocks[rank], 0),
           buf, rank + 1, INT, result, blocks, starts, INT, dup)
every_form(dup, Alltoall, Ialltoall, Alltoall_init, dup(12 * ranks, 0), buf, 3, INT, result, 3, INT, dup)
every_form(dup, Alltoallv, Ialltoallv, Alltoallv_init, dup(4 * sum(pairs[:ranks]), 0),
           buf, pairs, starts, INT, result, pairs, starts, INT, dup)
every_form(dup, Alltoallw, Ialltoallw, Alltoallw_init, dup(4 * sum(pairs[:ranks]), 0),
           buf, pairs, byte_starts, types, result, pairs, byte_starts, types, dup)
every_form(dup, Reduce, Ireduce, Reduce_init, dup(20, 0), buf, result, 5, INT, MPI_SUM, 0, dup)
every_form(mirror, Allreduce, Iallreduce, Allreduce_init, mirror(20, 0), buf, result, 5, INT, MPI_SUM, mirror)
every_form(dup, Reduce_scatter, Ireduce_scatter, Reduce_scatter_init, dup(0, 4 * blocks[rank]),
           buf, result, blocks, INT, MPI_SUM, dup)
every_form(dup, Reduce_scatter_block, Ireduce_scatter_block, Reduce_scatter_block_init, dup(0, 16),
           buf, result, 4, INT, MPI_SUM, dup)
every_form(dup, Scan, Iscan, Scan_init, dup(0 if rank == ranks - 1 else 24, 0), buf, result, 6, INT, MPI_SUM, dup)
every_form(mirror, Exscan, Iexscan, Exscan_init, mirror(0 if place == ranks - 1 else 24, 0),
           buf, result, 6, INT, MPI_SUM, mirror)

# In place: the other buffer's count says how much.
every_form(dup, Allgather, Iallgather, Allgather_init, dup(12, 0), MPI_IN_PLACE, 99, INT, result, 3, INT, dup)
every_form(dup, Allgatherv, Iallgatherv, Allgatherv_init, dup(4 * blocks[rank], 0),
           MPI_IN_PLACE, 99, INT, result, blocks, starts, INT, dup)
# mpi_f08 of Open MPI 6.0.0rc2 crashes in MPI_Ialltoall with MPI_IN_PLACE.
if mpi != "openmpi" or binding != "use_mpi_f08" or not has(Comm_flush_buffer):
    every_form(dup, Alltoall, Ialltoall, Alltoall_init, dup(12 * ranks, 0), MPI_IN_PLACE, 99, INT, result, 3, INT, dup)
every_form(mirror, Allreduce, Iallreduce, Allreduce_init, mirror(20, 0),
           MPI_IN_PLACE, result, 5, INT, MPI_SUM, mirror)
if rank == 0:
    every_form(dup, Gather, Igather, Gather_init, dup(12, 0), MPI_IN_PLACE, 99, INT, result, 3, INT, 0, dup)
    every_form(dup, Gatherv, Igatherv, Gatherv_init, dup(4, 0),
               MPI_IN_PLACE, 99, INT, result, blocks, starts, INT, 0, dup)
    scatter_forms(buf, 3, INT, MPI_IN_PLACE, 99, INT, 0, dup)
    every_form(dup, Scatterv, Iscatterv, Scatterv_init, dup(0, 4), buf, blocks, starts, INT, MPI_IN_PLACE, 99, INT, 0, dup)
else:
    every_form(dup, Gather, Igather, Gather_init, dup(12, 0), buf, 3, INT, result, 3, INT, 0, dup)
    every_form(dup, Gatherv, Igatherv, Gatherv_init, dup(4 * blocks[rank], 0),
               buf, rank + 1, INT, result, blocks, starts, INT, 0, dup)
    scatter_forms(buf, 3, INT, result, 3, INT, 0, dup)
    every_form(dup, Scatterv, Iscatterv, Scatterv_init, dup(0, 4 * blocks[rank]),
               buf, blocks, starts, INT, result, rank + 1, INT, 0, dup)

# Two that one call starts.
if has(Allreduce_init):
    Allreduce_init(buf, result, 5, INT, MPI_SUM, dup, MPI_INFO_NULL, reqs[0]) >> dup
    Bcast_init(out, 6, INT, 0, dup, MPI_INFO_NULL, reqs[1]) >> dup
    Startall(2, reqs) >> dup(20, 0 if rank == 0 else 24)
    Waitall(2, reqs, MPI_STATUSES_IGNORE) >> dup
    Request_free(reqs[0]) >> dup
    Request_free(reqs[1]) >> dup

Pcontrol(0)
Barrier(dup)
Pcontrol(1)
