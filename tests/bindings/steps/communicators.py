"""Creation and release of communicators."""
home: comm = "W_d2"
Comm_dup(MPI_COMM_WORLD, home) >> W
twin: comm = "W_d2_d1"
Comm_dup_with_info(home, MPI_INFO_NULL, twin) >> home
early: comm = "W_d2_d2"
Comm_idup(home, early, req) >> home
wait(home)
half: comm = f"W_d2_s3.{rank % 2}"
Comm_split(home, rank % 2, rank, half) >> home
# The MPICH 5.0.2 of Debian finds no shared memory: each process is alone.
node: comm = f"W_d2_t4.{rank}" if mpi == "mpich" and has(Abi_get_version) else "W_d2_t4.0"
Comm_split_type(home, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, node) >> home
everyone: group
first: group
zero: int[1] = [0]
Comm_group(home, everyone)
Group_incl(everyone, 1, zero, first)
lone: comm = "W_d2_c5.0" if rank == 0 else None
Comm_create(home, first, lone) >> home
grouped: comm = "W_d2_u1.0.t7" if ranks == 1 else f"W_d2_u1.0-{ranks - 1}.t7"
Comm_create_group(home, everyone, 7, grouped) >> home
if has(Comm_idup_with_info):
    early_twin: comm = "W_d2_d6"
    Comm_idup_with_info(home, MPI_INFO_NULL, early_twin, req) >> home
    wait(home)
    Comm_free(early_twin) >> early_twin

if ranks > 1:
    between: comm = f"W_i1.{every_other(0, ranks)}.{every_other(1, ranks)}.t5"
    merged: comm = f"W_i1.{every_other(0, ranks)}.{every_other(1, ranks)}.t5_m1"
    Intercomm_create(half, 0, home, 1 - (rank % 2), 5, between) >> half
    Barrier(between) >> between
    Intercomm_merge(between, (rank % 2) == 1, merged) >> between
    Barrier(merged) >> merged
    Comm_free(merged) >> merged
    Comm_free(between) >> between

if rank == 0:
    Comm_free(lone) >> lone
Barrier(early) >> early
Comm_disconnect(early) >> early
Comm_disconnect(twin) >> twin
Comm_free(node) >> node
Barrier(grouped) >> grouped
Comm_free(grouped) >> grouped
Comm_free(half) >> half
Comm_free(home) >> home
Group_free(first)
Group_free(everyone)
