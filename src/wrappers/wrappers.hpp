// What the wrappers of MPI's functions do around the call that they forward. This header has all that the generated
// wrappers need; those written by hand are in special.cpp and fortran.cpp.
//
// A Call stamps (call.hpp); record() counts (counting.hpp), by the rule for the bytes (volume.hpp), at the place that
// the call was given (places.hpp). issuing.hpp begins requests, completion.hpp ends them, awaited.hpp numbers messages.
#pragma once

#include "base/compiler.hpp"
#include "counters/counters.hpp"
#include "mpi/mpi.hpp"
#include "next.hpp"
#include "wrappers/completion.hpp"
#include "wrappers/issuing.hpp"

namespace commprof {

// The site of a call through a binding that is built upon another binding.
//
// Construct it in a function that is not counted itself but calls one that is: that call counts at the site of the
// function's caller.
class SiteOfBinding {
 public:
  [[gnu::always_inline]] SiteOfBinding() {
    this_thread.binding_site = __builtin_extract_return_addr(__builtin_return_address(0));
  }
  SiteOfBinding(SiteOfBinding const&) = delete;
  SiteOfBinding& operator=(SiteOfBinding const&) = delete;
  ~SiteOfBinding() { this_thread.binding_site = state.options.stack > 0 ? &callers_wanted : nullptr; }
};

// The status of a call that receives. The profiler needs it even if the program ignores it.
class StatusOut {
 public:
  explicit StatusOut(MPI_Status* status) : status_(status == MPI_STATUS_IGNORE ? &own_ : status) {}
  MPI_Status* get() { return status_; }

 private:
  MPI_Status own_;
  MPI_Status* status_;
};

}  // namespace commprof
