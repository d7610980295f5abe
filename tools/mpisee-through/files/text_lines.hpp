// Reads small text files of the user line by line, and lists of hosts in them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mpisee_through {

struct TextLine {
  std::size_t number;  // from 1
  std::string text;    // without comment and surrounding blanks; not empty
};

// Throws ProfileError if the file cannot be read. continued: a backslash at the end joins a line with the next one.
[[nodiscard]] std::vector<TextLine> read_text_lines(std::filesystem::path const& file, bool continued = false);

// Splits the text at blanks.
[[nodiscard]] std::vector<std::string_view> words_of(std::string_view text);

// The names in Slurm's notation: "node[01-16,20],login1". Nothing for malformed text, or for more than a million names.
[[nodiscard]] std::optional<std::vector<std::string>> expand_host_list(std::string_view list);

}  // namespace mpisee_through
