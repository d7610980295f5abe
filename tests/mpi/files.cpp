// MPI-IO: each operation counts on the communicator that the file was opened on, with the bytes that it read or wrote.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "profile_test.hpp"

using profile_test::bytes;
using profile_test::ProfileTest;

namespace {

constexpr int count = 10;

struct Program {
  ProfileTest& test;
  MPI_File file;
  std::string name;
  MPI_Offset mine;  // where this process's part of the file begins
  int data[count] = {};
  std::uint64_t const m = bytes(count, MPI_INT);

  void wrote(char const* op) { test.expect(name, op, {1, m, 0}); }
  void read(char const* op) { test.expect(name, op, {1, 0, m}); }
  void did(char const* op) { test.expect(name, op, {1, 0, 0}); }

  void blocking() {
    MPI_Status status;
    MPI_File_write_at(file, mine, data, count, MPI_INT, &status);
    wrote("File_write_at");
    MPI_File_write_at_all(file, mine, data, count, MPI_INT, MPI_STATUS_IGNORE);
    wrote("File_write_at_all");
    MPI_File_sync(file);
    did("File_sync");
    MPI_Barrier(MPI_COMM_WORLD);
    test.expect("W", "Barrier", {1, 0, 0});
    MPI_File_read_at(file, mine, data, count, MPI_INT, &status);
    read("File_read_at");
    int arrived = 0;
    MPI_Get_count(&status, MPI_INT, &arrived);
    test.require(arrived == count, "the program's status does not tell what was read");
    MPI_File_read_at_all(file, mine, data, count, MPI_INT, MPI_STATUS_IGNORE);
    read("File_read_at_all");
    MPI_File_seek(file, mine, MPI_SEEK_SET);
    MPI_File_write(file, data, count, MPI_INT, MPI_STATUS_IGNORE);
    wrote("File_write");
    MPI_File_seek(file, mine, MPI_SEEK_SET);
    MPI_File_read(file, data, count, MPI_INT, MPI_STATUS_IGNORE);
    read("File_read");
    MPI_File_seek(file, mine, MPI_SEEK_SET);
    MPI_File_write_all(file, data, count, MPI_INT, MPI_STATUS_IGNORE);
    wrote("File_write_all");
    MPI_File_seek(file, mine, MPI_SEEK_SET);
    MPI_File_read_all(file, data, count, MPI_INT, MPI_STATUS_IGNORE);
    read("File_read_all");
  }

  void nonblocking() {
    MPI_Request request;
    MPI_File_iwrite_at(file, mine, data, count, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    wrote("File_iwrite_at");
    MPI_File_iread_at(file, mine, data, count, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    read("File_iread_at");
    MPI_File_iwrite_at_all(file, mine, data, count, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    wrote("File_iwrite_at_all");
    MPI_File_iread_at_all(file, mine, data, count, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    read("File_iread_at_all");
    for (int i = 0; i < 4; ++i) did("Wait");
  }

  void split() {
    MPI_File_write_at_all_begin(file, mine, data, count, MPI_INT);
    did("File_write_at_all_begin");
    MPI_File_write_at_all_end(file, data, MPI_STATUS_IGNORE);
    wrote("File_write_at_all_end");
    MPI_File_read_at_all_begin(file, mine, data, count, MPI_INT);
    did("File_read_at_all_begin");
    MPI_File_read_at_all_end(file, data, MPI_STATUS_IGNORE);
    read("File_read_at_all_end");
  }

  void whole_file() {
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    did("File_set_view");
    MPI_File_set_atomicity(file, 0);
    did("File_set_atomicity");
    MPI_File_set_size(file, 0);
    did("File_set_size");
  }
};

}  // namespace

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  test.expect("W", "Comm_dup", {1, 0, 0});
  std::string const path = std::string(std::getenv("COMMPROF_OUTPUT")) + ".data";

  MPI_File file;
  MPI_File_open(comm, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  test.expect("W_d1", "File_open", {1, 0, 0});
  Program program{test, file, "W_d1",
                  static_cast<MPI_Offset>(test.rank * count) * static_cast<MPI_Offset>(sizeof(int))};
  program.blocking();
  program.nonblocking();
  program.split();
  program.whole_file();
  MPI_File_close(&file);
  test.expect("W_d1", "File_close", {1, 0, 0});
  return test.finish();
}
