// What the wrappers of MPI's functions do around the call that they forward. This header has all that the generated
// wrappers need; those written by hand are in special.cpp, fortran.cpp and error_handlers.cpp.
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

// Tells the processes that a call is about to spawn which world spawned them. The root, whose info is significant, adds
// a key to the info of the call. With an MPI that does not know the key, the new world does not learn its origin.
class SpawnInfo {
 public:
  // infos: one for each of the call's commands. They are copied, not changed.
  [[gnu::always_inline]] SpawnInfo(int commands, MPI_Info const infos[], int root, MPI_Comm comm) : given_(infos) {
    prepare(__builtin_dwarf_cfa(), commands, infos, nullptr, root, comm);
  }
  [[gnu::always_inline]] SpawnInfo(int commands, void const* infos_in_fortran, int root, MPI_Comm comm)
      : given_in_fortran_(const_cast<void*>(infos_in_fortran)) {
    prepare(__builtin_dwarf_cfa(), commands, nullptr, static_cast<MPI_Fint const*>(infos_in_fortran), root, comm);
  }
  SpawnInfo(SpawnInfo const&) = delete;
  SpawnInfo& operator=(SpawnInfo const&) = delete;
  ~SpawnInfo() { free_infos(); }

  // The infos to pass to MPI.
  MPI_Info const* infos() const { return has_own() ? memory_->as<MPI_Info>() : given_; }
  void* infos_in_fortran() { return has_own() ? in_fortran() : given_in_fortran_; }

 private:
  // frame: of the wrapper.
  void prepare(void const* frame, int commands, MPI_Info const* infos, MPI_Fint const* infos_in_fortran, int root,
               MPI_Comm comm);
  bool has_own() const { return count_ > 0; }
  void free_infos();
  // Behind the infos of C.
  MPI_Fint* in_fortran() const { return reinterpret_cast<MPI_Fint*>(memory_->as<MPI_Info>() + count_); }

  MPI_Info const* given_ = nullptr;
  void* given_in_fortran_ = nullptr;
  HeldMemory memory_;
  std::size_t count_ = 0;  // of our own infos
};

}  // namespace commprof
