// The rows of one process for all files, and their offsets in the files.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "finalize/contents.hpp"

namespace commprof {

// A number for each file.
using PerFile = std::array<std::uint64_t, schema::tables.size()>;

class OwnRows {
 public:
  explicit OwnRows(RowContext const& context) : context_(context) {}

  // Formats the rows, and drops those formatted before. Keeps the text if it is short and there is memory. is_detailed:
  // includes rows that a profile of sums has only for few ranks.
  void format(bool is_detailed);
  // Adds rows after this process's own ones: write(out) returns their number. False if memory is used up.
  template <class Write>
  bool add(File file, Write&& write) {
    OfFile& of_file = files_[static_cast<std::size_t>(file)];
    bool is_kept = true;
    Kept kept{of_file.further, is_kept};
    {
      TextWriter out(buffer, sizeof buffer, Kept::put, &kept);
      of_file.further_rows += write(out);
    }
    return is_kept;
  }

  // Calls deliver(file, text) with pieces of the text of one file after the other.
  template <class Deliver>
  void deliver(Deliver&& deliver) const {
    for (std::size_t i = 0; i < files_.size(); ++i) {
      auto const file = static_cast<File>(i);
      if (files_[i].own.is_kept) deliver(file, view(files_[i].own.text));
      else
        format_again(
            file, [](void* to, File of, std::string_view text) { (*static_cast<Deliver*>(to))(of, text); }, &deliver);
      deliver(file, view(files_[i].further));
    }
  }

  PerFile rows() const;
  PerFile bytes() const;

 private:
  struct Formatted {
    std::uint64_t rows = 0;
    std::uint64_t bytes = 0;
    bool is_kept = true;  // false: the text must be formatted again
    PageVector<char> text;
  };
  struct OfFile {
    Formatted own;
    std::uint64_t further_rows = 0;
    PageVector<char> further;
  };
  struct Kept {
    PageVector<char>& text;
    bool& is_whole;
    static void put(void* self, char const* part, std::size_t length);
  };
  static char buffer[std::size_t{16} * 1024];

  using Take = void (*)(void* to, File file, std::string_view text);

  static std::string_view view(PageVector<char> const& text) { return {text.begin(), text.size()}; }
  void format_again(File file, Take take, void* to) const;
  bool has(RowWriter const& writer) const;

  RowContext const& context_;
  bool is_detailed_ = true;
  std::array<OfFile, schema::tables.size()> files_;
};

}  // namespace commprof
