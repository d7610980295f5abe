// What each process reports about itself, and the rows that several processes send.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/dropped.hpp"
#include "base/memory.hpp"
#include "profile/messages.hpp"
#include "profile/schema.hpp"
#include "profile/texts.hpp"

namespace commprof {

// Why calls of a collective operation are missing from waits.csv.
enum class NoWaits : std::uint8_t {
  folded,              // the communicator shares its record with others
  intercommunicators,  // its two groups wait for each other differently
  other,               // it has members of other worlds, or was created by unseen calls
  incomplete,          // some member has no sample: only in older profiles
  disagreeing,         // a call has failed on some members only, so that the numbers of later ones differ
  count_
};
inline constexpr std::array<std::string_view, static_cast<std::size_t>(NoWaits::count_)> no_waits_names{
    "folded", "intercommunicators", "other", "incomplete", "disagreeing"};

// The facts that each process contributes to run.json. Sent as raw bytes, so it contains only numbers.
struct RunSummary {
  std::array<std::uint64_t, schema::tables.size()> rows{};
  std::uint64_t wall_ns = 0;             // of the slowest process
  std::uint64_t all_us = 0, mpi_us = 0;  // summed over processes: total time, and time in MPI
  std::array<std::uint64_t, dropped::names.size()> dropped{};
  std::array<std::uint64_t, dropped::folded_names.size()> folded{};
  std::array<std::uint64_t, no_waits_names.size()> no_waits{};
  MessageTotals messages;
  std::uint64_t bytes_over_limit = 0;  // size of a profile that would exceed its limit; otherwise 0

  void add(RunSummary const& other) {
    auto const add_all = [](auto& sums, auto const& values) {
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += values[i];
    };
    add_all(rows, other.rows);
    add_all(dropped, other.dropped);
    add_all(folded, other.folded);
    add_all(no_waits, other.no_waits);
    all_us += other.all_us;
    mpi_us += other.mpi_us;
    wall_ns = std::max(wall_ns, other.wall_ns);
    messages.add(other.messages);
  }
};

// Rows that several processes send, each kept once: the first row of each name in communicators.csv, and each distinct
// row of other files.
class Offers {
 public:
  static constexpr std::array files{File::communicators, File::sites, File::modules};

  // Appends the new ones among these rows, which must be whole. False if memory is used up.
  bool take(File file, std::string_view rows) {
    auto const i = static_cast<std::size_t>(std::find(files.begin(), files.end(), file) - files.begin());
    return i == files.size() || rows_[i].add_all(rows);
  }
  bool add(Offers const& later) {
    bool is_whole = true;
    for (std::size_t i = 0; i < files.size(); ++i) is_whole = rows_[i].add(later.rows_[i]) && is_whole;
    return is_whole;
  }

  // Calls visit(file, row) for each row, without its end.
  template <class Visitor>
  void for_each(Visitor&& visit_row) const {
    for (std::size_t i = 0; i < files.size(); ++i)
      rows_[i].for_each([&](std::string_view row) { visit_row(files[i], row); });
  }
  // Visits the parts to send or receive.
  template <class Visitor>
  void visit(Visitor&& visitor) {
    for (Texts& of_file : rows_) of_file.visit(visitor);
  }

 private:
  std::array<Texts, files.size()> rows_{Texts('\n', ','), Texts('\n', '\n'), Texts('\n', '\n')};
};

}  // namespace commprof
