// The commands about the network (see commands/commands.hpp).
#pragma once

#include <filesystem>
#include <memory>

#include "commands/command.hpp"
#include "fabric/links_view.hpp"

namespace mpisee_through {

// Shows the load that messages put on the links of a network.
[[nodiscard]] std::unique_ptr<Command> make_links();
// What they are. Throws ProfileError and SelectionError.
[[nodiscard]] Document read_links(Profile const& profile, Selection const& selection,
                                  std::filesystem::path const& fabric, LinksLayout const& layout = {});

// Proposes where ranks should run.
[[nodiscard]] std::unique_ptr<Command> make_place();

}  // namespace mpisee_through
