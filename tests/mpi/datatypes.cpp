// Derived datatypes: counted are the bytes of the data, whatever gaps lie between them in memory.
#include <cstddef>
#include <vector>

#include "workload.hpp"

using workload::require;
using workload::Ring;

namespace {

struct Mixed {  // 4 + 8 + 1 bytes of data within 24
  int i;
  double d;
  char c;
};

MPI_Datatype vector_of_ints() {  // 3 blocks of 2 of every 5 ints: 24 bytes of data
  MPI_Datatype type;
  MPI_Type_vector(3, 2, 5, MPI_INT, &type);
  return type;
}

MPI_Datatype mixed_struct() {
  int const lengths[] = {1, 1, 1};
  MPI_Aint const places[] = {offsetof(Mixed, i), offsetof(Mixed, d), offsetof(Mixed, c)};
  MPI_Datatype const types[] = {MPI_INT, MPI_DOUBLE, MPI_CHAR};
  MPI_Datatype packed, type;
  MPI_Type_create_struct(3, lengths, places, types, &packed);
  MPI_Type_create_resized(packed, 0, sizeof(Mixed), &type);
  MPI_Type_free(&packed);
  return type;
}

MPI_Datatype resized_int() {  // an int of every 64 bytes
  MPI_Datatype type;
  MPI_Type_create_resized(MPI_INT, 0, 64, &type);
  return type;
}

MPI_Datatype empty() {
  MPI_Datatype type;
  MPI_Type_contiguous(0, MPI_INT, &type);
  return type;
}

MPI_Datatype nested() {  // 2 of the vectors above, 100 bytes apart: 48 bytes of data
  MPI_Datatype inner = vector_of_ints(), type;
  MPI_Type_create_hvector(2, 1, 100, inner, &type);
  MPI_Type_free(&inner);
  return type;
}

// Sends so many elements of a type around the ring in all ways of receiving.
void exchange(Ring const& comm, MPI_Datatype type, int count, bool is_empty) {
  constexpr int tag = 5;
  std::vector<char> out(8192), in(8192);
  MPI_Request request;
  MPI_Status status;

  MPI_Isend(out.data(), count, type, comm.right(), tag, comm.handle, &request);
  MPI_Recv(in.data(), count + 3, type, comm.left(), tag, comm.handle, &status);
  int elements = -1;
  MPI_Get_count(&status, type, &elements);
  require(elements == (is_empty ? 0 : count), "a status has the wrong count");
  MPI_Wait(&request, MPI_STATUS_IGNORE);

  MPI_Irecv(in.data(), count, type, comm.left(), tag, comm.handle, &request);
  MPI_Send(out.data(), count, type, comm.right(), tag, comm.handle);
  MPI_Wait(&request, MPI_STATUS_IGNORE);

  MPI_Sendrecv(out.data(), count, type, comm.right(), tag, in.data(), count, type, comm.left(), tag, comm.handle,
               MPI_STATUS_IGNORE);

  // A collective that moves the type from process 0.
  MPI_Bcast(out.data(), count, type, 0, comm.handle);
}

// Sent with one type, received with another one of the same signature: both sides count the same.
void convert(Ring const& comm) {
  std::vector<int> out(100), in(100);
  MPI_Datatype vector = vector_of_ints();
  MPI_Type_commit(&vector);
  MPI_Request request;
  MPI_Isend(out.data(), 2, vector, comm.right(), 0, comm.handle, &request);
  MPI_Recv(in.data(), 100, MPI_INT, comm.left(), 0, comm.handle, MPI_STATUS_IGNORE);
  MPI_Type_free(&vector);  // as a program may while a request that uses it is pending
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// A type freed before its receive completes, and part of an element arriving: 7 of 12 ints.
void receive_part(Ring const& comm) {
  std::vector<int> out(100), in(100);
  MPI_Datatype vector = vector_of_ints();
  MPI_Type_commit(&vector);
  MPI_Request request;
  MPI_Irecv(in.data(), 2, vector, comm.left(), 0, comm.handle, &request);
  MPI_Type_free(&vector);
  MPI_Send(out.data(), 7, MPI_INT, comm.right(), 0, comm.handle);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// Absolute addresses, relative to MPI_BOTTOM.
void send_from_bottom(Ring const& comm) {
  std::vector<double> out(10), in(10);
  MPI_Datatype sent, received;
  MPI_Aint places[2];
  int const lengths[2] = {3, 4};
  auto const absolute = [&](std::vector<double>& data, MPI_Datatype& type) {
    MPI_Get_address(&data[0], &places[0]);
    MPI_Get_address(&data[5], &places[1]);
    MPI_Type_create_hindexed(2, lengths, places, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
  };
  absolute(out, sent);
  absolute(in, received);
  MPI_Sendrecv(MPI_BOTTOM, 1, sent, comm.right(), 0, MPI_BOTTOM, 1, received, comm.left(), 0, comm.handle,
               MPI_STATUS_IGNORE);
  MPI_Type_free(&sent);
  MPI_Type_free(&received);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  struct Case {
    MPI_Datatype type;
    bool derived = true, is_empty = false;
  };
  Case const cases[] = {{vector_of_ints()}, {mixed_struct()},        {resized_int()},   {empty(), true, true},
                        {nested()},         {MPI_DOUBLE_INT, false}, {MPI_BYTE, false}, {MPI_LONG_DOUBLE, false}};
  for (Case one : cases)
    if (one.derived) MPI_Type_commit(&one.type);
  for (Ring const& comm : {Ring(MPI_COMM_WORLD), Ring(MPI_COMM_SELF)}) {
    for (Case const& one : cases)
      for (int const count : {0, 1, 10}) exchange(comm, one.type, count, one.is_empty);
    convert(comm);
    receive_part(comm);
    send_from_bottom(comm);
  }
  for (Case one : cases)
    if (one.derived) MPI_Type_free(&one.type);
  return workload::finish();
}
