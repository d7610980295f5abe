#include "run/participants.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string_view>

#include "base/hash.hpp"
#include "base/memory.hpp"
#include "base/message.hpp"
#include "base/process.hpp"
#include "comm_naming/comm_name.hpp"
#include "mpi/library_version.hpp"
#include "mpi/mpi.hpp"
#include "mpi/polite_wait.hpp"
#include "mpi/quiet_errors.hpp"
#include "options/options.hpp"
#include "run/host.hpp"

namespace commprof::participants {

namespace {

// How long to wait for missing processes of this host: MPI_Init waits for all processes.
constexpr double seconds_on_host = 1;
// How long to wait for other hosts: they are asked through the launcher, which may be busy.
constexpr double seconds_for_host = 5, seconds_for_answer = 60;
// When a process says that it waits for others.
constexpr double seconds_until_told = 30;

double seconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// Waits until this many seconds have passed, in naps.
class Patience {
 public:
  explicit Patience(double limit) : end_(seconds() + limit) {}
  // False when time is up.
  bool wait() {
    constexpr timespec nap{.tv_sec = 0, .tv_nsec = 2'000'000};
    if (seconds() > end_) return false;
    clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, nullptr);
    return true;
  }

 private:
  double end_;
};

constinit Host host;

// Names published through the launcher for processes of other hosts: of a host, by its lowest rank, and of the answer.
// If the launcher accepts a name twice (Open MPI), all look-ups find the first one.
class Names {
 public:
  static constexpr int of_answer = -1;
  using Text = char[MPI_MAX_PORT_NAME + 1];
  static constexpr std::size_t most_bytes = 240;  // of a text; MPI_MAX_PORT_NAME is at least 256

  Names() {
    // A lookup without a range uses an uninitialised one in development versions of Open MPI. All publish in this one.
    if (PMPI_Info_create(&range_) == MPI_SUCCESS) PMPI_Info_set(range_, "range", "session");
  }
  Names(Names const&) = delete;
  Names& operator=(Names const&) = delete;
  ~Names() {
    if (range_ != MPI_INFO_NULL) PMPI_Info_free(&range_);
  }

  bool publish(int which, char const* text) const {
    return PMPI_Publish_name(Name(which).text, MPI_INFO_NULL, text) == MPI_SUCCESS;
  }
  bool look_up(int which, Text& text) const {
    return PMPI_Lookup_name(Name(which).text, range_, text) == MPI_SUCCESS && text[0] != '\0';
  }
  void remove(int which) const {
    char text[] = "";
    PMPI_Unpublish_name(Name(which).text, MPI_INFO_NULL, text);
  }

 private:
  // Under PMIx, names are visible in other jobs, too.
  struct Name {
    char text[64];
    explicit Name(int which) {
      std::uint64_t const scope = host.launcher().is_pmix ? hash_of(variable("PMIX_NAMESPACE")) : 0;
      std::snprintf(text, sizeof text, "commprof.%016llx.%d", static_cast<unsigned long long>(scope), which);
    }
  };

  MPI_Info range_ = MPI_INFO_NULL;
};

// One process's search for the answer, on behalf of its host, among several hosts.
class Hosts {
 public:
  Hosts(int rank, int ranks) : rank_(rank), ranks_(static_cast<std::size_t>(ranks)) {}

  Answer find() {
    PageVector<char> told;
    // "+2-3": ranks 2 and 3 have the profiler, and one of them wants a profile. "?" if that is too long.
    static_cast<void>(told.push_back(host.wants() ? '+' : '-'));
    first = host.append_ranks(told, rank_);
    bool const is_short = told.size() < Names::most_bytes && told.push_back('\0');
    if (!names_.publish(first, is_short ? told.begin() : "?")) return Answer::unknown;
    return first == 0 ? collect() : await();
  }
  // Whether this process must print the answer.
  bool is_decider() const { return is_decider_; }

  // What forget() removes.
  inline static int first = -1;  // lowest rank of this host, once it is published
  inline static bool has_published_answer = false;

 private:
  // On the host of rank 0: looks up host after host. The lowest missing rank must be the first one of its host.
  Answer collect() {
    PageVector<char> are_there;
    if (!are_there.resize(ranks_)) return settle(Answer::unknown);
    std::fill(are_there.begin(), are_there.end(), char{0});
    bool is_wanted = false;
    std::size_t missing = 0;
    for (Patience patience(seconds_for_host); missing < ranks_;) {
      Names::Text text{};
      if (names_.look_up(static_cast<int>(missing), text)) {
        is_wanted = is_wanted || text[0] == '+';
        if (!add(text + 1, are_there) || are_there.begin()[missing] == 0) return settle(Answer::unknown);
        while (missing < ranks_ && are_there.begin()[missing] != 0) ++missing;
        patience = Patience(seconds_for_host);
      } else if (Answer const found = look_up(); found != Answer::none) {
        return found;
      } else if (!patience.wait()) {
        return settle(Answer::absent);
      }
    }
    return settle(is_wanted ? Answer::all : Answer::unwanted);
  }

  // Marks the ranks of a list. False if it is none.
  static bool add(std::string_view ranges, PageVector<char>& are_there) {
    while (!ranges.empty()) {
      auto const range = take_rank_range(ranges);
      if (!range || range->last >= are_there.size()) return false;
      for (std::size_t rank = range->first; rank <= range->last; rank += range->stride) are_there.begin()[rank] = 1;
    }
    return true;
  }

