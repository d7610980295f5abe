// When and how the command that ran a job ended: written by its launcher beside the spool files that the job left.
#pragma once

#include <ctime>
#include <filesystem>
#include <fstream>
#include <optional>

namespace mpisee_through {

struct CommandEnd {
  double day_s = 0;   // seconds since 1970; if it was interrupted, of that
  int signal = 0;     // that interrupted it; 0: none
  int exit_code = 0;  // as a shell tells it
};

[[nodiscard]] inline double seconds_of(timespec const& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

inline constexpr char command_end_file[] = "command_end";

// spool: an existing directory. Without the file, the end is not known.
inline void write_command_end(std::filesystem::path const& spool, CommandEnd const& end) {
  std::ofstream out(spool / command_end_file);
  out.precision(19);
  out << end.day_s << ' ' << end.signal << ' ' << end.exit_code << '\n';
}

[[nodiscard]] inline std::optional<CommandEnd> read_command_end(std::filesystem::path const& spool) {
  std::ifstream in(spool / command_end_file);
  CommandEnd end;
  return in >> end.day_s >> end.signal >> end.exit_code ? std::optional(end) : std::nullopt;
}

}  // namespace mpisee_through
