// Finds the programs and libraries loaded into this process.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>

namespace commprof {

// A program or library, as the dynamic linker knows it.
struct LoadedModule {
  static constexpr std::size_t max_build_id = 64;  // in characters; GNU's have 40

  std::uintptr_t base = 0;  // difference between addresses in memory and in the file
  std::uintptr_t begin = 0, end = 0;
  char path[PATH_MAX] = "";
  char build_id[max_build_id + 1] = "";  // hexadecimal; empty if there is none
};

// Finds the module that contains an address. False if there is none, as for code generated at run time.
bool find_module(std::uintptr_t address, LoadedModule& found);

// The number of modules unloaded since the process began.
std::uint64_t unloaded_modules();

}  // namespace commprof
