// Finds a communicator's record and name by the handle of a communicator, a window or a file. Folders that know MPI
// include this header; others include registry.hpp.
#pragma once

#include "comm_naming/communicators.hpp"
#include "comm_naming/files.hpp"
#include "comm_naming/parent_world.hpp"
#include "comm_naming/windows.hpp"
