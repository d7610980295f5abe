// The choice of a flavour, at the first call of MPI in the process, and where each entry point leads.
//
// No lock is taken: a thread that holds it could wait for the dynamic linker's lock, while the holder of that lock runs
// a constructor that calls MPI. Several threads may choose at once: they come to the same result, and the first to
// finish publishes it.
#include "front/front.hpp"

#include <dlfcn.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <utility>

#include "base/message.hpp"
#include "front/entries.hpp"
#include "front/flavour.hpp"
#include "front/late_objects.hpp"
#include "front/loaded_list.hpp"
#include "front/mpi_of_process.hpp"
#include "front/unknown_imports.hpp"
#include "version.hpp"

namespace commprof::front {

namespace {

enum class Verdict { profiled, left_alone, left_alone_by_caller };

struct Choice {
  Verdict verdict = Verdict::left_alone;
  void* flavour = nullptr;
  void* mpi = nullptr;  // a handle that stays open; nullptr if it is not known which MPI
  int unsupported_operation = 0;
};

Choice made_choice;
std::atomic<bool> is_taken{false}, is_made{false};

void* find_in(void* handle, char const* symbol) { return system_dlsym()(handle, symbol); }

// The load address of the front.
void const* own_base() {
  Dl_info own{};
  return dladdr(reinterpret_cast<void const*>(&own_base), &own) != 0 ? own.dli_fbase : nullptr;
}

// The definition to which the MPI's own libraries are bound. A library in Fortran can have its own copies
// of MPI's constants. If it loads the MPI outside the global scope, the MPI uses these copies.
void* find_as_mpi_does(char const* symbol) {
  void* found = nullptr;
  LoadedList const list([](dl_phdr_info const& object) { return is_named_as_mpi(object.dlpi_name); });
  list.for_each([&](char const* path) {
    LoadedObject const object(path);
    if (!object) return;
    object.dynamic_section().for_each_import([&](char const* name, void** slot, std::ptrdiff_t addend) {
      if (found == nullptr && addend == 0 && std::string_view(name) == symbol) found = *slot;
    });
  });
  return found;
}

// The next definition or, if the MPI is outside the global scope, the first one in load order.
void* find_behind(char const* symbol) {
  if (void* const next = next_definition(symbol)) return next;
  void* found = nullptr;
  void const* const front = own_base();
  LoadedList const list([](dl_phdr_info const&) { return true; });
  list.for_each([&](char const* path) {
    if (found != nullptr) return;
    LoadedObject const object(path);
    if (!object || object.contains(front) || object.find_own(attach_symbol) != nullptr) return;
    found = object.find_own(symbol);
  });
  return found;
}

Services services{find_behind, find_as_mpi_does, find_in, for_each_unknown_import, false};

bool is_ours(std::string_view name) { return name.starts_with("commprof_"); }
bool is_of_c(std::string_view name) { return name.starts_with("MPI_") || name.starts_with("MPIX_"); }

Choice const* publish(Choice const& choice, std::initializer_list<std::string_view> message) {
  if (!is_taken.exchange(true)) {
    made_choice = choice;
    is_made.store(true, std::memory_order_release);
    if (message.size() > 0 && is_first_of_job()) say(message);
  }
  while (!is_made.load(std::memory_order_acquire)) sched_yield();  // until another thread has copied a few words
  return &made_choice;
}

// The choice for the MPI of the process; nullptr if it has none yet. needs_mpi: opens one if the linker has omitted it.
Choice const* choose(bool needs_mpi) {
  if (is_made.load(std::memory_order_acquire)) return &made_choice;
  MpiOfProcess found = mpi_of_process();
  Choice choice;
  if (found.are_several) {
    choice.verdict = Verdict::left_alone_by_caller;
    return publish(
        choice, {"several MPI libraries are loaded in this process, none of them in the global scope: the program runs "
                 "without the profiler (docs/front.md)"});
  }
  LoadedObject mpi = std::move(found.library);
  if (!mpi && needs_mpi) mpi = open_omitted_mpi();
  if (!mpi) return nullptr;
  Abi const abi(mpi);
  choice.unsupported_operation = abi.unsupported_operation();
  char const* problem = nullptr;
  if (*abi.name() != '\0') choice.flavour = open_flavour(abi.name(), mpi, services, problem);
  std::string_view const path = mpi.path();
  choice.mpi = mpi.keep();
  if (choice.flavour != nullptr) {
    choice.verdict = Verdict::profiled;
    return publish(choice, {});
  }
  if (problem == nullptr)
    return publish(choice, {"there is no flavour of the profiler for this MPI, ", path,
                            ": the program runs without it (docs/front.md)"});
  return publish(choice, {"the flavour of the profiler for ", abi.name(), " cannot be loaded: ", problem,
                          ": the program runs without it (docs/front.md)"});
}

// The function that the program would call without the profiler.
void* plain_definition(char const* name, Choice const* choice, void const* caller) {
  if (void* const next = next_definition(name)) return next;
  if (choice != nullptr && choice->mpi != nullptr)
    if (void* const found = find_in(choice->mpi, name)) return found;
  // Outside the global scope: in the dependencies of the calling object.
  LoadedObject const object = LoadedObject::at(caller);
  void* const found = object ? object.find(name) : nullptr;
  Dl_info where{};
  return found != nullptr && dladdr(found, &where) != 0 && where.dli_fbase != own_base() ? found : nullptr;
}

// The functions of commprof.h if nothing is profiled.
int unsupported_operation() { return made_choice.unsupported_operation; }
int do_nothing() { return 0; }
char const* tell_version() { return version; }

void* stand_in(std::string_view name) {
  if (name == "commprof_version") return reinterpret_cast<void*>(tell_version);
  for (char const* const reading : {"commprof_read", "commprof_read_peers", "commprof_comm_name", "commprof_reset"})
    if (name == reading) return reinterpret_cast<void*>(unsupported_operation);
  return reinterpret_cast<void*>(do_nothing);
}

// Ends the program as the dynamic linker does if no library defines a symbol.
[[noreturn]] void end_program(char const* name) {
  say({"symbol lookup error: no library of this process defines ", name});
  _exit(127);
}

struct Target {
  void* address;
  bool is_final;  // holds for all callers
};

Target target_of(char const* name, void const* caller) {
  Choice const* const choice = choose(!is_ours(name));
  if (choice != nullptr && choice->verdict == Verdict::profiled) {
    // If the MPI lacks the function, its wrapper must not be called: the program would believe that the MPI has it.
    bool const may_be_called = !is_of_c(name) || plain_definition(name, choice, caller) != nullptr;
    if (void* const wrapper = may_be_called ? find_in(choice->flavour, name) : nullptr) return {wrapper, true};
  }
  if (is_ours(name)) return {stand_in(name), choice != nullptr};
  void* const plain = plain_definition(name, choice, caller);
  if (plain == nullptr) end_program(name);
  return {plain, choice != nullptr && choice->verdict != Verdict::left_alone_by_caller};
}

}  // namespace

bool is_function_of_mpi(void const* function) {
  LoadedObject const library = LoadedObject::at(function);
  if (!library || !is_named_as_mpi(library.path())) return false;
  Choice const* const choice = choose(false);
  if (choice == nullptr || choice->verdict != Verdict::profiled) return false;
  return library.find(characteristic_of_mpi) == find_in(choice->mpi, characteristic_of_mpi);
}

void* profiled_mpi() {
  bool const is_profiled = is_made.load(std::memory_order_acquire) && made_choice.verdict == Verdict::profiled;
  return is_profiled ? made_choice.mpi : nullptr;
}

}  // namespace commprof::front

