// What the functions of UCX report.
#pragma once

#include <atomic>
#include <cstdint>

#include "transport/endpoints.hpp"
#include "transport/ucx.hpp"

namespace commprof::transport {

inline Endpoints endpoints;

// Whether anything is reported.
inline std::atomic<bool> is_listening{false};

// The process's own worker.
void has_worker(WorkerId worker);

// A message with a tag was given to UCX.
void sent(ucx::Endpoint const* endpoint, std::uint64_t bytes, ucx::Tag tag);
// Something else was given to UCX: an active message, a put, a get or the like. is_source: the data come from the other
// process.
void moved(ucx::Endpoint const* endpoint, std::uint64_t bytes, bool is_source);

// The addresses between which UCX's own code is: its calls of its own functions are not reported.
void find_code_of(void const* function);
inline std::atomic<std::uintptr_t> code_begin{0}, code_end{0};

}  // namespace commprof::transport
