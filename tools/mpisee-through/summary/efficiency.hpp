#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace mpisee_through {

// Part over whole. Nothing if the whole is 0.
template <class Part, class Whole>
[[nodiscard]] std::optional<double> share_of(Part part, Whole whole) {
  return whole > 0 ? std::optional(static_cast<double>(part) / static_cast<double>(whole)) : std::nullopt;
}

// An estimate of how long the run would take if data moved in no time.
struct TimeWithoutTransfer {
  std::optional<double> time_s;   // nothing if too little of the time in MPI is known
  std::optional<double> error_s;  // standard error of time_s
  double unknown_share = 0;       // of the time in MPI: it may be waiting or not, 0 to 1
};

// The efficiencies of the POP methodology, from each rank's wall time and MPI time. Time outside MPI is useful; the run
// takes as long as its slowest rank. Communication efficiency is the product of serialisation, lost to waiting, and
// transfer, lost to moving data; both need an estimate of the time of the run without transfer.
class Efficiency {
 public:
  // mpi_s: the mean over the rank's threads that call MPI.
  void add_rank(double wall_s, double mpi_s) {
    double const useful_s = std::max(wall_s - mpi_s, 0.0);
    ++ranks_;
    useful_s_ += useful_s;
    useful_max_s_ = std::max(useful_max_s_, useful_s);
    wall_max_s_ = std::max(wall_max_s_, wall_s);
  }

  // For a run whose efficiencies would mislead: they are then nothing.
  void withhold() { is_withheld_ = true; }

  [[nodiscard]] std::uint64_t ranks() const { return ranks_; }
  [[nodiscard]] double useful_mean_s() const { return ranks_ == 0 ? 0 : useful_s_ / static_cast<double>(ranks_); }
  [[nodiscard]] double useful_max_s() const { return useful_max_s_; }
  [[nodiscard]] double wall_max_s() const { return wall_max_s_; }

  // From 0 to 1; nothing if no time passed. parallel() is the product of the other two.
  [[nodiscard]] std::optional<double> parallel() const { return known_share(useful_mean_s(), wall_max_s_); }
  [[nodiscard]] std::optional<double> load_balance() const { return known_share(useful_mean_s(), useful_max_s_); }
  [[nodiscard]] std::optional<double> communication() const { return known_share(useful_max_s_, wall_max_s_); }

  void set_time_without_transfer(TimeWithoutTransfer const& time) { without_transfer_ = time; }
  [[nodiscard]] TimeWithoutTransfer const& without_transfer() const { return without_transfer_; }
  [[nodiscard]] std::optional<double> serialisation() const {
    return without_transfer_.time_s ? known_share(useful_max_s_, *without_transfer_.time_s) : std::nullopt;
  }
  [[nodiscard]] std::optional<double> transfer() const {
    return without_transfer_.time_s ? known_share(*without_transfer_.time_s, wall_max_s_) : std::nullopt;
  }
  // The relative standard error of both; nothing if it is not known.
  [[nodiscard]] std::optional<double> relative_error() const {
    auto const& [time_s, error_s, unknown_share] = without_transfer_;
    return time_s && error_s ? share_of(*error_s, *time_s) : std::nullopt;
  }

 private:
  [[nodiscard]] std::optional<double> known_share(double part, double whole) const {
    return is_withheld_ ? std::nullopt : share_of(part, whole);
  }

  std::uint64_t ranks_ = 0;
  bool is_withheld_ = false;
  double useful_s_ = 0;  // summed over ranks
  double useful_max_s_ = 0;
  double wall_max_s_ = 0;
  TimeWithoutTransfer without_transfer_{};
};

}  // namespace mpisee_through
