"""Sessions, within a program that has called MPI_Init, and the communicators that need no other to be made from."""
if has(Session_init):
    inner: session
    all_processes: group
    own_half: group
    other_half: group
    in_own_half: int[8]
    in_other_half: int[8]
    from_group: comm = "W_f1.0.all" if ranks == 1 else f"W_f1.0-{ranks - 1}.all"
    Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, inner) >> SELF
    if has(Session_flush_buffer):
        Session_attach_buffer(inner, attached, 65536)
        Session_flush_buffer(inner) >> SELF
        Session_iflush_buffer(inner, req) >> SELF
        wait(SELF)
        Session_detach_buffer(inner, detached, attached_size) >> SELF
    Group_from_session_pset(inner, "mpi://WORLD", all_processes)
    Comm_create_from_group(all_processes, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, from_group) >> W
    Barrier(from_group) >> from_group
    if has(Intercomm_create_from_groups):
        if ranks > 1:
            halves: comm = f"W_f1.{every_other(0, ranks)}.{every_other(1, ranks)}.halves"
            for i in range((ranks + 1) // 2):
                in_own_half[i] = 2 * i + (rank % 2)
                in_other_half[i] = 2 * i + 1 - (rank % 2)
            Group_incl(all_processes, (ranks + 1 - (rank % 2)) // 2, in_own_half, own_half)
            Group_incl(all_processes, (ranks + (rank % 2)) // 2, in_other_half, other_half)
            Intercomm_create_from_groups(own_half, 0, other_half, 0, "halves", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, halves) >> W
            Barrier(halves) >> halves
            Comm_free(halves) >> halves
    Comm_free(from_group) >> from_group
    Session_finalize(inner) >> SELF
