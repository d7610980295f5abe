#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "reader/profile_reader.hpp"

namespace mpisee_through {

// The sum over ranks of all that its fields do not exclude: is_several() of region, communicator, site and operation,
// and no size. Text is as in the file, valid until next().
struct SummaryRow {
  std::string_view region;
  std::string_view communicator;
  std::uint64_t communicator_size;  // 0 of several
  std::string_view site;
  std::string_view operation;
  std::optional<SizeBin> size;
  std::uint64_t ranks;  // that have a part in it
  std::uint64_t calls;
  std::uint64_t bytes_sent;
  std::uint64_t bytes_received;
  Seconds time_s;
  Seconds least_s, most_s;  // of one rank
  WorldRank least_rank, most_rank;
  double shortest_s, longest_s;  // calls
};

[[nodiscard]] inline bool is_several(std::string_view field) { return field == commprof::schema::several; }

// Rows of summary.csv, in the order of the file: those of a communicator are adjacent. Throws ProfileError for a
// profile that was written without the file.
class SummaryRows {
 public:
  explicit SummaryRows(Profile const& profile);
  SummaryRows(SummaryRows&&) noexcept;
  ~SummaryRows();
  SummaryRow const* next();
  // Likewise, of what the most rows are: those with a size.
  enum class Sizes { none, totals };  // these rows are passed by; they have their size and their totals only
  SummaryRow const* next(Sizes sizes);
  [[noreturn]] void fail(std::string_view problem);

  // For read_in_parts(). A communicator is in one part.
  static std::vector<SummaryRows> parts(Profile const& profile);
  static void check_row_count(Profile const& profile, std::uint64_t rows);
  [[nodiscard]] std::uint64_t rows_read() const;

 private:
  struct File;
  explicit SummaryRows(std::unique_ptr<File> file);
  void read_totals();
  void read_spread();
  std::unique_ptr<File> file_;
};

// An operation with one class of sizes, on all communicators.
struct SizeRow {
  std::string_view operation;
  SizeBin size;
  std::uint64_t calls;
  std::uint64_t bytes_sent;
  std::uint64_t bytes_received;
  Seconds time_s;
};

// Rows of sizes.csv, in no order. Throws ProfileError for a profile that was written without the file.
class SizeRows {
 public:
  explicit SizeRows(Profile const& profile);
  ~SizeRows();
  SizeRow const* next();

 private:
  struct File;
  std::unique_ptr<File> file_;
};

}  // namespace mpisee_through
