// The processes of a job on one host, as they find each other without MPI, and what the launcher tells them.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/memory.hpp"
#include "comm_naming/comm_name.hpp"
#include "mpi/library_version.hpp"
#include "mpi/mpi.hpp"

namespace commprof::participants {

// Only with `all` there is a profile.
enum class Answer : unsigned {
  none,      // no answer yet
  all,       // all processes have the profiler, and one of them wants a profile
  unwanted,  // all have the profiler, but COMMPROF_APPS names no program of theirs
  absent,    // some processes lack the profiler
  unknown,   // it cannot be found out
};

inline std::string_view variable(char const* name) {
  char const* const value = std::getenv(name);
  return value == nullptr ? std::string_view{} : value;
}

inline int number_of(std::string_view text) {
  int number = -1;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? number : -1;
}

// Under Open MPI, PRRTE and Slurm: the name of the job, and the addresses of the daemon that serves this process.
inline std::uint64_t key_of_pmix() {
  std::string_view const name = variable("PMIX_NAMESPACE");
  if (name.empty()) return 0;
  std::uint64_t key = hash_of(name);
  for (char** each = environ; each != nullptr && *each != nullptr; ++each)
    if (std::string_view const text = *each; text.starts_with("PMIX_SERVER_URI")) key += hash_of(text);
  return key;
}

// The process at the other end of PMI's connection, which created the pair of sockets: Hydra's proxy, or Slurm.
inline std::uint64_t key_of_pmi() {
  if (std::string_view const port = variable("PMI_PORT"); !port.empty()) return hash_of(port);
  int const connection = number_of(variable("PMI_FD"));
  ucred other{};
  socklen_t length = sizeof other;
  if (connection < 0 || getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &other, &length) != 0) return 0;
  return static_cast<std::uint64_t>(other.pid);
}

// What the launcher tells each process that it starts.
struct Launcher {
  std::uint64_t key = 0;  // shared by exactly the processes that one daemon has started; 0 if unknown
  bool is_pmix = false;

  // Prefers the launcher that belongs to this MPI, in case one launcher runs within another.
  static Launcher of_process() {
    for (bool const is_pmix : {is_open_mpi(), !is_open_mpi()})
      if (std::uint64_t const key = is_pmix ? key_of_pmix() : key_of_pmi(); key != 0) return {key, is_pmix};
    return {};
  }

  std::string_view told_ranks() const { return variable(is_pmix ? "OMPI_COMM_WORLD_LOCAL_SIZE" : "MPI_LOCALNRANKS"); }

  // The number of processes with this key; 0 if unknown. ranks: of the world; 0 if not known yet.
  int ranks_on_host(int ranks) const {
    if (!told_ranks().empty()) return std::max(number_of(told_ranks()), 0);
    bool const is_whole_step = number_of(variable("SLURM_NTASKS")) == ranks;
    return is_whole_step && variable("SLURM_STEP_NUM_NODES") == "1" ? ranks : 0;
  }

  // Whether MPI_Publish_name works. mpirun and Hydra tell the number of processes on this host. Slurm does not; it has
  // no published names under PMIx, and under PMI it prints a message for every missing name.
  bool has_names() const {
    if (key == 0 || told_ranks().empty()) return false;
    if (is_pmix) return true;
    MPI_Comm parent = MPI_COMM_NULL;  // under Hydra, spawned worlds share published names with the first world
    return PMPI_Comm_get_parent(&parent) == MPI_SUCCESS && parent == MPI_COMM_NULL;
  }
};

// The processes of a job on this host, as they find each other without MPI: by a page of memory in /dev/shm, whose name
// depends on what the launcher tells each process. Every process with the profiler registers there before PMPI_Init,
// which no process leaves before all have entered it. So a process that is missing afterwards does not have the
// profiler.
// See docs/design.md, "Who takes part".
struct Page {
  static constexpr std::size_t most_ranks = 2032;
  std::atomic<std::uint32_t> here, wanting, added;
  std::atomic<Answer> answer;
  std::uint32_t unused[12];
  std::atomic<std::int32_t> ranks_and_1[most_ranks];  // 0: not added yet
};
static_assert(sizeof(Page) == 8192);

// Used if there is no file: as if this process were alone on its host.
inline constinit Page own_page{};

class Host {
 public:
  // Must be called first. is_named: see participants::is_named().
  void announce(bool is_named) {
    if (page_ != nullptr) return;
    launcher_ = Launcher::of_process();
    page_ = map();
    if (page_ == nullptr) page_ = &own_page;
    if (is_named) page_->wanting.fetch_add(1, std::memory_order_relaxed);
    place_ = page_->here.fetch_add(1, std::memory_order_acq_rel);
    if (static_cast<int>(place_) + 1 == launcher_.ranks_on_host(0)) unlink(path_);
  }

  // Adds this process's rank. True for the last process.
  bool add_rank(int rank) {
    if (place_ < Page::most_ranks) page_->ranks_and_1[place_].store(rank + 1, std::memory_order_relaxed);
    return page_->added.fetch_add(1, std::memory_order_acq_rel) + 1 == static_cast<std::uint32_t>(here());
  }

  Launcher const& launcher() const { return launcher_; }
  int here() const { return static_cast<int>(page_->here.load(std::memory_order_acquire)); }
  bool wants() const { return page_->wanting.load(std::memory_order_relaxed) > 0; }
  // Appends the ranks added so far in short form. Returns the lowest; `otherwise` if there is no memory or no room.
  int append_ranks(PageVector<char>& text, int otherwise) const {
    PageVector<int> ranks;
    bool has_room = here() <= static_cast<int>(Page::most_ranks);
    for (int i = 0; has_room && i < here(); ++i)
      if (int const rank = page_->ranks_and_1[i].load(std::memory_order_relaxed) - 1; rank >= 0)
        has_room = ranks.push_back(rank);
    return has_room && append_rank_ranges(text, ranks.begin(), ranks.size()) ? ranks.begin()[0] : otherwise;
  }

  Answer answer() const { return page_->answer.load(std::memory_order_acquire); }
  // Stores an answer unless there is one. is_first: whether it was stored. Returns the answer in force.
  Answer decide(Answer answer, bool& is_first) {
    Answer found = Answer::none;
    is_first = page_->answer.compare_exchange_strong(found, answer, std::memory_order_acq_rel);
    if (is_first) unlink(path_);
    return is_first ? answer : found;
  }

 private:
  Page* map() {
    if (launcher_.key == 0) return nullptr;
    std::snprintf(path_, sizeof path_, "/dev/shm/commprof-%u-%016llx", geteuid(),
                  static_cast<unsigned long long>(launcher_.key));
    Descriptor const file(open_regular(path_, O_RDWR | O_CREAT, 0600));
    struct stat status {};
    if (!file || fstat(file.get(), &status) != 0 || status.st_uid != geteuid()) return nullptr;
    HeldSignals const held;
    if (fallocate(file.get(), 0, 0, sizeof(Page)) != 0) return nullptr;
    void* const pages = mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    return pages == MAP_FAILED ? nullptr : static_cast<Page*>(pages);
  }

  Launcher launcher_;
  Page* page_ = nullptr;
  std::uint32_t place_ = 0;
  char path_[64] = "";
};

}  // namespace commprof::participants
