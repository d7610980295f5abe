"""Collectives among neighbours. On the line the processes at its ends have one neighbour, on the ring each has two to send to."""
neighbors: int = (1 if rank > 0 else 0) + (1 if rank < ranks - 1 else 0)
blocks_out: count[2] = [3, 3]

block_starts: displacement[2] = [0, 16]
neighbor_starts: aint[2] = [0, 64]

every_form(line, Neighbor_allgather, Ineighbor_allgather, Neighbor_allgather_init, line(12 * neighbors, 0),
           buf, 3, INT, result, 3, INT, line)
every_form(line, Neighbor_allgatherv, Ineighbor_allgatherv, Neighbor_allgatherv_init, line(12 * neighbors, 0),
           buf, 3, INT, result, blocks_out, block_starts, INT, line)
every_form(line, Neighbor_alltoall, Ineighbor_alltoall, Neighbor_alltoall_init, line(12 * neighbors, 0),
           buf, 3, INT, result, 3, INT, line)
every_form(line, Neighbor_alltoallv, Ineighbor_alltoallv, Neighbor_alltoallv_init, line(12 * neighbors, 0),
           buf, blocks_out, block_starts, INT, result, blocks_out, block_starts, INT, line)
every_form(ring, Neighbor_allgather, Ineighbor_allgather, Neighbor_allgather_init, ring(24, 0),
           buf, 3, INT, result, 3, INT, ring)
every_form(ring, Neighbor_alltoallv, Ineighbor_alltoallv, Neighbor_alltoallv_init, ring(24, 0),
           buf, blocks_out, block_starts, INT, result, blocks_out, block_starts, INT, ring)

# The Fortran bindings of both MPIs copy the datatypes: those of Open MPI 4.1.4 as many as there are processes, though there may
# be more neighbours, those of MPICH 4.0.2 in mpi_f08 as many as a distributed graph has neighbours, though this may be a grid.
if ranks > 1:
    every_form(ring, Neighbor_alltoallw, Ineighbor_alltoallw, Neighbor_alltoallw_init, ring(24, 0),
               buf, blocks_out, neighbor_starts, types, result, blocks_out, neighbor_starts, types, ring)
    if mpi == "openmpi" or binding != "use_mpi_f08":
        every_form(line, Neighbor_alltoallw, Ineighbor_alltoallw, Neighbor_alltoallw_init, line(12 * neighbors, 0),
                   buf, blocks_out, neighbor_starts, types, result, blocks_out, neighbor_starts, types, line)
