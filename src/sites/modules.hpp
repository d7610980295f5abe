// The programs and libraries that are loaded into this process.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>

namespace commprof {

// One of them, as the dynamic linker knows it.
struct LoadedModule {
  static constexpr std::size_t max_build_id = 64;  // characters; those of GNU have 40

  std::uintptr_t base = 0;  // what is added to the addresses in its file
  std::uintptr_t begin = 0, end = 0;
  char path[PATH_MAX] = "";
  char build_id[max_build_id + 1] = "";  // hexadecimal; empty if it has none
};

// The module whose code is at an address. False if there is none: code that was generated at run time.
bool find_module(std::uintptr_t address, LoadedModule& found);

// How many modules have been unloaded since the process began.
std::uint64_t unloaded_modules();

}  // namespace commprof
