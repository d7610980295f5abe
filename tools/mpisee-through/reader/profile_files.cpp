#include "reader/profile_files.hpp"

#include <algorithm>
#include <system_error>

#include "profile/schema.hpp"
#include "reader/profile_error.hpp"
#include "recovery/recovery.hpp"

namespace mpisee_through {
namespace {

bool is_of_a_profile(std::string const& name) {
  namespace schema = commprof::schema;
  return name == schema::run_file ||
         std::ranges::find(schema::tables, name, &schema::File::name) != schema::tables.end();
}

}  // namespace

ProfileFiles::ProfileFiles(std::filesystem::path const& path) : path_(path) {
  std::error_code error;
  std::filesystem::file_status const status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    throw ProfileError(path, std::nullopt, error ? error.message() : "no such file or directory");
  }
  if (std::filesystem::is_directory(status)) {
    recover_if_unfinished();
    return;
  }
  if (is_of_a_profile(path.filename().string())) {
    path_ = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  } else {
    archive_ = std::make_shared<UnpackedArchive>(path, is_of_a_profile);
  }
}

void ProfileFiles::recover_if_unfinished() {
  std::error_code error;
  if (std::filesystem::exists(path_ / commprof::schema::run_file, error)) return;
  auto const spool = find_spool(path_);
  if (!spool) return;
  auto const directory = std::make_shared<TemporaryDirectory>();
  recover(*spool, directory->path());
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
