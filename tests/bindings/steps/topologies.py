"""Communicators with a topology. They come first: Open MPI 4.1.4 has hung in MPI_Dist_graph_create after many creations."""
dims: int[2] = [ranks, 1]
open_ended: logical[2] = [False, False]
closed: logical[2] = [True, True]
remain: logical[2] = [True, False]
line: comm = "W_d1_a2"
grid: comm = "W_d1_a3"
row: comm = "W_d1_a3_b1.0"
Cart_create(dup, 1, dims, open_ended, False, line) >> dup
Cart_create(dup, 2, dims, closed, True, grid) >> dup
Cart_sub(grid, remain, row) >> grid

# A ring as a graph: the nodes' neighbours, and how many there are up to each node.
node_ends: int[8]
edges: int[8]
for i in range(ranks):
    node_ends[i] = i + 1
    edges[i] = (i + 1) % ranks
circle: comm = "W_d1_r4"
Graph_create(dup, ranks, node_ends, edges, False, circle) >> dup

sources: int[2] = [left, left]
own: int[1] = [rank]
degrees: int[1] = [1]
targets: int[2] = [right, right]
ring: comm = "W_d1_g5"
ring_again: comm = "W_d1_g6"
Dist_graph_create_adjacent(dup, 2, sources, MPI_UNWEIGHTED, 2, targets, MPI_UNWEIGHTED, MPI_INFO_NULL, False, ring) >> dup
Dist_graph_create(dup, 1, own, degrees, targets, MPI_UNWEIGHTED, MPI_INFO_NULL, False, ring_again) >> dup
