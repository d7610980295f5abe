#include "run/participants.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string_view>

#include "base/memory.hpp"
#include "base/message.hpp"
#include "base/process.hpp"
#include "comm_naming/rank_ranges.hpp"
#include "mpi/library_version.hpp"
#include "mpi/polite_wait.hpp"
#include "options/options.hpp"
#include "options/selection.hpp"

namespace commprof::participants {

namespace {

using Purpose = JobOnHost::Purpose;

constinit JobOnHost job_of_world(Purpose::world), job_of_sessions(Purpose::sessions);

// How long to wait for missing processes of this host. MPI_Init waits for all processes, MPI_Session_init does not.
constexpr double seconds_on_host = 1, seconds_of_sessions = 30;
// How long to wait for other hosts: they are asked through the launcher, which may be busy.
constexpr double seconds_for_host = 5, seconds_for_verdict = 60;

double seconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// Waits until this many seconds have passed, in intervals that become longer.
class Patience {
 public:
  explicit Patience(double limit) : end_(seconds() + limit), limit_(limit) {}
  void renew() { end_ = seconds() + limit_; }
  // False when time is up.
  bool wait() {
    if (seconds() > end_) return false;
    timespec const nap{.tv_sec = 0, .tv_nsec = nap_ns_};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, nullptr);
    nap_ns_ = std::min(2 * nap_ns_, 10'000'000L);
    return true;
  }

 private:
  double end_, limit_;
  long nap_ns_ = 20'000;
};

// What is published: the processes of a host, or an answer.
struct Published {
  static constexpr std::size_t most_bytes = 240;  // within MPI_MAX_PORT_NAME, which is at least 256
  char text[MPI_MAX_PORT_NAME + 1] = "";
};

// Names published through the launcher for processes of other hosts. If the launcher accepts a name twice (Open MPI),
// all look-ups find the first one.
class Names {
 public:
  Names(std::uint64_t scope, int rank) : scope_(scope), rank_(rank) {
    // A lookup without a range uses an uninitialised one in development versions of Open MPI. All publish in this one.
    if (PMPI_Info_create(&range_) == MPI_SUCCESS) PMPI_Info_set(range_, "range", "session");
  }
  Names(Names const&) = delete;
  Names& operator=(Names const&) = delete;
  ~Names() {
    if (range_ != MPI_INFO_NULL) PMPI_Info_free(&range_);
  }

  bool publish_host(int first, Published const& told) const {
    char name[64];
    return PMPI_Publish_name(name_of(first, name), MPI_INFO_NULL, told.text) == MPI_SUCCESS;
  }
  // first: the lowest rank of the host.
  bool look_for_host(int first, Published& told) const {
    char name[64];
    return look_up(name_of(first, name), told);
  }
  Verdict look_for_verdict() const {
    bool is_own = false;
    return look_for_verdict(is_own);
  }
  // Publishes an answer unless there is one. is_own: whether this answer is in force. Returns the answer in force.
  Verdict settle(Verdict verdict, bool& is_own) const {
    Published told;
    char name[64];
    std::snprintf(told.text, sizeof told.text, "%u.%d", static_cast<unsigned>(verdict), rank_);
    PMPI_Publish_name(name_of(of_verdict, name), MPI_INFO_NULL, told.text);
    return look_for_verdict(is_own);
  }

  // Removes the names: under Hydra, the next job of the same processes would find them.
  void forget(int first, bool has_settled) const {
    char name[64], port[] = "";
    PMPI_Unpublish_name(name_of(first, name), MPI_INFO_NULL, port);
    if (has_settled) PMPI_Unpublish_name(name_of(of_verdict, name), MPI_INFO_NULL, port);
  }

 private:
  static constexpr int of_verdict = -1;

