/* Open MPI 5.0.10, whose MPI_Testall masks errors if it is given real statuses, and reports success as an error.
 * Messages arrive late: who asks for a request a first time learns that it is not complete. */
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

int PMPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  static int (*next)(MPI_Request, int*, MPI_Status*);
  static int asked;
  if (next == NULL) {
    void* const symbol = dlsym(RTLD_NEXT, "PMPI_Request_get_status");
    memcpy(&next, &symbol, sizeof next);
  }
  if (asked++ % 2 == 0) return *flag = 0, MPI_SUCCESS;
  return next(request, flag, status);
}

int PMPI_Get_library_version(char* version, int* length) {
  strcpy(version, "Open MPI v5.0.10, package: Open MPI stand-in");
  *length = (int)strlen(version);
  return MPI_SUCCESS;
}
