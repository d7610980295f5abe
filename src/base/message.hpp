// The only place where the profiler speaks: one whole line on stderr, written in one system call so that lines of
// several processes do not mix. Nothing is ever printed on stdout, and nothing on stderr once the program has replaced
// the file that it had as stderr when the profiler was loaded.
#pragma once

#include <initializer_list>
#include <string_view>

namespace commprof {

// Prints "commprof: " and the parts, then a newline. Control characters, which may come from outside, print as '?'.
// Cuts off after 4 KiB.
void say(std::initializer_list<std::string_view> parts);

}  // namespace commprof
