#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "reader/profile_reader.hpp"
#include "reader/rank_set.hpp"

namespace mpisee_through {

// Which part of a profile the user asks for. What is left empty selects everything.
struct Selection {
  std::vector<std::string> communicators{};  // globs on our name or the user's; one match suffices
  std::vector<std::string> operations{};     // globs, in any case, with or without MPI_
  std::vector<std::string> regions{};        // globs on the whole path
  std::optional<RankSet> ranks{};            // world ranks; of a message, either end
  // Of messages only.
  std::vector<TrafficClass> classes{};
  std::optional<RankSet> from{};
  std::optional<RankSet> to{};
};

// A pattern or a rank that nothing in the profile answers to. what() is one printable line.
class SelectionError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Shell patterns: * ? [a-z]. A name matches a pattern that is spelled like it, too, since names can hold a *.
[[nodiscard]] bool matches_communicator(std::string const& glob, std::string const& name, std::string const& user_name);
[[nodiscard]] bool matches_operation(std::string const& glob, std::string const& operation);
[[nodiscard]] bool matches_region(std::string const& glob, std::string const& region);

// The selection in words, for the title of a picture: "p2p, communicator W_s2.*, region solve". Empty if it selects
// all.
[[nodiscard]] std::string describe(Selection const& selection);

}  // namespace mpisee_through
