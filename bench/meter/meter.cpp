// What the profiler costs a process within MPI_Init and MPI_Finalize: a library to be preloaded before libcommprof.so.
//
// The start is from the return of PMPI_Init to the return of MPI_Init, the end from the call of MPI_Finalize until the
// profile is written, which happens in a callback of MPI_COMM_SELF: until the callback after it. In between it stands
// before every function of the profiling interface and before those of libc that the profiler could call: it counts
// their calls, and the messages in them, and takes their processor time. Calls from within the MPI are the MPI's own.
//
//   METER_REPORT=FILE    each process appends one line of JSON
//   METER_APART=1        rank 0 gets a processor for itself, and the others share the rest
//
// A profiler that waits politely polls and naps hundreds of times for one message. So the time from an incomplete poll
// to the complete one is measured as a whole; work that a profiler does between two polls would be taken for waiting.
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "signatures.hpp"

namespace {

// Calls are forwarded without knowing their parameters: all are integers and pointers, which common calling conventions
// pass alike. Arguments beyond those of a call are read from its caller's frame and never used.
using Word = long;
using Words = std::array<Word, 13>;
using AnyFunction = Word (*)(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word);

struct Function {
  char const* symbol;
  Signature const& signature;
  AnyFunction next = nullptr;

  Word call(Words const& w) {
    if (next == nullptr) next = reinterpret_cast<AnyFunction>(dlsym(RTLD_NEXT, symbol));
    return next(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12]);
  }
};

enum Index {
#define NAME(name) index_of_##name,
#include "libc_names.inc"
#include "pmpi_names.inc"
#undef NAME
  number_of_functions
};

Function functions[] = {
#define NAME(name) {#name, signature_of_libc(#name)},
#include "libc_names.inc"
#undef NAME
#define NAME(name) {"PMPI_" #name, signature_of_mpi(#name)},
#include "pmpi_names.inc"
#undef NAME
};

template <class Handle>
Handle handle_of(Word word) {
  if constexpr (sizeof(Handle) == sizeof word) return std::bit_cast<Handle>(word);
  else return std::bit_cast<Handle>(static_cast<int>(word));
}

std::int64_t clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}
std::int64_t thread_ns() { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }

// The time of one reading of the clock.
std::int64_t reading_ns() {
  std::array<std::int64_t, 201> costs{};
  for (std::int64_t& cost : costs) {
    std::int64_t const before = thread_ns();
    cost = thread_ns() - before;
  }
  std::nth_element(costs.begin(), costs.begin() + 100, costs.end());
  return costs[100];
}

void forget_peak() {
  int const file = open("/proc/self/clear_refs", O_WRONLY);
  if (file < 0 || write(file, "5", 1) != 1) std::perror("bench_meter: /proc/self/clear_refs");
  close(file);
}

// The most resident memory since forget_peak().
long peak_kib() {
  long kib = 0;
  std::FILE* const file = std::fopen("/proc/self/status", "r");
  for (char line[256]; file != nullptr && std::fgets(line, sizeof line, file) != nullptr;)
    if (std::sscanf(line, "VmHWM: %ld", &kib) == 1) break;
  if (file != nullptr) std::fclose(file);
  return kib;
}

struct Tally {
  std::int64_t calls = 0;
  std::int64_t ns = 0;  // excludes incomplete polls
  std::int64_t bytes = 0;
};

struct Reading {
  std::int64_t process_ns, thread_ns;
  rusage use;

  void take() {
    getrusage(RUSAGE_SELF, &use);
    process_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    thread_ns = ::thread_ns();
  }
};

struct Sent {
  std::int64_t messages = 0, bytes = 0;
};

class Phase;
[[gnu::tls_model("initial-exec")]] thread_local Phase* open_phase = nullptr;

// The start or the end of a run, in the thread that calls MPI_Init or MPI_Finalize.
class Phase {
 public:
  void begin() {
    int ranks = 0;
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    sent_to_.resize(static_cast<std::size_t>(ranks));
    reading_ns_ = reading_ns();
    forget_peak();
    resident_kib_ = peak_kib();
    has_begun_ = true;
    first_.take();
    open_phase = this;
  }
  void end() {
    open_phase = nullptr;
    if (is_polling_) stop_polling();
    last_.take();
    resident_kib_ = peak_kib() - resident_kib_;
  }
  bool has_begun() const { return has_begun_; }

