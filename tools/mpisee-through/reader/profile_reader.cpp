#include "reader/profile_reader.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <exception>
#include <optional>
#include <string_view>
#include <system_error>
#include <tuple>
#include <vector>

#include "files/visible_text.hpp"
#include "profile/schema.hpp"
#include "recovery/recovery.hpp"

namespace mpisee_through {

namespace {

namespace schema = commprof::schema;
namespace fs = std::filesystem;

// A line for each profile among the subdirectories, the latest start first: path, start and command line. To help a
// user who named the wrong directory.
std::vector<std::string> list_profiles(fs::path const& directory) {
  std::vector<std::array<std::string, 3>> found;  // start, path, what
  std::error_code error;
  for (fs::directory_entry const& entry : fs::directory_iterator(directory, error)) {
    fs::path const file = entry.path() / schema::run_file;
    std::string const path = visible(entry.path().string());
    if (fs::exists(file, error)) {
      try {
        Run const run = read_run({file, file});
        found.push_back({run.start, path, command_of(run)});
      } catch (ProfileError const&) {
        found.push_back({"", path, "damaged"});
      }
    } else if (entry.is_directory(error) && (find_spool(entry.path()) || find_node_directory(entry.path()))) {
      found.push_back({"", path, "unfinished"});
    }
  }
  std::ranges::sort(found, [](auto const& left, auto const& right) {
    return std::tie(right[0], left[1]) < std::tie(left[0], right[1]);
  });
  std::size_t width = 0;
  for (auto const& [start, path, what] : found) width = std::max(width, path.size());

  constexpr std::size_t most = 20, widest = 80;
  std::vector<std::string> lines;
  for (auto const& [start, path, what] : found) {
    if (lines.size() < most)
      lines.push_back(fmt::format("{:<{}}  {:<24}  {}", path, width, start, shorten(what, widest)));
  }
  if (found.size() > most) lines.push_back(fmt::format("and {} more", found.size() - most));
  return lines;
}

bool is_of_a_profile(std::string const& name) {
  return name == schema::run_file ||
         std::ranges::find(schema::tables, name, &schema::File::name) != schema::tables.end();
}

// Checks a directory without run.json and spool files. If it has a table, it is a profile whose run.json is lost.
void check_is_profile(fs::path const& directory) {
  std::error_code error;
  check_not_on_nodes(directory);
  for (schema::File const& table : schema::tables)
    if (fs::exists(directory / table.name, error)) return;
  std::vector<std::string> const others = list_profiles(directory);
  std::string_view const problem = others.empty() ? "not a profile, and contains none: no run.json, no spool files"
                                                  : "not a profile, but a directory with profiles:";
  throw ProfileError(directory, std::nullopt, problem, others);
}

}  // namespace

ProfileFiles::ProfileFiles(fs::path const& path) : path_(path) {
  std::error_code error;
  fs::file_status const status = fs::status(path, error);
  if (!fs::exists(status))
    throw ProfileError(path, std::nullopt, error ? error.message() : "no such file or directory");
  if (!fs::is_directory(status)) {
    if (!is_of_a_profile(path.filename().string()))
      throw ProfileError(path, std::nullopt, "neither the directory of a profile nor a file in it; unpack an archive");
    path_ = path.has_parent_path() ? path.parent_path() : fs::path(".");
  }
  opened_ = path_;
  if (has(schema::run_file)) return;
  if (auto const spool = find_spool(path_)) {
    recovered_ = std::make_shared<TemporaryDirectory>();
    opened_ = recovered_->path();
    recover(*spool, opened_);
  } else {
    check_is_profile(path_);
  }
}

FileToRead ProfileFiles::file(std::string_view name) const { return {opened_ / name, path_ / name}; }

bool ProfileFiles::has(std::string_view name) const {
  std::error_code error;
  return fs::exists(file(name).opened, error);
}

Profile::Profile(fs::path const& path) : files_(path), run_(read_run(files_.file(schema::run_file))) {}

std::optional<std::uint64_t> Profile::expected_rows(std::string_view file) const {
  auto const found = run_.rows_of_file.find(file);
  return found == run_.rows_of_file.end() ? std::nullopt : std::optional(found->second);
}

bool Profile::holds(schema::File const& file) const {
  return expected_rows(file.name).has_value() || files_.has(file.name);
}

std::size_t threads_at_once() { return static_cast<std::size_t>(std::max(tbb::this_task_arena::max_concurrency(), 1)); }

void run_in_parallel(std::size_t count, std::function<void(std::size_t)> const& run) {
  if (count == 1) return run(0);
  std::vector<std::exception_ptr> problems(count);
  // Each part is a task of its own: parts are few, and take long.
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, count, 1),
      [&](tbb::blocked_range<std::size_t> const& range) {
        for (std::size_t i = range.begin(); i != range.end(); ++i) {
          try {
            run(i);
          } catch (...) {
            problems[i] = std::current_exception();
          }
        }
      },
      tbb::simple_partitioner());
  for (std::exception_ptr const& problem : problems)
    if (problem) std::rethrow_exception(problem);
}

}  // namespace mpisee_through