  // On other hosts: waits for the answer.
  Answer await() {
    Patience for_rank_0(seconds_for_host), for_answer(seconds_for_answer);
    for (bool is_begun = false;;) {
      if (Answer const found = look_up(); found != Answer::none) return found;
      Names::Text text{};
      is_begun = is_begun || names_.look_up(0, text);
      if (!(is_begun ? for_answer : for_rank_0).wait()) return settle(Answer::absent);
    }
  }

  // Publishes an answer unless there is one. Returns the answer in force.
  Answer settle(Answer answer) {
    Names::Text text{};
    std::snprintf(text, sizeof text, "%u.%d", static_cast<unsigned>(answer), rank_);
    has_published_answer = names_.publish(Names::of_answer, text);
    Answer const found = look_up();
    return found == Answer::none ? Answer::unknown : found;
  }
  Answer look_up() {
    Names::Text text{};
    unsigned answer = 0;
    int rank = -1;
    if (!names_.look_up(Names::of_answer, text) || std::sscanf(text, "%u.%d", &answer, &rank) != 2) return Answer::none;
    is_decider_ = rank == rank_;
    return static_cast<Answer>(answer);
  }

  Names names_;
  int rank_;
  std::size_t ranks_;
  bool is_decider_ = false;
};

void tell_absent(int ranks) {
  char count[64] = "some";
  if (host.here() > 1 && host.launcher().ranks_on_host(ranks) == ranks)
    std::snprintf(count, sizeof count, "%d of %d", ranks - host.here(), ranks);
  say({count,
       " processes of this job run without the profiler: there is no profile; \"commprof mpirun …\" gives it to all"});
}

Answer found_on_host(int ranks) {
  if (host.here() != ranks) return Answer::none;
  return host.wants() ? Answer::all : Answer::unwanted;
}

// Finds the answer among the processes of this host, and asks other hosts if there are any. A process whose container
// has a /dev/shm of its own, or that has no descriptor or memory for the page, is like another host.
Answer find(int rank, int ranks, bool& is_decider) {
  int const expected = host.launcher().ranks_on_host(ranks);
  Patience patience(seconds_on_host);
  while (host.here() < expected && patience.wait()) continue;
  if (Answer const found = found_on_host(ranks); found != Answer::none) return found;
  if (!host.launcher().has_names()) {
    bool const can_meet = host.launcher().key != 0;  // not in a pid namespace for each rank, under Hydra
    return can_meet && host.here() < expected ? Answer::absent : Answer::unknown;
  }
  QuietErrors const quiet;
  Hosts hosts(rank, ranks);
  Answer const answer = hosts.find();
  is_decider = hosts.is_decider();
  return answer;
}

Answer find_answer(int rank, int ranks) {
  bool const is_last = host.add_rank(rank);
  bool is_first = false;
  for (Patience patience(seconds_on_host + seconds_for_answer);;) {
    if (Answer const stored = host.answer(); stored != Answer::none) return stored;
    if (Answer const found = found_on_host(ranks); found != Answer::none) return host.decide(found, is_first);
    if (!is_last && patience.wait()) continue;
    bool is_decider = true;
    Answer const answer = host.decide(is_last ? find(rank, ranks, is_decider) : Answer::absent, is_first);
    if (answer == Answer::absent && is_first && is_decider) tell_absent(ranks);
    return answer;
  }
}

// Waits for as long as a process is missing.
Answer ask_by_messages() {
  QuietErrors const quiet;
  int const own = is_named() ? 1 : 0;
  int any = 0;
  double const told_at = seconds() + seconds_until_told;
  bool is_told = false;
  int const result = do_together_politely(
      [&](MPI_Request* request) { return PMPI_Iallreduce(&own, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, request); },
      [&] {
        if (is_told || seconds() < told_at) return;
        is_told = true;
        say(
            {"MPI_Init waits for processes of this job that run without the profiler; \"commprof mpirun …\" gives it "
             "to all"});
      });
  return result != MPI_SUCCESS ? Answer::absent : any != 0 ? Answer::all : Answer::unwanted;
}

// Calls the function as the program does, without counting. given: the MPI's result, for a function outside the global
// scope, where no tool can be.
int ask_as_program(char const* function, int given) {
  auto const of_program = reinterpret_cast<int (*)(MPI_Comm, int*)>(dlsym(RTLD_DEFAULT, function));
  int value = given;
  return of_program != nullptr && of_program(MPI_COMM_WORLD, &value) == MPI_SUCCESS ? value : given;
}

}  // namespace

bool is_named() { return is_wanted_program(settings.options().apps, CommandLine::program_name()); }

void announce() {
  if (settings.options().enable) host.announce(is_named());
}

bool ask(int rank, int ranks) {
  Answer const answer = find_answer(rank, ranks);
  return (answer == Answer::unknown ? ask_by_messages() : answer) == Answer::all;
}

// Under Hydra, the next program of the same processes would find the names.
void forget() {
  if (is_open_mpi() || Hosts::first < 0) return;
  QuietErrors const quiet;
  Names const names;
  names.remove(Hosts::first);
  if (Hosts::has_published_answer) names.remove(Names::of_answer);
}

bool see_smaller_world() {
  int size = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  if (ask_as_program("MPI_Comm_size", size) == size) return false;
  if (ask_as_program("MPI_Comm_rank", 0) == 0)
    say(
        {"a library that defines functions of MPI shows the program a world of its own: it runs without the profiler "
         "(docs/front.md)"});
  return true;
}

}  // namespace commprof::participants
