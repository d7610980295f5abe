#include <dlfcn.h>

#include <algorithm>
#include <mutex>

#include "base/index.hpp"
#include "base/memory.hpp"
#include "base/message.hpp"
#include "flavour/flavour.hpp"
#include "mpi/library_version.hpp"
#include "mpi/mpi.hpp"
#include "mpi/quiet_errors.hpp"
#include "run/run.hpp"

namespace commprof {

namespace self_attributes {

namespace {

// When each keyval's attribute was last set, as the number among all settings; 0: there is no attribute now. MPIs reuse
// the integers of freed keyvals, so these are as many as there are keyvals at one time.
constinit Index<std::uint64_t, std::uint64_t> settings_of;
std::uint64_t last = 0;

std::uint64_t key_of(int keyval) { return std::uint64_t{1} << 32 | static_cast<std::uint32_t>(keyval); }

std::mutex mutex;

struct Setting {
  std::uint64_t number, key;
};

// The settings in force, the latest first. Returns the number of the latest setting of all; 0 without memory.
std::uint64_t find_settings(PageVector<Setting>& found) {
  std::lock_guard const lock(mutex);
  bool has_room = true;
  found.clear();
  settings_of.for_each([&](std::uint64_t key, std::uint64_t number) {
    if (number != 0) has_room = found.push_back({number, key}) && has_room;
  });
  std::sort(found.begin(), found.end(), [](Setting const& a, Setting const& b) { return a.number > b.number; });
  return has_room ? last : 0;
}

// Whether it is still in force, and no later one has come: a deletion's callback may delete and set others.
bool is_latest(Setting const& setting, std::uint64_t latest) {
  std::lock_guard const lock(mutex);
  std::uint64_t const* const number = settings_of.find(setting.key);
  return last == latest && number != nullptr && *number == setting.number;
}

}  // namespace

void was_set(int keyval) {
  std::lock_guard const lock(mutex);
  std::uint64_t* const number = settings_of.find_or_add(key_of(keyval));
  // An attribute that is set again keeps its place; in Open MPI it becomes the latest.
  if (number != nullptr && (*number == 0 || is_open_mpi())) *number = ++last;
}

void was_deleted(int keyval) {
  std::lock_guard const lock(mutex);
  if (std::uint64_t* const number = settings_of.find(key_of(keyval))) *number = 0;
}

void delete_all() {
  QuietErrors const quiet(QuietErrors::self_alone);
  PageVector<Setting> found;
  for (std::uint64_t latest = find_settings(found); latest != 0 && found.size() > 0; latest = find_settings(found)) {
    for (Setting const& one : found) {
      if (!is_latest(one, latest)) continue;
      int const keyval = static_cast<int>(static_cast<std::uint32_t>(one.key));
      if (PMPI_Comm_delete_attr(MPI_COMM_SELF, keyval) != MPI_SUCCESS) return;
      was_deleted(keyval);
    }
  }
}

}  // namespace self_attributes

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
