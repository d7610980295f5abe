// Spool files as killed processes leave them.
#pragma once

#include <filesystem>
#include <string_view>

#include "spool/layout.hpp"

// Has a process leave its file, RANK.spool, in a directory. home: as in spool::Kind::home.
void leave_spool_file(std::filesystem::path const& directory, commprof::spool::Owner const& owner,
                      std::string_view home = "");
