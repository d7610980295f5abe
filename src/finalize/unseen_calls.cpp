#include "finalize/unseen_calls.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "profile/immortal.hpp"
#include "profile/memory.hpp"
#include "profile/message.hpp"

namespace commprof::unseen_calls {

namespace {

// Where the names lie in the program and its libraries, which stay loaded.
constinit Immortal<PageVector<char const*>> names;

void take(void*, char const* name) {
  auto const is_same = [&](char const* other) { return std::strcmp(name, other) == 0; };
  if (std::none_of(names->begin(), names->end(), is_same)) names->push_back(name);
}

}  // namespace

void look(front::Services const& front, bool (*is_known)(char const* name)) {
  front.for_each_unknown_import(is_known, take, nullptr);
  if (names->size() == 0) return;
  char text[1024];
  std::size_t length = 0;
  for (char const* const name : *names) {
    std::string_view const shown = name;
    if (length + shown.size() + 2 > sizeof text) break;
    if (length > 0) text[length++] = ' ';
    shown.copy(text + length, shown.size());
    length += shown.size();
  }
  say({"this MPI has functions that the profiler does not know, whose calls are not in the profile: ", {text, length}});
}

void write_json(TextWriter& out) {
  out.raw("[");
  for (char const* const& name : *names) out.raw(&name == names->begin() ? "" : ", ").json_string(name);
  out.raw("]");
}

}  // namespace commprof::unseen_calls
