#include "files/temporary_directory.hpp"

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

#include "files/profile_error.hpp"

namespace mpisee_through {

TemporaryDirectory::TemporaryDirectory() {
  std::string name =
      (std::filesystem::temp_directory_path() / "mpisee-through-XXXXXX").string();  // template for mkdtemp
  if (::mkdtemp(name.data()) == nullptr) throw ProfileError(name, std::nullopt, std::generic_category().message(errno));
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace mpisee_through
