// The command line of this process, from the system.
#pragma once

#include <cstddef>
#include <string_view>

namespace commprof {

class CommandLine {
 public:
  // Reads the command line; cuts it off after 64 KiB.
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

  // The file name of the program.
  static std::string_view program_name();

 private:
  char text_[64 * 1024 + 1];
  std::size_t length_ = 0;
};

}  // namespace commprof
