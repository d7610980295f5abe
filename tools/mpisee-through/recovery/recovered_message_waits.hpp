// Computes from what killed processes have left how long they waited for each other, as MPI_Finalize would
// have done. A process whose file is missing answers nothing, so it is not known how long others waited for it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "message_waits/own_message_waits.hpp"
#include "recovery/spool_file.hpp"

namespace mpisee_through {

// The waiting for messages in an operation on a communicator, as in waits.csv, over all call sites.
struct MessageWaitSum {
  std::string communicator, operation;
  commprof::WaitKind kind{};
  std::uint64_t instants = 0;
  double time_s = 0, wait_s = 0, error_s = 0, unknown_share = 0;
  std::optional<std::int32_t> caused_by{};
  double caused_share = 0;
};

class RecoveredMessageWaits {
 public:
  // Takes the waits of a process out of its file, in any order of processes. Needs as much memory as they do.
  void take(SpoolFile& file);
  // Must be called after the last take().
  void join();
  // Rows of all processes, one for each communicator, operation and kind, without those of pending requests; the
  // longest waiting first. Names of communicators as the caller knows them. Must be called after join().
  [[nodiscard]] std::vector<MessageWaitSum> sums(std::span<std::string const> communicators) const;
  // The waits of a rank; without rows if they are not known.
  [[nodiscard]] commprof::OwnMessageWaits const& of(std::int32_t rank) const;

 private:
  struct Process {
    std::unique_ptr<commprof::MessageWaits> waits;
    commprof::OwnMessageWaits own;
  };

  template <class Joined>
  void merge(Joined& all, Joined& (commprof::OwnMessageWaits::*own)()) const;
  void share_meetings();
  void ask(Process& process) const;
  void follow_chains();
  void blame();
  void merge_rows();

  std::map<std::int32_t, std::unique_ptr<Process>> processes_;
};

}  // namespace mpisee_through
