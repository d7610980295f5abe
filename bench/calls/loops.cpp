// Loops of single MPI calls, each printed with the nanoseconds that one iteration takes.
//
//   bench_loops [single|multiple|threads N]      on 1 process; multiple: under MPI_THREAD_MULTIPLE
//   bench_loops pingpong                         on 2 processes: the time of a message one way
//
// A loop runs in short batches, and the median of them is printed. One process alone measures the processor time of its
// thread, which does not pass while somebody else has the core; the ping-pong has to take the time that passes.
#include <mpi.h>
#include <x86intrin.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <numeric>
#include <string_view>
#include <thread>
#include <vector>

namespace {

double now_ns(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return 1e9 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec);
}

struct Batches {
  int batches;
  int iterations;
  clockid_t clock = CLOCK_THREAD_CPUTIME_ID;
};
constexpr Batches quick_calls{200, 2000};
constexpr Batches slow_calls{200, 50};
// Together fewer than COMMPROF_MAX_COMMS, so that each communicator is one of its own and does not share a record.
constexpr Batches few_communicators{20, 20};

// body is called with the number of the iteration within the batch.
template <class Body>
double ns_per_iteration(Batches plan, Body body) {
  std::vector<double> times;
  for (int batch = 0; batch < plan.batches; ++batch) {
    double const start = now_ns(plan.clock);
    for (int i = 0; i < plan.iterations; ++i) body(i);
    times.push_back((now_ns(plan.clock) - start) / plan.iterations);
  }
  std::nth_element(times.begin(), times.begin() + plan.batches / 2, times.end());
  return times[static_cast<std::size_t>(plan.batches) / 2];
}

template <class Body>
void measure(char const* loop, Batches plan, Body body, double per = 1) {
  std::printf("%s %.3f\n", loop, ns_per_iteration(plan, body) / per);
}

template <std::size_t N>
std::array<MPI_Comm, N> duplicates(MPI_Comm comm) {
  std::array<MPI_Comm, N> made;
  for (MPI_Comm& one : made) MPI_Comm_dup(comm, &one);
  return made;
}

double buffer, sum;

void send_to_nobody(MPI_Comm comm) { MPI_Send(&buffer, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, comm); }

void receive_and_wait(MPI_Comm comm) {
  MPI_Request request;
  MPI_Irecv(&buffer, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// N receives and N sends to oneself, completed together.
template <int N>
void exchange_with_self(MPI_Comm comm) {
  static std::array<double, 2 * N> data;
  std::array<MPI_Request, 2 * N> requests;
  for (int i = 0; i < N; ++i) MPI_Irecv(&data[i], 1, MPI_DOUBLE, 0, i, comm, &requests[i]);
  for (int i = N; i < 2 * N; ++i) MPI_Isend(&data[i], 1, MPI_DOUBLE, 0, i - N, comm, &requests[i]);
  MPI_Waitall(2 * N, requests.data(), MPI_STATUSES_IGNORE);
}

// What the profiler adds is given in units of this.
void stamp_pair() {
  std::uint64_t ticks = 0;
  measure("stamps", quick_calls, [&](int) {
    std::uint64_t const start = __rdtsc();
    ticks += __rdtsc() - start;
  });
  if (ticks == 0) std::puts("# the time stamp counter stands still");
}

void common_calls(std::array<MPI_Comm, 64> const& comms) {
  measure("send", quick_calls, [](int) { send_to_nobody(MPI_COMM_WORLD); });
  measure("bcast", quick_calls, [](int) { MPI_Bcast(&buffer, 1, MPI_DOUBLE, 0, MPI_COMM_SELF); });
  measure("allreduce", quick_calls,
          [&](int) { MPI_Allreduce(&buffer, &sum, 1, MPI_DOUBLE, MPI_SUM, comms[0]); });
  measure("send_64_comms", quick_calls, [&](int i) { send_to_nobody(comms[static_cast<std::size_t>(i) % 64]); });
  measure("irecv_wait", quick_calls, [](int) { receive_and_wait(MPI_COMM_WORLD); });
  measure("irecv_isend_waitall", quick_calls, [](int) { exchange_with_self<1>(MPI_COMM_WORLD); });
}

void calls_that_find_nothing() {
  MPI_Request request;
  int found;
  MPI_Irecv(&buffer, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &request);
  measure("test", quick_calls, [&](int) { MPI_Test(&request, &found, MPI_STATUS_IGNORE); });
  MPI_Send(&sum, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  measure("iprobe", quick_calls, [&](int) { MPI_Iprobe(0, 1, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE); });
}

void creations(MPI_Comm dup_parent, MPI_Comm split_parent) {
  auto const dup_and_free = [&](int) {
    MPI_Comm made;
    MPI_Comm_dup(dup_parent, &made);
    MPI_Comm_free(&made);
  };
  measure("dup_free", few_communicators, dup_and_free);
  measure("split_free", few_communicators, [&](int) {
    MPI_Comm made;
    MPI_Comm_split(split_parent, 0, 0, &made);
    MPI_Comm_free(&made);
  });
  for (int i = 0; i < 1000; ++i) dup_and_free(i);
  measure("dup_free_folded", few_communicators, dup_and_free);
}

void all_loops() {
  std::array<MPI_Comm, 64> const comms = duplicates<64>(MPI_COMM_SELF);
  stamp_pair();
  common_calls(comms);
  measure("window", slow_calls, [](int) { exchange_with_self<64>(MPI_COMM_WORLD); }, 128);
  calls_that_find_nothing();
  creations(comms[0], comms[1]);
}

// Threads side by side, each on a communicator of its own; prints the mean over the threads.
void on_threads(std::size_t count) {
  std::array<MPI_Comm, 64> const comms = duplicates<64>(MPI_COMM_SELF);
  std::vector<double> sends(count), receives(count);
  std::atomic<std::size_t> ready = 0;
  auto const thread = [&](std::size_t i) {
    ready++;
    while (ready < count) std::this_thread::yield();
    sends[i] = ns_per_iteration(quick_calls, [&](int) { send_to_nobody(comms[i]); });
    receives[i] = ns_per_iteration(quick_calls, [&](int) { receive_and_wait(comms[i]); });
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < count; ++i) threads.emplace_back(thread, i);
  for (std::thread& one : threads) one.join();
  auto const mean = [](std::vector<double> const& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  };
  std::printf("send %.3f\nirecv_wait %.3f\n", mean(sends), mean(receives));
}

void ping_pong() {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  auto const round_trip = [&](int) {
    if (rank == 0) MPI_Send(&buffer, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(&buffer, 1, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(&buffer, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
  };
  double const ns = ns_per_iteration({500, 500, CLOCK_MONOTONIC}, round_trip) / 2;
  if (rank == 0) std::printf("pingpong %.3f\n", ns);
}

}  // namespace

int main(int argc, char** argv) {
  std::string_view const mode = argc > 1 ? argv[1] : "single";
  bool const multiple = mode == "multiple" || mode == "threads";
  int const wanted = multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
  int provided = MPI_THREAD_SINGLE;
  if (multiple) MPI_Init_thread(&argc, &argv, wanted, &provided);
  else MPI_Init(&argc, &argv);
  if (provided < wanted) std::puts("# this MPI has no MPI_THREAD_MULTIPLE");

  if (mode == "single") all_loops();
  else if (mode == "multiple") common_calls(duplicates<64>(MPI_COMM_SELF));
  else if (mode == "threads") on_threads(argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 4);
  else if (mode == "pingpong") ping_pong();
  MPI_Finalize();
}
