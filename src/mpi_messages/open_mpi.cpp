// Stands in for Open MPI's recorder of messages, and enables it.
#include "flavour/attach.hpp"
#include "mpi/library_version.hpp"
#include "mpi/mpi.hpp"
#include "mpi_messages/sent_messages.hpp"

#ifdef OPEN_MPI

#include <dlfcn.h>
#include <unwind.h>

#include <cstdlib>

#include "base/export.hpp"

namespace commprof::mpi_messages {

namespace {

constexpr char switch_variable[] = "OMPI_MCA_pml_monitoring_enable";
bool has_set_variable = false;

using Recorder = void (*)(int, std::size_t, int);

// The recorder that ours replaces: that of the calling component or of its dependencies. The component's own handle
// leads to it, whatever the libraries are called.
Recorder original_of(void const* caller) {
  Dl_info component;
  if (dladdr(caller, &component) == 0) return nullptr;
  void* const library = dlopen(component.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  void* const original = find_in_library(library, "mca_common_monitoring_record_pml");
  dlclose(library);  // the MPI keeps its component loaded
  return reinterpret_cast<Recorder>(original);
}

#ifdef __x86_64__

// The recorder does not get the communicator, but its caller does: the component's send function has it as seventh
// argument, which the calling convention puts on the stack, at the caller's canonical frame address. MPI_Init tests
// whether this holds. frame: of the recorder. Counts frames, so only comm_of() may call it.
[[gnu::noinline]] std::ptrdiff_t distance_to_arguments(char const* frame) {
  struct Walk {
    int frames;
    std::uintptr_t place;
  } walk{0, reinterpret_cast<std::uintptr_t>(frame)};
  auto const step = [](_Unwind_Context* context, void* data) {
    Walk& at = *static_cast<Walk*>(data);
    if (at.frames++ < 3) return _URC_NO_REASON;  // this function, the recorder, its caller
    at.place = _Unwind_GetCFA(context);
    return _URC_END_OF_STACK;
  };
  _Unwind_Backtrace(step, &walk);
  return reinterpret_cast<char const*>(walk.place) - frame;
}

// Caches the distance, which is the same for all calls from one place: unwinding takes microseconds.
[[gnu::always_inline]] inline std::uint64_t comm_of(void const* caller, char const* frame) {
  static thread_local struct {
    void const* caller;
    std::ptrdiff_t distance;
  } last{};
  if (last.caller != caller) last = {caller, distance_to_arguments(frame)};
  return *reinterpret_cast<std::uint64_t const*>(frame + last.distance);
}

#endif

}  // namespace

bool const can_ask_mpi = true;

// Open MPI 6.0.0rc2 crashes in MPI_Init if it is to record messages, and no later release is known that does not: its
// branch and the main one had the same recorder in August 2026. With a release that has been mended, the user can set
// the variable.
void ask_mpi() {
  constexpr int first_to_crash = 6;
  if (OpenMpiVersion::of_process().major >= first_to_crash) return;
  has_set_variable = std::getenv(switch_variable) == nullptr && setenv(switch_variable, "1", 0) == 0;
}

void leave_environment() {
  if (has_set_variable) unsetenv(switch_variable);  // the program's child processes must not inherit it
  has_set_variable = false;
}

}  // namespace commprof::mpi_messages

extern "C" COMMPROF_EXPORT void mca_common_monitoring_record_pml(int world_rank, std::size_t bytes, int tag) {
  using namespace commprof::mpi_messages;
  static Recorder const original = original_of(__builtin_return_address(0));
  if (original != nullptr && original != &mca_common_monitoring_record_pml) original(world_rank, bytes, tag);
  if ((tag >= 0 && tag != tag_of_started) || !is_listening()) return;
  std::uint64_t comm = 0;
#ifdef __x86_64__
  if (tag <= largest_operation_tag)
    comm = comm_of(__builtin_return_address(0), static_cast<char const*>(__builtin_frame_address(0)));
#endif
  sent({.dest = world_rank, .tag = tag, .bytes = bytes, .comm = comm});
}

#else

namespace commprof::mpi_messages {

bool const can_ask_mpi = false;
void ask_mpi() {}
void leave_environment() {}

}  // namespace commprof::mpi_messages

#endif
