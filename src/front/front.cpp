// Chooses a flavour at the process's first call of MPI, and decides where each entry point leads. Takes no lock. See
// docs/design.md, "The front".
#include "front/front.hpp"

#include <dlfcn.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>

#include "base/message.hpp"
#include "version.hpp"

namespace commprof::front {

namespace {

struct Choice {
  link_map const* flavour = nullptr;  // nullptr: nothing is profiled
  link_map const* mpi = nullptr;      // nullptr if unknown
  void* mpi_handle = nullptr;         // never closed
  int unsupported_operation = 0;
};

Choice made_choice;
std::atomic<bool> is_taken{false}, is_made{false};

void* find_in(void* handle, char const* symbol) { return system_dlsym()(handle, symbol); }

void* find_behind(char const* symbol) {
  std::size_t const number = find_entry(symbol);
  Definition const found = number == entry_count() ? Definition{} : owner(number, made_choice.mpi);
  return found.owner == Owner::mpi ? found.address : next_definition(symbol);
}

Services services{find_behind, find_as_mpi_does, find_in, for_each_unknown_import, &own_at_load};

bool is_ours(std::string_view name) { return name.starts_with("commprof_"); }
// Other names are ours, or functions that a component of the MPI calls.
bool is_of_mpi(std::string_view name) { return name.starts_with("MPI") || name.starts_with("mpi"); }

void observe_transport();

Choice const* publish(Choice const& choice, std::initializer_list<std::string_view> message) {
  if (!is_taken.exchange(true)) {
    made_choice = choice;
    is_made.store(true, std::memory_order_release);
    if (message.size() > 0 && is_first_of_job()) say(message);
  }
  while (!is_made.load(std::memory_order_acquire)) sched_yield();  // another thread is copying a few words
  return &made_choice;
}

// The choice for the MPI of the process; nullptr if the process has no MPI yet. needs_mpi: opens one if the linker has
// omitted it.
Choice const* choose(bool needs_mpi) {
  if (is_made.load(std::memory_order_acquire)) return &made_choice;
  MpiOfProcess found = mpi_of_process();
  Choice choice;
  if (found.are_several) {
    return publish(
        choice, {"several MPI libraries are loaded in this process, none of them in the global scope: the program runs "
                 "without the profiler (docs/front.md)"});
  }
  LoadedObject& mpi = found.library;
  if (!mpi && needs_mpi) mpi = open_omitted_mpi();
  if (!mpi) return nullptr;
  Abi const abi(mpi);
  choice.unsupported_operation = abi.unsupported_operation();
  char const* problem = nullptr;
  services.observe_transport = observe_transport;
  if (*abi.name() != '\0' && !is_switched_off()) choice.flavour = open_flavour(abi.name(), mpi, services, problem);
  std::string_view const path = mpi.path();
  choice.mpi = mpi.map();
  choice.mpi_handle = mpi.keep();
  if (is_switched_off()) return publish(choice, {});
  if (choice.flavour != nullptr) return publish(choice, {});
  if (problem == nullptr)
    return publish(choice, {"there is no flavour of the profiler for this MPI, ", path,
                            ": the program runs without it (docs/front.md)"});
  return publish(choice, {"the flavour of the profiler for ", abi.name(), " cannot be loaded: ", problem,
                          ": the program runs without it (docs/front.md)"});
}

// Stand in for the functions of commprof.h if nothing is profiled.
int unsupported_operation() { return made_choice.unsupported_operation; }
int do_nothing() { return 0; }
char const* tell_version() { return version; }

void* stand_in(std::string_view name) {
  if (name == "commprof_version") return reinterpret_cast<void*>(tell_version);
  for (char const* const reading : {"commprof_read", "commprof_read_peers", "commprof_comm_name"})
    if (name == reading) return reinterpret_cast<void*>(unsupported_operation);
  return reinterpret_cast<void*>(do_nothing);
}

// Ends the program as the dynamic linker does if no library defines a symbol.
[[noreturn]] void end_program(char const* name) {
  say({"symbol lookup error: no library of this process defines ", name});
  _exit(127);
}

struct Target {
  void* address = nullptr;
  bool is_final = false;  // applies to all callers
};

void* in_flavour(Choice const& choice, std::size_t number) {
  DynamicSection const flavour(choice.flavour->l_addr, choice.flavour->l_ld);
  return flavour.find(entry_name(number), entry_hash(number));
}

bool is_profiled(Choice const* choice) { return choice != nullptr && choice->flavour != nullptr; }

link_map const* mpi_of(Choice const* choice) { return choice == nullptr ? nullptr : choice->mpi; }

// Whether the function's wrapper can forward calls to a tool; most can.
bool can_forward(char const* name) {
  return std::any_of(services.first_next, services.end_of_next, [&](auto const& next) { return next.has(name); });
}

// The entry points of UCX and libfabric lead to the next definition, as in a process without MPI, until the flavour
// wants to observe them: then to the flavour's functions, which call the next definition.
std::atomic<bool> is_transport_observed{false};

void* transport_target(std::size_t number, Definition const& found, Choice const* choice) {
  bool const is_observed = is_profiled(choice) && is_transport_observed.load(std::memory_order_relaxed);
  if (!found.is_for_all() || !is_observed) return found.address;
  NextDefinition* const next = std::find_if(services.first_next, services.end_of_next, [&](NextDefinition const& one) {
    return std::string_view(one.symbol) == entry_name(number);
  });
  void* const wrapper = in_flavour(*choice, number);
  if (next == services.end_of_next || wrapper == nullptr) return found.address;
  std::atomic_ref(next->address).store(found.address, std::memory_order_release);
  return wrapper;
}

// Sets all entry points of transports whose next definition is known.
void lead_transport(Choice const* choice) {
  std::size_t end = 0;
  for (std::size_t first = 0; first < entry_count(); first = end + 1) {  // names are in order
    for (end = first; end < entry_count() && is_of_transport(entry_name(end));) ++end;
    if (end == first) continue;
    Owners owners(first, end, mpi_of(choice));
    for (std::size_t number = first; number < end; ++number)
      if (owners[number].is_for_all()) lead_entry(number, transport_target(number, owners[number], choice));
  }
}

// Called by the flavour.
void observe_transport() {
  is_transport_observed = true;
  lead_transport(&made_choice);
}

// The target of an entry point for all callers, if it is known.
Target target_of(std::size_t number, Definition const& found, Choice const* choice) {
  char const* const name = entry_name(number);
  if (is_of_transport(name)) return {transport_target(number, found, choice), found.is_for_all()};
  if (!is_of_mpi(name)) {
    if (is_profiled(choice)) return {in_flavour(*choice, number), true};
    if (is_ours(name)) return {stand_in(name), choice != nullptr};
  }
  bool const is_for_wrapper =
      found.owner == Owner::mpi || (found.owner == Owner::tool && is_profiled(choice) && can_forward(name));
  if (is_for_wrapper && is_profiled(choice))
    if (void* const wrapper = in_flavour(*choice, number)) return {wrapper, found.is_for_all()};
  return {found.address, found.is_for_all() && (found.owner == Owner::other || choice != nullptr)};
}

// Tells the wrappers where to forward calls. Wrappers of C call the MPI's definition through PMPI; wrappers of Fortran
// have no next definition yet.
void lead_wrappers(Owners& owners) {
  for (NextDefinition* next = services.first_next; next != services.end_of_next; ++next) {
    for (char const* const symbol : {next->symbol, next->symbol_with_descriptors}) {
      std::size_t const number = symbol == nullptr ? entry_count() : find_entry(symbol);
      if (number == entry_count()) continue;
      Definition const found = owners[number];
      bool const is_known = found.owner == Owner::tool || (found.owner == Owner::mpi && next->address == nullptr);
      if (!is_known) continue;
      if (symbol == next->symbol_with_descriptors) next->has_descriptors = true;
      std::atomic_ref(next->address).store(found.address, std::memory_order_release);
    }
  }
}

void lead_entries(Choice const* choice) {
  Owners owners(0, entry_count(), mpi_of(choice));
  if (is_profiled(choice)) lead_wrappers(owners);
  for (std::size_t number = 0; number < entry_count(); ++number) {
    Target const target = target_of(number, owners[number], choice);
    if (target.address != nullptr && target.is_final) lead_entry(number, target.address);
  }
}

// Sets all entry points: once before the process has an MPI, and once with it.
void lead_entries_once(Choice const* choice) {
  static std::atomic<bool> are_led[2]{};
  std::atomic<bool>& are_led_now = are_led[choice == nullptr ? 0 : 1];
  if (are_led_now.load(std::memory_order_acquire)) return;
  lead_entries(choice);
  are_led_now.store(true, std::memory_order_release);
}

// The definition that the caller finds among its object's dependencies, outside the global scope.
Target target_for_caller(std::size_t number, Choice const* choice, void const* caller) {
  LoadedObject const object = LoadedObject::at(caller);
  void* const found =
      object && finds_behind_front(object, entry_name(number)) ? object.find(entry_name(number)) : nullptr;
  if (found != nullptr && is_profiled(choice) && is_function_of_mpi(found))
    if (void* const wrapper = in_flavour(*choice, number)) return {wrapper, false};
  return {found, false};
}

Target target_of_call(std::size_t number, void const* caller) {
  char const* const name = entry_name(number);
  // A process that uses a transport without MPI loads no flavour.
  bool const is_transport = is_of_transport(name);
  Choice const* choice = !is_transport                             ? choose(false)
                         : is_made.load(std::memory_order_acquire) ? &made_choice
                                                                   : nullptr;
  if (is_transport) lead_transport(choice);
  else lead_entries_once(choice);
  Definition found = owner(number, mpi_of(choice));
  // If a program is linked with the front, the linker may have omitted the MPI.
  bool const may_be_omitted = found.address == nullptr && !found.is_elsewhere && is_of_mpi(name) && is_linked();
  if (may_be_omitted && choice == nullptr) {
    choice = choose(true);
    lead_entries_once(choice);
    found = owner(number, mpi_of(choice));
  }
  Target target = target_of(number, found, choice);
  if (found.is_elsewhere || target.address == nullptr)
    if (Target const own = target_for_caller(number, choice, caller); own.address != nullptr) target = own;
  // The wrapper of a Fortran function opens the MPI's Fortran libraries.
  bool const is_of_c = std::string_view(name).starts_with("MPI_") || std::string_view(name).starts_with("MPIX_");
  if (target.address == nullptr && may_be_omitted && !is_of_c && is_profiled(choice))
    target = {in_flavour(*choice, number), true};
  if (target.address == nullptr) target.address = next_definition(name);  // of an object without DT_GNU_HASH
  if (target.address == nullptr) end_program(name);
  return target;
}

// Whether dlsym() would find nothing without the front.
bool is_absent(void* handle, std::size_t number, void const* caller) {
  Definition const found = owner(number, nullptr);
  if (found.address != nullptr || found.is_before_front) return false;
  if (!found.is_elsewhere || handle == RTLD_NEXT) return true;
  if (handle == RTLD_DEFAULT) {
    LoadedObject const object = LoadedObject::at(caller);
    return !object || !finds_behind_front(object, entry_name(number));
  }
  return LoadedObject::program().has_handle(handle);
}

// A result of dlsym() that means: there is no such symbol.
void* const absent = reinterpret_cast<void*>(1);

}  // namespace

bool is_switched_off() {
  char const* const value = std::getenv("COMMPROF_ENABLE");
  return value != nullptr && std::string_view(value) == "0";
}

bool finds_behind_front(LoadedObject const& object, char const* name) {
  void* const found = object.find(name);
  Dl_info where{};
  return found != nullptr && dladdr(found, &where) != 0 && where.dli_fbase != own_base();
}

bool is_function_of_mpi(void const* function) {
  LoadedObject const library = LoadedObject::at(function);
  if (!library || !is_named_as_mpi(library.path())) return false;
  Choice const* const choice = choose(false);
  if (!is_profiled(choice)) return false;
  return library.find(characteristic_of_mpi) == find_in(choice->mpi_handle, characteristic_of_mpi);
}

void* instead_of_mpis_own(std::size_t number) {
  Choice const* const choice = choose(false);
  lead_entries_once(choice);
  void* const wrapper = is_profiled(choice) ? in_flavour(*choice, number) : nullptr;
  if (wrapper == nullptr || entry_target(number) == wrapper) return entry_address(number);
  return owner(number, mpi_of(choice)).owner == Owner::other ? nullptr : entry_address(number);
}

void* profiled_mpi() {
  return is_made.load(std::memory_order_acquire) && is_profiled(&made_choice) ? made_choice.mpi_handle : nullptr;
}

void forget_unloaded(LoadCounts now) {
  static std::atomic<unsigned long long> unloaded{0};
  auto const forget = services.forget_code.load(std::memory_order_acquire);
  if (forget != nullptr && unloaded.exchange(now.unloaded, std::memory_order_acq_rel) != now.unloaded) forget();
}

}  // namespace commprof::front

