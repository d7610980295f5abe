// The files of a profile, and the rows that several processes send.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/dropped.hpp"
#include "base/memory.hpp"
#include "profile/messages.hpp"
#include "profile/output.hpp"
#include "profile/schema.hpp"
#include "profile/text_writer.hpp"
#include "profile/texts.hpp"

namespace commprof {

// Why calls of a collective operation are missing from waits.csv.
enum class NoWaits : std::uint8_t {
  folded,              // the communicator shares its record with others
  intercommunicators,  // its two groups wait for each other differently
  other,               // it has members of other worlds, or was created by unseen calls
  incomplete,          // some member has no sample, or no sampled call is common to all members
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

  void add(RunSummary const& other);
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
  bool add(Offers const& later);

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

// The files of a profile, or parts of these files.
class ProfileFiles {
 public:
  // Adds the files to a directory: with header lines if this process opened it, without if it joined it.
  ProfileFiles(OutputDirectory& output, FileSet files);
  // Adds one more file.
  void add(File file);

  // Appends a part of the rows of a file; a part may end in the middle of a row. The first part begins where
  // continue_at() says: this many bytes after the header.
  void take(File file, std::string_view text) {
    output_.append(files_[static_cast<std::size_t>(file)], text.data(), text.size());
  }
  void continue_at(File file, std::uint64_t offset);

  // Writes run.json: calls write(out), where out accepts the text.
  template <class Write>
  void write_run_file(Write&& write) {
    run_file_ = output_.add_file(schema::run_file);  // run.json describes the profile, so it is published last
    char buffer[1024];
    TextWriter out(buffer, sizeof buffer, put_in_run_file, this);
    write(out);
  }

 private:
  static void put_in_run_file(void* self, char const* text, std::size_t length);

  OutputDirectory& output_;
  std::size_t files_[schema::tables.size()]{};
  std::size_t run_file_ = 0;
};

// Also sums what each process reports about itself.
class Collector : public ProfileFiles {
 public:
  explicit Collector(OutputDirectory& output) : ProfileFiles(output, files_of_profile(false)) {}

  // Rows that several processes may send, each whole: see Offers.
  void take_offers(File file, std::string_view rows) { offers_.take(file, rows); }
  // Adds what a process reports about itself. Called once for each process.
  void take(RunSummary const& summary) { total_.add(summary); }
  using ProfileFiles::take;

  // Must be called after the last process: adds the offered rows.
  void finish();

  RunSummary const& total() const { return total_; }

 private:
  Offers offers_;
  RunSummary total_;
};

}  // namespace commprof
