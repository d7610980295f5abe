// Computes from what killed processes have left how long they waited for each other's messages, as MPI_Finalize would
// have done. A process whose file is missing answers nothing, so it is not known how long others waited for it.
#pragma once

#include <map>
#include <memory>

#include "message_waits/own_message_waits.hpp"
#include "recovery/spool_file.hpp"

namespace mpisee_through {

class RecoveredMessageWaits {
 public:
  // Takes the waits of a process out of its file, in any order of processes. Needs as much memory as they do.
  void take(SpoolFile& file);
  // Must be called after the last take().
  void join();
  // The waits of a rank; nullptr if they are not known.
  [[nodiscard]] commprof::OwnMessageWaits const* of(std::int32_t rank) const;

 private:
  struct Process {
    std::unique_ptr<commprof::MessageWaits> waits;
    commprof::OwnMessageWaits own;
  };

  void ask(Process& process) const;
  void follow_chains();
  void merge_rows();

  std::map<std::int32_t, std::unique_ptr<Process>> processes_;
};

}  // namespace mpisee_through
