// Creates spool files as killed processes leave them.
#pragma once

#include <filesystem>
#include <string_view>

#include "spool/layout.hpp"

// Lets a process leave its file, RANK.spool, in a directory. home: the contents of spool::Kind::home.
void leave_spool_file(std::filesystem::path const& directory, commprof::spool::Owner const& owner,
                      std::string_view home = "");
