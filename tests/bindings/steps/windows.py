"""Windows and what moves over them; they count on the communicator that they were made from."""
memory: int[64] = 0
target: win
shared: win
dynamic: win
allocated: address
# In the mirror ranks are other ones.
neighbor: int[1] = [(place + 1) % ranks]
origin: int[1] = [(place + ranks - 1) % ranks]
targets_of_access: group
origins_of_access: group
base: address

# Open MPI 4.1.4 makes no window on memory of the program for a single process.
if mpi == "mpich" or ranks > 1:
    Win_create(memory, 256, 4, MPI_INFO_NULL, dup, target) >> dup
    Win_fence(0, target) >> dup
    Put(buf, 4, INT, right, 0, 4, INT, target) >> dup(16, 0)
    Put(buf, 4, INT, MPI_PROC_NULL, 0, 4, INT, target) >> dup
    Win_fence(0, target) >> dup
    Win_free(target) >> dup
    Win_create_dynamic(MPI_INFO_NULL, dup, dynamic) >> dup
    Win_attach(dynamic, memory, 256) >> dup
    Win_detach(dynamic, memory) >> dup
    Win_free(dynamic) >> dup

# The MPICH 5.0.2 of Debian has none.
if mpi != "mpich" or not has(Abi_get_version):
    Win_allocate_shared(256, 4, MPI_INFO_NULL, dup, base, shared) >> dup
    Win_lock_all(0, shared) >> dup
    Win_sync(shared) >> dup
    Win_unlock_all(shared) >> dup
    Win_free(shared) >> dup

Win_allocate(256, 4, MPI_INFO_NULL, mirror, allocated, target) >> mirror
Win_fence(0, target) >> mirror
Put(buf, 4, INT, neighbor[0], 0, 4, INT, target) >> mirror(16, 0)
Get(result, 3, INT, neighbor[0], 8, 3, INT, target) >> mirror(0, 12)
Accumulate(buf, 2, INT, neighbor[0], 16, 2, INT, MPI_SUM, target) >> mirror(8, 0)
# Nothing moves.
Put(buf, 0, INT, neighbor[0], 0, 0, INT, target) >> mirror
Get(result, 3, INT, MPI_PROC_NULL, 8, 3, INT, target) >> mirror
Accumulate(buf, 2, INT, MPI_PROC_NULL, 16, 2, INT, MPI_SUM, target) >> mirror
Get_accumulate(buf, 4, INT, result, 4, INT, MPI_PROC_NULL, 24, 4, INT, MPI_SUM, target) >> mirror
Win_fence(0, target) >> mirror
Get_accumulate(buf, 4, INT, result, 4, INT, neighbor[0], 24, 4, INT, MPI_SUM, target) >> mirror(16, 16)
Fetch_and_op(buf, result, INT, neighbor[0], 32, MPI_SUM, target) >> mirror(4, 4)
Win_fence(0, target) >> mirror
Get_accumulate(buf, 4, INT, result, 4, INT, neighbor[0], 24, 4, INT, MPI_NO_OP, target) >> mirror(0, 16)
Fetch_and_op(buf, result, INT, neighbor[0], 32, MPI_NO_OP, target) >> mirror(0, 4)
Compare_and_swap(buf, out, result, INT, neighbor[0], 36, target) >> mirror(4, 4)
Win_fence(0, target) >> mirror

Win_lock(MPI_LOCK_SHARED, neighbor[0], 0, target) >> mirror
Rput(buf, 4, INT, neighbor[0], 0, 4, INT, target, req) >> mirror(16, 0)
wait(mirror)
Win_flush(neighbor[0], target) >> mirror
Rget(result, 4, INT, neighbor[0], 0, 4, INT, target, req) >> mirror(0, 16)
wait(mirror)
Win_flush_local(neighbor[0], target) >> mirror
Win_unlock(neighbor[0], target) >> mirror
Win_lock_all(0, target) >> mirror
Raccumulate(buf, 4, INT, neighbor[0], 0, 4, INT, MPI_SUM, target, req) >> mirror(16, 0)
wait(mirror)
Win_flush_all(target) >> mirror
Rget_accumulate(buf, 4, INT, result, 4, INT, neighbor[0], 0, 4, INT, MPI_SUM, target, req) >> mirror(16, 16)
wait(mirror)
Win_flush_local_all(target) >> mirror
Win_unlock_all(target) >> mirror

if ranks > 1:
    Comm_group(mirror, everyone)
    Group_incl(everyone, 1, neighbor, targets_of_access)
    Group_incl(everyone, 1, origin, origins_of_access)
    for i in range(2):
        Win_post(origins_of_access, 0, target) >> mirror
        Win_test(target, flag) >> mirror.none
        Barrier(mirror) >> mirror
        Win_start(targets_of_access, 0, target) >> mirror
        Put(buf, 5, INT, neighbor[0], 0, 5, INT, target) >> mirror(20, 0)
        Win_complete(target) >> mirror
        if i == 0:
            Win_wait(target) >> mirror
        else:
            flag = False
            while not flag:
                Win_test(target, flag) >> mirror
    Group_free(targets_of_access)
    Group_free(origins_of_access)
    Group_free(everyone)
Win_free(target) >> mirror
