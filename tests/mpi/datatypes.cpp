// Derived datatypes: counted are the bytes of the data, whatever gaps lie between them in memory.
#include <cstddef>
#include <vector>

#include "profile_test.hpp"

using profile_test::NamedComm;
using profile_test::ProfileTest;

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

// Sends so many elements of a type around the ring in all ways of receiving; each moves so many bytes of data.
void exchange(ProfileTest& test, NamedComm const& comm, MPI_Datatype type, int count, std::uint64_t data) {
  constexpr int tag = 5;
  std::vector<char> out(8192), in(8192);
  MPI_Request request;
  MPI_Status status;

  MPI_Isend(out.data(), count, type, comm.right(), tag, comm.handle, &request);
  MPI_Recv(in.data(), count + 3, type, comm.left(), tag, comm.handle, &status);
  int elements = -1;
  MPI_Get_count(&status, type, &elements);
  test.require(elements == (data == 0 ? 0 : count), "a status has the wrong count");
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  test.expect(comm.name, "Isend", {1, data, 0});
  test.expect(comm.name, "Recv", {1, 0, data});
  test.expect(comm.name, "Wait", {1, 0, 0});

  MPI_Irecv(in.data(), count, type, comm.left(), tag, comm.handle, &request);
  MPI_Send(out.data(), count, type, comm.right(), tag, comm.handle);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  test.expect(comm.name, "Send", {1, data, 0});
  test.expect(comm.name, "Irecv", {1, 0, data});
  test.expect(comm.name, "Wait", {1, 0, 0});

  MPI_Sendrecv(out.data(), count, type, comm.right(), tag, in.data(), count, type, comm.left(), tag, comm.handle,
               MPI_STATUS_IGNORE);
  test.expect(comm.name, "Sendrecv", {1, data, data});

  // A collective that moves the type from process 0.
  MPI_Bcast(out.data(), count, type, 0, comm.handle);
  test.expect(comm.name, "Bcast", {1, 0, comm.rank == 0 ? 0 : data});
}

// Sent with one type, received with another one of the same signature: both sides count the same.
void convert(ProfileTest& test, NamedComm const& comm) {
  std::vector<int> out(100), in(100);
  MPI_Datatype vector = vector_of_ints();
  MPI_Type_commit(&vector);
  MPI_Request request;
  MPI_Isend(out.data(), 2, vector, comm.right(), 0, comm.handle, &request);
  MPI_Recv(in.data(), 100, MPI_INT, comm.left(), 0, comm.handle, MPI_STATUS_IGNORE);
  MPI_Type_free(&vector);  // as a program may while a request that uses it is pending
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  test.expect(comm.name, "Isend", {1, 2 * 3 * 2 * sizeof(int), 0});
  test.expect(comm.name, "Recv", {1, 0, 2 * 3 * 2 * sizeof(int)});
  test.expect(comm.name, "Wait", {1, 0, 0});
}

// A type freed before its receive completes, and part of an element arriving: 7 of 12 ints.
void receive_part(ProfileTest& test, NamedComm const& comm) {
  std::vector<int> out(100), in(100);
  MPI_Datatype vector = vector_of_ints();
  MPI_Type_commit(&vector);
  MPI_Request request;
  MPI_Irecv(in.data(), 2, vector, comm.left(), 0, comm.handle, &request);
  MPI_Type_free(&vector);
  MPI_Send(out.data(), 7, MPI_INT, comm.right(), 0, comm.handle);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  test.expect(comm.name, "Irecv", {1, 0, 7 * sizeof(int)});
  test.expect(comm.name, "Send", {1, 7 * sizeof(int), 0});
  test.expect(comm.name, "Wait", {1, 0, 0});
}

// Absolute addresses, relative to MPI_BOTTOM.
void send_from_bottom(ProfileTest& test, NamedComm const& comm) {
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
  test.expect(comm.name, "Sendrecv", {1, 7 * sizeof(double), 7 * sizeof(double)});
  MPI_Type_free(&sent);
  MPI_Type_free(&received);
}

}  // namespace

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv);
  struct Case {
    MPI_Datatype type;
    bool derived;
    std::uint64_t data;  // of one element
  };
  Case const cases[] = {{vector_of_ints(), true, 24}, {mixed_struct(), true, 13},
                        {resized_int(), true, 4},     {empty(), true, 0},
                        {nested(), true, 48},         {MPI_DOUBLE_INT, false, 12},
                        {MPI_BYTE, false, 1},         {MPI_LONG_DOUBLE, false, sizeof(long double)}};
  for (Case one : cases)
    if (one.derived) MPI_Type_commit(&one.type);
  for (NamedComm const& comm : {NamedComm(MPI_COMM_WORLD, "W"), NamedComm(MPI_COMM_SELF, "SELF")}) {
    for (auto const& [type, derived, data] : cases)
      for (int const count : {0, 1, 10}) exchange(test, comm, type, count, static_cast<std::uint64_t>(count) * data);
    convert(test, comm);
    receive_part(test, comm);
    send_from_bottom(test, comm);
  }
  for (Case one : cases)
    if (one.derived) MPI_Type_free(&one.type);
  test.expect_conservation();
  return test.finish();
}
