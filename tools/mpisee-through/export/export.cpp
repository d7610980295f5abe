#include "export/export.hpp"

#include <archive.h>
#include <archive_entry.h>

#include <memory>
#include <sstream>

#include "text/terminal.hpp"

namespace mpisee_through {
namespace {

using ArchivePtr = std::unique_ptr<archive, decltype(&archive_write_free)>;

std::string compressed(std::string const& text) {
  std::string packed(text.size() + text.size() / 100 + 4096, '\0');  // more than gzip ever adds
  std::size_t used = 0;
  ArchivePtr const gzip(archive_write_new(), archive_write_free);
  archive_write_add_filter_gzip(gzip.get());
  archive_write_set_format_raw(gzip.get());
  archive_write_set_bytes_in_last_block(gzip.get(), 1);
  archive_write_open_memory(gzip.get(), packed.data(), packed.size(), &used);
  std::unique_ptr<archive_entry, decltype(&archive_entry_free)> const entry(archive_entry_new(), archive_entry_free);
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  archive_write_header(gzip.get(), entry.get());
  archive_write_data(gzip.get(), text.data(), text.size());
  if (archive_write_close(gzip.get()) != ARCHIVE_OK) throw OutputError(archive_error_string(gzip.get()));
  packed.resize(used);
  return packed;
}

}  // namespace

void export_to(std::string const& path, WriteExport write, Profile const& profile) {
  std::ostringstream text;
  write(text, profile);
  check_no_part_of_profile(path, profile.directory());
  OutputFile file(path);
  file.stream() << (path.ends_with(".gz") ? compressed(text.str()) : text.str());
  file.close();
}

}  // namespace mpisee_through
