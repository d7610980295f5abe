// Prints the profiler's messages: whole lines on stderr, each written by one system call, so that lines of several
// processes do not mix. Nothing is printed on stdout, nor on stderr once the program has replaced the file that was
// stderr when the profiler was loaded.
#pragma once

#include <initializer_list>
#include <string_view>

namespace commprof {

// Prints "commprof: ", the parts and a newline. Control characters, which may come from outside, become '?'. Cuts the
// line off after 4 KiB.
void say(std::initializer_list<std::string_view> parts);

}  // namespace commprof
