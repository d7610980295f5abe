"""Processes that are started or met; MPICH 4.0.2 does neither. The program in ./child only meets its parents and ends."""
if mpi != "mpich":
    started: comm = "W_p3"
    started_too: comm = "W_p4"
    commands: command[2] = "./child"
    one_each: int[2] = 1
    infos: info[2] = MPI_INFO_NULL
    port: text
    Comm_spawn("./child", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, started, MPI_ERRCODES_IGNORE) >> W
    Comm_disconnect(started) >> started
    Comm_spawn_multiple(2, commands, MPI_ARGVS_NULL, one_each, infos, 0, MPI_COMM_WORLD, started_too, MPI_ERRCODES_IGNORE) >> W
    Comm_disconnect(started_too) >> started_too
    if ranks > 2:
        meeting: comm = "W_s5.0" if rank < 2 else "W_s5.2"
        met: comm = "W_x1.0-1.2" if ranks == 3 else f"W_x1.0-1.2-{ranks - 1}"
        Comm_split(MPI_COMM_WORLD, 0 if rank < 2 else 1, rank, meeting) >> W
        if rank == 0:
            Open_port(MPI_INFO_NULL, port)
        Bcast(port, 1023, MPI_BYTE, 0, MPI_COMM_WORLD) >> W(0, 0 if rank == 0 else 1023)  # as long as Fortran has it
        if rank < 2:
            Comm_accept(port, MPI_INFO_NULL, 0, meeting, met) >> meeting
        else:
            Comm_connect(port, MPI_INFO_NULL, 0, meeting, met) >> meeting
        Barrier(met) >> met
        Comm_disconnect(met) >> met
        Comm_free(meeting) >> meeting
