// Tells the processes that a call is about to spawn which world spawned them. The root, whose info is significant, adds
// a key to the info of the call. With an MPI that does not know the key, the new world does not learn its origin.
#pragma once

#include "base/memory.hpp"
#include "mpi/mpi.hpp"

namespace commprof {

class SpawnInfo {
 public:
  // infos: one for each of the call's commands. They are copied, not changed.
  SpawnInfo(int commands, MPI_Info const infos[], int root, MPI_Comm comm);
  SpawnInfo(int commands, void const* infos_in_fortran, int root, MPI_Comm comm);
  SpawnInfo(SpawnInfo const&) = delete;
  SpawnInfo& operator=(SpawnInfo const&) = delete;
  ~SpawnInfo();

  // The infos to pass to MPI.
  MPI_Info const* infos() const { return own_.size() > 0 ? own_.begin() : given_; }
  void* infos_in_fortran() { return own_in_fortran_.size() > 0 ? own_in_fortran_.begin() : given_in_fortran_; }

 private:
  void add(MPI_Info info, char const* setting);
  void finish(int commands);

  MPI_Info const* given_ = nullptr;
  void* given_in_fortran_ = nullptr;
  PageVector<MPI_Info> own_;
  PageVector<MPI_Fint> own_in_fortran_;
};

}  // namespace commprof
