// Keeps the counts in a mapped file, so that they outlive a process that is killed: see docs/design.md, "The spool".
// Without room in the file, or without a file, counts are in ordinary memory.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/memory.hpp"
#include "spool/layout.hpp"

namespace commprof::spool {

// Creates the file `path`, which must not exist, readable by this user only. directory: the path's directory, open.
// From now on dropped counts go to the file. False on failure: then all functions here do nothing.
bool open(int directory, char const* path, Owner const& owner);

bool is_open();

// The head of the file; without a file, an unused object.
SpoolHead& head();

// Zeroed memory in the file; nullptr without a file, or without room in it.
void* map(std::size_t bytes, Part part);

// Replaces whole pages by pages of the file with the same contents, at the same address. Nobody else may use them
// meanwhile. On failure they are unchanged.
bool move(void* pages, std::size_t bytes, Part part);

void keep(Kind kind, std::string_view text);

// Deletes the file. Its mappings stay valid.
void remove();

// After a fork, in the child: the file is its parent's.
void leave();

}  // namespace commprof::spool