  // Handles a call made by the profiler.
  Word call(Function& function, Words const& words) {
    Signature const& signature = function.signature;
    bool const is_part_of_wait = signature.kind == Kind::poll || signature.kind == Kind::pause;
    if (is_polling_ && !is_part_of_wait) stop_polling();
    Tally& tally = tallies_[static_cast<std::size_t>(&function - functions)];
    ++tally.calls;
    if (is_polling_) {
      Word const result = function.call(words);
      if (signature.kind == Kind::poll && is_complete(signature, words, result)) stop_polling();
      return result;
    }
    if (signature.kind == Kind::send || signature.kind == Kind::collective) note(signature, words, tally);
    std::int64_t const start = thread_ns();
    Word const result = function.call(words);
    is_polling_ = signature.kind == Kind::poll && !is_complete(signature, words, result);
    if (is_polling_) polling_since_ = start;
    else tally.ns += time_since(start);
    return result;
  }

  std::string json() const {
    std::int64_t called_ns = 0;
    std::string calls, messages;
    for (std::size_t i = 0; i < number_of_functions; ++i) {
      if (tallies_[i].calls == 0) continue;
      Kind const kind = functions[i].signature.kind;
      if (kind != Kind::system) called_ns += tallies_[i].ns;
      append(calls, R"(%s"%s":["%s",%)" PRId64 ",%" PRId64 ",%" PRId64 "]", calls.empty() ? "" : ",",
             functions[i].symbol, name_of(kind), tallies_[i].calls, tallies_[i].ns, tallies_[i].bytes);
    }
    for (std::size_t i = 0; i < sent_to_.size(); ++i)
      if (sent_to_[i].messages > 0)
        append(messages, R"(%s"%zu":[%)" PRId64 ",%" PRId64 "]", messages.empty() ? "" : ",", i, sent_to_[i].messages,
               sent_to_[i].bytes);
    std::int64_t const process = last_.process_ns - first_.process_ns - meter_ns_;
    std::int64_t const thread = last_.thread_ns - first_.thread_ns - meter_ns_;
    std::string text;
    append(text,
           R"({"all_ns":%)" PRId64 R"(,"own_ns":%)" PRId64 R"(,"waiting_ns":%)" PRId64
           R"(,"faults":%ld,"resident_kib":%ld)",
           process, thread - called_ns - waiting_ns_, waiting_ns_, last_.use.ru_minflt - first_.use.ru_minflt,
           resident_kib_);
    return text + ",\"sent\":{" + messages + "},\"calls\":{" + calls + "}}";
  }

 private:
  template <class... Values>
  static void append(std::string& text, char const* format, Values... values) {
    char part[512];
    std::snprintf(part, sizeof part, format, values...);
    text += part;
  }

  // The time between two readings includes the cost of one reading, and the caller's time that of another.
  std::int64_t time_since(std::int64_t start) {
    meter_ns_ += 2 * reading_ns_;
    return thread_ns() - start - reading_ns_;
  }
  void stop_polling() {
    waiting_ns_ += time_since(polling_since_);
    is_polling_ = false;
  }
  static bool is_complete(Signature const& signature, Words const& words, Word result) {
    return static_cast<int>(result) != MPI_SUCCESS ||
           *handle_of<int const*>(words[static_cast<std::size_t>(signature.flag)]) != 0;
  }

  // Notes the messages of a call or collective, and their receivers. The time that this takes is not the profiler's.
  void note(Signature const& signature, Words const& words, Tally& tally) {
    std::int64_t const start = thread_ns();
    auto const word = [&](int index) { return words[static_cast<std::size_t>(index)]; };
    int size = 0;
    if (signature.type >= 0) PMPI_Type_size(handle_of<MPI_Datatype>(word(signature.type)), &size);
    std::int64_t const bytes = signature.count < 0 ? 0 : std::int64_t{size} * static_cast<int>(word(signature.count));
    tally.bytes += bytes;
    if (signature.kind == Kind::send) {
      int const to = world_rank(static_cast<int>(word(signature.peer)), handle_of<MPI_Comm>(word(signature.comm)));
      if (to >= 0 && static_cast<std::size_t>(to) < sent_to_.size()) {
        ++sent_to_[static_cast<std::size_t>(to)].messages;
        sent_to_[static_cast<std::size_t>(to)].bytes += bytes;
      }
    }
    meter_ns_ += time_since(start);
  }
  static int world_rank(int rank, MPI_Comm comm) {
    MPI_Group world = MPI_GROUP_NULL, group = MPI_GROUP_NULL;
    int result = MPI_UNDEFINED;
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Comm_group(comm, &group);
    PMPI_Group_translate_ranks(group, 1, &rank, world, &result);
    PMPI_Group_free(&group);
    PMPI_Group_free(&world);
    return result;
  }

