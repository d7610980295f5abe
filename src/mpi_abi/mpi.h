// What the standard ABI of MPI 5.0 fixes (chapter 20), as far as it is used: types, constants and calls. The flavour
// mpi-abi-1 is compiled with this file, so it needs no MPI at build time. Programs and libraries of any MPI with this
// ABI agree with it.
#ifndef COMMPROF_MPI_ABI_MPI_H  // the file is also compiled by itself
#define COMMPROF_MPI_ABI_MPI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// clang-format off
typedef intptr_t MPI_Aint;
typedef int64_t MPI_Offset;
typedef int64_t MPI_Count;

// Handles: small integers if predefined, else addresses.
typedef struct MPI_ABI_Comm* MPI_Comm;
typedef struct MPI_ABI_Datatype* MPI_Datatype;
typedef struct MPI_ABI_Errhandler* MPI_Errhandler;
typedef struct MPI_ABI_File* MPI_File;
typedef struct MPI_ABI_Group* MPI_Group;
typedef struct MPI_ABI_Info* MPI_Info;
typedef struct MPI_ABI_Message* MPI_Message;
typedef struct MPI_ABI_Op* MPI_Op;
typedef struct MPI_ABI_Request* MPI_Request;
typedef struct MPI_ABI_Session* MPI_Session;
typedef struct MPI_ABI_Win* MPI_Win;

// Each MPI keeps the count and whether the operation was cancelled elsewhere in the last member.
typedef struct {
  int MPI_SOURCE, MPI_TAG, MPI_ERROR;
  int MPI_internal[5];
} MPI_Status;

// Functions of the program that MPI calls.
typedef int MPI_Comm_copy_attr_function(MPI_Comm, int, void*, void*, void*, int*);
typedef int MPI_Comm_delete_attr_function(MPI_Comm, int, void*, void*);
typedef void MPI_Comm_errhandler_function(MPI_Comm*, int*, ...);
typedef void MPI_File_errhandler_function(MPI_File*, int*, ...);
typedef void MPI_Win_errhandler_function(MPI_Win*, int*, ...);
typedef void MPI_Session_errhandler_function(MPI_Session*, int*, ...);
// clang-format on

#include "calls.h"
#include "constants.h"

#ifdef __cplusplus
}
#endif

#endif