  char const* name_of(int first, char (&name)[64]) const {
    std::snprintf(name, sizeof name, "commprof.%016llx.%d", static_cast<unsigned long long>(scope_), first);
    return name;
  }
  bool look_up(char const* name, Published& told) const {
    if (PMPI_Lookup_name(name, range_, told.text) != MPI_SUCCESS) return false;
    told.text[sizeof told.text - 1] = '\0';
    return told.text[0] != '\0';
  }
  Verdict look_for_verdict(bool& is_own) const {
    Published told;
    char name[64];
    unsigned verdict = 0;
    int rank = -1;
    if (!look_up(name_of(of_verdict, name), told) || std::sscanf(told.text, "%u.%d", &verdict, &rank) != 2 ||
        verdict > static_cast<unsigned>(Verdict::unknown))
      return Verdict::none;
    is_own = rank == rank_;
    return static_cast<Verdict>(verdict);
  }

  std::uint64_t scope_;
  int rank_;
  MPI_Info range_ = MPI_INFO_NULL;
};

// The ranks that hosts have published.
class Covered {
 public:
  explicit Covered(int ranks) : count_(static_cast<std::size_t>(ranks)) {
    if (!are_there_.resize(count_)) count_ = 0;
    else std::memset(are_there_.begin(), 0, count_);
  }
  bool has_memory() const { return count_ > 0; }
  // Adds ranges in the format of append_rank_ranges(). False if they are invalid.
  bool add(std::string_view ranges) {
    while (!ranges.empty()) {
      auto const range = take_rank_range(ranges);
      if (!range || range->last >= count_) return false;
      for (std::size_t rank = range->first; rank <= range->last; rank += range->stride) are_there_.begin()[rank] = 1;
    }
    return true;
  }
  // The lowest missing rank; the number of ranks if none is missing.
  std::size_t first_missing() {
    while (next_ < count_ && are_there_.begin()[next_] != 0) ++next_;
    return next_;
  }

 private:
  PageVector<char> are_there_;
  std::size_t count_, next_ = 0;
};

// One process's search for the answer.
class Question {
 public:
  // can_name: MPI_Init has been called, so MPI_Publish_name works.
  Question(JobOnHost& job, int rank, int ranks, bool can_name)
      : job_(job), rank_(rank), ranks_(ranks), can_name_(can_name) {}

  // seconds_here: how long to wait for processes of this host.
  Verdict ask(double seconds_here) {
    if (!job_.has_page()) return find_among_hosts(Verdict::none, Verdict::unknown);
    bool const is_last = job_.add_rank(rank_);
    for (Patience patience(seconds_here + seconds_for_verdict);;) {
      Verdict const stored = job_.verdict();
      if (stored != Verdict::none) return stored;
      if (Verdict const told = told_by_counts(); told != Verdict::none) return decide(told);
      if (is_last) return decide(find(seconds_here));
      if (!patience.wait()) return decide(Verdict::absent);
    }
  }

  // Whether this process must print the answer.
  bool tells() const { return tells_; }

  void forget() {
    if (first_ < 0) return;
    std::uint64_t scope = 0;
    if (job::has_names(scope)) Names(scope, rank_).forget(first_, has_settled_);
    first_ = -1;
  }

 private:
  bool are_all_here() const { return job_.here() == static_cast<std::uint32_t>(ranks_); }

  Verdict told_by_counts() const {
    if (job_.refusing() > 0 && job::ranks_on_host(ranks_) == ranks_) return Verdict::refused;
    if (!are_all_here()) return Verdict::none;
    return job_.refusing() > 0 ? Verdict::refused : job_.wanting() > 0 ? Verdict::all : Verdict::unwanted;
  }

  Verdict decide(Verdict verdict) {
    bool is_first = false;
    Verdict const holds = job_.decide(verdict, is_first);
    if (!is_among_hosts_) tells_ = is_first;
    return holds;
  }

