// A call is given an invalid request beside an active persistent receive. It fails, and the receive goes on: what
// arrives later was not counted, since the receive was taken for complete, by an index or a flag that the MPI had not
// set.
//
// expect: rank=0 comm=SELF op=Start calls=7 bytes=224
// expect: rank=0 comm=SELF op=Irecv calls=1 bytes=0
// expect: run.json dropped.requests_unfinished=0 dropped.receives_freed=0
#include <mpi.h>
#include <stdio.h>

enum { size = 8 };

static int in[size], out[size];

static MPI_Request receive(int tag) {
  MPI_Request request;
  MPI_Recv_init(in, size, MPI_INT, 0, tag, MPI_COMM_SELF, &request);
  MPI_Start(&request);
  return request;
}

static void send_to(MPI_Request* request, int tag) {
  MPI_Request send;
  MPI_Status status;
  int count = 0;
  MPI_Isend(out, size, MPI_INT, 0, tag, MPI_COMM_SELF, &send);
  MPI_Wait(request, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  printf("%d: %d received\n", tag, count);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  MPI_Request_free(request);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  for (int tag = 0; tag < 6; ++tag) {
    MPI_Request requests[2] = {receive(tag), (MPI_Request)0};
    MPI_Status statuses[2] = {{0}, {0}};
    int index = 0, flag = 1, outcount = 1, indices[2] = {0, 0}, result = 0, class = 0;
    if (tag == 0) result = MPI_Waitall(2, requests, statuses);
    if (tag == 1) result = MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
    if (tag == 2) result = MPI_Waitany(2, requests, &index, statuses);
    if (tag == 3) result = MPI_Testany(2, requests, &index, &flag, MPI_STATUS_IGNORE);
    if (tag == 4) result = MPI_Waitsome(2, requests, &outcount, indices, statuses);
    if (tag == 5) result = MPI_Testsome(2, requests, &outcount, indices, MPI_STATUSES_IGNORE);
    MPI_Error_class(result, &class);
    printf("%d: fails: %d\n", tag, class == MPI_ERR_REQUEST);
    send_to(&requests[0], tag);
  }

  // A receive that has got too much beside one that has got nothing yet: MPI_ERR_PENDING, if the MPI says so at once.
  enum { truncated = 7, missing = 8 };
  MPI_Request requests[2] = {MPI_REQUEST_NULL, receive(missing)}, send;
  MPI_Isend(out, size, MPI_INT, 0, truncated, MPI_COMM_SELF, &send);
  MPI_Irecv(in, 1, MPI_INT, 0, truncated, MPI_COMM_SELF, &requests[0]);
  for (int i = 0, flag = 0; i < 3; ++i) MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
  send_to(&requests[1], missing);
  if (requests[0] != MPI_REQUEST_NULL) MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  MPI_Finalize();
}
