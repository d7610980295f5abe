// Loops of single MPI calls, each printed with the nanoseconds that one iteration takes, and "disturbed" if the
// processor was shared with somebody else (quiet.hpp).
//
//   bench_loops stamps                        a pair of reads of the processor's counter (counter.h), and the work
//                                             that quiet.hpp times
//   bench_loops [single|multiple|threads N]   on process 0, while the others sleep; multiple: under MPI_THREAD_MULTIPLE
//   bench_loops fortran                       the common ones by their names of Fortran, where there is a compiler for it
//   bench_loops streams                       the same, of messages with many tags
//   bench_loops pingpong                      on 2 processes: the time that passes for a message one way
//
// A loop runs in batches of some microseconds, until there are enough before and after which it was quiet, or too many
// that were not; the median of the quiet ones is printed. Process 0 measures the processor time of its
// thread, which does not pass while somebody else has the core.
//
// What several processes or threads take depends most on what shares a core with what. There, batches take turns with
// some that no library sees, by the names that begin with PMPI; printed are the time of those, and what the others take
// longer (NAME_added). None of that asks whether it is quiet.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string_view>
#include <thread>
#include <vector>

#include "quiet.hpp"

namespace {

using bench::now_ns;

// How much of a measured batch is the cost of reading the clock, which is a system call.
double least_interval(clockid_t clock) {
  double least = 1e9;
  for (int i = 0; i < 1000; ++i) {
    double const start = now_ns(clock);
    least = std::min(least, now_ns(clock) - start);
  }
  return least;
}

struct Batches {
  int quiet;  // number of undisturbed batches wanted
  int most;
  int iterations;
};
constexpr Batches quick_calls{500, 5000, 200};
constexpr Batches slow_calls{200, 2000, 10};
// Fewer communicators than COMMPROF_MAX_COMMS, so that each has a record of its own.
constexpr Batches few_communicators{40, 80, 5};

struct Result {
  double ns;
  bool disturbed;
};

double median(std::vector<double>& values) {
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// The time of one iteration. body gets the number of the iteration within the batch.
template <class Body>
Result run(Batches plan, Body body) {
  std::vector<double> times, quiet_times;
  auto const enough = static_cast<std::size_t>(plan.quiet);
  double const empty = least_interval(CLOCK_THREAD_CPUTIME_ID);
  bool was_quiet = bench::wait_for_quiet();
  for (int batch = 0; batch < plan.most && quiet_times.size() < enough; ++batch) {
    double const start = now_ns(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < plan.iterations; ++i) body(i);
    times.push_back((now_ns(CLOCK_THREAD_CPUTIME_ID) - start - empty) / plan.iterations);
    bool const is_quiet = bench::is_quiet();
    if (was_quiet && is_quiet) quiet_times.push_back(times.back());
    was_quiet = is_quiet;
  }
  bool const disturbed = quiet_times.size() < enough / 4;
  return {median(disturbed ? times : quiet_times), disturbed};
}

void print(char const* loop, Result result, double per = 1) {
  std::printf("%s %.3f%s\n", loop, result.ns / per, result.disturbed ? " disturbed" : "");
}

template <class Body>
void measure(char const* loop, Batches plan, Body body, double per = 1) {
  print(loop, run(plan, body), per);
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

// N receives and N sends to the process itself, completed together. tag: the first of N tags.
template <int N>
void exchange_with_self(MPI_Comm comm, int tag = 0) {
  static std::array<double, 2 * N> data;
  std::array<MPI_Request, 2 * N> requests;
  for (int i = 0; i < N; ++i) MPI_Irecv(&data[i], 1, MPI_DOUBLE, 0, tag + i, comm, &requests[i]);
  for (int i = N; i < 2 * N; ++i) MPI_Isend(&data[i], 1, MPI_DOUBLE, 0, tag + i - N, comm, &requests[i]);
  MPI_Waitall(2 * N, requests.data(), MPI_STATUSES_IGNORE);
}

// Measures the processor's speed: the least of this many tries. Costs of the profiler are given in units of the first.
void speed(int tries, std::chrono::milliseconds pause = {}) {
  double stamps = bench::pair_of_stamps_ns(), work = bench::work_ns();
  for (int i = 1; i < tries; ++i) {
    std::this_thread::sleep_for(pause);
    stamps = std::min(stamps, bench::pair_of_stamps_ns());
    work = std::min(work, bench::work_ns());
  }
  std::printf("stamps %.3f\nwork %.3f\n", stamps, work);
}

void common_calls(std::array<MPI_Comm, 64> const& comms) {
  measure("send", quick_calls, [](int) { send_to_nobody(MPI_COMM_WORLD); });
  measure("bcast", quick_calls, [](int) { MPI_Bcast(&buffer, 1, MPI_DOUBLE, 0, MPI_COMM_SELF); });
  measure("allreduce", quick_calls, [&](int) { MPI_Allreduce(&buffer, &sum, 1, MPI_DOUBLE, MPI_SUM, comms[0]); });
  measure("send_64_comms", quick_calls, [&](int i) { send_to_nobody(comms[static_cast<std::size_t>(i) % 64]); });
  measure("irecv_wait", quick_calls, [](int) { receive_and_wait(MPI_COMM_WORLD); });
  measure("irecv_isend_waitall", quick_calls, [](int) { exchange_with_self<1>(MPI_COMM_WORLD); });
}

#ifdef IN_FORTRAN
// The calls have the names and the arguments by which Fortran makes them.
extern "C" {
using In = MPI_Fint const&;
void mpi_send_(void const*, In, In, In, In, In, MPI_Fint&);
void mpi_bcast_(void*, In, In, In, In, MPI_Fint&);
void mpi_allreduce_(void const*, void*, In, In, In, In, MPI_Fint&);
void mpi_irecv_(void*, In, In, In, In, In, MPI_Fint&, MPI_Fint&);
void mpi_isend_(void const*, In, In, In, In, In, MPI_Fint&, MPI_Fint&);
void mpi_wait_(MPI_Fint&, MPI_Fint*, MPI_Fint&);
void mpi_waitall_(In, MPI_Fint*, MPI_Fint*, MPI_Fint&);
}

void common_calls_in_fortran(std::array<MPI_Comm, 64> const& duplicates) {
  MPI_Fint const type = MPI_Type_c2f(MPI_DOUBLE), nobody = MPI_PROC_NULL, sum_of = MPI_Op_c2f(MPI_SUM);
  MPI_Fint const world = MPI_Comm_c2f(MPI_COMM_WORLD), self = MPI_Comm_c2f(MPI_COMM_SELF);
  MPI_Fint error, requests[2];
  std::array<MPI_Fint, 64> comms;
  std::transform(duplicates.begin(), duplicates.end(), comms.begin(), [](MPI_Comm comm) { return MPI_Comm_c2f(comm); });
  measure("send", quick_calls, [&](int) { mpi_send_(&buffer, 1, type, nobody, 0, world, error); });
  measure("bcast", quick_calls, [&](int) { mpi_bcast_(&buffer, 1, type, 0, self, error); });
  measure("allreduce", quick_calls, [&](int) { mpi_allreduce_(&buffer, &sum, 1, type, sum_of, comms[0], error); });
  measure("send_64_comms", quick_calls,
          [&](int i) { mpi_send_(&buffer, 1, type, nobody, 0, comms[static_cast<std::size_t>(i) % 64], error); });
  measure("irecv_wait", quick_calls, [&](int) {
    mpi_irecv_(&buffer, 1, type, nobody, 0, world, requests[0], error);
    mpi_wait_(requests[0], MPI_F_STATUS_IGNORE, error);
  });
  measure("irecv_isend_waitall", quick_calls, [&](int) {
    mpi_irecv_(&buffer, 1, type, 0, 0, world, requests[0], error);
    mpi_isend_(&sum, 1, type, 0, 0, world, requests[1], error);
    mpi_waitall_(2, requests, MPI_F_STATUSES_IGNORE, error);
  });
}
#endif

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

// Each tag has two streams here, one of messages that are sent and one of receives. Prints the time of a message at one
// of its ends.
void many_streams() {
  int tag = 0;
  auto const exchange = [&](int tags) { exchange_with_self<1>(MPI_COMM_WORLD, tag = (tag + 1) & (tags - 1)); };
  measure(
      "streams_64", quick_calls, [&](int) { exchange(32); }, 2);
  measure(
      "streams_4096", quick_calls, [&](int) { exchange(2048); }, 2);
  measure(
      "streams_new", quick_calls, [&](int) { exchange(1 << 22); }, 2);
}

void all_loops() {
  std::array<MPI_Comm, 64> const comms = duplicates<64>(MPI_COMM_SELF);
  speed(200);
  common_calls(comms);
  measure(
      "window", slow_calls, [](int) { exchange_with_self<64>(MPI_COMM_WORLD); }, 128);
  calls_that_find_nothing();
  creations(comms[0], comms[1]);
}

// Runs threads at the same time, each on a communicator of its own; prints the means over the threads. At any time,
// either all threads make calls that the library sees, or all make calls that it does not see.
void on_threads(std::size_t count) {
  struct Times {
    double unseen, added;
  };
  struct Calls {
    decltype(&MPI_Send) send;
    decltype(&MPI_Irecv) irecv;
    decltype(&MPI_Wait) wait;
  };
  static constexpr std::array<Calls, 2> calls{{{PMPI_Send, PMPI_Irecv, PMPI_Wait}, {MPI_Send, MPI_Irecv, MPI_Wait}}};
  double const empty = least_interval(CLOCK_THREAD_CPUTIME_ID);
  double const begin = now_ns(CLOCK_MONOTONIC);
  // All threads run until the same moment, except a thread that has not had both kinds of turns by then.
  auto const compare = [empty, begin](int until_phase, auto body) {
    constexpr int iterations = 200;
    constexpr double phase_ns = 5e6;
    std::array<std::vector<double>, 2> times;
    for (int phase = 0; phase < until_phase || times[0].empty() || times[1].empty();) {
      phase = static_cast<int>((now_ns(CLOCK_MONOTONIC) - begin) / phase_ns);
      std::size_t const seen = phase % 2 == 0 ? 0 : 1;
      double const start = now_ns(CLOCK_THREAD_CPUTIME_ID);
      for (int i = 0; i < iterations; ++i) body(calls[seen]);
      times[seen].push_back((now_ns(CLOCK_THREAD_CPUTIME_ID) - start - empty) / iterations);
    }
    double const unseen = median(times[0]);
    return Times{unseen, median(times[1]) - unseen};
  };
  std::array<MPI_Comm, 64> const comms = duplicates<64>(MPI_COMM_SELF);
  std::vector<Times> sends(count), receives(count);
  auto const thread = [&](std::size_t i) {
    constexpr int phases = 40;
    sends[i] = compare(phases, [&](Calls const& of) { of.send(&buffer, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, comms[i]); });
    receives[i] = compare(2 * phases, [&](Calls const& of) {
      MPI_Request request;
      of.irecv(&buffer, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, comms[i], &request);
      of.wait(&request, MPI_STATUS_IGNORE);
    });
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < count; ++i) threads.emplace_back(thread, i);
  for (std::thread& one : threads) one.join();
  auto const show = [count](char const* loop, std::vector<Times> const& times) {
    double unseen = 0, added = 0;
    for (Times const& of_thread : times) {
      unseen += of_thread.unseen;
      added += of_thread.added;
    }
    std::printf("%s %.3f\n%s_added %.3f\n", loop, unseen / static_cast<double>(count), loop,
                added / static_cast<double>(count));
  };
  show("send", sends);
  show("irecv_wait", receives);
}

void ping_pong(int rank) {
  // The time of a message, measured over one batch.
  auto const message = [rank](auto send, auto receive) {
    constexpr int round_trips = 100;
    double const start = now_ns(CLOCK_MONOTONIC);
    for (int i = 0; i < round_trips; ++i) {
      if (rank == 0) send(&buffer, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
      receive(&buffer, 1, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (rank == 1) send(&buffer, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    }
    return (now_ns(CLOCK_MONOTONIC) - start) / (2 * round_trips);
  };
  std::vector<double> unseen(2000), added(unseen.size());
  for (std::size_t i = 0; i < unseen.size(); ++i) {
    unseen[i] = message(PMPI_Send, PMPI_Recv);
    added[i] = message(MPI_Send, MPI_Recv) - unseen[i];
  }
  if (rank == 0) std::printf("pingpong %.3f\npingpong_added %.3f\n", median(unseen), median(added));
}

}  // namespace

int main(int argc, char** argv) {
  std::string_view const mode = argc > 1 ? argv[1] : "single";
  if (mode == "stamps") {
    speed(400, std::chrono::milliseconds(5));
    return 0;
  }
  bool const multiple = mode == "multiple" || mode == "threads";
  int const wanted = multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
  int provided = MPI_THREAD_SINGLE;
  if (multiple) MPI_Init_thread(&argc, &argv, wanted, &provided);
  else MPI_Init(&argc, &argv);
  if (provided < wanted) std::puts("# this MPI has no MPI_THREAD_MULTIPLE");

  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (mode == "pingpong") ping_pong(rank);
#ifdef IN_FORTRAN
  else if (rank == 0 && mode == "fortran") common_calls_in_fortran(duplicates<64>(MPI_COMM_SELF));
#endif
  else if (rank != 0) bench::meet();
  else if (mode == "single") all_loops();
  else if (mode == "multiple") common_calls(duplicates<64>(MPI_COMM_SELF));
  else if (mode == "threads") on_threads(argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 4);
  else if (mode == "streams") many_streams();
  if (rank == 0 && mode != "pingpong") bench::meet();
  MPI_Finalize();
}
