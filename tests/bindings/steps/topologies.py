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

# For neighborhoods.py: communicator t, how many neighbors a process sends to and receives from (below 0 where it does not
# belong), and which, in the order of the arguments: 8 at most, below 0 is nobody.
t: int = 0
placed: comm[12]
number_out: int[12] = -1
number_in: int[12] = -1
outs: int[96] = 0
ins: int[96] = 0
axis: int
stride: int
there: int
grid_size: int
lengths_of_axes: int[3]
rings: logical[3]


# The last axis varies fastest. On a ring all have two neighbors, which may be the process itself.
def neighbors_on_grid(axes):
    stride = 1
    for i in range(axes):
        axis = axes - 1 - i
        there = rank // stride % lengths_of_axes[axis]
        outs[8 * t + 2 * axis] = rank - stride
        if there == 0:
            outs[8 * t + 2 * axis] = rank + (lengths_of_axes[axis] - 1) * stride if rings[axis] else -1
        outs[8 * t + 2 * axis + 1] = rank + stride
        if there == lengths_of_axes[axis] - 1:
            outs[8 * t + 2 * axis + 1] = rank - (lengths_of_axes[axis] - 1) * stride if rings[axis] else -1
        stride = stride * lengths_of_axes[axis]
    for i in range(2 * axes):
        ins[8 * t + i] = outs[8 * t + i]
    number_out[t] = 2 * axes
    number_in[t] = 2 * axes


# A grid, which the last processes may not belong to, and its duplicate, which has the same neighbors.
def place_on_grid(axes, name):
    laid_out: comm = name if rank < grid_size else None
    Cart_create(dup, axes, lengths_of_axes, rings, False, laid_out) >> dup
    if rank < grid_size:
        duplicate: comm = name + "_d1"
        Comm_dup(laid_out, duplicate) >> laid_out
        placed[t] = laid_out
        placed[t + 1] = duplicate
        neighbors_on_grid(axes)
        t = t + 1
        neighbors_on_grid(axes)
        t = t - 1
    t = t + 2


grid_size = ranks
lengths_of_axes[0] = ranks
rings[0] = True
place_on_grid(1, "W_d1_a7")
rings[0] = False
place_on_grid(1, "W_d1_a8")
lengths_of_axes[0] = 1
lengths_of_axes[1] = ranks
lengths_of_axes[2] = 1
rings[0] = True
rings[1] = False
rings[2] = False
place_on_grid(3, "W_d1_a9")
lengths_of_axes[0] = 2 if ranks > 1 else 1
lengths_of_axes[1] = ranks // 2 if ranks > 1 else 1
grid_size = lengths_of_axes[0] * lengths_of_axes[1]
rings[0] = False
rings[1] = True
place_on_grid(2, "W_d1_a10")

# A star around process 0.
star_ends: int[8]
star_edges: int[16]
star_ends[0] = ranks - 1
for i in range(ranks - 1):
    star_edges[i] = i + 1
    star_edges[ranks - 1 + i] = 0
    star_ends[i + 1] = ranks + i
    outs[8 * t + i] = 0 if rank > 0 else i + 1
    ins[8 * t + i] = outs[8 * t + i]
number_out[t] = 1 if rank > 0 else ranks - 1
number_in[t] = number_out[t]
star: comm = "W_d1_r11"
Graph_create(dup, ranks, star_ends, star_edges, False, star) >> dup
placed[t] = star
t = t + 1

# Each process sends to all processes with lower ranks.
lower: int[8]
higher: int[8]
for i in range(rank):
    lower[i] = i
    outs[8 * t + i] = i
for i in range(ranks - 1 - rank):
    higher[i] = rank + 1 + i
    ins[8 * t + i] = rank + 1 + i
number_out[t] = rank
number_in[t] = ranks - 1 - rank
triangle: comm = "W_d1_g12"
Dist_graph_create_adjacent(dup, ranks - 1 - rank, higher, MPI_UNWEIGHTED, rank, lower, MPI_UNWEIGHTED, MPI_INFO_NULL, False,
                           triangle) >> dup
placed[t] = triangle
t = t + 1

# A ring with as many edges from each process to the next as there are processes, each declared by a process at neither end.
# MPI may order neighbors in any way: here they are all the same.
behind: int[1] = [right]
thickness: int[1] = [ranks]
ahead: int[8] = (rank + 2) % ranks
for i in range(ranks):
    outs[8 * t + i] = right
    ins[8 * t + i] = left
number_out[t] = ranks
number_in[t] = ranks
thick_ring: comm = "W_d1_g13"
Dist_graph_create(dup, 1, behind, thickness, ahead, MPI_UNWEIGHTED, MPI_INFO_NULL, False, thick_ring) >> dup
placed[t] = thick_ring
t = t + 1

# A line whose ends have MPI_PROC_NULL as neighbor. Open MPI 4.1.4 crashes in the creation.
beside: int[2] = [rank - 1, rank + 1]
if mpi == "mpich":
    if rank == 0:
        beside[0] = MPI_PROC_NULL
    if rank == ranks - 1:
        beside[1] = MPI_PROC_NULL
    for i in range(2):
        outs[8 * t + i] = -1 if beside[i] == MPI_PROC_NULL else beside[i]
        ins[8 * t + i] = outs[8 * t + i]
    number_out[t] = 2
    number_in[t] = 2
    open_line: comm = "W_d1_r11_g1"
    Dist_graph_create_adjacent(star, 2, beside, MPI_UNWEIGHTED, 2, beside, MPI_UNWEIGHTED, MPI_INFO_NULL, False, open_line) >> star
    placed[t] = open_line
