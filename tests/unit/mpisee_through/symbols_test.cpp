#include <dlfcn.h>
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <filesystem>
#include <string>

#include "symbols/site_names.hpp"

using namespace mpisee_through;

TEST_CASE("a function is named without its parameters if the library has no lines") {
  auto* const function = static_cast<std::string (*)(fmt::string_view, fmt::format_args)>(&fmt::vformat);
  Dl_info library{};
  REQUIRE(dladdr(reinterpret_cast<void*>(function), &library) != 0);
  auto const offset = reinterpret_cast<std::uintptr_t>(function) - reinterpret_cast<std::uintptr_t>(library.dli_fbase);
  std::string const name = Symbolizer(library.dli_fname, "").find(offset).function;
  CHECK(name.find("vformat") != std::string::npos);
  CHECK(name.find('(') == std::string::npos);
}

TEST_CASE("a symbolizer finds this program's own code") {
  std::error_code error;
  auto const self = std::filesystem::read_symlink("/proc/self/exe", error);
  CHECK(Symbolizer(self, "").state() == ModuleState::usable);
  CHECK(Symbolizer(self, "0123").state() == ModuleState::rebuilt);
  CHECK(Symbolizer("/dev/null/a.out", "").state() == ModuleState::missing);
  CHECK(Symbolizer("/etc/passwd", "").state() == ModuleState::missing);
  CHECK_FALSE(Symbolizer("/dev/null/a.out", "").find(16).is_known());
  CHECK_FALSE(Symbolizer(self, "").find(UINT64_MAX).is_known());
}
