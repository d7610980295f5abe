// A program that repeats calls many times: after a tenth of each loop the memory of the process must not grow any more.
// It prints the growth in bytes for each loop; memory.py compares that with the growth without the profiler.
//
// All messages are from one process to itself, so nothing but MPI and the profiler can grow.
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "workload.hpp"

namespace {

// Chooses the number of calls. In a plain run of the tests, a leak in a fifth of the calls would still exceed the
// bound.
std::uint64_t many(std::uint64_t calls) {
  char const* const is_long = std::getenv("TEST_LONG");
  return is_long != nullptr && std::string(is_long) == "1" ? calls : calls / 5;
}

int out = 0, in = 0;

long resident_bytes() {
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  long total = 0, resident = 0;
  if (file == nullptr || std::fscanf(file, "%ld %ld", &total, &resident) != 2) std::abort();
  std::fclose(file);
  return resident * sysconf(_SC_PAGESIZE);
}

template <class Body>
void loop(char const* name, std::uint64_t times, Body const& body) {
  for (std::uint64_t i = 0; i < times / 10; ++i) body();
  long const before = resident_bytes();
  for (std::uint64_t i = times / 10; i < times; ++i) body();
  std::printf("%s %ld\n", name, resident_bytes() - before);
  std::fflush(stdout);
}

void requests() {
  // These requests stay in the table while all others come and go; on another communicator, so that MPI does not
  // compare messages with them.
  constexpr std::uint64_t n = 1000;
  for (std::uint64_t i = 0; i < n; ++i) {
    MPI_Request forgotten;
    MPI_Irecv(&in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &forgotten);
    MPI_Isend(&out, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF, &forgotten);
  }
  loop("nonblocking", many(1000000), [] {
    MPI_Request receive, send;
    MPI_Irecv(&in, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &receive);
    MPI_Isend(&out, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &send);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
  });
  loop("persistent", many(300000), [] {
    MPI_Request requests[2];
    MPI_Recv_init(&in, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(&out, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (MPI_Request& request : requests) MPI_Request_free(&request);
  });
  loop("freed_while_active", many(200000), [] {
    MPI_Request receive, send;
    MPI_Irecv(&in, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &receive);
    MPI_Request_free(&receive);
    MPI_Isend(&out, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &send);
    MPI_Request_free(&send);
  });
  loop("matched_probes", many(200000), [] {
    MPI_Request send;
    MPI_Message message;
    MPI_Isend(&out, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &send);
    MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(&in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
  });
}

void objects(char const* path) {
  loop("communicators", many(300000), [] {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_free(&comm);
  });
  // The messages of these communicators arrive when the communicators are freed and others have their handles.
  loop("communicators_freed_while_pending", 50000, [] {
    MPI_Comm comm, next;
    MPI_Request requests[2];
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Irecv(&in, 1, MPI_INT, 0, 0, comm, &requests[0]);
    MPI_Isend(&out, 1, MPI_INT, 0, 0, comm, &requests[1]);
    MPI_Comm_free(&comm);
    MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &next);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Comm_free(&next);
  });
  loop("windows", 20000, [] {
    void* memory = nullptr;
    MPI_Win window;
    MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_free(&window);
  });
  loop("files", 3000, [path] {
    MPI_File file;
    MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_close(&file);
  });
  loop("groups_and_infos", many(300000), [] {
    MPI_Group group;
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Group_free(&group);
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_free(&info);
  });
  loop("threads", 10000,
       [] { std::thread([] { MPI_Send(&out, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD); }).join(); });
}

// Two communicators: the second one shares its record with others.
void names() {
  MPI_Comm own, folded;
  MPI_Comm_dup(MPI_COMM_SELF, &own);
  MPI_Comm_dup(MPI_COMM_WORLD, &folded);
  int step = 0;
  loop("names", many(1000000), [&] {
    std::string const name = "a step with a long name, number " + std::to_string(++step);
    MPI_Comm_set_name(own, name.c_str());
    MPI_Comm_set_name(folded, name.c_str());
  });
}

}  // namespace

// memory FILE: a file that may be opened.
int main(int argc, char** argv) {
  // The kernel may replace a few pages by a huge one at any time, which then counts as a growth of two MiB.
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  requests();
  objects(argv[1]);
  names();
  return workload::finish();
}
