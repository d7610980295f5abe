// cliffs NAME COUNT: nanoseconds of processor time for a call of a program that has COUNT of something: see
// docs/performance.md.
#include <commprof/commprof.h>
#include <dlfcn.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iterator>
#include <string>
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

// Threads fill a request that the main thread made.
double pready(int threads) {
  constexpr int each = 100;
  int const all = threads * each;
  std::vector<int> sent(static_cast<std::size_t>(all)), received(static_cast<std::size_t>(all));
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

// A function of 1,000 calls, each at an address of its own. No two functions are alike: the compiler would merge them.
template <int block, std::size_t... call>
[[gnu::noinline]] void call_from(std::index_sequence<call...>) {
  (static_cast<void>(
       MPI_Send(nullptr, 0, MPI_INT, MPI_PROC_NULL, block * 1000 + static_cast<int>(call), MPI_COMM_SELF)),
   ...);
}

template <int... block>
void call_from_all(std::integer_sequence<int, block...>) {
  (call_from<block>(std::make_index_sequence<1000>()), ...);
}

// 8 threads call from 20,000 places.
double sites(int) {
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

// The memory of the process.
long resident_kib() {
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  long total = 0, resident = 0;
  if (file == nullptr || std::fscanf(file, "%ld %ld", &total, &resident) != 2) std::abort();
  std::fclose(file);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

// Process 1 sleeps until process 0 asks for so many messages, whose tags begin anew after 30,000.
constexpr int tags = 30'000, asking = tags + 1;

void send_what_is_asked_for() {
  for (int count = 0, is_there = 0;; is_there = 0) {
    while (is_there == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      MPI_Iprobe(0, asking, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
    }
    MPI_Recv(&count, 1, MPI_INT, 0, asking, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (count < 0) return;
    for (int i = 0; i < count; ++i) MPI_Send(nullptr, 0, MPI_INT, 0, i % tags, MPI_COMM_WORLD);
  }
}

void ask_for(int count) { MPI_Send(&count, 1, MPI_INT, 1, asking, MPI_COMM_WORLD); }

void send_to_itself(int tag, MPI_Comm comm = MPI_COMM_WORLD) {
  MPI_Sendrecv(nullptr, 0, MPI_INT, 0, tag, nullptr, 0, MPI_INT, 0, tag, comm, MPI_STATUS_IGNORE);
}

std::vector<MPI_Request> posted(int count, int source) {
  std::vector<MPI_Request> requests(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    MPI_Irecv(nullptr, 0, MPI_INT, source, i % tags, MPI_COMM_WORLD, &requests[static_cast<std::size_t>(i)]);
  return requests;
}

double pending(int count) {
  std::vector<MPI_Request> requests;
  double const cost = cost_of([&] { requests = posted(count, 1); });
  ask_for(count);
  MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE);
  return cost / count;
}

double completed(int count) {
  std::vector<MPI_Request> requests = posted(count, 1);
  ask_for(count);
  return cost_of([&] { MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE); }) / count;
}

// Messages while receives of others are pending.
double beside(int count) {
  constexpr int rounds = 2000;
  std::vector<MPI_Request> requests = posted(count, 1);
  double const cost = cost_of([] {
    for (int i = 0; i < rounds; ++i) send_to_itself(tags + 2);
  });
  ask_for(count);
  MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE);
  return cost / rounds;
}

// Receives are cancelled, the latest first.
double cancelled(int count) {
  std::vector<MPI_Request> requests = posted(count, 0);
  return cost_of([&] {
           for (auto request = requests.rbegin(); request != requests.rend(); ++request) {
             MPI_Cancel(&*request);
             MPI_Wait(&*request, MPI_STATUS_IGNORE);
           }
         }) /
         (2.0 * count);
}

// Receives from any source on the last of many communicators, all of which had one.
double wildcards(int count) {
  constexpr int at_once = 500, rounds = 20'000;
  auto const receive = [](MPI_Comm comm) {
    MPI_Request request;
    MPI_Irecv(nullptr, 0, MPI_INT, MPI_ANY_SOURCE, 0, comm, &request);
    MPI_Send(nullptr, 0, MPI_INT, 0, 0, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  };
  MPI_Comm parent = MPI_COMM_NULL, comm = MPI_COMM_NULL;
  for (int i = 0; i < count; ++i) {
    if (i % at_once == 0) MPI_Comm_dup(MPI_COMM_SELF, &parent);
    MPI_Comm_dup(parent, &comm);
    receive(comm);
    if (i < count - 1) MPI_Comm_free(&comm);
  }
  return cost_of([&] {
           for (int i = 0; i < rounds; ++i) receive(comm);
         }) /
         (3.0 * rounds);
}

// Messages that each have a tag of their own.
double streams(int count) {
  return cost_of([=] {
           for (int i = 0; i < count; ++i) send_to_itself(i);
         }) /
         count;
}

// Messages are matched by a probe, and received later.
double probes(int count) {
  auto const all = static_cast<std::size_t>(count);
  std::vector<MPI_Request> sends(all);
  std::vector<MPI_Message> messages(all);
  for (MPI_Request& send : sends) MPI_Isend(nullptr, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, &send);
  double const cost = cost_of([&] {
    for (MPI_Message& message : messages) MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    for (MPI_Message& message : messages) MPI_Mrecv(nullptr, 0, MPI_INT, &message, MPI_STATUS_IGNORE);
  });
  MPI_Waitall(count, sends.data(), MPI_STATUSES_IGNORE);
  return cost / (2.0 * count);
}

// Probes that each ask for a tag of their own.
double empty_probes(int count) {
  return cost_of([=] {
           for (int i = 0, is_there = 0; i < count; ++i) MPI_Iprobe(0, i, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
         }) /
         count;
}

// A communicator that has had many names.
double names(int count) {
  return cost_of([=] {
           for (int i = 0; i < count; ++i) {
             char name[64];
             std::snprintf(name, sizeof name, "a step with a long name, number %d", i);
             MPI_Comm_set_name(MPI_COMM_WORLD, name);
           }
         }) /
         count;
}

// Regions begin and end, twice each.
double regions(int count) {
  return cost_of([=] {
           for (int i = 0; i < 2 * count; ++i) {
             char name[32];
             std::snprintf(name, sizeof name, "region %d", i % count);
             commprof_region_begin(name);
             MPI_Send(nullptr, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF);
             commprof_region_end(name);
           }
         }) /
         (3.0 * 2 * count);
}

// Closes a library that stays loaded.
double close_and_send(int count) {
  return cost_of([=] {
           for (int i = 0; i < count; ++i) {
             dlclose(dlopen("libc.so.6", RTLD_LAZY));
             MPI_Send(nullptr, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF);
           }
         }) /
         count;
}

double closes(int count) {
  close_and_send(count);
  double const beside_none = close_and_send(count);
  call_from_all(std::make_integer_sequence<int, 20>());
  return close_and_send(count) - beside_none;
}

struct Cliff {
  char const* name;
  double (*measure)(int count);
  bool has_threads = false;
};
constexpr Cliff cliffs[] = {
#if MPI_VERSION >= 4
    {"pready", pready, true},
#endif

    {"sites", sites, true},         {"pending", pending},     {"completed", completed}, {"beside", beside},
    {"cancelled", cancelled},       {"wildcards", wildcards}, {"streams", streams},     {"probes", probes},
    {"empty_probes", empty_probes}, {"names", names},         {"regions", regions},     {"closes", closes}};

}  // namespace

int main(int argc, char** argv) {
  auto const* const cliff = std::find_if(std::begin(cliffs), std::end(cliffs), [&](Cliff const& one) {
    return argc == 3 && std::strcmp(argv[1], one.name) == 0;
  });
  if (cliff == std::end(cliffs)) return 0;  // this MPI has no such call
  int level = 0, rank = 0, size = 0;
  MPI_Init_thread(&argc, &argv, cliff->has_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0) {
    long const before = resident_kib();
    double const cost = cliff->measure(std::atoi(argv[2]));
    std::printf("ns %.1f\nkib %ld\n", cost, resident_kib() - before);
    if (size > 1) ask_for(-1);
  } else {
    send_what_is_asked_for();
  }
  MPI_Finalize();
  return 0;
}
