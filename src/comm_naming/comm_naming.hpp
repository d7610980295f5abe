// From the handle of a communicator, a window or a file to the communicator's record and name: the header of this
// folder for others that know MPI.
#pragma once

#include "comm_naming/communicators.hpp"
#include "comm_naming/files.hpp"
#include "comm_naming/parent_world.hpp"
#include "comm_naming/windows.hpp"
