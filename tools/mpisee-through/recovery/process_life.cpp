#include "recovery/process_life.hpp"

#include <fcntl.h>
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

#include "spool/directories.hpp"

namespace mpisee_through {

Life life_of(commprof::spool::Owner const& owner, std::filesystem::path const& file) {
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
