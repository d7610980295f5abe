// Reads the file of COMMPROF_CONFIG, which has the defaults of a system: a line NAME=VALUE for each. Ignores blanks
// around names and values, lines that begin with #, and text from a # after a blank. A value may be in quotes, '…' or
// "…".
#pragma once

#include <string_view>

namespace commprof {

// Calls take(context, name, value) for each line; a line without = is passed as the name. Returns 0 or an errno; EFBIG
// for a file of more than 16 KiB, of which the first 16 KiB are used. Must not be called by several threads at once.
int read_defaults(char const* path, void (*take)(void* context, std::string_view name, std::string_view value),
                  void* context);

}  // namespace commprof