using namespace commprof::front;

extern "C" {

// The target of an entry point. Called by entries.S at the first call.
[[gnu::visibility("hidden")]] void* commprof_front_resolve(unsigned long number, void const* caller) {
  int const errno_of_program = errno;
  Target const target = target_of_call(number, caller);
  if (target.is_final) lead_entry(number, target.address);
  redirect_late_objects();
  errno = errno_of_program;
  return target.address;
}

// The result of the front's dlsym() for a function of MPI, or 1 if there is none; nullptr: the system's dlsym()
// decides. With RTLD_NEXT and RTLD_DEFAULT it may find the front's own entry points.
[[gnu::visibility("hidden")]] void* commprof_front_look_up(void* handle, char const* name, void const* caller) {
  int const errno_of_program = errno;
  system_dlsym();
  bool const is_of_object = handle != RTLD_NEXT && handle != RTLD_DEFAULT;
  // Sanitizers look up other symbols before their interceptors work.
  if (is_of_object) redirect_late_objects();
  void* instead = nullptr;
  std::size_t const number = name == nullptr ? entry_count() : entry_of_mpi(name);
  if (number != entry_count()) {
    void* const found = is_of_object ? system_dlsym()(handle, name) : nullptr;
    bool const may_be_absent = is_of_mpi(name) || is_of_transport(name);
    if ((!is_of_object || found == entry_address(number)) && may_be_absent && is_absent(handle, number, caller)) {
      next_definition(name);  // lets dlerror() report that there is none
      instead = absent;
    } else if (found != nullptr && found != entry_address(number) && !is_switched_off() && is_function_of_mpi(found)) {
      instead = instead_of_mpis_own(number);
    }
  }
  errno = errno_of_program;
  return instead;
}
}

namespace {

// Whether another copy of the profiler precedes this one: it gets all calls, and this one none.
bool is_behind_another() {
  void* const first = system_dlsym()(RTLD_DEFAULT, "commprof_version");
  return first != nullptr && first != entry_address(find_entry("commprof_version"));
}

// Reports a process that has used MPI without a call through the front.
[[gnu::destructor]] void end() {
  if (services.has_begun || !is_first_of_job()) return;
  if (is_switched_off() || is_behind_another()) return;
  if (is_made.load(std::memory_order_acquire) && !is_profiled(&made_choice)) return;  // the reason was reported
  MpiOfProcess const found = mpi_of_process();
  if (!found.library) return;
  auto const initialized = reinterpret_cast<int (*)(int*)>(found.library.find("PMPI_Initialized"));
  int is_initialized = 0;
  if (initialized == nullptr || initialized(&is_initialized) != 0 || is_initialized == 0) return;
  commprof::say(
      {"this process has used MPI, but its calls bypassed the profiler: there is no profile (docs/front.md)"});
}

}  // namespace
