#include "files/unpacked_archive.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "base/file.hpp"
#include "files/profile_error.hpp"
#include "files/text_lines.hpp"
#include "spool/layout.hpp"

namespace mpisee_through {
namespace {

struct CloseArchive {
  void operator()(archive* opened) const { archive_read_free(opened); }
};

std::string system_message() { return std::generic_category().message(errno); }

class Unpacker {
 public:
  explicit Unpacker(std::filesystem::path const& path)
      : path_(path),
        archive_(archive_read_new()),
        progress_("Unpacking " + path.filename().string(), size_of({path, path})) {
    archive_read_support_filter_all(archive_.get());
    archive_read_support_format_tar(archive_.get());
    archive_read_support_format_zip(archive_.get());
    archive_read_support_format_7zip(archive_.get());
    archive_read_support_format_cpio(archive_.get());
    constexpr std::size_t bytes_at_once = 65536;
    if (archive_read_open_filename(archive_.get(), path.c_str(), bytes_at_once) != ARCHIVE_OK)
      fail("neither the directory of a profile nor an archive that can be unpacked: " + problem());
    // The directory for temporary files, often in memory, must not fill up. Packing shrinks text to a tenth, and a
    // spool file, mostly a hole, to a thousandth.
    constexpr std::uint64_t most = std::uint64_t{16} << 30U, of_any = std::uint64_t{64} << 20U, of_each_byte = 10'000;
    std::error_code error;
    auto const space = std::filesystem::space(std::filesystem::temp_directory_path(), error);
    limit_ = std::min({most, of_any + of_each_byte * std::min(size_of({path, path}), most),
                       error ? most : static_cast<std::uint64_t>(space.available) / 2});
  }

  // Moves to the next regular file and returns its path. Nothing at the end.
  std::optional<std::filesystem::path> next() {
    archive_entry* entry = nullptr;
    while (is_there(archive_read_next_header(archive_.get(), &entry))) {
      char const* const name = archive_entry_pathname(entry);
      if (archive_entry_filetype(entry) == AE_IFREG && name != nullptr) return name;
    }
    return std::nullopt;
  }

  // Unpacks the file; to nowhere, which counts, too, without a descriptor.
  void write_to(std::optional<int> descriptor) {
    void const* data = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    while (is_there(archive_read_data_block(archive_.get(), &data, &size, &offset))) {
      unpacked_ += size;
      if (unpacked_ > limit_)
        fail(
            "cannot unpack: it holds more than 16 GiB, than ten thousand times its own size, or than half of what is "
            "free for temporary files (TMPDIR)");
      if (descriptor) write_block(*descriptor, {static_cast<char const*>(data), size}, offset);
      auto const reached = static_cast<std::uint64_t>(archive_filter_bytes(archive_.get(), -1));
      progress_.advanced(reached - std::exchange(reached_, reached));
    }
  }

  [[noreturn]] void fail(std::string_view problem) const { throw ProfileError(path_, std::nullopt, problem); }

 private:
  [[nodiscard]] bool is_there(int result) const {
    if (result != ARCHIVE_OK && result != ARCHIVE_WARN && result != ARCHIVE_EOF) fail("cannot unpack: " + problem());
    return result != ARCHIVE_EOF;
  }

  [[nodiscard]] std::string problem() const {
    char const* const known = archive_error_string(archive_.get());
    return known == nullptr ? "it is damaged" : known;
  }

  void write_block(int descriptor, std::string_view block, la_int64_t offset) const {
    while (!block.empty()) {
      ssize_t const written = ::pwrite(descriptor, block.data(), block.size(), offset);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail("cannot unpack into the directory for temporary files: " + system_message());
      block.remove_prefix(static_cast<std::size_t>(written));
      offset += written;
    }
  }

  std::filesystem::path path_;
  std::unique_ptr<archive, CloseArchive> archive_;
  std::uint64_t limit_ = 0, unpacked_ = 0, reached_ = 0;
  Progress progress_;
};

}  // namespace

void unpack(std::filesystem::path const& archive, std::function<bool(std::string const&)> const& is_wanted,
            std::filesystem::path const& to) {
  Unpacker unpacker(archive);
  std::optional<std::filesystem::path> directory;
  while (auto const path = unpacker.next()) {
    std::string const name = path->filename().string();
    if (!is_wanted(name)) {
      unpacker.write_to({});
      continue;
    }
    std::filesystem::path parent = path->parent_path();
    if (parent.filename() == commprof::spool::subdirectory.substr(1)) parent = parent.parent_path();
    if (directory.value_or(parent) != parent)
      unpacker.fail(fmt::format("profiles in two directories, {} and {}: unpack it and name one", directory->string(),
                                parent.string()));
    directory = parent;
    commprof::Descriptor const file(
        ::open((to / name).c_str(), O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file && errno == EEXIST) unpacker.fail(fmt::format("{} twice", path->string()));
    if (!file) throw ProfileError(to / name, std::nullopt, system_message());
    unpacker.write_to(file.get());
  }
  if (!directory) unpacker.fail("no profile in this archive");
}

}  // namespace mpisee_through
