#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/memory.hpp"
#include "base/message.hpp"
#include "calls/call_table.hpp"
#include "calls/other_calls.hpp"
#include "flavour/flavour.hpp"

namespace commprof::unseen_calls {

namespace {

// Names, as pointers into the program and its libraries, which stay loaded.
constinit LastingVector<char const*> found;

// Whether the profiler has a wrapper for the function, or it needs none.
bool is_known(char const* name) {
  auto const is_forwarded = [&](front::NextDefinition const& next) { return next.has(name); };
  if (std::any_of(front_services->first_next, front_services->end_of_next, is_forwarded)) return true;
  std::string_view call = name;
  if (call.starts_with("MPI_")) call.remove_prefix(4);
  if (call.ends_with("_c")) call.remove_suffix(2);
  return call == "Finalize" || calls::has_word(calls::needs_none, call);  // MPI calls the profiler in MPI_Finalize
}

void take(void*, char const* name) {
  auto const is_same = [&](char const* other) { return std::strcmp(name, other) == 0; };
  if (std::none_of(found.begin(), found.end(), is_same)) found.push_back(name);
}

}  // namespace

void look(front::Services const& front) {
  front.for_each_unknown_import(is_known, take, nullptr);
  if (found.size() == 0) return;
  say({"calls of functions that the profiler does not know are not in the profile: ", *found.begin(),
       found.size() > 1 ? " and others, which run.json lists" : ""});
}

LastingVector<char const*> const& names() { return found; }

}  // namespace commprof::unseen_calls
