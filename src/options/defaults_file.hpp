// The file of COMMPROF_CONFIG: defaults of a whole system, a line NAME=VALUE for each. Blanks around both, lines that
// begin with #, and a # behind a blank with what follows it do not count. A value may stand in quotes, '…' or "…".
#pragma once

#include <string_view>

namespace commprof {

// Calls take(context, name, value) for each line; for one without a =, the whole of it is the name. Returns 0 or the
// reason, as errno has it; EFBIG for a file of more than 16 KiB, whose lines up to there count. Not for several threads
// at once.
int read_defaults(char const* path, void (*take)(void* context, std::string_view name, std::string_view value),
                  void* context);

}  // namespace commprof
