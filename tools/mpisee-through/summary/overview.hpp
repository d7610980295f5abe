#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reader/profile_reader.hpp"
#include "summary/selection.hpp"

namespace mpisee_through {

// Part over whole. Nothing if the whole is 0.
template <class Part, class Whole>
[[nodiscard]] std::optional<double> share_of(Part part, Whole whole) {
  return whole > 0 ? std::optional(static_cast<double>(part) / static_cast<double>(whole)) : std::nullopt;
}

enum class HostIndex : std::uint32_t {};
enum class ProcessorsIndex : std::uint32_t {};

// The share of the ranks' wall time spent waiting for processors from which on a run measures the machine more than the
// program.
inline constexpr double crowded_share = 0.1;

// Where the time went: each second of a rank, or of several, is in one class. With several threads, of all that call
// MPI at the same time. Waiting is an estimate.
struct Account {
  double work_s = 0;               // outside MPI, with a processor
  double without_processor_s = 0;  // outside MPI, and in calls while nobody is missing
  double waiting_s = 0;            // for other ranks
  double moving_s = 0;             // in calls that move data, while nobody is missing
  double other_s = 0;              // in other calls, while nobody is missing
  double unknown_s = 0;            // in calls of which it is not known whether they wait

  Account& operator+=(Account const& other);
};
struct AccountClass {
  std::string_view name, key;  // for people, and in data
  double Account::*time_s;
};
inline constexpr std::array<AccountClass, 6> account_classes{
    {{"work", "work_s", &Account::work_s},
     {"without a processor", "without_processor_s", &Account::without_processor_s},
     {"waiting for others", "waiting_s", &Account::waiting_s},
     {"moving data", "moving_s", &Account::moving_s},
     {"other MPI calls", "other_s", &Account::other_s},
     {"not known", "unknown_s", &Account::unknown_s}}};
inline Account& Account::operator+=(Account const& other) {
  for (AccountClass const& one : account_classes) this->*one.time_s += other.*one.time_s;
  return *this;
}

struct RankTimes {
  double wall_s = 0;
  double mpi_s = 0;                              // summed over its threads
  std::optional<double> cpu_s{};                 // processor time of all threads
  std::optional<double> queued_s{};              // time in which the rank could run but waited for a processor
  std::optional<double> queued_outside_s{};      // the part of it outside MPI
  std::optional<double> queued_inside_s{};       // and in calls, while nobody is missing
  double threads = 1;                            // that call MPI, at the same time
  std::optional<std::uint64_t> max_rss_bytes{};  // most resident memory
  std::optional<double> throttled_s{};           // stopped by a limit of its cgroup, summed over processors
  std::optional<double> stolen_s{};              // of each processor of the host, by the hypervisor
  std::optional<double> waiting_s{};             // measured waiting for other ranks
  std::optional<double> waiting_error_s{};       // its standard error
  std::optional<double> caused_s{};              // the waiting of others that the rank causes
  std::optional<Account> account{};

  [[nodiscard]] double threads_wall_s() const { return threads * wall_s; }
  [[nodiscard]] std::optional<double> mpi_share() const { return share_of(mpi_s, threads_wall_s()); }
  [[nodiscard]] std::optional<double> queued_share() const {
    return queued_s ? share_of(*queued_s, wall_s) : std::nullopt;
  }
  // Means over the threads that call MPI. The waiting is nothing if it is not measured.
  [[nodiscard]] double mpi_of_thread_s() const { return mpi_s / threads; }
  [[nodiscard]] std::optional<double> waiting_of_thread_s() const {
    return waiting_s ? std::optional(*waiting_s / threads) : std::nullopt;
  }
  [[nodiscard]] double outside_mpi_s() const { return std::max(wall_s - mpi_of_thread_s(), 0.0); }
  // Outside MPI with a processor; all time outside MPI if it is not known.
  [[nodiscard]] double useful_s() const { return account ? account->work_s / threads : outside_mpi_s(); }
};

// The efficiencies of the POP methodology, from each rank's wall time and MPI time. Time outside MPI with a processor
// is useful; the run takes as long as its slowest rank. Processor efficiency is what waiting for processors leaves of
// the longest time outside MPI. Communication efficiency is the product of serialisation, lost to waiting, and
// transfer, lost to moving data. Both need an estimate of the time of the run if data moved in no time: the longest
// time outside MPI, or the time outside MPI and in waiting of the rank that moves data longest.
class Efficiency {
 public:
  void add_rank(RankTimes const& times);

  // For a run whose efficiencies would mislead: they are then nothing.
  void withhold() { is_withheld_ = true; }