using namespace commprof::front;

extern "C" {

// The target of an entry point. Called by entries.S at the first call.
[[gnu::visibility("hidden")]] void* commprof_front_resolve(unsigned long number, void const* caller) {
  int const errno_of_program = errno;
  Target const target = target_of(entry_name(number), caller);
  if (target.is_final) lead_entry(number, target.address);
  redirect_late_objects();
  errno = errno_of_program;
  return target.address;
}

// The result of the front's dlsym() for a function of MPI; nullptr: use the system's dlsym(). RTLD_NEXT and
// RTLD_DEFAULT are left to the system. With RTLD_NEXT other interposers look up their originals (sanitizers before
// their interceptors can be called), and RTLD_DEFAULT finds the front's own entry points.
[[gnu::visibility("hidden")]] void* commprof_front_look_up(void* handle, char const* name) {
  int const errno_of_program = errno;
  system_dlsym();
  if (handle == RTLD_NEXT || handle == RTLD_DEFAULT) {
    errno = errno_of_program;
    return nullptr;
  }
  redirect_late_objects();
  void* instead = nullptr;
  if (name != nullptr && (*name == 'M' || *name == 'm')) {
    std::size_t const number = find_entry(name);
    void* const found = number == entry_count() ? nullptr : system_dlsym()(handle, name);
    if (found != nullptr && is_function_of_mpi(found)) instead = entry_address(number);
  }
  errno = errno_of_program;
  return instead;
}
}

namespace {

// Tells if the process has used MPI but no call has passed through the front.
[[gnu::destructor]] void end() {
  if (services.has_begun || !is_first_of_job()) return;
  if (is_made.load(std::memory_order_acquire) && made_choice.verdict != Verdict::profiled) return;  // was reported
  MpiOfProcess const found = mpi_of_process();
  if (!found.library) return;
  auto const initialized = reinterpret_cast<int (*)(int*)>(found.library.find("PMPI_Initialized"));
  int is_initialized = 0;
  if (initialized == nullptr || initialized(&is_initialized) != 0 || is_initialized == 0) return;
  commprof::say(
      {"this process has used MPI, but its calls bypassed the profiler: there is no profile (docs/front.md)"});
}

}  // namespace