  Reading first_{}, last_{};
  bool has_begun_ = false;
  bool is_polling_ = false;
  std::int64_t polling_since_ = 0;
  std::int64_t waiting_ns_ = 0;  // of polls that were incomplete at first, with the pauses between them
  std::int64_t meter_ns_ = 0;    // of this library
  std::int64_t reading_ns_ = 0;
  long resident_kib_ = 0;
  std::array<Tally, number_of_functions> tallies_{};
  std::vector<Sent> sent_to_;  // by rank in the world
};

Phase start_of_run, end_of_run;

void report() {
  char const* const path = std::getenv("METER_REPORT");
  if (path == nullptr || !start_of_run.has_begun()) return;
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::string const line = "{\"rank\":" + std::to_string(rank) + ",\"start\":" + start_of_run.json() +
                           ",\"end\":" + end_of_run.json() + "}\n";
  int const file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0 || write(file, line.data(), line.size()) != static_cast<ssize_t>(line.size())) std::perror(path);
  close(file);
}

// MPI_Finalize deletes this attribute of MPI_COMM_SELF after that of the profiler, which is set later.
void end_with_profile() {
  int keyval = MPI_KEYVAL_INVALID;
  auto const at_end = [](MPI_Comm, int, void*, void*) {
    if (open_phase != nullptr) end_of_run.end();
    report();
    return MPI_SUCCESS;
  };
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end, &keyval, nullptr);
  PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr);
}

Word forward(Index index, Words const& words) {
  Function& function = functions[index];
  Kind const kind = function.signature.kind;
  Phase* const phase = std::exchange(open_phase, nullptr);
  Word const result = phase == nullptr ? function.call(words) : phase->call(function, words);
  if (phase != nullptr) open_phase = phase;
  if (kind == Kind::initialize && phase == nullptr && !start_of_run.has_begun()) {
    end_with_profile();
    start_of_run.begin();
  }
  return result;
}

// Moves rank 0 to a processor of its own. Otherwise, with hundreds of processes that sleep and wake, each wake
// interrupts rank 0's work and displaces its data from the caches: on MPICH, the work of rank 0 took 36 to 91 ms of
// processor time, and 22 ms on a processor of its own.
void move_apart() {
  char const* const wish = std::getenv("METER_APART");
  if (wish == nullptr || *wish != '1') return;
  char const* rank = std::getenv("OMPI_COMM_WORLD_RANK");
  if (rank == nullptr) rank = std::getenv("PMI_RANK");
  cpu_set_t all, own;
  if (rank == nullptr || sched_getaffinity(0, sizeof all, &all) != 0 || CPU_COUNT(&all) < 2) return;
  int first = 0;
  while (!CPU_ISSET(first, &all)) ++first;
  CPU_ZERO(&own);
  CPU_SET(first, &own);
  if (std::atoi(rank) != 0) CPU_XOR(&own, &all, &own);
  if (sched_setaffinity(0, sizeof own, &own) != 0) std::perror("bench_meter: sched_setaffinity");
}

template <class... Arguments>
int next(char const* name, Arguments... arguments) {
  return reinterpret_cast<int (*)(Arguments...)>(dlsym(RTLD_NEXT, name))(arguments...);
}

}  // namespace

extern "C" {

int MPI_Init(int* argc, char*** argv) {
  move_apart();
  int const result = next("MPI_Init", argc, argv);
  if (open_phase != nullptr) start_of_run.end();
  return result;
}
int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  move_apart();
  int const result = next("MPI_Init_thread", argc, argv, required, provided);
  if (open_phase != nullptr) start_of_run.end();
  return result;
}
int MPI_Finalize() {
  end_of_run.begin();
  return next("MPI_Finalize");
}

// The labels set the functions' symbols, because headers declare these names with other types.
#define DEFINE(name, symbol)                                                                                        \
  Word meter_##name(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word) __asm__(symbol);  \
  Word meter_##name(Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h, Word i, Word j, Word k, Word l, \
                    Word m) {                                                                                       \
    return forward(index_of_##name, {a, b, c, d, e, f, g, h, i, j, k, l, m});                                       \
  }
#define NAME(name) DEFINE(name, #name)
#include "libc_names.inc"
#undef NAME
#define NAME(name) DEFINE(name, "PMPI_" #name)
#include "pmpi_names.inc"
#undef NAME
}
