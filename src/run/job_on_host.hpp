// The processes of a job on this host, as they find each other without MPI: by a page of memory in /dev/shm, whose name
// depends on what the launcher tells each process. Every process with the profiler registers there before PMPI_Init,
// which no process leaves before all have entered it. So a process that is missing afterwards does not have the
// profiler.
//
// The page also stores the decision: the first process to find an answer stores it, and all processes follow it. So
// processes that stop waiting at different moments still do the same. The file is removed when all processes of the
// host have found it, or when there is an answer.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace commprof {

// Whether a process wants a profile of its world. yes: COMMPROF_APPS names its program. if_others: only if another
// process wants one.
enum class Wish : std::uint8_t { no, if_others, yes };

// The answer to who takes part. Only with `all` there is a profile.
enum class Verdict : std::uint32_t {
  none,      // no answer yet
  all,       // all processes have the profiler, and one of them wants a profile
  unwanted,  // all have the profiler, but COMMPROF_APPS names no program of theirs
  refused,   // COMMPROF_ENABLE is 0 in some processes
  absent,    // some processes lack the profiler
  unknown,   // it cannot be found out
};

class JobOnHost {
 public:
  // A purpose for which processes register; each has a page of its own.
  enum class Purpose : std::uint8_t { world, sessions };
  constexpr explicit JobOnHost(Purpose purpose) : purpose_(purpose) {}

  // Registers this process. Must be called first, once for each process.
  void announce(Wish wish);
  // Adds this process's rank. True for the last process of those that do not refuse.
  bool add_rank(int rank);

  bool has_page() const { return page_ != nullptr; }
  std::uint32_t here() const { return page_->here.load(std::memory_order_acquire); }
  std::uint32_t refusing() const { return page_->refusing.load(std::memory_order_relaxed); }
  std::uint32_t wanting() const { return page_->wanting.load(std::memory_order_relaxed); }
  // Copies the ranks added so far, unsorted, at most most_ranks. Returns their number.
  std::size_t ranks(int* ranks) const;

  Verdict verdict() const { return static_cast<Verdict>(page_->verdict.load(std::memory_order_acquire)); }
  // Stores an answer unless there is one. is_first: whether it was stored. Returns the answer in force.
  Verdict decide(Verdict verdict, bool& is_first);
  // Decides for a world of one process, which needs no page.
  Verdict decide_alone(Verdict verdict);

  static constexpr std::size_t most_ranks = 2032;

 private:
  struct Page {
    std::atomic<std::uint32_t> here, refusing, wanting, added, verdict;
    std::uint32_t unused[11];
    std::atomic<std::int32_t> ranks_and_1[most_ranks];
  };
  static_assert(sizeof(Page) == 8192);

  Purpose purpose_;
  Page* page_ = nullptr;
  std::uint32_t place_ = 0;
  char path_[64] = "";
};

// Facts that the launcher tells each process of a job.
namespace job {

// A key shared by exactly the processes that one daemon of the launcher has started; 0 if unknown.
std::uint64_t key();
// The number of processes with this key; 0 if unknown. ranks: of the world.
int ranks_on_host(int ranks);
// Sets the scope of MPI_Publish_name: names are visible in this job only, or also in jobs with another scope. False if
// that is uncertain.
bool has_names(std::uint64_t& scope);

}  // namespace job

}  // namespace commprof
