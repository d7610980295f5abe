// The lists of COMMPROF_OPS, COMMPROF_COMMS and COMMPROF_APPS: what is to be counted, with commas between. A - before
// an item leaves out what it names. A list of such items alone counts all else; in any other, what is to be counted is
// named, too. So the order of the items does not matter.
//
// A list is read where it lies, each time that it is asked: once for all operations, and once for each communicator.
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

// Takes the first item off a list and returns true; false if there is none. Items without any text are passed over.
bool take_item(std::string_view& list, Item& item);

// Whether the whole text matches: * stands for any text, ? for any character.
bool matches(std::string_view glob, std::string_view text);

// The kinds of list. makes_sense(): whether an item can name anything.

// Of operations, by their names in the profile, in any case, with or without MPI_.
struct Operations {
  static bool makes_sense(Item item);
  static bool names(Item item, std::string_view op);
};

// Of communicators, by size (4, 2-, 2-64) or by name.
struct Communicators {
  static bool makes_sense(Item item);
  static bool names(Item item, std::string_view comm, std::int32_t size);
};

// Of programs, by the names of their files.
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

// Calls complain(item) for each item that does not.
template <class Kind, class Complain>
void for_each_senseless(std::string_view list, Complain&& complain) {
  for (Item item; take_item(list, item);)
    if (!Kind::makes_sense(item)) complain(item);
}

// What a list has counted. Items that make no sense are as if they were not there.
using OperationSet = std::bitset<static_cast<std::size_t>(Op::count_)>;
OperationSet wanted_operations(std::string_view list);
bool is_wanted_communicator(std::string_view list, std::string_view comm, std::int32_t size);

bool is_wanted_program(std::string_view list, std::string_view program);

// Whether a list has everything counted.
template <class Kind>
bool is_everything(std::string_view list) {
  bool is_limited = false;
  for_each_item<Kind>(list, [&](Item item) { is_limited |= item.excludes || item.pattern != "*"; });
  return !is_limited;
}

}  // namespace commprof::selection
