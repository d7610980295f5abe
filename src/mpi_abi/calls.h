// The calls of the standard ABI that the profiler has wrappers for or makes, and those of its tests. Each has a second
// name, PMPI_…. As a list, it is longer than others. mpi.h includes this file, and the generator reads its lines.
#pragma once

// clang-format off
#define MPI_ABI_CALL(result, name, parameters) result MPI_##name parameters; result PMPI_##name parameters;

MPI_ABI_CALL(int, Abi_get_info, (MPI_Info*))
MPI_ABI_CALL(int, Abi_get_version, (int*, int*))
MPI_ABI_CALL(int, Abort, (MPI_Comm, int))
MPI_ABI_CALL(int, Barrier, (MPI_Comm comm))
MPI_ABI_CALL(int, Barrier_init, (MPI_Comm comm, MPI_Info info, MPI_Request* request))
MPI_ABI_CALL(int, Buffer_attach, (void*, int))
MPI_ABI_CALL(int, Buffer_flush, (void))
MPI_ABI_CALL(int, Buffer_iflush, (MPI_Request* request))
MPI_ABI_CALL(int, Cancel, (MPI_Request* request))
MPI_ABI_CALL(int, Cart_create, (MPI_Comm comm, int ndims, const int dims[], const int periods[], int reorder, MPI_Comm* newcomm))
MPI_ABI_CALL(int, Cart_get, (MPI_Comm, int, int [], int [], int []))
MPI_ABI_CALL(int, Cart_shift, (MPI_Comm, int, int, int*, int*))
MPI_ABI_CALL(int, Cart_sub, (MPI_Comm comm, const int remain_dims[], MPI_Comm* newcomm))
MPI_ABI_CALL(int, Cartdim_get, (MPI_Comm, int*))
MPI_ABI_CALL(int, Comm_accept, (const char* port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* newcomm))
MPI_ABI_CALL(int, Comm_attach_buffer, (MPI_Comm, void*, int))
MPI_ABI_CALL(int, Comm_connect, (const char* port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* newcomm))
MPI_ABI_CALL(int, Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm))
MPI_ABI_CALL(int, Comm_create_errhandler, (MPI_Comm_errhandler_function*, MPI_Errhandler*))
MPI_ABI_CALL(int, Comm_create_from_group, (MPI_Group group, const char* stringtag, MPI_Info info, MPI_Errhandler errhandler, MPI_Comm* newcomm))
MPI_ABI_CALL(int, Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm))
MPI_ABI_CALL(int, Comm_create_keyval, (MPI_Comm_copy_attr_function*, MPI_Comm_delete_attr_function*, int*, void*))
MPI_ABI_CALL(int, Comm_delete_attr, (MPI_Comm, int))
MPI_ABI_CALL(int, Comm_disconnect, (MPI_Comm* comm))
MPI_ABI_CALL(int, Comm_dup, (MPI_Comm comm, MPI_Comm* newcomm))
MPI_ABI_CALL(int, Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm))
MPI_ABI_CALL(int, Comm_flush_buffer, (MPI_Comm comm))
MPI_ABI_CALL(int, Comm_free, (MPI_Comm* comm))
MPI_ABI_CALL(MPI_Comm, Comm_fromint, (int))
MPI_ABI_CALL(int, Comm_get_attr, (MPI_Comm, int, void*, int*))
MPI_ABI_CALL(int, Comm_get_errhandler, (MPI_Comm, MPI_Errhandler*))
MPI_ABI_CALL(int, Comm_get_parent, (MPI_Comm*))
MPI_ABI_CALL(int, Comm_group, (MPI_Comm, MPI_Group*))
MPI_ABI_CALL(int, Comm_idup, (MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request))
MPI_ABI_CALL(int, Comm_idup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm, MPI_Request* request))
MPI_ABI_CALL(int, Comm_iflush_buffer, (MPI_Comm comm, MPI_Request* request))
MPI_ABI_CALL(int, Comm_join, (int fd, MPI_Comm* newcomm))
MPI_ABI_CALL(int, Comm_rank, (MPI_Comm, int*))
MPI_ABI_CALL(int, Comm_remote_group, (MPI_Comm, MPI_Group*))
MPI_ABI_CALL(int, Comm_remote_size, (MPI_Comm, int*))
MPI_ABI_CALL(int, Comm_set_attr, (MPI_Comm, int, void*))
MPI_ABI_CALL(int, Comm_set_errhandler, (MPI_Comm, MPI_Errhandler))
MPI_ABI_CALL(int, Comm_set_name, (MPI_Comm comm, const char* comm_name))
MPI_ABI_CALL(int, Comm_size, (MPI_Comm, int*))
MPI_ABI_CALL(int, Comm_spawn, (const char* command, char* argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* newcomm, int array_of_errcodes[]))
MPI_ABI_CALL(int, Comm_spawn_multiple, (int count, char* array_of_commands[], char** array_of_argv[], const int array_of_maxprocs[], const MPI_Info array_of_info[], int root, MPI_Comm comm, MPI_Comm* newcomm, int array_of_errcodes[]))
MPI_ABI_CALL(int, Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* newcomm))
MPI_ABI_CALL(int, Comm_split_type, (MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* newcomm))
MPI_ABI_CALL(int, Comm_test_inter, (MPI_Comm, int*))
MPI_ABI_CALL(int, Comm_toint, (MPI_Comm))
MPI_ABI_CALL(int, Compare_and_swap, (const void* origin_addr, const void* compare_addr, void* result_addr, MPI_Datatype datatype, int target_rank, MPI_Aint target_disp, MPI_Win win))
MPI_ABI_CALL(int, Dist_graph_create, (MPI_Comm comm, int n, const int sources[], const int degrees[], const int destinations[], const int weights[], MPI_Info info, int reorder, MPI_Comm* newcomm))
MPI_ABI_CALL(int, Dist_graph_create_adjacent, (MPI_Comm comm, int indegree, const int sources[], const int sourceweights[], int outdegree, const int destinations[], const int destweights[], MPI_Info info, int reorder, MPI_Comm* newcomm))
MPI_ABI_CALL(int, Dist_graph_neighbors, (MPI_Comm, int, int [], int [], int, int [], int []))
MPI_ABI_CALL(int, Dist_graph_neighbors_count, (MPI_Comm, int*, int*, int*))
MPI_ABI_CALL(int, Errhandler_free, (MPI_Errhandler*))
MPI_ABI_CALL(int, Error_class, (int, int*))
MPI_ABI_CALL(int, Error_string, (int, char*, int*))
MPI_ABI_CALL(int, Fetch_and_op, (const void* origin_addr, void* result_addr, MPI_Datatype datatype, int target_rank, MPI_Aint target_disp, MPI_Op op, MPI_Win win))
MPI_ABI_CALL(int, File_close, (MPI_File* fh))
MPI_ABI_CALL(int, File_create_errhandler, (MPI_File_errhandler_function*, MPI_Errhandler*))
MPI_ABI_CALL(int, File_get_position_shared, (MPI_File fh, MPI_Offset* offset))
MPI_ABI_CALL(int, File_open, (MPI_Comm comm, const char* filename, int amode, MPI_Info info, MPI_File* fh))
MPI_ABI_CALL(int, File_preallocate, (MPI_File fh, MPI_Offset size))
MPI_ABI_CALL(int, File_read_all_end, (MPI_File fh, void* buf, MPI_Status* status))
MPI_ABI_CALL(int, File_read_at_all_end, (MPI_File fh, void* buf, MPI_Status* status))
MPI_ABI_CALL(int, File_read_ordered_end, (MPI_File fh, void* buf, MPI_Status* status))
MPI_ABI_CALL(int, File_seek, (MPI_File, MPI_Offset, int))
MPI_ABI_CALL(int, File_seek_shared, (MPI_File fh, MPI_Offset offset, int whence))
MPI_ABI_CALL(int, File_set_atomicity, (MPI_File fh, int flag))
MPI_ABI_CALL(int, File_set_size, (MPI_File fh, MPI_Offset size))
MPI_ABI_CALL(int, File_set_view, (MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype, const char* datarep, MPI_Info info))
MPI_ABI_CALL(int, File_sync, (MPI_File fh))
MPI_ABI_CALL(int, File_write_all_end, (MPI_File fh, const void* buf, MPI_Status* status))
MPI_ABI_CALL(int, File_write_at_all_end, (MPI_File fh, const void* buf, MPI_Status* status))
MPI_ABI_CALL(int, File_write_ordered_end, (MPI_File fh, const void* buf, MPI_Status* status))
MPI_ABI_CALL(int, Finalize, (void))
MPI_ABI_CALL(int, Finalized, (int*))
MPI_ABI_CALL(int, Get_count, (const MPI_Status*, MPI_Datatype, int*))
MPI_ABI_CALL(int, Get_elements_x, (const MPI_Status*, MPI_Datatype, MPI_Count*))
MPI_ABI_CALL(int, Get_hw_resource_info, (MPI_Info*))
MPI_ABI_CALL(int, Get_library_version, (char*, int*))
MPI_ABI_CALL(int, Get_version, (int*, int*))
MPI_ABI_CALL(int, Graph_create, (MPI_Comm comm, int nnodes, const int index[], const int edges[], int reorder, MPI_Comm* newcomm))
MPI_ABI_CALL(int, Graph_neighbors, (MPI_Comm, int, int, int*))
MPI_ABI_CALL(int, Graph_neighbors_count, (MPI_Comm, int, int*))
MPI_ABI_CALL(int, Graphdims_get, (MPI_Comm, int*, int*))
MPI_ABI_CALL(int, Group_free, (MPI_Group*))
MPI_ABI_CALL(int, Group_from_session_pset, (MPI_Session, const char*, MPI_Group*))
MPI_ABI_CALL(int, Group_incl, (MPI_Group, int, const int [], MPI_Group*))
MPI_ABI_CALL(int, Group_rank, (MPI_Group, int*))
MPI_ABI_CALL(int, Group_size, (MPI_Group, int*))
MPI_ABI_CALL(int, Group_translate_ranks, (MPI_Group, int, const int [], MPI_Group, int []))
MPI_ABI_CALL(int, Group_union, (MPI_Group, MPI_Group, MPI_Group*))
MPI_ABI_CALL(int, Ibarrier, (MPI_Comm comm, MPI_Request* request))
MPI_ABI_CALL(int, Improbe, (int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status))
MPI_ABI_CALL(int, Info_create, (MPI_Info*))
MPI_ABI_CALL(int, Info_free, (MPI_Info*))
MPI_ABI_CALL(int, Info_set, (MPI_Info, const char*, const char*))
MPI_ABI_CALL(int, Init, (int* argc, char*** argv))
MPI_ABI_CALL(int, Init_thread, (int* argc, char*** argv, int required, int* provided))
MPI_ABI_CALL(int, Initialized, (int*))
MPI_ABI_CALL(int, Intercomm_create, (MPI_Comm comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag, MPI_Comm* newcomm))
MPI_ABI_CALL(int, Intercomm_create_from_groups, (MPI_Group local_group, int local_leader, MPI_Group remote_group, int remote_leader, const char* stringtag, MPI_Info info, MPI_Errhandler errhandler, MPI_Comm* newcomm))
MPI_ABI_CALL(int, Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm* newcomm))
MPI_ABI_CALL(int, Iprobe, (int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status))
MPI_ABI_CALL(int, Lookup_name, (const char*, MPI_Info, char*))
MPI_ABI_CALL(int, Mprobe, (int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status))
MPI_ABI_CALL(int, Open_port, (MPI_Info, char*))
MPI_ABI_CALL(int, Parrived, (MPI_Request request, int partition, int* flag))
MPI_ABI_CALL(int, Pcontrol, (const int, ...))
MPI_ABI_CALL(int, Pready, (int partition, MPI_Request request))
MPI_ABI_CALL(int, Pready_list, (int length, const int array_of_partitions[], MPI_Request request))
MPI_ABI_CALL(int, Pready_range, (int partition_low, int partition_high, MPI_Request request))
MPI_ABI_CALL(int, Precv_init, (void* buf, int partitions, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Info info, MPI_Request* request))
MPI_ABI_CALL(int, Probe, (int source, int tag, MPI_Comm comm, MPI_Status* status))
MPI_ABI_CALL(int, Psend_init, (const void* buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Info info, MPI_Request* request))
MPI_ABI_CALL(int, Publish_name, (const char*, MPI_Info, const char*))
MPI_ABI_CALL(int, Query_thread, (int*))
MPI_ABI_CALL(int, Remove_error_class, (int))
MPI_ABI_CALL(int, Remove_error_code, (int))
MPI_ABI_CALL(int, Remove_error_string, (int))
MPI_ABI_CALL(int, Request_free, (MPI_Request* request))
MPI_ABI_CALL(MPI_Request, Request_fromint, (int))
MPI_ABI_CALL(int, Request_get_status, (MPI_Request request, int* flag, MPI_Status* status))
MPI_ABI_CALL(int, Request_get_status_all, (int count, const MPI_Request array_of_requests[], int* flag, MPI_Status array_of_statuses[]))
MPI_ABI_CALL(int, Request_get_status_any, (int count, const MPI_Request array_of_requests[], int* index, int* flag, MPI_Status* status))
MPI_ABI_CALL(int, Request_get_status_some, (int incount, const MPI_Request array_of_requests[], int* outcount, int array_of_indices[], MPI_Status array_of_statuses[]))
MPI_ABI_CALL(int, Request_toint, (MPI_Request))
MPI_ABI_CALL(int, Session_attach_buffer, (MPI_Session, void*, int))
MPI_ABI_CALL(int, Session_create_errhandler, (MPI_Session_errhandler_function*, MPI_Errhandler*))
MPI_ABI_CALL(int, Session_finalize, (MPI_Session* session))
MPI_ABI_CALL(int, Session_flush_buffer, (MPI_Session session))
MPI_ABI_CALL(int, Session_get_info, (MPI_Session, MPI_Info*))
MPI_ABI_CALL(int, Session_iflush_buffer, (MPI_Session session, MPI_Request* request))
MPI_ABI_CALL(int, Session_init, (MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session))
MPI_ABI_CALL(int, Start, (MPI_Request* request))
MPI_ABI_CALL(int, Startall, (int count, MPI_Request array_of_requests[]))
MPI_ABI_CALL(int, Status_get_error, (const MPI_Status*, int*))
MPI_ABI_CALL(int, Status_get_source, (const MPI_Status*, int*))
MPI_ABI_CALL(int, Status_get_tag, (const MPI_Status*, int*))
MPI_ABI_CALL(int, Status_set_error, (MPI_Status*, int))
MPI_ABI_CALL(int, Status_set_source, (MPI_Status*, int))
MPI_ABI_CALL(int, Status_set_tag, (MPI_Status*, int))
MPI_ABI_CALL(int, T_init_thread, (int, int*))
MPI_ABI_CALL(int, Test, (MPI_Request* request, int* flag, MPI_Status* status))
MPI_ABI_CALL(int, Test_cancelled, (const MPI_Status*, int*))
MPI_ABI_CALL(int, Testall, (int count, MPI_Request array_of_requests[], int* flag, MPI_Status array_of_statuses[]))
MPI_ABI_CALL(int, Testany, (int count, MPI_Request array_of_requests[], int* index, int* flag, MPI_Status* status))
MPI_ABI_CALL(int, Testsome, (int incount, MPI_Request array_of_requests[], int* outcount, int array_of_indices[], MPI_Status array_of_statuses[]))
MPI_ABI_CALL(int, Topo_test, (MPI_Comm, int*))
MPI_ABI_CALL(int, Type_commit, (MPI_Datatype*))
MPI_ABI_CALL(int, Type_free, (MPI_Datatype*))
MPI_ABI_CALL(int, Type_get_value_index, (MPI_Datatype, MPI_Datatype, MPI_Datatype*))
MPI_ABI_CALL(int, Type_size, (MPI_Datatype, int*))
MPI_ABI_CALL(int, Type_size_x, (MPI_Datatype, MPI_Count*))
MPI_ABI_CALL(int, Type_toint, (MPI_Datatype))
MPI_ABI_CALL(int, Type_vector, (int, int, int, MPI_Datatype, MPI_Datatype*))
MPI_ABI_CALL(int, Unpublish_name, (const char*, MPI_Info, const char*))
MPI_ABI_CALL(int, Wait, (MPI_Request* request, MPI_Status* status))
MPI_ABI_CALL(int, Waitall, (int count, MPI_Request array_of_requests[], MPI_Status array_of_statuses[]))
MPI_ABI_CALL(int, Waitany, (int count, MPI_Request array_of_requests[], int* index, MPI_Status* status))
MPI_ABI_CALL(int, Waitsome, (int incount, MPI_Request array_of_requests[], int* outcount, int array_of_indices[], MPI_Status array_of_statuses[]))
MPI_ABI_CALL(int, Win_attach, (MPI_Win win, void* base, MPI_Aint size))
MPI_ABI_CALL(int, Win_complete, (MPI_Win win))
MPI_ABI_CALL(int, Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win* win))
MPI_ABI_CALL(int, Win_create_errhandler, (MPI_Win_errhandler_function*, MPI_Errhandler*))
MPI_ABI_CALL(int, Win_detach, (MPI_Win win, const void* base))
MPI_ABI_CALL(int, Win_fence, (int assertion, MPI_Win win))
MPI_ABI_CALL(int, Win_flush, (int rank, MPI_Win win))
MPI_ABI_CALL(int, Win_flush_all, (MPI_Win win))
MPI_ABI_CALL(int, Win_flush_local, (int rank, MPI_Win win))
MPI_ABI_CALL(int, Win_flush_local_all, (MPI_Win win))
MPI_ABI_CALL(int, Win_free, (MPI_Win* win))
MPI_ABI_CALL(int, Win_get_group, (MPI_Win, MPI_Group*))
MPI_ABI_CALL(int, Win_lock, (int lock_type, int rank, int assertion, MPI_Win win))
MPI_ABI_CALL(int, Win_lock_all, (int assertion, MPI_Win win))
MPI_ABI_CALL(int, Win_post, (MPI_Group group, int assertion, MPI_Win win))
MPI_ABI_CALL(int, Win_start, (MPI_Group group, int assertion, MPI_Win win))
MPI_ABI_CALL(int, Win_sync, (MPI_Win win))
MPI_ABI_CALL(int, Win_test, (MPI_Win win, int* flag))
MPI_ABI_CALL(int, Win_unlock, (int rank, MPI_Win win))
MPI_ABI_CALL(int, Win_unlock_all, (MPI_Win win))
MPI_ABI_CALL(int, Win_wait, (MPI_Win win))
MPI_ABI_CALL(double, Wtime, (void))

