// The lists of COMMPROF_OPS, COMMPROF_COMMS and COMMPROF_APPS: items to count, separated by commas. A - in front of an
// item excludes what it names. A list of exclusions alone counts everything else; otherwise only named items count. So
// the order of items does not matter.
//
// A list is parsed again at each question: once for all operations, and once for each communicator.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ops.hpp"

namespace commprof::selection {

struct Item {
  std::string_view pattern;
  bool excludes = false;
};

// Removes the first item from a list and returns true; false if the list is empty. Skips empty items.
bool take_item(std::string_view& list, Item& item);

// Whether the whole text matches: * stands for any text, ? for any character.
bool matches(std::string_view glob, std::string_view text);

// The kinds of list. makes_sense(): whether an item can name anything.

// For operations: names as in the profile, in any case, with or without MPI_.
struct Operations {
  static bool makes_sense(Item item);
  static bool names(Item item, std::string_view op);
};

// For communicators: sizes (4, 2-, 2-64) or names.
struct Communicators {
  static bool makes_sense(Item item);
  static bool names(Item item, std::string_view comm, std::int32_t size);
};

// For programs: file names.
struct Programs {
  static bool makes_sense(Item item) { return !item.pattern.empty(); }
  static bool names(Item item, std::string_view program) { return matches(item.pattern, program); }
};

// Calls visit(item) for each item that makes sense.
template <class Kind, class Visitor>
void for_each_item(std::string_view list, Visitor&& visit) {
  for (Item item; take_item(list, item);)
    if (Kind::makes_sense(item)) visit(item);
}

// Calls complain(item) for each item that does not make sense.
template <class Kind, class Complain>
void for_each_senseless(std::string_view list, Complain&& complain) {
  for (Item item; take_item(list, item);)
    if (!Kind::makes_sense(item)) complain(item);
}

// The operations that a list selects. Items that make no sense are ignored.
using OperationSet = std::bitset<static_cast<std::size_t>(Op::count_)>;
OperationSet wanted_operations(std::string_view list);
bool is_wanted_communicator(std::string_view list, std::string_view comm, std::int32_t size);

bool is_wanted_program(std::string_view list, std::string_view program);

// Whether a list selects everything.
template <class Kind>
bool is_everything(std::string_view list) {
  bool is_limited = false;
  for_each_item<Kind>(list, [&](Item item) { is_limited |= item.excludes || item.pattern != "*"; });
  return !is_limited;
}

}  // namespace commprof::selection
