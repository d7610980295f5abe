/* Open MPI 5.0.10, whose MPI_Testall masks errors if it is given real statuses, and reports success as an error. */
#include <dlfcn.h>
#include <mpi.h>
#include <string.h>

int PMPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  static int (*next)(int, MPI_Request*, int*, MPI_Status*);
  if (next == NULL) {
    void* const symbol = dlsym(RTLD_NEXT, "PMPI_Testall");
    memcpy(&next, &symbol, sizeof next);
  }
  int const result = next(count, requests, flag, statuses);
  if (statuses == MPI_STATUSES_IGNORE) return result;
  if (result == MPI_ERR_IN_STATUS) return MPI_SUCCESS;
  return result == MPI_SUCCESS && *flag ? MPI_ERR_IN_STATUS : result;
}

int PMPI_Get_library_version(char* version, int* length) {
  strcpy(version, "Open MPI v5.0.10, package: Open MPI stand-in");
  *length = (int)strlen(version);
  return MPI_SUCCESS;
}
