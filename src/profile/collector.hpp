// What rank 0 does with the rows of all processes: appends them to the files of a profile, and adds up what each
// process says of itself. Takes no memory that grows with the number of processes. Exchanges nothing and knows no MPI:
// whoever has rows hands them in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/hash_set.hpp"
#include "profile/file.hpp"
#include "profile/output_directory.hpp"
#include "profile/run_summary.hpp"
#include "profile/schema.hpp"
#include "profile/text_writer.hpp"

namespace commprof {

class Collector {
 public:
  // Adds the files, with their headers, to a directory that is open.
  explicit Collector(OutputDirectory& output);

  // Part of the rows of one process for a file, cut anywhere.
  void take(File file, std::string_view text);
  // Part of the rows that several processes have. Of communicators.csv the first one of each name is taken, and rows
  // may be cut anywhere behind the comma after the name. Of others each is taken once, and rows are whole.
  void take_offers(File file, std::string_view rows);
  // The last that a process hands in.
  void take(RunSummary const& summary) {
    total_.add(summary);
    is_within_offer_ = false;
  }

  // Writes run.json, when all processes have handed in theirs: write(out), where out takes its text.
  template <class Write>
  void write_run_file(Write&& write) {
    char buffer[1024];
    TextWriter out(buffer, sizeof buffer, put_in_run_file, this);
    write(out);
  }

  RunSummary const& total() const { return total_; }

 private:
  static void put_in_run_file(void* self, char const* text, std::size_t length);

  OutputDirectory& output_;
  std::size_t files_[schema::tables.size()];
  std::size_t run_file_;
  HashSet taken_;  // of names, or of rows
  bool is_within_offer_ = false;
  bool takes_offer_ = false;
  RunSummary total_;
};

}  // namespace commprof
