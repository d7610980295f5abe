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

#include "files/profile_error.hpp"
#include "files/text_lines.hpp"
#include "spool/layout.hpp"

namespace mpisee_through {
namespace {

struct CloseArchive {
  void operator()(archive* opened) const { archive_read_free(opened); }
};

std::string system_message() { return std::generic_category().message(errno); }

// Opens a temporary file that has no name. If the file system cannot do that, the name is removed at once.
int open_nameless() {
  std::filesystem::path const directory = std::filesystem::temp_directory_path();
  int descriptor = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor >= 0) return descriptor;
  std::string name = (directory / "mpisee-through.XXXXXX").string();  // template for mkostemp
  descriptor = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) throw ProfileError(name, std::nullopt, system_message());
  ::unlink(name.c_str());
  return descriptor;
}

class Unpacker {
 public:
  explicit Unpacker(std::filesystem::path const& path)
      : path_(path), archive_(archive_read_new()), progress_("Unpacking " + path.filename().string(), size_of(path)) {
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
    limit_ = std::min({most, of_any + of_each_byte * std::min(size_of(path), most),
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
  static std::uint64_t size_of(std::filesystem::path const& path) {
    std::error_code error;
    auto const size = std::filesystem::file_size(path, error);
    return error ? 0 : size;
  }

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

UnpackedArchive::UnpackedArchive(std::filesystem::path const& archive, Predicate const& is_wanted,
                                 Predicate const& is_of_spool) {
  Unpacker unpacker(archive);
  std::optional<std::filesystem::path> directory;
  while (auto const path = unpacker.next()) {
    std::string const name = path->filename().string();
    bool const spooled = is_of_spool(name);
    if (!spooled && !is_wanted(name)) {
      unpacker.write_to({});
      continue;
    }
    std::filesystem::path parent = path->parent_path();
    if (spooled && parent.filename() == commprof::spool::subdirectory.substr(1)) parent = parent.parent_path();
    if (directory.value_or(parent) != parent) {
      unpacker.fail(fmt::format("profiles in two directories, {} and {}: unpack it and name one", directory->string(),
                                parent.string()));
    }
    directory = parent;
    int const descriptor = open_place(name, spooled);
    if (descriptor < 0) unpacker.fail(fmt::format("{} twice", path->string()));
    unpacker.write_to(descriptor);
    if (spooled) ::close(descriptor);
  }
  if (!directory) unpacker.fail("no profile in this archive");
}

// -1 if a file of this name exists already.
int UnpackedArchive::open_place(std::string const& name, bool is_of_spool) {
  if (!is_of_spool) {
    auto const [place, is_new] = descriptor_of_.emplace(name, -1);
    if (is_new) place->second = open_nameless();
    return is_new ? place->second : -1;
  }
  if (!spool_) spool_.emplace();
  std::filesystem::path const path = spool_->path() / name;
  int const descriptor = ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  if (descriptor < 0 && errno != EEXIST) throw ProfileError(path, std::nullopt, system_message());
  return descriptor;
}

UnpackedArchive::~UnpackedArchive() {
  for (auto const& [name, descriptor] : descriptor_of_) ::close(descriptor);
}

std::filesystem::path UnpackedArchive::file(std::string_view name) const {
  auto const found = descriptor_of_.find(name);
  // Each open of a /proc/self/fd path starts at the beginning of the file, independently for each reader.
  if (found == descriptor_of_.end()) return std::filesystem::path("/proc/self/fd/none") / name;
  return fmt::format("/proc/self/fd/{}", found->second);
}

}  // namespace mpisee_through
