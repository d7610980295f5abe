// What the standard ABI fixes, as src/mpi_abi has it, and what only the tests use of it.
#ifndef COMMPROF_TESTS_MPI_H
#define COMMPROF_TESTS_MPI_H

#include "../../../src/mpi_abi/mpi.h"

#ifdef __cplusplus
extern "C" {
#endif

// clang-format off
#define MPI_ABI_CALL(result, name, parameters) result MPI_##name parameters; result PMPI_##name parameters;

MPI_ABI_CALL(int, Abi_get_info, (MPI_Info*))
MPI_ABI_CALL(int, Abi_get_version, (int*, int*))
MPI_ABI_CALL(int, Buffer_attach, (void*, int))
MPI_ABI_CALL(int, Comm_attach_buffer, (MPI_Comm, void*, int))
MPI_ABI_CALL(int, Comm_delete_attr, (MPI_Comm, int))
MPI_ABI_CALL(int, File_seek, (MPI_File, MPI_Offset, int))
MPI_ABI_CALL(int, Finalized, (int*))
MPI_ABI_CALL(int, Get_hw_resource_info, (MPI_Info*))
MPI_ABI_CALL(int, Group_incl, (MPI_Group, int, const int [], MPI_Group*))
MPI_ABI_CALL(int, Open_port, (MPI_Info, char*))
MPI_ABI_CALL(int, Remove_error_class, (int))
MPI_ABI_CALL(int, Remove_error_code, (int))
MPI_ABI_CALL(int, Remove_error_string, (int))
MPI_ABI_CALL(int, Session_attach_buffer, (MPI_Session, void*, int))
MPI_ABI_CALL(int, Session_get_info, (MPI_Session, MPI_Info*))
MPI_ABI_CALL(int, Status_get_error, (const MPI_Status*, int*))
MPI_ABI_CALL(int, Status_get_source, (const MPI_Status*, int*))
MPI_ABI_CALL(int, Status_get_tag, (const MPI_Status*, int*))
MPI_ABI_CALL(int, Status_set_error, (MPI_Status*, int))
MPI_ABI_CALL(int, Status_set_source, (MPI_Status*, int))
MPI_ABI_CALL(int, Status_set_tag, (MPI_Status*, int))
MPI_ABI_CALL(int, Type_commit, (MPI_Datatype*))
MPI_ABI_CALL(int, Type_free, (MPI_Datatype*))
MPI_ABI_CALL(int, Type_get_value_index, (MPI_Datatype, MPI_Datatype, MPI_Datatype*))
MPI_ABI_CALL(int, Type_vector, (int, int, int, MPI_Datatype, MPI_Datatype*))
MPI_ABI_CALL(double, Wtime, (void))

#undef MPI_ABI_CALL

#define MPI_ERR_LASTCODE 16383
#define MPI_MAX_INFO_VAL 1024
#define MPI_LOCK_SHARED 302
#define MPI_MODE_CREATE 2
#define MPI_MODE_RDWR 32
#define MPI_SEEK_SET 403
#define MPI_2INTEGER ((MPI_Datatype)0x232)
#define MPI_MAXLOC ((MPI_Op)0x39)
#define MPI_ERRHANDLER_NULL ((MPI_Errhandler)0x140)
#define MPI_ERRORS_ARE_FATAL ((MPI_Errhandler)0x141)
#define MPI_FILE_NULL ((MPI_File)0x118)
#define MPI_WIN_NULL ((MPI_Win)0x110)
#define MPI_ARGVS_NULL ((char***)0)
#define MPI_ARGV_NULL ((char**)0)
#define MPI_ERRCODES_IGNORE ((int*)0)
#define MPI_COMM_NULL_DELETE_FN ((MPI_Comm_delete_attr_function*)0)
#define MPI_COMM_DUP_FN ((MPI_Comm_copy_attr_function*)1)
// clang-format on

#ifdef __cplusplus
}
#endif

#endif
