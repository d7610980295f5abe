// A program that uses much of MPI and of the profiler, and whose output depends on the data that it received and on
// nothing else: what it prints and returns is to be the same however the profiler fares.
//
//   workload [--exit CODE] [--flush] [--remove DIRECTORY] [--no-descriptors] [--late RANK SECONDS]
//
// flush: asks for snapshots on the way. remove: rank 0 removes the directory and what is in it before MPI_Finalize.
// no-descriptors: no more files can be opened from then on. late: the rank comes to MPI_Finalize so much later.
#include <commprof/commprof.h>
#include <mpi.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace {

std::uint64_t checksum = 14695981039346656037U;  // FNV-1a of all received data

void take(int value) { checksum = (checksum ^ static_cast<std::uint32_t>(value)) * 1099511628211U; }

struct Here {
  int rank, size;
};
Here in(MPI_Comm comm) {
  Here here{};
  MPI_Comm_rank(comm, &here.rank);
  MPI_Comm_size(comm, &here.size);
  return here;
}

// Each process sends its successor messages of many sizes, all pending at once.
void messages(MPI_Comm comm, int number, int step) {
  auto const [rank, size] = in(comm);
  std::vector<std::vector<int>> out, into;
  std::vector<MPI_Request> requests;
  for (int i = 0; i < number; ++i) {
    auto const length = static_cast<std::size_t>(i * step % 700);
    out.emplace_back(length, rank * 1000 + i);
    into.emplace_back(length, -1);
  }
  for (int i = 0; i < number; ++i) {
    auto const at = static_cast<std::size_t>(i);
    int const length = static_cast<int>(out[at].size());
    requests.resize(requests.size() + 2);
    MPI_Irecv(into[at].data(), length, MPI_INT, (rank + size - 1) % size, i, comm, &requests[requests.size() - 2]);
    MPI_Isend(out[at].data(), length, MPI_INT, (rank + 1) % size, i, comm, &requests[requests.size() - 1]);
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  for (auto const& message : into) take(std::accumulate(message.begin(), message.end(), 0));
}

void collectives(MPI_Comm comm) {
  auto const [rank, size] = in(comm);
  std::vector<int> all(static_cast<std::size_t>(size));
  int sum = rank, root = rank;
  MPI_Allgather(&rank, 1, MPI_INT, all.data(), 1, MPI_INT, comm);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  MPI_Bcast(&root, 1, MPI_INT, size - 1, comm);
  MPI_Request barrier;
  MPI_Ibarrier(comm, &barrier);
  MPI_Wait(&barrier, MPI_STATUS_IGNORE);
  take(std::accumulate(all.begin(), all.end(), 0) + 7 * sum + 31 * root);
}

void persistent(MPI_Comm comm) {
  auto const [rank, size] = in(comm);
  int out = rank, into = -1;
  MPI_Request requests[2];
  MPI_Send_init(&out, 1, MPI_INT, (rank + 1) % size, 0, comm, &requests[0]);
  MPI_Recv_init(&into, 1, MPI_INT, (rank + size - 1) % size, 0, comm, &requests[1]);
  for (int i = 0; i < 3; ++i) {
    out = rank + i;
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    take(into);
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

void matched(MPI_Comm comm) {
  auto const [rank, size] = in(comm);
  int into = -1;
  MPI_Request request;
  MPI_Message message;
  MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % size, 1, comm, &request);
  MPI_Mprobe((rank + size - 1) % size, 1, comm, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(&into, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  take(into);
}

void window(MPI_Comm comm) {
  auto const [rank, size] = in(comm);
  int* memory = nullptr;
  MPI_Win win;
  MPI_Win_allocate(4096, sizeof(int), MPI_INFO_NULL, comm, &memory, &win);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, (rank + 1) % size, 0, win);
  MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
  MPI_Win_unlock((rank + 1) % size, win);
  MPI_Barrier(comm);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
  take(*memory);
  MPI_Win_unlock(rank, win);
  MPI_Win_free(&win);
}

void use(MPI_Comm comm) {
  messages(comm, 6, 37);
  collectives(comm);
  persistent(comm);
  matched(comm);
}

// Creates communicators of every kind whose members have to agree on something.
void communicators() {
  auto const [rank, size] = in(MPI_COMM_WORLD);
  for (int i = 0; i < 6; ++i) {
    MPI_Comm comm, half;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_split(comm, rank % 2, rank, &half);
    if (i % 3 == 0) use(comm), use(half);
    MPI_Group group;
    MPI_Comm_group(comm, &group);
    int const last[1][3] = {{i % size, size - 1, 1}};
    MPI_Group members;
    MPI_Group_range_incl(group, 1, const_cast<int(*)[3]>(last), &members);
    MPI_Comm some = MPI_COMM_NULL;
    if (rank >= i % size) MPI_Comm_create_group(comm, members, i, &some);
    if (some != MPI_COMM_NULL) {
      collectives(some);
      MPI_Comm_free(&some);
    }
    MPI_Group_free(&members);
    MPI_Group_free(&group);
    if (size > 1) {
      MPI_Comm both, merged;
      MPI_Intercomm_create(half, 0, comm, 1 - rank % 2, 5, &both);
      MPI_Intercomm_merge(both, rank % 2, &merged);
      collectives(merged);
      MPI_Comm_free(&both);
      MPI_Comm_free(&merged);
    }
    MPI_Comm_free(&half);
    MPI_Comm_free(&comm);
  }
}

// Work of a single process, which needs no other to be scheduled: many records, on communicators and in regions of its
// own.
void alone() {
  for (int i = 0; i < 100; ++i) {
    commprof_region_begin(("part " + std::to_string(i)).c_str());
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    messages(comm, 12, 37);
    collectives(comm);
    MPI_Comm_free(&comm);
    commprof_region_end(NULL);
  }
}

// Calls from threads, one after the other.
void threads() {
  for (int i = 0; i < 2; ++i) {
    std::thread([] {
      MPI_Comm comm;
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      use(comm);
      MPI_Comm_free(&comm);
    }).join();
  }
}

void forbid_descriptors() {
  int const next = dup(STDOUT_FILENO);
  close(next);
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = static_cast<rlim_t>(next);
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0, exit_code = 0, late_rank = -1;
  unsigned late_s = 0;
  bool flushes = false, forbids_descriptors = false;
  std::string removed;
  for (int i = 1; i < argc; ++i) {
    std::string const option = argv[i];
    if (option == "--flush") flushes = true;
    else if (option == "--no-descriptors") forbids_descriptors = true;
    else if (option == "--exit") exit_code = std::atoi(argv[++i]);
    else if (option == "--remove") removed = argv[++i];
    else if (option == "--late")
      late_rank = std::atoi(argv[i + 1]), late_s = static_cast<unsigned>(std::atoi(argv[i + 2])), i += 2;
  }
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  auto const [rank, size] = in(MPI_COMM_WORLD);
  use(MPI_COMM_WORLD);
  if (flushes) commprof_flush(NULL);
  messages(MPI_COMM_WORLD, 1500, 11);
  alone();
  communicators();
  if (flushes) commprof_flush(NULL);
  window(MPI_COMM_WORLD);
  if (provided == MPI_THREAD_MULTIPLE) threads();
  std::vector<std::uint64_t> sums(static_cast<std::size_t>(size));
  MPI_Gather(&checksum, 1, MPI_UINT64_T, sums.data(), 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    for (std::uint64_t const sum : sums) std::printf("%016llx\n", static_cast<unsigned long long>(sum));
    std::fflush(stdout);
    if (!removed.empty()) std::filesystem::remove_all(removed);
  }
  if (forbids_descriptors) forbid_descriptors();
  if (rank == late_rank) sleep(late_s);
  MPI_Finalize();
  return exit_code;
}
