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

# Without elements, with few and many, of types of 4, 8, and 24 bytes: 2 of every 5 integers, 3 times.
kinds: datatype[5] = INT
kind_bytes: int[5] = [4, 4, 8, 8, 24]
kinds[2] = MPI_DOUBLE_PRECISION
kinds[3] = MPI_DOUBLE_PRECISION
Type_vector(3, 2, 5, INT, kinds[4])
Type_commit(kinds[4])
elements: count[5] = [0, 1, 3, 1000, 3]
unit: int
root: int
block_size: int
on_last: int  # whether this process has the last rank

# Arguments that are not significant would spoil the counts, or end the program: null where C can have it.
not_counts: count[8] = -123456
not_starts: displacement[8] = -123456
not_types: datatype[8] = MPI_DATATYPE_NULL


# Process i has a block of i + n elements; processes i and j exchange i + j + n.
def place_blocks():
    for i in range(members):
        blocks[i] = i + n
        pairs[i] = me + i + n
        starts[i] = (n + 12) * i
        byte_starts[i] = 8096 * i
        types[i] = kinds[kind]
    block_size = me + n


def among_all(source, integers, block, type, out_counts, out_starts):
    two_forms(here, Allgather, Iallgather, here(unit * n, 0), source, integers, type, result, n, kinds[kind], here)
    two_forms(here, Allgatherv, Iallgatherv, here(unit * block_size, 0), source, block, type, result, blocks, starts, kinds[kind], here)
    two_forms(here, Alltoall, Ialltoall, here(unit * n * members, 0), source, integers, type, result, n, kinds[kind], here)
    two_forms(here, Alltoallv, Ialltoallv, here(unit * sum(pairs[:members]), 0),
              source, out_counts, out_starts, type, result, pairs, starts, kinds[kind], here)


# In Fortran, Open MPI 4.1.4 crashes at the end of MPI_Ialltoallw with a derived type, and mpi_f08 of 6.0.0rc2 in MPI_Finalize after
# these calls.
if mpi == "openmpi" and binding != "c":
    def among_all_by_types(source, out_counts, out_byte_starts, out_types):
        if binding != "use_mpi_f08" or not has(Comm_flush_buffer):
            Alltoallw(source, out_counts, out_byte_starts, out_types,
                      result, pairs, byte_starts, types, here) >> here(unit * sum(pairs[:members]), 0)
            if kind < 4:
                Ialltoallw(source, out_counts, out_byte_starts, out_types,
                           result, pairs, byte_starts, types, here, req) >> here(unit * sum(pairs[:members]), 0)
                wait(here)
else:
    def among_all_by_types(source, out_counts, out_byte_starts, out_types):
        two_forms(here, Alltoallw, Ialltoallw, here(unit * sum(pairs[:members]), 0),
                  source, out_counts, out_byte_starts, out_types, result, pairs, byte_starts, types, here)


# MPI_Gather and MPI_Scatter between each process's elements and all of them.
def with_root(one, integers, block, type, all, all_integers, all_counts, all_starts, all_type):
    two_forms(here, Gather, Igather, here(unit * n, 0), one, integers, type, all, all_integers, all_type, root, here)
    two_forms(here, Gatherv, Igatherv, here(unit * block_size, 0), one, block, type, all, all_counts, all_starts, all_type, root, here)
    two_forms(here, Scatter, Iscatter, here(0, unit * n), all, all_integers, all_type, one, integers, type, root, here)
    two_forms(here, Scatterv, Iscatterv, here(0, unit * block_size), all, all_counts, all_starts, all_type, one, block, type, root, here)


def reduce_to_all(source, type, op):
    two_forms(here, Allreduce, Iallreduce, here(unit * n, 0), source, result, n, type, op, here)
    two_forms(here, Reduce_scatter_block, Ireduce_scatter_block, here(0, unit * n), source, result, n, type, op, here)
    two_forms(here, Reduce_scatter, Ireduce_scatter, here(0, unit * block_size), source, result, blocks, type, op, here)
    two_forms(here, Scan, Iscan, here(0 if me == members - 1 else unit * n, 0), source, result, n, type, op, here)
    two_forms(here, Exscan, Iexscan, here(0 if me == members - 1 else unit * n, 0), source, result, n, type, op, here)


if binding == "c":
    pair: datatype = MPI_DOUBLE_INT  # 12 bytes of every 16
    pair_bytes: int = 12

    def among_all_in_place():
        among_all(MPI_IN_PLACE, 123456, 123456, MPI_2INTEGER, 0, 0)
        among_all_by_types(MPI_IN_PLACE, 0, 0, 0)

    def to_root():
        with_root(buf, n, block_size, kinds[kind], 0, -123456, 0, 0, MPI_DATATYPE_NULL)

    def reduce_to_root():
        two_forms(here, Reduce, Ireduce, here(unit * n, 0), buf, 0, n, pair, MPI_MAXLOC, root, here)
else:
    pair: datatype = MPI_2INTEGER
    pair_bytes: int = 8

    def among_all_in_place():
        among_all(MPI_IN_PLACE, 123456, 123456, MPI_2INTEGER, not_counts, not_starts)
        among_all_by_types(MPI_IN_PLACE, not_counts, not_starts, not_types)

    def to_root():
        with_root(buf, n, block_size, kinds[kind], out, -123456, not_counts, not_starts, MPI_DATATYPE_NULL)

    def reduce_to_root():
        two_forms(here, Reduce, Ireduce, here(unit * n, 0), buf, out, n, pair, MPI_MAXLOC, root, here)

for which in range(3):
    on(which)
    for last in range(2):
        root = last * (members - 1)
        two_forms(here, Barrier, Ibarrier, here, here)
        for kind in range(5):
            n = elements[kind]
            unit = kind_bytes[kind]
            place_blocks()
            two_forms(here, Bcast, Ibcast, here(0, 0 if me == root else unit * n), buf, n, kinds[kind], root, here)
            with_root(buf, n, block_size, kinds[kind], out, n, blocks, starts, kinds[kind])
            among_all(buf, n, block_size, kinds[kind], pairs, starts)
            among_all_by_types(buf, pairs, byte_starts, types)
            if kind < 4:
                two_forms(here, Reduce, Ireduce, here(unit * n, 0), buf, result, n, kinds[kind], MPI_SUM, root, here)
                reduce_to_all(buf, kinds[kind], MPI_SUM)

            # In place.
            if me == root:
                with_root(MPI_IN_PLACE, 123456, 123456, MPI_2INTEGER, result, n, blocks, starts, kinds[kind])
            else:
                to_root()
            if mpi != "openmpi" or binding != "use_mpi_f08" or not has(Comm_flush_buffer):
                among_all_in_place()

        n = 5
        kind = 0
        unit = pair_bytes
        place_blocks()
        if me == root:
            two_forms(here, Reduce, Ireduce, here(unit * n, 0), MPI_IN_PLACE, result, n, pair, MPI_MAXLOC, root, here)
        else:
            reduce_to_root()
        reduce_to_all(MPI_IN_PLACE, pair, MPI_MAXLOC)
Type_free(kinds[4])

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
