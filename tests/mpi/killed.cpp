// killed HOW WHO DIRECTORY: the process of rank WHO, or all for -1, ends without MPI_Finalize. Each process first
// writes its calls so far to DIRECTORY/RANK.csv: comm,op,calls,bytes_sent,bytes_received.
#include <fmt/format.h>
#include <mpi.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

struct Counts {
  int calls = 0, sent = 0, received = 0;
};
std::map<std::pair<std::string, std::string>, Counts> tally;

void count(char const* comm, char const* op, int sent = 0, int received = 0) {
  Counts& counts = tally[{comm, op}];
  ++counts.calls;
  counts.sent += sent;
  counts.received += received;
}

void write_tally(std::string const& path) {
  std::FILE* const file = std::fopen(path.c_str(), "w");
  if (file == nullptr) std::abort();
  fmt::print(file, "comm,op,calls,bytes_sent,bytes_received\n");
  for (auto const& [key, counts] : tally)
    fmt::print(file, "{},{},{},{},{}\n", key.first, key.second, counts.calls, counts.sent, counts.received);
  std::fclose(file);
}

[[noreturn]] void use_up_memory() {
  rlimit const little{std::size_t{1} << 20, std::size_t{1} << 20};
  setrlimit(RLIMIT_AS, &little);
  std::vector<std::vector<char>> all;
  for (;;) all.emplace_back(std::size_t{1} << 24, 'x');  // ends in std::terminate
}

[[noreturn]] void come_to_an_end(std::string_view how) {
  if (how == "kill") raise(SIGKILL);
  if (how == "segv") raise(SIGSEGV);
  if (how == "exit") std::exit(3);
  if (how == "abort") MPI_Abort(MPI_COMM_WORLD, 4);
  if (how == "memory") use_up_memory();
  for (;;) pause();  // another process ends this one
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  count("W", "Comm_split");
  std::string const name = fmt::format("W_s1.{}", rank % 2);
  int const right = (rank + 1) % size, left = (rank + size - 1) % size;
  std::vector<int> out(100, rank), in(100);
  for (int i = 0; i < 50 + rank; ++i) {
    MPI_Request request;
    MPI_Irecv(in.data(), i, MPI_INT, MPI_PROC_NULL, 0, half, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    count(name.c_str(), "Irecv");
    count(name.c_str(), "Wait");
  }
  for (int i = 0; i < 50; ++i) {
    MPI_Sendrecv(out.data(), 2 * i, MPI_INT, right, 1, in.data(), 100, MPI_INT, left, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    count("W", "Sendrecv", 8 * i, 8 * i);
  }
  // These requests are never completed, but the calls that issued them have returned.
  MPI_Request never[2];
  MPI_Irecv(in.data(), 7, MPI_INT, left, 99, MPI_COMM_WORLD, &never[0]);
  count("W", "Irecv");
  MPI_Isend(out.data(), 5, MPI_INT, right, 98, MPI_COMM_WORLD, &never[1]);
  count("W", "Isend", 20);
  MPI_Allreduce(out.data(), in.data() + 50, 3, MPI_INT, MPI_SUM, half);
  count(name.c_str(), "Allreduce", 12);
  MPI_Barrier(MPI_COMM_WORLD);
  count("W", "Barrier");
  write_tally(fmt::format("{}/{}.csv", argv[3], rank));
  int const who = std::atoi(argv[2]);
  PMPI_Barrier(MPI_COMM_WORLD);  // unseen by the profiler: afterwards all have written their file
  if (who < 0 || who == rank) come_to_an_end(argv[1]);
  MPI_Recv(in.data(), 1, MPI_INT, who, 97, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // never ends
}
