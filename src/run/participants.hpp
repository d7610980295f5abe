// Which processes of a job have the profiler: on this host by a page of shared memory, on several hosts by names that
// the launcher publishes; and whether the program sees the same world as MPI.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "mpi/mpi.hpp"

namespace commprof {

// Keeps errors from the program's error handlers.
// While it exists, errors on a communicator are returned to the profiler, and the program's handler is not called.
class ErrorsReturned {
 public:
  explicit ErrorsReturned(MPI_Comm comm) : comm_(comm) {
    PMPI_Comm_get_errhandler(comm_, &handler_);
    PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  }
  ErrorsReturned(ErrorsReturned const&) = delete;
  ErrorsReturned& operator=(ErrorsReturned const&) = delete;
  ~ErrorsReturned() {
    PMPI_Comm_set_errhandler(comm_, handler_);
    PMPI_Errhandler_free(&handler_);
  }

 private:
  MPI_Comm comm_;
  MPI_Errhandler handler_ = MPI_ERRHANDLER_NULL;
};

// The processes of a job on this host, as they find each other without MPI: by a page of memory in /dev/shm, whose name
// depends on what the launcher tells each process. Every process with the profiler registers there before PMPI_Init,
// which no process leaves before all have entered it. So a process that is missing afterwards does not have the
// profiler.
//
// The page also stores the decision: the first process to find an answer stores it, and all processes follow it. So
// processes that stop waiting at different moments still do the same. The file is removed when all processes of the
// host have found it, or when there is an answer.
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

// Finds out which processes of a world have the profiler: docs/design.md, "Who takes part". Sends no message on a
// communicator: a process without the profiler would receive it, or keep all others waiting.
namespace participants {

// Must be called before PMPI_Init, or after PMPI_Session_init: tells the others what this process wants.
void announce(JobOnHost::Purpose purpose);

// Must be called after PMPI_Init. Not collective: waits at most a few seconds for missing processes, and then prints a
// line. All processes that ask get the same answer. If the answer is Verdict::unknown, call ask_in_band().
Verdict ask(int rank, int ranks);
// Must be called before the last session is closed.
Verdict ask_for_sessions(int rank, int ranks);
// Must be called when all processes have their answer.
void forget();

// Collective on MPI_COMM_WORLD: waits as long as a process is missing, and prints a line after half a minute.
Verdict ask_in_band(Wish own);

// What COMMPROF_ENABLE and COMMPROF_APPS say for this process.
Wish own_wish();

}  // namespace participants

// The world as the program sees it. A tool over PMPI behind the profiler may change MPI_COMM_WORLD: layers of in-situ
// analysis keep some processes for themselves, others renumber the processes.
namespace program_world {

// Whether MPI_COMM_WORLD has fewer processes for the program than for MPI. The missing ones may never call MPI again,
// so the profiler must not wait for them. Prints a line if so.
bool is_smaller();

// Whether this process has another rank in MPI_COMM_WORLD for the program than for MPI.
bool has_other_rank();

}  // namespace program_world

}  // namespace commprof
