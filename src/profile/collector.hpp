// Receives the rows of one process after the other and writes the files of a profile. Its memory does not grow with the
// number of processes. It does no communication and knows no MPI: callers pass the rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "profile/file.hpp"
#include "profile/offers.hpp"
#include "profile/output_directory.hpp"
#include "profile/run_summary.hpp"
#include "profile/schema.hpp"
#include "profile/text_writer.hpp"

namespace commprof {

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
  explicit Collector(OutputDirectory& output) : ProfileFiles(output, files_of_profile(true, false)) {}

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
