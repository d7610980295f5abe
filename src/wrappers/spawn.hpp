// Tells the processes that a call is about to spawn which world spawned them. The root, whose info is significant, adds
// a key to the info of the call. With an MPI that does not know the key, the new world does not learn its origin.
#pragma once

#include "mpi/mpi.hpp"
#include "wrappers/call_memory.hpp"

namespace commprof {

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
  void* infos_in_fortran() { return has_own() ? in_fortran(*memory_) : given_in_fortran_; }

 private:
  // frame: of the wrapper.
  void prepare(void const* frame, int commands, MPI_Info const* infos, MPI_Fint const* infos_in_fortran, int root,
               MPI_Comm comm);
  bool has_own() const { return memory_ && memory_->count > 0; }
  void free_infos();
  // Behind the infos of C.
  static MPI_Fint* in_fortran(CallMemory& memory) {
    return reinterpret_cast<MPI_Fint*>(memory.as<MPI_Info>() + memory.count);
  }

  MPI_Info const* given_ = nullptr;
  void* given_in_fortran_ = nullptr;
  HeldMemory memory_;
};

}  // namespace commprof
