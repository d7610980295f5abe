// The processes of a job that share this host, as they see each other without MPI: a page of memory in /dev/shm, found
// by what the launcher tells each of them. Every process that has the profiler announces itself there before PMPI_Init,
// which no process leaves before all have entered it. So whoever is missing after it has no profiler.
//
// The page also decides: the first process to find an answer stores it, and all obey the stored one. So processes that
// give up waiting at different moments still do the same. Its file is gone once all processes of the host have found
// it, or there is an answer.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace commprof {

// Whether a process wants a profile of its world. yes: it is named by COMMPROF_APPS; if_others: only if one is.
enum class Wish : std::uint8_t { no, if_others, yes };

// Who takes part. `all` means that there is a profile.
enum class Verdict : std::uint32_t {
  none,      // there is none yet
  all,       // all processes have the profiler, and one of them wants a profile
  unwanted,  // all have it, and COMMPROF_APPS names none of their programs
  refused,   // COMMPROF_ENABLE is 0 in some
  absent,    // some do not have the profiler
  unknown,   // nothing tells
};

class JobOnHost {
 public:
  // Each is a set of processes that announce themselves for one purpose.
  enum class Purpose : std::uint8_t { world, sessions };
  constexpr explicit JobOnHost(Purpose purpose) : purpose_(purpose) {}

  // What processes do at first. Once a process.
  void announce(Wish wish);
  // Tells the others the rank. True for the last one of the processes that do not refuse.
  bool add_rank(int rank);

  bool has_page() const { return page_ != nullptr; }
  std::uint32_t here() const { return page_->here.load(std::memory_order_acquire); }
  std::uint32_t refusing() const { return page_->refusing.load(std::memory_order_relaxed); }
  std::uint32_t wanting() const { return page_->wanting.load(std::memory_order_relaxed); }
  // The ranks that have been added, unsorted; their number. At most most_ranks.
  std::size_t ranks(int* ranks) const;

  Verdict verdict() const { return static_cast<Verdict>(page_->verdict.load(std::memory_order_acquire)); }
  // Stores an answer unless there is one. is_first: whether it did. Returns the answer that holds.
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

// What the launcher tells each process of a job.
namespace job {

// A key that the processes have in common that one daemon of the launcher has started, and no others; 0 if unknown.
std::uint64_t key();
// The number of these processes; 0 if unknown. ranks: of the world.
int ranks_on_host(int ranks);
// What MPI_Publish_name makes known is seen by this job alone, or by others whose scope is another; false if that is
// not certain.
bool has_names(std::uint64_t& scope);

}  // namespace job

}  // namespace commprof