  // Finds the answer among the processes of this host, and asks other hosts if there are any.
  Verdict find(double seconds_here) {
    // A container of one process may have a /dev/shm of its own.
    if (job_.here() == 1 && job_.refusing() == 0 && has_names())
      return find_among_hosts(Verdict::none, Verdict::unknown);
    auto const expected = static_cast<std::uint32_t>(job::ranks_on_host(ranks_));
    Patience patience(seconds_here);
    while (job_.refusing() == 0 && job_.here() < expected && patience.wait()) continue;
    if (Verdict const told = told_by_counts(); told != Verdict::none) return told;
    if (job_.refusing() > 0) return find_among_hosts(Verdict::refused, Verdict::refused);
    // A process without a descriptor or memory for the page may have the profiler: it publishes itself like another
    // host.
    if (job_.here() < expected) return find_among_hosts(Verdict::none, Verdict::absent);
    if (job_.here() > static_cast<std::uint32_t>(ranks_)) return Verdict::unknown;
    return find_among_hosts(Verdict::none, Verdict::unknown);
  }

  bool has_names() const {
    std::uint64_t scope = 0;
    return can_name_ && job::has_names(scope);
  }

  // known: an answer that holds whatever the other hosts say; it is published for them. alone: the answer if they
  // cannot be asked.
  Verdict find_among_hosts(Verdict known, Verdict alone) {
    std::uint64_t scope = 0;
    bool const is_known_for_all = known != Verdict::none && job::ranks_on_host(ranks_) == ranks_;
    if (is_known_for_all || !can_name_ || !job::has_names(scope)) return alone;
    is_among_hosts_ = true;
    ErrorsReturned const of_world(MPI_COMM_WORLD), of_self(MPI_COMM_SELF);
    Names const names(scope, rank_);
    Published told;
    int const first = tell_host(told);
    if (known == Verdict::none && !names.publish_host(first, told)) return alone;
    first_ = first;
    Verdict const answer = known != Verdict::none ? settle(names, known)
                           : first == 0           ? collect(names, told)
                                                  : await(names);
    return answer == Verdict::none ? alone : answer;
  }

  Verdict settle(Names const& names, Verdict verdict) {
    has_settled_ = true;
    return names.settle(verdict, tells_);
  }

  // Publishes "2.0-3": the number of processes that want a profile, and the ranks; "?" if that is too long. Returns the
  // lowest rank.
  int tell_host(Published& told) {
    if (!job_.has_page()) {
      std::snprintf(told.text, sizeof told.text, "%d.%d", own_wish() == Wish::yes ? 1 : 0, rank_);
      return rank_;
    }
    PageVector<int> here;
    PageVector<char> text;
    bool const is_short = job_.here() <= JobOnHost::most_ranks && here.resize(JobOnHost::most_ranks) &&
                          here.resize(job_.ranks(here.begin())) &&
                          append_rank_ranges(text, here.begin(), here.size()) &&
                          text.size() < Published::most_bytes - 16;
    if (is_short)
      std::snprintf(told.text, sizeof told.text, "%u.%.*s", job_.wanting(), static_cast<int>(text.size()),
                    text.begin());
    else std::snprintf(told.text, sizeof told.text, "?");
    return here.size() > 0 ? *std::min_element(here.begin(), here.end()) : rank_;
  }

  // On the host of rank 0: looks up host after host. The lowest missing rank must be the first one of its host.
  Verdict collect(Names const& names, Published told) {
    Covered covered(ranks_);
    std::size_t wanting = 0;
    Patience patience(seconds_for_host);
    if (!covered.has_memory()) return settle(names, Verdict::unknown);
    for (std::size_t missing = 0;; told = {}) {
      if (told.text[0] != '\0' || names.look_for_host(static_cast<int>(missing), told)) {
        std::string_view const text = told.text;
        std::size_t const dot = text.find('.');
        std::size_t wanting_there = 0;
        if (dot == text.npos || !covered.add(text.substr(dot + 1))) return settle(names, Verdict::unknown);
        std::from_chars(text.data(), text.data() + dot, wanting_there);
        wanting += wanting_there;
        if (covered.first_missing() == missing) return settle(names, Verdict::unknown);
        missing = covered.first_missing();
        if (missing == static_cast<std::size_t>(ranks_))
          return settle(names, wanting > 0 ? Verdict::all : Verdict::unwanted);
        patience.renew();
      } else if (Verdict const stored = names.look_for_verdict(); stored != Verdict::none) {
        return stored;
      } else if (!patience.wait()) {
        return give_up(names);
      }
    }
  }

