#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/memory.hpp"
#include "base/message.hpp"
#include "flavour/flavour.hpp"

namespace commprof::unseen_calls {

namespace {

// Names, as pointers into the program and its libraries, which stay loaded.
constinit LastingVector<char const*> found;
// Names, as pointers into the front.
constinit LastingVector<char const*> found_elsewhere, found_in_tools;

void take(void*, char const* name) {
  auto const is_same = [&](char const* other) { return std::strcmp(name, other) == 0; };
  if (std::none_of(found.begin(), found.end(), is_same)) found.push_back(name);
}

void take_definition(void*, char const* name, bool is_seen) {
  (is_seen ? found_in_tools : found_elsewhere).push_back(name);
}

}  // namespace

void look(front::Services const& front, bool (*is_known)(char const* name)) {
  front.for_each_defined_elsewhere(take_definition, nullptr);
  front.for_each_unknown_import(is_known, take, nullptr);
  if (found.size() == 0) return;
  char text[1024];
  std::size_t length = 0, count = 0;
  for (char const* const name : found) {
    std::string_view const shown = name;
    if (length + shown.size() + 2 > sizeof text) break;
    ++count;
    if (length > 0) text[length++] = ' ';
    shown.copy(text + length, shown.size());
    length += shown.size();
  }
  say({"there are functions that the profiler does not know, whose calls are not in the profile: ",
       {text, length},
       count < found.size() ? " and more, which run.json lists" : ""});
}

LastingVector<char const*> const& names() { return found; }
LastingVector<char const*> const& defined_elsewhere() { return found_elsewhere; }
LastingVector<char const*> const& forwarded() { return found_in_tools; }

}  // namespace commprof::unseen_calls
