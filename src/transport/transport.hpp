// What the MPI gives to UCX or libfabric, its transport: messages, puts and gets. See docs/design.md, "Seen at the
// transport".
#pragma once

#include <atomic>
#include <cstdint>

#include "mpi/mpi.hpp"
#include "transport/endpoints.hpp"

namespace commprof::transport {

// Must be called before PMPI_Init: begins to observe UCX if the user's options need it.
void prepare();

// Whether the MPI uses UCX or libfabric. Processes agree on that before begin().
bool is_used();

// If it is used by all. Collective over comm, a duplicate of MPI_COMM_WORLD that nobody else uses: finds out which
// worker is whose, and what the MPI puts into tags.
void begin(MPI_Comm comm, int rank, int ranks);
// In place of begin(): nothing is observed.
void leave(int rank);

// What the functions of UCX and libfabric report.

inline Endpoints endpoints;

// Whether anything is reported.
inline std::atomic<bool> is_listening{false};

// The process's own worker.
void has_worker(WorkerId worker);

// A message with a tag was given to the transport.
void sent(void const* endpoint, std::uint64_t bytes, std::uint64_t tag);

// The transport was asked whether a message with such a tag has come; bits that any value will do for are 0.
void probed(std::uint64_t tag);

// Other data were given to it. is_source: they come from the process that the endpoint leads to.
void moved(void const* endpoint, std::uint64_t bytes, bool is_source);

// The addresses between which a transport's own code is: its calls of its own functions are not reported.
class CodeRange {
 public:
  // Finds the code that has the function; keeps what was found before.
  void find(void const* function);
  bool is_empty() const { return end_.load(std::memory_order_relaxed) == 0; }
  bool contains(void const* place) const {
    auto const address = reinterpret_cast<std::uintptr_t>(place);
    return address >= begin_.load(std::memory_order_relaxed) && address < end_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uintptr_t> begin_{0}, end_{0};
};

}  // namespace commprof::transport