// The three forms of a collective call.
#define MPI_ABI_FORMS(CALL, name, nonblocking, ...) \
  CALL(int, name, (__VA_ARGS__)) \
  CALL(int, nonblocking, (__VA_ARGS__, MPI_Request* request)) \
  CALL(int, name##_init, (__VA_ARGS__, MPI_Info info, MPI_Request* request))

// Calls that have a second form, with large counts: MPI_Send_c.
#define MPI_ABI_CALLS_WITH_COUNTS(FORMS, CALL, COUNT, DISPL) \
  FORMS(CALL, Allgather, Iallgather, const void* sendbuf, COUNT sendcount, MPI_Datatype sendtype, void* recvbuf, COUNT recvcount, MPI_Datatype recvtype, MPI_Comm comm) \
  FORMS(CALL, Allgatherv, Iallgatherv, const void* sendbuf, COUNT sendcount, MPI_Datatype sendtype, void* recvbuf, const COUNT recvcounts[], const DISPL displs[], MPI_Datatype recvtype, MPI_Comm comm) \
  FORMS(CALL, Allreduce, Iallreduce, const void* sendbuf, void* recvbuf, COUNT count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) \
  FORMS(CALL, Alltoall, Ialltoall, const void* sendbuf, COUNT sendcount, MPI_Datatype sendtype, void* recvbuf, COUNT recvcount, MPI_Datatype recvtype, MPI_Comm comm) \
  FORMS(CALL, Alltoallv, Ialltoallv, const void* sendbuf, const COUNT sendcounts[], const DISPL sdispls[], MPI_Datatype sendtype, void* recvbuf, const COUNT recvcounts[], const DISPL rdispls[], MPI_Datatype recvtype, MPI_Comm comm) \
  FORMS(CALL, Alltoallw, Ialltoallw, const void* sendbuf, const COUNT sendcounts[], const DISPL sdispls[], const MPI_Datatype sendtypes[], void* recvbuf, const COUNT recvcounts[], const DISPL rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) \
  FORMS(CALL, Bcast, Ibcast, void* buffer, COUNT count, MPI_Datatype datatype, int root, MPI_Comm comm) \
  FORMS(CALL, Exscan, Iexscan, const void* sendbuf, void* recvbuf, COUNT count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) \
  FORMS(CALL, Gather, Igather, const void* sendbuf, COUNT sendcount, MPI_Datatype sendtype, void* recvbuf, COUNT recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) \
  FORMS(CALL, Gatherv, Igatherv, const void* sendbuf, COUNT sendcount, MPI_Datatype sendtype, void* recvbuf, const COUNT recvcounts[], const DISPL displs[], MPI_Datatype recvtype, int root, MPI_Comm comm) \
  FORMS(CALL, Neighbor_allgather, Ineighbor_allgather, const void* sendbuf, COUNT sendcount, MPI_Datatype sendtype, void* recvbuf, COUNT recvcount, MPI_Datatype recvtype, MPI_Comm comm) \
  FORMS(CALL, Neighbor_allgatherv, Ineighbor_allgatherv, const void* sendbuf, COUNT sendcount, MPI_Datatype sendtype, void* recvbuf, const COUNT recvcounts[], const DISPL displs[], MPI_Datatype recvtype, MPI_Comm comm) \
  FORMS(CALL, Neighbor_alltoall, Ineighbor_alltoall, const void* sendbuf, COUNT sendcount, MPI_Datatype sendtype, void* recvbuf, COUNT recvcount, MPI_Datatype recvtype, MPI_Comm comm) \
  FORMS(CALL, Neighbor_alltoallv, Ineighbor_alltoallv, const void* sendbuf, const COUNT sendcounts[], const DISPL sdispls[], MPI_Datatype sendtype, void* recvbuf, const COUNT recvcounts[], const DISPL rdispls[], MPI_Datatype recvtype, MPI_Comm comm) \
  FORMS(CALL, Neighbor_alltoallw, Ineighbor_alltoallw, const void* sendbuf, const COUNT sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf, const COUNT recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) \
  FORMS(CALL, Reduce, Ireduce, const void* sendbuf, void* recvbuf, COUNT count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm) \
  FORMS(CALL, Reduce_scatter, Ireduce_scatter, const void* sendbuf, void* recvbuf, const COUNT recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) \
  FORMS(CALL, Reduce_scatter_block, Ireduce_scatter_block, const void* sendbuf, void* recvbuf, COUNT recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) \
  FORMS(CALL, Scan, Iscan, const void* sendbuf, void* recvbuf, COUNT count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) \
  FORMS(CALL, Scatter, Iscatter, const void* sendbuf, COUNT sendcount, MPI_Datatype sendtype, void* recvbuf, COUNT recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) \
  FORMS(CALL, Scatterv, Iscatterv, const void* sendbuf, const COUNT sendcounts[], const DISPL displs[], MPI_Datatype sendtype, void* recvbuf, COUNT recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) \
  CALL(int, Accumulate, (const void* origin_addr, COUNT origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, COUNT target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win)) \
  CALL(int, Bsend, (const void* buf, COUNT count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)) \
  CALL(int, Bsend_init, (const void* buf, COUNT count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request)) \
  CALL(int, Buffer_detach, (void* buffer_addr, COUNT* size)) \
  CALL(int, Comm_detach_buffer, (MPI_Comm comm, void* buffer_addr, COUNT* size)) \
  CALL(int, File_iread, (MPI_File fh, void* buf, COUNT count, MPI_Datatype datatype, MPI_Request* request)) \
  CALL(int, File_iread_all, (MPI_File fh, void* buf, COUNT count, MPI_Datatype datatype, MPI_Request* request)) \
  CALL(int, File_iread_at, (MPI_File fh, MPI_Offset offset, void* buf, COUNT count, MPI_Datatype datatype, MPI_Request* request)) \
  CALL(int, File_iread_at_all, (MPI_File fh, MPI_Offset offset, void* buf, COUNT count, MPI_Datatype datatype, MPI_Request* request)) \
  CALL(int, File_iread_shared, (MPI_File fh, void* buf, COUNT count, MPI_Datatype datatype, MPI_Request* request)) \
  CALL(int, File_iwrite, (MPI_File fh, const void* buf, COUNT count, MPI_Datatype datatype, MPI_Request* request)) \
  CALL(int, File_iwrite_all, (MPI_File fh, const void* buf, COUNT count, MPI_Datatype datatype, MPI_Request* request)) \
  CALL(int, File_iwrite_at, (MPI_File fh, MPI_Offset offset, const void* buf, COUNT count, MPI_Datatype datatype, MPI_Request* request)) \
  CALL(int, File_iwrite_at_all, (MPI_File fh, MPI_Offset offset, const void* buf, COUNT count, MPI_Datatype datatype, MPI_Request* request)) \
  CALL(int, File_iwrite_shared, (MPI_File fh, const void* buf, COUNT count, MPI_Datatype datatype, MPI_Request* request)) \
  CALL(int, File_read, (MPI_File fh, void* buf, COUNT count, MPI_Datatype datatype, MPI_Status* status)) \
  CALL(int, File_read_all, (MPI_File fh, void* buf, COUNT count, MPI_Datatype datatype, MPI_Status* status)) \
  CALL(int, File_read_all_begin, (MPI_File fh, void* buf, COUNT count, MPI_Datatype datatype)) \
  CALL(int, File_read_at, (MPI_File fh, MPI_Offset offset, void* buf, COUNT count, MPI_Datatype datatype, MPI_Status* status)) \
  CALL(int, File_read_at_all, (MPI_File fh, MPI_Offset offset, void* buf, COUNT count, MPI_Datatype datatype, MPI_Status* status)) \
  CALL(int, File_read_at_all_begin, (MPI_File fh, MPI_Offset offset, void* buf, COUNT count, MPI_Datatype datatype)) \
  CALL(int, File_read_ordered, (MPI_File fh, void* buf, COUNT count, MPI_Datatype datatype, MPI_Status* status)) \
  CALL(int, File_read_ordered_begin, (MPI_File fh, void* buf, COUNT count, MPI_Datatype datatype)) \
  CALL(int, File_read_shared, (MPI_File fh, void* buf, COUNT count, MPI_Datatype datatype, MPI_Status* status)) \
  CALL(int, File_write, (MPI_File fh, const void* buf, COUNT count, MPI_Datatype datatype, MPI_Status* status)) \
  CALL(int, File_write_all, (MPI_File fh, const void* buf, COUNT count, MPI_Datatype datatype, MPI_Status* status)) \
  CALL(int, File_write_all_begin, (MPI_File fh, const void* buf, COUNT count, MPI_Datatype datatype)) \
  CALL(int, File_write_at, (MPI_File fh, MPI_Offset offset, const void* buf, COUNT count, MPI_Datatype datatype, MPI_Status* status)) \
  CALL(int, File_write_at_all, (MPI_File fh, MPI_Offset offset, const void* buf, COUNT count, MPI_Datatype datatype, MPI_Status* status)) \
  CALL(int, File_write_at_all_begin, (MPI_File fh, MPI_Offset offset, const void* buf, COUNT count, MPI_Datatype datatype)) \
  CALL(int, File_write_ordered, (MPI_File fh, const void* buf, COUNT count, MPI_Datatype datatype, MPI_Status* status)) \
  CALL(int, File_write_ordered_begin, (MPI_File fh, const void* buf, COUNT count, MPI_Datatype datatype)) \
  CALL(int, File_write_shared, (MPI_File fh, const void* buf, COUNT count, MPI_Datatype datatype, MPI_Status* status)) \
  CALL(int, Get, (void* origin_addr, COUNT origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, COUNT target_count, MPI_Datatype target_datatype, MPI_Win win)) \
  CALL(int, Get_accumulate, (const void* origin_addr, COUNT origin_count, MPI_Datatype origin_datatype, void* result_addr, COUNT result_count, MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, COUNT target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win)) \
  CALL(int, Ibsend, (const void* buf, COUNT count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request)) \
  CALL(int, Imrecv, (void* buf, COUNT count, MPI_Datatype datatype, MPI_Message* message, MPI_Request* request)) \
  CALL(int, Irecv, (void* buf, COUNT count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request)) \
  CALL(int, Irsend, (const void* buf, COUNT count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request)) \
  CALL(int, Isend, (const void* buf, COUNT count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request)) \
  CALL(int, Isendrecv, (const void* sendbuf, COUNT sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf, COUNT recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Request* request)) \
  CALL(int, Isendrecv_replace, (void* buf, COUNT count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Request* request)) \
  CALL(int, Issend, (const void* buf, COUNT count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request)) \
  CALL(int, Mrecv, (void* buf, COUNT count, MPI_Datatype datatype, MPI_Message* message, MPI_Status* status)) \
  CALL(int, Put, (const void* origin_addr, COUNT origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, COUNT target_count, MPI_Datatype target_datatype, MPI_Win win)) \
  CALL(int, Raccumulate, (const void* origin_addr, COUNT origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, COUNT target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request* request)) \
  CALL(int, Recv, (void* buf, COUNT count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status* status)) \
  CALL(int, Recv_init, (void* buf, COUNT count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request)) \
  CALL(int, Rget, (void* origin_addr, COUNT origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, COUNT target_count, MPI_Datatype target_datatype, MPI_Win win, MPI_Request* request)) \
  CALL(int, Rget_accumulate, (const void* origin_addr, COUNT origin_count, MPI_Datatype origin_datatype, void* result_addr, COUNT result_count, MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, COUNT target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request* request)) \
  CALL(int, Rput, (const void* origin_addr, COUNT origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, COUNT target_count, MPI_Datatype target_datatype, MPI_Win win, MPI_Request* request)) \
  CALL(int, Rsend, (const void* buf, COUNT count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)) \
  CALL(int, Rsend_init, (const void* buf, COUNT count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request)) \
  CALL(int, Send, (const void* buf, COUNT count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)) \
  CALL(int, Send_init, (const void* buf, COUNT count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request)) \
  CALL(int, Sendrecv, (const void* sendbuf, COUNT sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf, COUNT recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status* status)) \
  CALL(int, Sendrecv_replace, (void* buf, COUNT count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Status* status)) \
  CALL(int, Session_detach_buffer, (MPI_Session session, void* buffer_addr, COUNT* size)) \
  CALL(int, Ssend, (const void* buf, COUNT count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)) \
  CALL(int, Ssend_init, (const void* buf, COUNT count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request)) \
  CALL(int, Win_allocate, (MPI_Aint size, DISPL disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr, MPI_Win* win)) \
  CALL(int, Win_allocate_shared, (MPI_Aint size, DISPL disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr, MPI_Win* win)) \
  CALL(int, Win_create, (void* base, MPI_Aint size, DISPL disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win* win)) \

#define MPI_ABI_LARGE_CALL(result, name, parameters) MPI_ABI_CALL(result, name##_c, parameters)
MPI_ABI_CALLS_WITH_COUNTS(MPI_ABI_FORMS, MPI_ABI_CALL, int, int)
MPI_ABI_CALLS_WITH_COUNTS(MPI_ABI_FORMS, MPI_ABI_LARGE_CALL, MPI_Count, MPI_Aint)

#undef MPI_ABI_LARGE_CALL
#undef MPI_ABI_CALLS_WITH_COUNTS
#undef MPI_ABI_FORMS
#undef MPI_ABI_CALL
// clang-format on
