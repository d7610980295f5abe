#include "reader/profile_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <system_error>
#include <tuple>

#include "files/profile_error.hpp"
#include "files/shell_word.hpp"
#include "files/visible_text.hpp"
#include "profile/schema.hpp"
#include "reader/run_file.hpp"
#include "recovery/recovery.hpp"

namespace mpisee_through {
namespace {

namespace fs = std::filesystem;

struct Listed {
  std::string path;
  std::string start;  // empty if unknown
  std::string what;
};

Listed finished(fs::path const& directory) {
  Listed listed{visible(directory.string()), "", "damaged"};
  fs::path const file = directory / commprof::schema::run_file;
  try {
    Run const run = read_run({file, file});
    listed.start = run.start;
    listed.what = run.program;
    for (std::string const& argument : run.arguments) listed.what += " " + shell_word(argument);
  } catch (ProfileError const&) {
    return listed;
  }
  return listed;
}

std::optional<Listed> look_into(fs::path const& directory) {
  std::error_code error;
  if (fs::exists(directory / commprof::schema::run_file, error)) return finished(directory);
  if (find_spool(directory) || find_node_directory(directory))
    return Listed{visible(directory.string()), "", "unfinished"};
  return std::nullopt;
}

}  // namespace

std::vector<std::string> list_profiles(fs::path const& directory) {
  std::vector<Listed> found;
  std::error_code error;
  fs::directory_iterator const entries(directory, fs::directory_options::skip_permission_denied, error);
  if (error) return {};
  for (fs::directory_entry const& entry : entries) {
    if (!entry.is_directory(error)) continue;
    if (auto listed = look_into(entry.path())) found.push_back(std::move(*listed));
  }
  std::ranges::sort(found, [](Listed const& left, Listed const& right) {
    return std::tie(right.start, left.path) < std::tie(left.start, right.path);
  });
  std::size_t width = 0;
  for (Listed const& one : found) width = std::max(width, display_width(one.path));
  bool const have_start = !found.empty() && !found.front().start.empty();
  std::size_t const width_of_start = have_start ? found.front().start.size() : 0;

  constexpr std::size_t most = 20, widest = 80;
  std::vector<std::string> lines;
  for (Listed const& one : found) {
    if (lines.size() == most) {
      lines.push_back(fmt::format("and {} more", found.size() - most));
      break;
    }
    std::string const blanks(width - display_width(one.path), ' ');
    std::string const start = have_start ? fmt::format("  {:<{}}", one.start, width_of_start) : "";
    lines.push_back(fmt::format("{}{}{}  {}", one.path, blanks, start, shorten(one.what, widest)));
  }
  return lines;
}

}  // namespace mpisee_through
