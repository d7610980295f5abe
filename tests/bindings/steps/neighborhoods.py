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

if mpi == "mpich":
    every_form(open_line, Neighbor_alltoallv, Ineighbor_alltoallv, Neighbor_alltoallv_init, open_line(12 * neighbors, 0),
               buf, blocks_out, block_starts, INT, result, blocks_out, block_starts, INT, open_line)

# The Fortran bindings of both MPIs copy the datatypes: those of Open MPI 4.1.4 as many as there are processes, though there may
# be more neighbours, those of MPICH 4.0.2 in mpi_f08 as many as a distributed graph has neighbours, though this may be a grid.
if ranks > 1:
    every_form(ring, Neighbor_alltoallw, Ineighbor_alltoallw, Neighbor_alltoallw_init, ring(24, 0),
               buf, blocks_out, neighbor_starts, types, result, blocks_out, neighbor_starts, types, ring)
    if mpi == "openmpi" or binding != "use_mpi_f08":
        every_form(line, Neighbor_alltoallw, Ineighbor_alltoallw, Neighbor_alltoallw_init, line(12 * neighbors, 0),
                   buf, blocks_out, neighbor_starts, types, result, blocks_out, neighbor_starts, types, line)

# Each process sends i + j + n elements to process j where blocks may differ, and by their types integers if i + j is even,
# doubles otherwise.
out_counts: count[8]
out_types: datatype[8]
in_counts: count[8]
in_types: datatype[8]
theirs: count[8]
places: displacement[8]
byte_places: aint[8]
sent: int
sent_by_types: int
degree: int
can_type: int
for i in range(8):
    places[i] = 32 * i
    byte_places[i] = 256 * i


# A block for nobody also has a count, which must not be counted.
def block(other, counts, types):
    counts[i] = 9999
    types[i] = kinds[0]
    if other >= 0:
        counts[i] = n + rank + other
        if (rank + other) % 2 == 1:
            types[i] = kinds[2]


for t in range(12):
    if number_out[t] >= 0:
        here = placed[t]
        can_type = 1
        # MPICH 4.0.2 reads beyond its copies of the arguments if a process has more neighbors in one direction. What the
        # bindings of Fortran copy is above.
        if mpi == "mpich":
            can_type = 0 if t == 9 and ranks > 1 else 1
            if binding == "use_mpi_f08":
                can_type = 1 if t >= 10 else 0
        elif binding != "c":
            can_type = 1 if number_out[t] <= ranks and number_in[t] <= ranks else 0
        for some in range(2):
            n = 3 * some
            degree = 0
            sent = 0
            sent_by_types = 0
            for i in range(number_out[t]):
                block(outs[8 * t + i], out_counts, out_types)
                if outs[8 * t + i] >= 0:
                    degree = degree + 1
                    sent = sent + 4 * (n + rank + outs[8 * t + i])
                    sent_by_types = sent_by_types + (4 if (rank + outs[8 * t + i]) % 2 == 0 else 8) * (n + rank + outs[8 * t + i])
            for i in range(number_in[t]):
                block(ins[8 * t + i], in_counts, in_types)
                theirs[i] = 0
                if ins[8 * t + i] >= 0:
                    theirs[i] = n + ins[8 * t + i]
            two_forms(here, Neighbor_allgather, Ineighbor_allgather, here(4 * n * degree, 0),
                      buf, n, INT, result, n, INT, here)
            two_forms(here, Neighbor_alltoall, Ineighbor_alltoall, here(4 * n * degree, 0),
                      buf, n, INT, result, n, INT, here)
            two_forms(here, Neighbor_allgatherv, Ineighbor_allgatherv, here(4 * (n + rank) * degree, 0),
                      buf, n + rank, INT, result, theirs, places, INT, here)
            two_forms(here, Neighbor_alltoallv, Ineighbor_alltoallv, here(sent, 0),
                      buf, out_counts, places, INT, result, in_counts, places, INT, here)
            if can_type == 1:
                two_forms(here, Neighbor_alltoallw, Ineighbor_alltoallw, here(sent_by_types, 0),
                          buf, out_counts, byte_places, out_types, result, in_counts, byte_places, in_types, here)
