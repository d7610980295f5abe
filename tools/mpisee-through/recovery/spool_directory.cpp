#include "recovery/look.hpp"

// Where spool files are, and whether the processes that write them still run.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "files/profile_error.hpp"
#include "files/text_lines.hpp"
#include "files/visible_text.hpp"
#include "recovery/recovery.hpp"
#include "spool/directories.hpp"

namespace mpisee_through {

namespace fs = std::filesystem;
using namespace commprof;

namespace {

// The rank in the name of a spool file: 12 for 12.spool. Nothing for other files.
std::optional<std::int32_t> rank_of(std::string const& name) {
  if (!name.ends_with(spool::file_suffix)) return std::nullopt;
  auto const rank = number_in<std::int32_t>(std::string_view(name).substr(0, name.size() - spool::file_suffix.size()));
  return rank && *rank >= 0 ? rank : std::nullopt;
}

fs::path const link_name = spool::link_to_node.substr(1);

}  // namespace

std::map<std::int32_t, fs::path> spool_files(fs::path const& directory) {
  std::map<std::int32_t, fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error))
    if (auto const rank = rank_of(entry->path().filename().string()); rank && entry->is_regular_file(error))
      files.emplace(*rank, entry->path());
  return files;
}

std::optional<fs::path> find_spool(fs::path const& directory) {
  fs::path const spool = directory / spool::subdirectory.substr(1);
  for (fs::path const& place : {spool, directory, spool / link_name})
    if (!spool_files(place).empty()) return place;
  return std::nullopt;
}

// The link is in the spool directory of the profile, or the directory is reached through it.
std::optional<fs::path> find_node_directory(fs::path const& profile) {
  for (fs::path const& link : {profile, profile / link_name, profile / spool::subdirectory.substr(1) / link_name}) {
    std::error_code error;
    if (link.filename() != link_name) continue;
    if (fs::path target = fs::read_symlink(link, error); !error) return target;
  }
  return std::nullopt;
}

void check_not_on_nodes(fs::path const& profile) {
  if (auto const there = find_node_directory(profile))
    throw ProfileError(
        profile, std::nullopt,
        fmt::format("unfinished; its spool files are on its hosts, in {}: \"mpisee-through collect {}\" on "
                    "each gathers them once its processes have ended",
                    there->string(), shell_word(profile.string())));
}

std::optional<CommandEnd> read_command_end(fs::path const& spool) {
  std::ifstream in(spool / command_end_file);
  CommandEnd end;
  return in >> end.day_s >> end.signal >> end.exit_code ? std::optional(end) : std::nullopt;
}

namespace {

// The kernel grants a read lease only on a file that nobody has open for writing, and a mapping keeps its file open.
// False also if the file system does not say.
bool is_written_to(std::filesystem::path const& file) {
  Descriptor const opened(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!opened) return false;
  auto* const before = std::signal(SIGIO, SIG_IGN);  // the signal reports a writer that comes meanwhile
  bool const is_refused = fcntl(opened.get(), F_SETLEASE, F_RDLCK) != 0 && errno == EAGAIN;
  if (!is_refused) fcntl(opened.get(), F_SETLEASE, F_UNLCK);
  std::signal(SIGIO, before);
  return is_refused;
}

}  // namespace

Life life_of(commprof::spool::Owner const& owner, std::filesystem::path const& file) {
  if (is_written_to(file)) return Life::running;
  std::array<char, sizeof owner.host> own_host{};
  bool const is_here =
      gethostname(own_host.data(), own_host.size() - 1) == 0 && std::strcmp(own_host.data(), owner.host) == 0;
  if (!is_here || owner.pid <= 0) return Life::unknown;
  if (kill(owner.pid, 0) != 0 && errno == ESRCH) return Life::ended;
  // The process id may have been reused: the process must map the spool file. If its mappings cannot be read, it
  // belongs to another user and is taken to be running.
  struct stat status {};
  bool const is_there = stat(file.c_str(), &status) == 0;
  std::ifstream mappings("/proc/" + std::to_string(owner.pid) + "/maps");
  if (!mappings.is_open()) return Life::running;
  for (std::string line; is_there && std::getline(mappings, line);) {
    std::string range, rights, offset, device;
    ino_t inode = 0;
    std::istringstream(line) >> range >> rights >> offset >> device >> inode;
    if (inode == status.st_ino) return Life::running;
  }
  return Life::ended;
}

}  // namespace mpisee_through
