// cliffs NAME: nanoseconds of processor time for a call of a program that has many of something: see
// docs/performance.md.
#include <mpi.h>

#include <barrier>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <thread>
#include <utility>
#include <vector>

namespace {

double processor_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

template <class Work>
double cost_of(Work&& work) {
  double const begin = processor_ns();
  work();
  return processor_ns() - begin;
}

// Keeps threads alive while some of them, or the main thread, work. Returns the sum of work(number, all) over the
// threads, where `all` is a barrier of the threads and the main thread, which calls meanwhile(all).
using Barrier = std::barrier<>;
template <class Work, class Meanwhile>
double in_threads(int count, Work const& work, Meanwhile const& meanwhile) {
  std::vector<double> costs(static_cast<std::size_t>(count));
  std::vector<std::thread> threads;
  Barrier all(count + 1);
  for (int i = 0; i < count; ++i) threads.emplace_back([&, i] { costs[static_cast<std::size_t>(i)] = work(i, all); });
  meanwhile(all);
  double sum = 0;
  for (std::thread& thread : threads) thread.join();
  for (double const cost : costs) sum += cost;
  return sum;
}

#if MPI_VERSION >= 4
// Gives the thread requests of its own.
void use_own_request() {
  MPI_Request request;
  MPI_Irecv(nullptr, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// 500 threads fill a request that the main thread made.
double pready() {
  constexpr int threads = 500, each = 100, all = threads * each;
  std::vector<int> sent(all), received(all);
  MPI_Request send, receive;
  MPI_Psend_init(sent.data(), all, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_INFO_NULL, &send);
  MPI_Precv_init(received.data(), all, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_INFO_NULL, &receive);
  MPI_Start(&send);
  MPI_Start(&receive);
  auto const fill = [&](int number, Barrier& all_threads) {
    use_own_request();
    all_threads.arrive_and_wait();
    return cost_of([&] {
      for (int i = 0; i < each; ++i) MPI_Pready(number * each + i, send);
    });
  };
  double const cost = in_threads(threads, fill, [](Barrier& all_threads) { all_threads.arrive_and_wait(); });
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
  MPI_Request_free(&send);
  MPI_Request_free(&receive);
  return cost / all;
}
#endif

// The main thread completes the requests of 1,000 threads, ten times.
double waits() {
  constexpr int threads = 1000, each = 10;
  std::vector<MPI_Request> requests(threads * each);
  double cost = 0;
  auto const issue = [&](int number, Barrier& all) {
    for (int round = 0; round < 10; ++round) {
      for (int i = 0; i < each; ++i)
        MPI_Irecv(nullptr, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF,
                  &requests[static_cast<std::size_t>(number * each + i)]);
      all.arrive_and_wait();
      all.arrive_and_wait();
    }
    return 0.0;
  };
  in_threads(threads, issue, [&](Barrier& all) {
    for (int round = 0; round < 10; ++round) {
      all.arrive_and_wait();
      cost += cost_of([&] {
        for (MPI_Request& request : requests) MPI_Wait(&request, MPI_STATUS_IGNORE);
      });
      all.arrive_and_wait();
    }
  });
  return cost / (10 * threads * each);
}

// One call starts requests on 900 communicators.
double startall() {
  constexpr int count = 900, rounds = 20;
  std::vector<MPI_Comm> comms(count);
  std::vector<MPI_Request> requests(count);
  for (std::size_t i = 0; i < count; ++i) {
    MPI_Comm_dup(MPI_COMM_SELF, &comms[i]);
    MPI_Send_init(nullptr, 0, MPI_INT, MPI_PROC_NULL, 0, comms[i], &requests[i]);
  }
  double const cost = cost_of([&] {
    for (int i = 0; i < rounds; ++i) {
      MPI_Startall(count, requests.data());
      MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE);
    }
  });
  for (MPI_Request& request : requests) MPI_Request_free(&request);
  return cost / rounds;
}

int duplicate_inner(MPI_Comm, int, void*, void* inner, void* copy, int* flag) {
  auto* const made = new MPI_Comm;
  MPI_Comm_dup(*static_cast<MPI_Comm*>(inner), made);
  *static_cast<void**>(copy) = made;
  *flag = 1;
  return MPI_SUCCESS;
}

int free_inner(MPI_Comm, int, void* inner, void*) {
  MPI_Comm_free(static_cast<MPI_Comm*>(inner));
  delete static_cast<MPI_Comm*>(inner);
  return MPI_SUCCESS;
}

// A library keeps a duplicate with each communicator and duplicates it in the copy callback.
double callback() {
  constexpr int rounds = 40'000;
  MPI_Comm base;
  auto* const inner = new MPI_Comm;
  int key = 0;
  MPI_Comm_dup(MPI_COMM_SELF, &base);
  MPI_Comm_dup(MPI_COMM_SELF, inner);
  MPI_Comm_create_keyval(duplicate_inner, free_inner, &key, nullptr);
  MPI_Comm_set_attr(base, key, inner);
  double const cost = cost_of([&] {
    for (int i = 0; i < rounds; ++i) {
      MPI_Comm copy;
      void* attribute = nullptr;
      int flag = 0;
      MPI_Comm_dup(base, &copy);
      MPI_Comm_get_attr(copy, key, &attribute, &flag);
      MPI_Barrier(*static_cast<MPI_Comm*>(attribute));
      MPI_Comm_free(&copy);
    }
  });
  MPI_Comm_free(&base);
  return cost / rounds;
}

// A call that fails while there are 10,000 communicators.
double failing() {
  constexpr int count = 10'000, rounds = 10'000;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int i = 0; i < count; ++i) {
    MPI_Comm comm;
    if (MPI_Comm_dup(MPI_COMM_WORLD, &comm) != MPI_SUCCESS) break;  // MPICH has 2,048
  }
  return cost_of([] {
           for (int i = 0; i < rounds; ++i) MPI_Send(nullptr, 0, MPI_INT, 5, 0, MPI_COMM_WORLD);
         }) /
         rounds;
}

// A function of 1,000 calls, each at an address of its own.
template <int block, std::size_t... call>
[[gnu::noinline]] void call_from(std::index_sequence<call...>) {
  (static_cast<void>(MPI_Send(nullptr, 0, MPI_INT, MPI_PROC_NULL, static_cast<int>(call), MPI_COMM_SELF)), ...);
}

template <int... block>
void call_from_all(std::integer_sequence<int, block...>) {
  (call_from<block>(std::make_index_sequence<1000>()), ...);
}

// 8 threads call from 20,000 places.
double sites() {
  constexpr int threads = 8, rounds = 20;
  auto const call = [](int, Barrier& all) {
    call_from_all(std::make_integer_sequence<int, 20>());
    all.arrive_and_wait();
    return cost_of([] {
      for (int i = 0; i < rounds; ++i) call_from_all(std::make_integer_sequence<int, 20>());
    });
  };
  double const cost = in_threads(threads, call, [](Barrier& all) { all.arrive_and_wait(); });
  return cost / (threads * rounds * 20'000.0);
}

struct Cliff {
  char const* name;
  double (*measure)();
};
constexpr Cliff cliffs[] = {
#if MPI_VERSION >= 4
    {"pready", pready},
#endif
    {"waits", waits},   {"startall", startall}, {"callback", callback}, {"failing", failing}, {"sites", sites}};

}  // namespace

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  for (Cliff const& cliff : cliffs)
    if (argc > 1 && std::strcmp(argv[1], cliff.name) == 0) std::printf("%s %.1f\n", cliff.name, cliff.measure());
  MPI_Finalize();
  return 0;
}