  [[nodiscard]] std::uint64_t ranks() const { return ranks_; }
  [[nodiscard]] double useful_mean_s() const { return ranks_ == 0 ? 0 : useful_s_ / static_cast<double>(ranks_); }
  [[nodiscard]] double useful_max_s() const { return useful_max_s_; }
  [[nodiscard]] double outside_mpi_mean_s() const { return ranks_ == 0 ? 0 : outside_s_ / static_cast<double>(ranks_); }
  [[nodiscard]] double wall_max_s() const { return wall_max_s_; }

  // From 0 to 1; nothing if no time passed. parallel() is the product of the other three.
  [[nodiscard]] std::optional<double> parallel() const { return known_share(useful_mean_s(), wall_max_s_); }
  [[nodiscard]] std::optional<double> load_balance() const { return known_share(useful_mean_s(), useful_max_s_); }
  // Nothing, and 1 in the product, if it is not known of all ranks what they wait for processors.
  [[nodiscard]] std::optional<double> processors() const {
    return ranks_with_account_ == ranks_ ? known_share(useful_max_s_, outside_max_s_) : std::nullopt;
  }
  [[nodiscard]] std::optional<double> communication() const { return known_share(outside_max_s_, wall_max_s_); }

  // Nothing if too little of the time in MPI is known.
  [[nodiscard]] std::optional<double> serialisation() const {
    return known_share(outside_max_s_, without_transfer_s());
  }
  [[nodiscard]] std::optional<double> transfer() const {
    return without_transfer_s() > 0 ? known_share(without_transfer_s(), wall_max_s_) : std::nullopt;
  }
  // The relative standard error of both; nothing if it is not known.
  [[nodiscard]] std::optional<double> relative_error() const {
    return error_s_ ? share_of(*error_s_, without_transfer_s()) : std::nullopt;
  }

 private:
  [[nodiscard]] std::optional<double> known_share(double part, double whole) const {
    return is_withheld_ ? std::nullopt : share_of(part, whole);
  }
  [[nodiscard]] double without_transfer_s() const;  // 0 if it is not known

  std::uint64_t ranks_ = 0;
  bool is_withheld_ = false;
  double useful_s_ = 0, outside_s_ = 0;  // summed over ranks; outside MPI
  double useful_max_s_ = 0, outside_max_s_ = 0;
  double wall_max_s_ = 0;
  std::uint64_t ranks_with_account_ = 0;
  // These are of the ranks that know how long they wait.
  std::uint64_t ranks_with_waiting_ = 0;
  double mpi_s_ = 0, unknown_s_ = 0;  // summed over them; unknown: whether it is waiting
  double least_s_ = 0;                // the least time outside MPI and in waiting
  std::optional<double> error_s_{};   // standard error of least_s_
};

// The facts above every view: the run, and sums of the selected ranks from ranks.csv.
struct Overview {
  std::string profile;  // directory, as the user named it
  Run run;
  std::uint64_t selected_ranks = 0;
  std::uint64_t hosts = 0;
  double wall_s = 0;
  double mpi_s = 0;
  double threads_wall_s = 0;  // the wall times of all threads that call MPI
  Efficiency efficiency;
  std::optional<Account> account;  // nothing unless known for every rank
  // By rank, including ranks that are not selected.
  std::vector<HostIndex> host_of_rank;
  std::vector<RankTimes> times_of_rank;
  std::vector<std::string> host_names;  // the last one is "(unknown)" if ranks are missing
  std::vector<ProcessorsIndex> processors_of_rank;
  std::vector<RankSet> processors;  // sets of processors that ranks may run on; the empty set means unknown

  [[nodiscard]] std::optional<double> mpi_share() const { return share_of(mpi_s, threads_wall_s); }
  // The time in which ranks waited for a processor, as a share of their wall time: of the whole run, even if this is a
  // part of it. Nothing if no rank knows it.
  [[nodiscard]] std::optional<double> queued_share() const;
  // Whether ranks know this.
  [[nodiscard]] bool is_known(std::optional<double> RankTimes::*of_rank) const {
    return std::ranges::any_of(times_of_rank, [&](RankTimes const& one) { return (one.*of_rank).has_value(); });
  }
  // Without the host of missing ranks.
  [[nodiscard]] std::span<std::string const> known_hosts() const {
    return std::span(host_names).first(host_names.size() - (run.lacks_ranks() ? 1 : 0));
  }
  [[nodiscard]] RankTimes const& times_of(WorldRank rank) const {
    return times_of_rank[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] std::string const& host_of(WorldRank rank) const {
    return host_names[static_cast<std::size_t>(host_of_rank[static_cast<std::size_t>(rank)])];
  }
};

// Throws ProfileError, and SelectionError for a rank outside the run.
Overview read_overview(Profile const& profile, Selection const& selection);

// Throws SelectionError if `ranks`, from the option, has a rank outside the run.
void check_ranks(std::string_view option, std::optional<RankSet> const& ranks, Run const& run);

}  // namespace mpisee_through
