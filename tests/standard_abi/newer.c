// A program of one process that uses a session and the calls that MPI 4.1 and 5.0 have added. check.py knows what of it
// is counted.
#include <stdio.h>

#include "mpi.h"

int main(void) {
  MPI_Session session;
  MPI_Init(NULL, NULL);
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  MPI_Group group;
  MPI_Comm all;
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "all", MPI_INFO_NULL, MPI_ERRORS_RETURN, &all);
  MPI_Group_free(&group);

  static char buffer[1024];
  char* detached = NULL;
  int size = 0, failures = 0;
  MPI_Request request;
  MPI_Buffer_attach(buffer, sizeof buffer);
  MPI_Buffer_flush();
  MPI_Buffer_iflush(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Buffer_detach(&detached, &size);
  failures += detached != buffer || size != sizeof buffer;
  MPI_Comm_attach_buffer(all, buffer, sizeof buffer);
  MPI_Comm_flush_buffer(all);
  MPI_Comm_iflush_buffer(all, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_detach_buffer(all, &detached, &size);
  MPI_Session_attach_buffer(session, buffer, sizeof buffer);
  MPI_Session_flush_buffer(session);
  MPI_Session_iflush_buffer(session, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Session_detach_buffer(session, &detached, &size);
  failures += detached != buffer || size != sizeof buffer;

  double sent[3] = {1, 2, 3}, received[3];
  MPI_Request requests[2];
  MPI_Status statuses[2];
  int flag = 1, index = 0, indices[2], completed = 1;
  MPI_Irecv(received, 3, MPI_DOUBLE, 0, 5, all, &requests[0]);
  requests[1] = MPI_REQUEST_NULL;
  MPI_Request_get_status_all(2, requests, &flag, statuses);
  failures += flag;
  MPI_Request_get_status_any(2, requests, &index, &flag, statuses);
  failures += flag;
  MPI_Request_get_status_some(2, requests, &completed, indices, statuses);
  failures += completed;
  MPI_Send(sent, 3, MPI_DOUBLE, 0, 5, all);
  MPI_Request_get_status_all(2, requests, &flag, statuses);
  failures += !flag || statuses[0].MPI_TAG != 5;
  MPI_Request_get_status_any(2, requests, &index, &flag, statuses);
  failures += !flag || index != 0;
  MPI_Request_get_status_some(2, requests, &completed, indices, statuses);
  failures += completed != 1 || indices[0] != 0;
  MPI_Waitall(2, requests, statuses);
  failures += received[2] != sent[2];

  // No call may get the new communicator before its request is complete: the stand-in ends the program then.
  MPI_Comm copy;
  MPI_Comm_idup(all, &copy, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(copy);
  MPI_Comm_free(&copy);

  // These are not counted.
  int major = 0, minor = 0, source = 0, tag = 0, error = 0;
  MPI_Info info;
  MPI_Datatype pair;
  MPI_Abi_get_version(&major, &minor);
  MPI_Abi_get_info(&info);
  MPI_Get_hw_resource_info(&info);
  MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &pair);
  MPI_Status_set_source(statuses, 3);
  MPI_Status_set_tag(statuses, 4);
  MPI_Status_set_error(statuses, MPI_ERR_OTHER);
  MPI_Status_get_source(statuses, &source);
  MPI_Status_get_tag(statuses, &tag);
  MPI_Status_get_error(statuses, &error);
  failures += source != 3 || tag != 4 || error != MPI_ERR_OTHER;
  MPI_Remove_error_string(MPI_ERR_LASTCODE + 2);
  MPI_Remove_error_code(MPI_ERR_LASTCODE + 2);
  MPI_Remove_error_class(MPI_ERR_LASTCODE + 1);

  MPI_Comm_free(&all);
  MPI_Session_finalize(&session);
  MPI_Finalize();
  printf("ABI %d.%d, %d failures\n", major, minor, failures);
  return failures != 0;
}
