// The expected contents of the profile: calls count in the process's current region, and not at all while it is paused.
#pragma once

#include <commprof/commprof.h>

#include <mutex>
#include <string>
#include <vector>

#include "profile_test.hpp"

namespace torture {

class Tally {
 public:
  explicit Tally(profile_test::ProfileTest& test) : test_(test), is_paused_(static_cast<std::size_t>(test.ranks)) {}

  // One call of this process. Threads may count at once.
  void count(std::string const& comm, std::string const& op, std::uint64_t sent = 0, std::uint64_t received = 0) {
    if (is_paused(test_.rank)) return;
    std::lock_guard const lock(mutex_);
    test_.expect(comm, op, {1, sent, received});
  }
  // One message from this process to one of the world.
  void sent(std::string const& comm, int to, std::uint64_t bytes) {
    if (is_paused(test_.rank)) return;
    std::lock_guard const lock(mutex_);
    test_.expect_sent(comm, to, {1, bytes});
  }
  // One message by a one-sided call of any process.
  void one_sided(std::string const& comm, int origin, int from, int to, std::uint64_t bytes) {
    if (!is_paused(origin)) test_.expect_one_sided(comm, from, to, {1, bytes});
  }

  // Known for every process, because each expects the one-sided messages of all.
  bool is_paused(int rank) const { return is_paused_[static_cast<std::size_t>(rank)]; }
  void pause_or_resume(int rank, bool by_pcontrol) {
    bool const resumes = is_paused(rank);
    is_paused_[static_cast<std::size_t>(rank)] = !resumes;
    if (rank != test_.rank) return;
    if (by_pcontrol) MPI_Pcontrol(resumes ? COMMPROF_RESUME : COMMPROF_PAUSE);
    else if (resumes) commprof_resume();
    else commprof_pause();
  }

  std::size_t open_regions() const { return regions_.size(); }
  void begin_region(std::string const& name, bool by_pcontrol) {
    if (by_pcontrol) MPI_Pcontrol(COMMPROF_REGION_BEGIN, name.c_str());
    else commprof_region_begin(name.c_str());
    regions_.push_back(regions_.empty() ? name : regions_.back() + "/" + name);
    test_.expect_entered(regions_.back());
    test_.in_region(regions_.back());
  }
  void end_region(bool by_pcontrol) {
    if (by_pcontrol) MPI_Pcontrol(COMMPROF_REGION_END);
    else commprof_region_end(nullptr);
    regions_.pop_back();
    test_.in_region(regions_.empty() ? "main" : regions_.back());
  }

 private:
  profile_test::ProfileTest& test_;
  std::mutex mutex_;
  std::vector<char> is_paused_;
  std::vector<std::string> regions_;  // paths of the open regions
};

}  // namespace torture
