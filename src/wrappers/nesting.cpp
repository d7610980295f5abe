#include "wrappers/nesting.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unwind.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>

#include "mpi/mpi.hpp"

namespace commprof::nesting {

namespace {

std::uintptr_t number_of(void const* address) { return reinterpret_cast<std::uintptr_t>(address); }

// The address range of a library or of the program.
struct Module {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  char const* path = nullptr;  // "": the program

  bool contains(std::uintptr_t address) const { return address - begin < end - begin; }
};

// The module that contains the address; an empty one if there is none.
Module module_of(std::uintptr_t address) {
  struct Search {
    std::uintptr_t address;
    Module found;
  } search{address, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto* const wanted = static_cast<Search*>(data);
        Module module{UINTPTR_MAX, 0, info->dlpi_name == nullptr ? "" : info->dlpi_name};
        bool is_here = false;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          ElfW(Phdr) const& segment = info->dlpi_phdr[i];
          if (segment.p_type != PT_LOAD) continue;
          std::uintptr_t const begin = info->dlpi_addr + segment.p_vaddr, end = begin + segment.p_memsz;
          if (begin < module.begin) module.begin = begin;
          if (end > module.end) module.end = end;
          if (wanted->address - begin < end - begin) is_here = true;
        }
        if (is_here) wanted->found = module;
        return is_here ? 1 : 0;
      },
      &search);
  return search.found;
}

// Whether a module is a library of the MPI: the one with its C functions, or one of a language binding, which calls
// them. A program that is linked statically with its MPI has none.
bool is_of_mpi(Module const& module) {
  std::string_view const path = module.path;
  if (path.empty()) return false;
  if (module.contains(number_of(reinterpret_cast<void const*>(&PMPI_Send)))) return true;
  return path.substr(path.rfind('/') + 1).starts_with("libmpi");
}

// The libraries of the MPI that have called MPI. They stay loaded.
class LibrariesOfMpi {
 public:
  bool contain(std::uintptr_t address) {
    return is_in_one(address, count_.load(std::memory_order_acquire)) || is_in_another(address);
  }

 private:
  bool is_in_one(std::uintptr_t address, std::size_t count) const {
    for (std::size_t i = 0; i < count; ++i)
      if (address - known_[i].begin < known_[i].size) return true;
    return false;
  }
  [[gnu::cold, gnu::noinline]] bool is_in_another(std::uintptr_t address) {
    Module const module = module_of(address);
    if (module.path == nullptr || !is_of_mpi(module)) return false;
    static std::mutex mutex;
    std::lock_guard const lock(mutex);
    std::size_t const count = count_.load(std::memory_order_relaxed);
    if (count == most || is_in_one(address, count)) return true;
    known_[count] = {module.begin, module.end - module.begin};
    count_.store(count + 1, std::memory_order_release);
    if (count == 0) {
      first_library.store(module.begin, std::memory_order_relaxed);
      bytes_of_first_library.store(module.end - module.begin, std::memory_order_release);
    }
    return true;
  }

  static constexpr std::size_t most = 8;
  struct Range {
    std::uintptr_t begin;
    std::uintptr_t size;
  };
  Range known_[most]{};
  std::atomic<std::size_t> count_{0};
};

constinit LibrariesOfMpi libraries_of_mpi;

bool is_ours(std::uintptr_t address) {
  return module_of(number_of(reinterpret_cast<void const*>(&is_within_after_all))).contains(address);
}

// Unwinds the stack of the current call.
class WayUp {
 public:
  // Whether the wrapper with this frame is on the stack.
  [[gnu::noinline]] bool leads_to(void const* outermost) {
    wanted_ = number_of(outermost);
    _Unwind_Backtrace([](_Unwind_Context* context, void* way) { return static_cast<WayUp*>(way)->step(context); },
                      this);
    if (has_reached_) return is_there_;
    // The stack ends before the frame: the wrapper belongs to another fiber. But unwinding also ends at code of a
    // just-in-time compiler (Julia, Numba), which is in no module and has no unwind tables: assume that it is nested.
    return at_ != 0 && module_of(at_).path == nullptr;
  }

 private:
  _Unwind_Reason_Code step(_Unwind_Context* context) {
    // The stack pointer of this function at its call: the canonical frame address of the function visited before.
    std::uintptr_t const stack = _Unwind_GetCFA(context);
    has_reached_ = stack >= wanted_;
    // If the wrapper was left, another function may have a frame at the same address.
    is_there_ = stack == wanted_ && is_ours(at_);
    at_ = _Unwind_GetIP(context);
    return has_reached_ ? _URC_END_OF_STACK : _URC_NO_REASON;
  }

  std::uintptr_t wanted_ = 0;
  std::uintptr_t at_ = 0;  // the instruction pointer in the function visited last
  bool has_reached_ = false;
  bool is_there_ = false;
};

}  // namespace

// The stack grows down: the frame of a nested call has a lower address.
bool is_within_after_all(void const* outermost, void const* frame, void const* caller) {
  if (frame >= outermost) return false;
  return libraries_of_mpi.contain(number_of(caller)) || WayUp().leads_to(outermost);
}

}  // namespace commprof::nesting
