#include "reader/profile_files.hpp"

#include <algorithm>
#include <string_view>
#include <system_error>
#include <vector>

#include "files/profile_error.hpp"
#include "profile/schema.hpp"
#include "reader/profile_list.hpp"
#include "recovery/recovery.hpp"

namespace mpisee_through {
namespace {

namespace schema = commprof::schema;

bool is_of_a_profile(std::string const& name) {
  return name == schema::run_file ||
         std::ranges::find(schema::tables, name, &schema::File::name) != schema::tables.end();
}

// Checks a directory without run.json and spool files. If it has a table, it is a profile whose run.json is lost.
void check_is_profile(std::filesystem::path const& directory) {
  std::error_code error;
  check_not_on_nodes(directory);
  for (schema::File const& table : schema::tables)
    if (std::filesystem::exists(directory / table.name, error)) return;
  std::vector<std::string> const others = list_profiles(directory);
  std::string_view const problem = others.empty() ? "not a profile, and contains none: no run.json, no spool files"
                                                  : "not a profile, but a directory with profiles:";
  throw ProfileError(directory, std::nullopt, problem, others);
}

}  // namespace

ProfileFiles::ProfileFiles(std::filesystem::path const& path) : path_(path) {
  std::error_code error;
  std::filesystem::file_status const status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    throw ProfileError(path, std::nullopt, error ? error.message() : "no such file or directory");
  }
  if (std::filesystem::is_directory(status)) {
    if (has(schema::run_file)) return;
    if (auto const spool = find_spool(path_)) recover_from(*spool, *spool);
    else check_is_profile(path_);
    return;
  }
  if (is_of_a_profile(path.filename().string())) {
    path_ = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  } else {
    archive_ = std::make_shared<UnpackedArchive>(path, is_of_a_profile, is_spool_file);
    if (auto const& spool = archive_->spool(); spool && !has(schema::run_file)) recover_from(spool->path(), path);
  }
}

void ProfileFiles::recover_from(std::filesystem::path const& spool, std::filesystem::path const& shown) {
  auto const directory = std::make_shared<TemporaryDirectory>();
  recover(spool, shown, directory->path());
  recovered_ = directory;
}

FileToRead ProfileFiles::file(std::string_view name) const {
  std::filesystem::path const shown = path_ / name;
  if (recovered_) return {recovered_->path() / name, shown};
  return {archive_ ? archive_->file(name) : shown, shown};
}

bool ProfileFiles::has(std::string_view name) const {
  std::error_code error;
  return std::filesystem::exists(file(name).opened, error);
}

}  // namespace mpisee_through
