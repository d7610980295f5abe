#include "recovery/process_life.hpp"

#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>

#include "spool/directories.hpp"

namespace mpisee_through {
namespace {

bool is_this_host(char const* host) {
  std::array<char, sizeof(commprof::spool::Owner::host)> own{};
  return gethostname(own.data(), own.size() - 1) == 0 && std::strcmp(own.data(), host) == 0;
}

// Whether the program is not position-independent: its addresses in memory are then those in its file.
bool has_fixed_addresses(std::string const& path) {
  std::array<char, EI_NIDENT + 2> head{};
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), head.size());
  std::uint16_t type = 0;
  std::memcpy(&type, head.data() + EI_NIDENT, sizeof type);
  return file && type == ET_EXEC;
}

}  // namespace

LocalProcess::LocalProcess(commprof::spool::Owner const& owner, std::filesystem::path const& file) {
  if (!is_this_host(owner.host) || owner.pid <= 0) return;
  if (kill(owner.pid, 0) != 0 && errno == ESRCH) {
    life_ = Life::ended;
    return;
  }
  // The process id may have been reused: the process must map the spool file. If its mappings cannot be read, it
  // belongs to another user and is taken to be running.
  struct stat status {};
  bool const is_readable = read_mappings(owner.pid);
  bool const maps_it =
      stat(file.c_str(), &status) == 0 &&
      std::ranges::find(mappings_, static_cast<std::uint64_t>(status.st_ino), &Mapping::inode) != mappings_.end();
  life_ = !is_readable || maps_it ? Life::running : Life::ended;
  if (!maps_it) mappings_.clear();
}

bool LocalProcess::read_mappings(std::int32_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/maps");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    Mapping one;
    char dash = 0;
    std::string rights, device;
    words >> std::hex >> one.begin >> dash >> one.end >> rights >> one.offset >> device >> std::dec >> one.inode;
    std::getline(words >> std::ws, one.path);
    mappings_.push_back(std::move(one));
  }
  return file.is_open();
}

CodePlace LocalProcess::place_of(std::uint64_t address) const {
  auto const found = std::ranges::find_if(
      mappings_, [&](Mapping const& one) { return address - one.begin < one.end - one.begin && one.path[0] == '/'; });
  if (found == mappings_.end()) return {};
  auto const first =
      std::ranges::find_if(mappings_, [&](Mapping const& one) { return one.path == found->path && one.offset == 0; });
  if (first == mappings_.end()) return {};
  return {found->path, "", has_fixed_addresses(found->path) ? address : address - first->begin};
}

// The kernel grants a read lease only on a file that nobody has open for writing, and a mapping keeps its file open.
bool is_written_to(std::filesystem::path const& file) {
  commprof::Descriptor const opened(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!opened) return false;
  auto* const before = std::signal(SIGIO, SIG_IGN);  // the signal reports a writer that comes meanwhile
  bool const is_refused = fcntl(opened.get(), F_SETLEASE, F_RDLCK) != 0 && errno == EAGAIN;
  if (!is_refused) fcntl(opened.get(), F_SETLEASE, F_UNLCK);
  std::signal(SIGIO, before);
  return is_refused;
}

}  // namespace mpisee_through
