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

#include "profile_test.hpp"

using profile_test::ProfileTest;

namespace {

// Chooses the number of calls. In a plain run of the tests, a leak in a fifth of the calls would still exceed the
// bound.
std::uint64_t many(std::uint64_t calls) {
  char const* const is_long = std::getenv("TEST_LONG");
  return is_long != nullptr && std::string(is_long) == "1" ? calls : calls / 5;
}

constexpr std::uint64_t limit = 1000;  // the default of COMMPROF_MAX_COMMS
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

class Program {
 public:
  explicit Program(ProfileTest& test) : test_(test) {}

  // These requests stay in the table while all others come and go; on another communicator, so that MPI does not
  // compare messages with them.
  void forget_some() {
    constexpr std::uint64_t n = 1000;
    for (std::uint64_t i = 0; i < n; ++i) {
      MPI_Request forgotten;
      MPI_Irecv(&in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &forgotten);
      MPI_Isend(&out, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF, &forgotten);
    }
    expect("SELF", "Irecv", n);
    expect("SELF", "Isend", n);
    test_.expect_dropped("requests_unfinished", 2 * n);
  }

  void nonblocking() {
    std::uint64_t const n = many(1000000);
    loop("nonblocking", n, [] {
      MPI_Request receive, send;
      MPI_Irecv(&in, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &receive);
      MPI_Isend(&out, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &send);
      MPI_Wait(&receive, MPI_STATUS_IGNORE);
      MPI_Wait(&send, MPI_STATUS_IGNORE);
    });
    expect("W", "Irecv", n, 0, sizeof(int));
    expect("W", "Isend", n, sizeof(int));
    expect("W", "Wait", 2 * n);
  }

  void persistent() {
    std::uint64_t const n = many(300000);
    loop("persistent", n, [] {
      MPI_Request requests[2];
      MPI_Recv_init(&in, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[0]);
      MPI_Send_init(&out, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[1]);
      MPI_Startall(2, requests);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      for (MPI_Request& request : requests) MPI_Request_free(&request);
    });
    expect("W", "Recv_init", n);
    expect("W", "Send_init", n);
    expect("W", "Startall", n, sizeof(int), sizeof(int));
    expect("W", "Waitall", n);
    expect("W", "Request_free", 2 * n);
  }

  void freed_while_active() {
    std::uint64_t const n = many(200000);
    loop("freed_while_active", n, [] {
      MPI_Request receive, send;
      MPI_Irecv(&in, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &receive);
      MPI_Request_free(&receive);
      MPI_Isend(&out, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &send);
      MPI_Request_free(&send);
    });
    expect("W", "Irecv", n);
    expect("W", "Isend", n, sizeof(int));
    expect("W", "Request_free", 2 * n);
    test_.expect_dropped("receives_freed", n);
  }

  void matched_probes() {
    std::uint64_t const n = many(200000);
    loop("matched_probes", n, [] {
      MPI_Request send;
      MPI_Message message;
      MPI_Isend(&out, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &send);
      MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
      MPI_Mrecv(&in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
      MPI_Wait(&send, MPI_STATUS_IGNORE);
    });
    expect("W", "Isend", n, sizeof(int));
    expect("W", "Mprobe", n);
    expect("W", "Mrecv", n, 0, sizeof(int));
    expect("W", "Wait", n);
  }

  void communicators() {
    // a million take a minute on a busy machine; a record left behind takes 100 bytes
    std::uint64_t const n = many(300000);
    loop("communicators", n, [] {
      MPI_Comm comm;
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      MPI_Comm_free(&comm);
    });
    expect("W", "Comm_dup", n);
    for (std::uint64_t i = 1; i <= limit; ++i) {
      expect("W_d" + std::to_string(i), "Comm_free", 1);
      test_.expect_communicator("W_d" + std::to_string(i), {{"freed", "1"}});
    }
    expect("W_d*", "Comm_free", n - limit);
    folded_ += n - limit;
  }

  // The messages of these communicators arrive when the communicators are freed and others have their handles.
  void communicators_freed_while_pending() {
    constexpr std::uint64_t n = 50000;
    loop("communicators_freed_while_pending", n, [] {
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
    expect("W", "Comm_dup", n);
    expect("W", "Comm_split", n);
    expect("W_d*", "Irecv", n, 0, sizeof(int));
    expect("W_d*", "Isend", n, sizeof(int));
    expect("W_d*", "Waitall", n);
    expect("W_d*", "Comm_free", n);
    expect("W_s*", "Comm_free", n);
    folded_ += 2 * n;
  }

  void windows() {
    constexpr std::uint64_t n = 20000;
    loop("windows", n, [] {
      void* memory = nullptr;
      MPI_Win window;
      MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
      MPI_Win_free(&window);
    });
    expect("W", "Win_allocate", n);
    expect("W", "Win_free", n);
  }

  void files(char const* path) {
    constexpr std::uint64_t n = 3000;
    loop("files", n, [path] {
      MPI_File file;
      MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
      MPI_File_close(&file);
    });
    expect("SELF", "File_open", n);
    expect("SELF", "File_close", n);
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
    test_.expect_communicator("SELF_d1", {{"user_name", "a step with a long name, number " + std::to_string(step)}});
    expect("SELF", "Comm_dup", 1);
    expect("W", "Comm_dup", 1);
    ++folded_;
  }

  void attributes() {
    int first = 0, second = 0;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &first, nullptr);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &second, nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, first, nullptr);
    loop("attributes", many(1000000), [&] {
      MPI_Comm_set_attr(MPI_COMM_SELF, first, nullptr);
      MPI_Comm_set_attr(MPI_COMM_SELF, second, nullptr);
      MPI_Comm_delete_attr(MPI_COMM_SELF, second);
    });
  }

  void groups_and_infos() {
    loop("groups_and_infos", many(300000), [] {
      MPI_Group group;
      MPI_Comm_group(MPI_COMM_WORLD, &group);
      MPI_Group_free(&group);
      MPI_Info info;
      MPI_Info_create(&info);
      MPI_Info_free(&info);
    });
  }

  void threads() {
    constexpr std::uint64_t n = 10000;
    loop("threads", n,
         [] { std::thread([] { MPI_Send(&out, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD); }).join(); });
    expect("W", "Send", n);
  }

  void expect_folded() { test_.expect_folded("communicators", folded_); }

 private:
  // Expects this many calls, each of which moves these bytes.
  void expect(std::string const& comm, char const* op, std::uint64_t calls, std::uint64_t sent = 0,
              std::uint64_t received = 0) {
    test_.expect(comm, op, {calls, calls * sent, calls * received});
  }

  ProfileTest& test_;
  std::uint64_t folded_ = 0;
};

}  // namespace

// memory FILE: a file that may be opened.
int main(int argc, char** argv) {
  // The kernel may replace a few pages by a huge one at any time, which then counts as a growth of two MiB.
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
  ProfileTest test(&argc, &argv, MPI_THREAD_MULTIPLE);
  Program program(test);
  program.forget_some();
  program.nonblocking();
  program.persistent();
  program.freed_while_active();
  program.matched_probes();
  program.communicators();
  program.communicators_freed_while_pending();
  program.windows();
  program.files(argv[1]);
  program.names();
  program.attributes();
  program.groups_and_infos();
  program.threads();
  program.expect_folded();
  return test.finish();
}
