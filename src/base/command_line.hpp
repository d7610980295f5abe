// The command line that this process was started with, as the system remembers it.
#pragma once

#include <cstddef>
#include <string_view>

namespace commprof {

class CommandLine {
 public:
  // Reads it; what does not fit into 64 KiB is cut off.
  CommandLine();

  // Calls visit(argument) for the program and each argument, in order.
  template <class Visitor>
  void for_each(Visitor&& visit) const {
    for (std::size_t first = 0; first < length_;) {
      std::string_view const argument(text_ + first);
      visit(argument);
      first += argument.size() + 1;
    }
  }

  // The last component of the program's path.
  static std::string_view program_name();

 private:
  char text_[64 * 1024 + 1];
  std::size_t length_ = 0;
};

}  // namespace commprof
