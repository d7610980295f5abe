#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/message.hpp"
#include "flavour/flavour.hpp"
#include "mpi/library_version.hpp"
#include "mpi/mpi.hpp"
#include "run/participants.hpp"
#include "spool/directories.hpp"

namespace commprof {

namespace {

std::string_view variable(char const* name) {
  char const* const value = std::getenv(name);
  return value == nullptr ? std::string_view{} : value;
}

int number_of(std::string_view text) {
  int number = -1;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? number : -1;
}

// Under Open MPI, PRRTE and Slurm: the name of the job, and the addresses of the daemon that serves this process.
std::uint64_t key_of_pmix() {
  std::string_view const name = variable("PMIX_NAMESPACE");
  if (name.empty()) return 0;
  std::uint64_t key = hash_of(name);
  for (char** each = environ; each != nullptr && *each != nullptr; ++each)
    if (std::string_view const text = *each; text.starts_with("PMIX_SERVER_URI")) key += hash_of(text);
  return key;
}

// The start time of a process, in ticks since the host started; 0 if it is hidden.
std::uint64_t start_of(pid_t pid) {
  char path[32], text[1024];
  std::snprintf(path, sizeof path, "/proc/%d/stat", pid);
  Descriptor const file(open(path, O_RDONLY | O_CLOEXEC));
  ssize_t const length = file ? read(file.get(), text, sizeof text) : 0;
  std::string_view rest(text, static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  std::size_t const name = rest.rfind(')');
  if (name == rest.npos) return 0;
  constexpr int fields_between = 20;  // proc(5): the name is field 2, the start time field 22
  rest.remove_prefix(name + 1);
  for (int i = 0; i < fields_between && !rest.empty(); ++i)
    rest.remove_prefix(std::min(rest.find(' ') + 1, rest.size()));
  std::uint64_t start = 0;
  std::from_chars(rest.data(), rest.data() + rest.size(), start);
  return start;
}

// The process at the other end of PMI's connection, which created the pair of sockets: Hydra's proxy, or Slurm.
std::uint64_t key_of_pmi() {
  if (std::string_view const port = variable("PMI_PORT"); !port.empty()) return hash_of(port);
  int const connection = number_of(variable("PMI_FD"));
  ucred other{};
  socklen_t length = sizeof other;
  if (connection < 0 || getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &other, &length) != 0 || other.pid <= 0)
    return 0;
  std::uint64_t const words[] = {static_cast<std::uint64_t>(other.pid), start_of(other.pid)};
  return fnv1a<std::uint64_t>(words);
}

struct Source {
  std::uint64_t key;
  bool is_pmix;
};

// Prefers the launcher that belongs to this MPI, in case one launcher runs within another.
Source find_source() {
  for (bool const is_pmix : {is_open_mpi(), !is_open_mpi()})
    if (std::uint64_t const key = is_pmix ? key_of_pmix() : key_of_pmi(); key != 0) return {key, is_pmix};
  return {0, false};
}

Source source() {
  static Source const found = find_source();
  return found;
}

char const* variable_of_ranks(Source const& from) {
  return from.is_pmix ? "OMPI_COMM_WORLD_LOCAL_SIZE" : "MPI_LOCALNRANKS";
}

}  // namespace

namespace job {

std::uint64_t key() { return source().key; }

int ranks_on_host(int ranks) {
  std::string_view const told = variable(variable_of_ranks(source()));
  if (!told.empty()) return std::max(number_of(told), 0);
  bool const is_whole_step = number_of(variable("SLURM_NTASKS")) == ranks;
  return is_whole_step && variable("SLURM_STEP_NUM_NODES") == "1" ? ranks : 0;
}

// mpirun and Hydra tell the number of processes on this host. Slurm does not; it has no published names under PMIx, and
// under PMI it prints a message for every missing name.
bool has_names(std::uint64_t& scope) {
  Source const from = source();
  scope = from.is_pmix ? hash_of(variable("PMIX_NAMESPACE")) : 0;
  if (from.key == 0 || variable(variable_of_ranks(from)).empty()) return false;
  if (from.is_pmix) return true;
  MPI_Comm parent = MPI_COMM_NULL;  // under Hydra, spawned worlds share published names with the first world
  return PMPI_Comm_get_parent(&parent) == MPI_SUCCESS && parent == MPI_COMM_NULL;
}

}  // namespace job

void JobOnHost::announce(Wish wish) {
  if (page_ != nullptr) return;
  std::uint64_t const key = job::key();
  if (key == 0) return;
  std::snprintf(path_, sizeof path_, "/dev/shm/commprof-%u-%016llx%s", geteuid(), static_cast<unsigned long long>(key),
                purpose_ == Purpose::sessions ? "-s" : "");
  Descriptor const file(open(path_, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0 || status.st_uid != geteuid() || !S_ISREG(status.st_mode)) return;
  HeldSignals const held;
  if (fallocate(file.get(), 0, 0, sizeof(Page)) != 0) return;
  void* const pages = mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (pages == MAP_FAILED) return;
  page_ = static_cast<Page*>(pages);
  if (wish == Wish::no) page_->refusing.fetch_add(1, std::memory_order_relaxed);
  if (wish == Wish::yes) page_->wanting.fetch_add(1, std::memory_order_relaxed);
  place_ = page_->here.fetch_add(1, std::memory_order_acq_rel);
  if (static_cast<int>(place_) + 1 == job::ranks_on_host(0)) unlink(path_);
}

bool JobOnHost::add_rank(int rank) {
  if (place_ < most_ranks) page_->ranks_and_1[place_].store(rank + 1, std::memory_order_relaxed);
  return page_->added.fetch_add(1, std::memory_order_acq_rel) + 1 + refusing() == here();
}

std::size_t JobOnHost::ranks(int* ranks) const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(here(), most_ranks); ++i)
    if (int const rank = page_->ranks_and_1[i].load(std::memory_order_relaxed) - 1; rank >= 0) ranks[count++] = rank;
  return count;
}

Verdict JobOnHost::decide(Verdict verdict, bool& is_first) {
  std::uint32_t found = 0;
  is_first =
      page_->verdict.compare_exchange_strong(found, static_cast<std::uint32_t>(verdict), std::memory_order_acq_rel);
  if (is_first) unlink(path_);
  return is_first ? verdict : static_cast<Verdict>(found);
}

Verdict JobOnHost::decide_alone(Verdict verdict) {
  bool is_first = false;
  return page_ == nullptr ? verdict : decide(verdict, is_first);
}

namespace program_world {

namespace {

// Calls the function as the program does, without counting. given: the MPI's result, for a function outside the global
// scope, where no tool can be, and for one with another ABI.
int ask(char const* function, int given) {
  if (front_services != nullptr && front_services->is_converted()) return given;
  auto const of_program = reinterpret_cast<int (*)(MPI_Comm, int*)>(dlsym(RTLD_DEFAULT, function));
  int value = given;
  return of_program != nullptr && of_program(MPI_COMM_WORLD, &value) == MPI_SUCCESS ? value : given;
}

}  // namespace

bool is_smaller() {
  int size = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  if (ask("MPI_Comm_size", size) == size) return false;
  if (ask("MPI_Comm_rank", 0) == 0)
    say(
        {"a library that defines functions of MPI shows the program a world of its own: it runs without the profiler "
         "(docs/front.md)"});
  return true;
}

bool has_other_rank() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return ask("MPI_Comm_rank", rank) != rank;
}

}  // namespace program_world

}  // namespace commprof
