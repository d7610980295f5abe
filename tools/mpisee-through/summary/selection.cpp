#include "summary/selection.hpp"

#include <fnmatch.h>
#include <strings.h>

namespace mpisee_through {

bool matches_communicator(std::string const& glob, std::string const& name, std::string const& user_name) {
  return glob == name || ::fnmatch(glob.c_str(), name.c_str(), 0) == 0 ||
         (!user_name.empty() && (glob == user_name || ::fnmatch(glob.c_str(), user_name.c_str(), 0) == 0));
}

bool matches_operation(std::string_view glob, std::string const& operation) {
  constexpr std::string_view prefix = "MPI_";
  if (glob.size() >= prefix.size() && ::strncasecmp(glob.data(), prefix.data(), prefix.size()) == 0) {
    glob.remove_prefix(prefix.size());
  }
  return ::fnmatch(std::string(glob).c_str(), operation.c_str(), FNM_CASEFOLD) == 0;
}

}  // namespace mpisee_through