  // On other hosts: waits for the answer.
  Verdict await(Names const& names) {
    Patience short_patience(seconds_for_host), patience(seconds_for_verdict);
    for (bool is_begun = false;;) {
      if (Verdict const stored = names.look_for_verdict(); stored != Verdict::none) return stored;
      Published told;
      is_begun = is_begun || names.look_for_host(0, told);
      if (!(is_begun ? patience : short_patience).wait()) return give_up(names);
    }
  }

  // A host whose name is not found is absent only if names are found at all, such as this host's own.
  Verdict give_up(Names const& names) {
    Published told;
    return settle(names, names.look_for_host(first_, told) ? Verdict::absent : Verdict::unknown);
  }

  JobOnHost& job_;
  int rank_, ranks_;
  bool can_name_;
  int first_ = -1;  // lowest rank of this host, once it is published
  bool is_among_hosts_ = false, has_settled_ = false, tells_ = false;
};

void tell(Verdict verdict, JobOnHost const& job, int ranks) {
  char count[64] = "some";
  if (job.has_page() && job.here() > 1 && job::ranks_on_host(ranks) == ranks)
    std::snprintf(count, sizeof count, "%d of %d", ranks - static_cast<int>(job.here()), ranks);
  if (verdict == Verdict::absent)
    say({count,
         " processes of this job run without the profiler: there is no profile; \"commprof mpirun …\" gives it to "
         "all"});
  if (verdict == Verdict::refused) say({"COMMPROF_ENABLE is 0 in some processes of this job: there is no profile"});
}

Question* question = nullptr;

Verdict of_one(Wish wish) {
  return wish == Wish::yes ? Verdict::all : wish == Wish::no ? Verdict::refused : Verdict::unwanted;
}

}  // namespace

Wish own_wish() {
  Options const& options = settings.options();
  if (!options.enable) return Wish::no;
  bool const is_named = selection::is_everything<selection::Programs>(options.apps) ||
                        selection::is_wanted_program(options.apps, CommandLine::program_name());
  return is_named ? Wish::yes : Wish::if_others;
}

void announce(Purpose purpose) { (purpose == Purpose::world ? job_of_world : job_of_sessions).announce(own_wish()); }

Verdict ask(int rank, int ranks) {
  if (ranks == 1) return job_of_world.decide_alone(of_one(own_wish()));
  static Question of_world(job_of_world, rank, ranks, true);
  question = &of_world;
  Verdict const verdict = of_world.ask(seconds_on_host);
  if (of_world.tells()) tell(verdict, job_of_world, ranks);
  return verdict;
}

Verdict ask_for_sessions(int rank, int ranks) {
  if (ranks == 1) return job_of_sessions.decide_alone(Verdict::all);
  Question of_sessions(job_of_sessions, rank, ranks, false);
  Verdict const verdict = of_sessions.ask(seconds_of_sessions);
  if (of_sessions.tells()) tell(verdict, job_of_sessions, ranks);
  return verdict;
}

void forget() {
  if (is_open_mpi() || question == nullptr) return;
  ErrorsReturned const of_world(MPI_COMM_WORLD), of_self(MPI_COMM_SELF);
  question->forget();
}

Verdict ask_in_band(Wish own) {
  constexpr double seconds_until_told = 30;
  ErrorsReturned const ours(MPI_COMM_WORLD);
  int const mine = own == Wish::yes ? 1 : 0;
  int any = 0;
  double const told_at = seconds() + seconds_until_told;
  bool is_told = false;
  int const result = do_together_politely(
      [&](MPI_Request* request) { return PMPI_Iallreduce(&mine, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, request); },
      [&] {
        if (is_told || seconds() < told_at) return;
        is_told = true;
        say(
            {"MPI_Init waits for processes of this job that run without the profiler; \"commprof mpirun …\" gives it "
             "to all"});
      });
  return result != MPI_SUCCESS ? Verdict::absent : any != 0 ? Verdict::all : Verdict::unwanted;
}

}  // namespace commprof::participants
