// What the user typed to see a profile: mpisee-through [OPTIONS] PROFILE ….
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "summary/arrangement.hpp"
#include "summary/selection.hpp"
#include "summary/summary.hpp"
#include "summary/time_range.hpp"
#include "views/matrix_files.hpp"
#include "views/views.hpp"

namespace mpisee_through {

struct Request {
  std::vector<std::filesystem::path> profiles;
  Selection selection;
  Arrangement arrangement;
  std::optional<TimeRange> times{};  // of View::operations
  Detail detail = Detail::operations;
  View view = View::first_screen;
  Format format = Format::text;
  std::optional<std::size_t> width{};  // of text
  ColorWhen color = ColorWhen::automatic;
  // Of View::traffic.
  Measure measure = Measure::bytes;
  MatrixFiles matrix_files{};
  bool only_files = false;  // nothing is printed
  bool recover = false;     // the files of an unfinished profile are written, and nothing else
};

// Exit codes: 0 for an answer, 1 for a profile or a selection that gives none, 2 for a command line that makes no
// sense.
inline constexpr int exit_no_answer = 1;
inline constexpr int exit_usage = 2;

// Nothing if the command line was answered (--help, --version) or turned down, in one line on stderr; exit_code says
// which.
[[nodiscard]] std::optional<Request> parse_command_line(int argc, char const* const* argv, int& exit_code);

}  // namespace mpisee_through
