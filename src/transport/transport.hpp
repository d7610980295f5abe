// What the MPI gives to UCX or libfabric, its transport: messages, puts and gets. See docs/design.md, "Seen at the
// transport".
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

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

// A call of a function of the transport. Not reported if the transport makes it itself, within another one: UCX calls
// some of its functions, and a provider of libfabric may be layered over another one, which it opens and calls like an
// MPI.
class CallOfTransport {
 public:
  CallOfTransport() : is_of_mpi_(!std::exchange(is_within, true)) {}
  CallOfTransport(CallOfTransport const&) = delete;
  CallOfTransport& operator=(CallOfTransport const&) = delete;
  ~CallOfTransport() { is_within = !is_of_mpi_; }

  bool is_reported() const { return is_of_mpi_ && is_listening.load(std::memory_order_relaxed); }

 private:
  static inline thread_local bool is_within = false;

  bool const is_of_mpi_;
};

}  // namespace commprof::transport
