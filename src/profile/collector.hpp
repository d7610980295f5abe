// The files of a profile as rows come in, from one process after the other. Takes no memory that grows with the number
// of processes. Exchanges nothing and knows no MPI: whoever has rows hands them in.
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

// The files of a profile, or parts of them.
class ProfileFiles {
 public:
  // Adds the files to a directory: with their headers to one that is open; without to one that was joined.
  ProfileFiles(OutputDirectory& output, FileSet files);
  // Another one.
  void add(File file);

  // Part of the rows of a file, cut anywhere; they follow those before, or begin where continue_at() says: at so many
  // bytes behind the header.
  void take(File file, std::string_view text) {
    output_.append(files_[static_cast<std::size_t>(file)], text.data(), text.size());
  }
  void continue_at(File file, std::uint64_t offset);

  // Writes run.json: write(out), where out takes its text.
  template <class Write>
  void write_run_file(Write&& write) {
    run_file_ = output_.add_file(schema::run_file);  // the last: what describes a profile is published last
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

// The same, with the sums of what each process says of itself.
class Collector : public ProfileFiles {
 public:
  explicit Collector(OutputDirectory& output) : ProfileFiles(output, files_of_profile(true, false)) {}

  // Whole rows that several processes have: see Offers.
  void take_offers(File file, std::string_view rows) { offers_.take(file, rows); }
  // The last that a process hands in.
  void take(RunSummary const& summary) { total_.add(summary); }
  using ProfileFiles::take;

  // After the last process: adds the rows that were offered.
  void finish();

  RunSummary const& total() const { return total_; }

 private:
  Offers offers_;
  RunSummary total_;
};

}  // namespace commprof
