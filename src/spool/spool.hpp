// Keeps what is counted in a file, so that it outlives a process that is killed: see layout.hpp.
//
// The file is mapped into memory, and counting goes on as in any other: the system keeps what was stored when the
// process is gone. Room is taken in the file before it is mapped, so a full disk is noticed here, and not by a signal
// in the middle of the program; what finds no room lies in ordinary memory and does not outlive the process. The file
// is opened anew each time it grows: no descriptor of ours is there for the program to close or to meet.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/part.hpp"
#include "spool/layout.hpp"

namespace commprof::spool {

// Makes the file of this path, which must not exist, in the directory of the path, which is open. Only this user may
// read it. False if that fails, errno says why: then there is none, and everything else here does nothing. Counts of
// what was dropped go on in the file.
bool open(int directory, char const* path, Owner const& owner);

bool is_open();

// The beginning of the file; of no use to anyone where there is none.
SpoolHead& head();

// Pages in the file, zeroed; nullptr where there is no file or no room in it.
void* map(std::size_t bytes, Part part);

// Moves whole pages of the program's memory, which nobody else uses meanwhile, into the file. False: they are where
// they were.
bool move(void* pages, std::size_t bytes, Part part);

void keep(Kind kind, std::string_view text);

// Takes the file away. What was mapped stays.
void remove();

// After a fork, in the child: the file is its parent's.
void leave();

}  // namespace commprof::spool
