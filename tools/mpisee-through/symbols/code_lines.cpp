#include "symbols/code_lines.hpp"

#include <fmt/format.h>

#include "files/visible_text.hpp"

namespace mpisee_through {

SourcePlace const& CodeLines::find(CodePlace const& place) const {
  auto const [found, is_new] = known_.try_emplace(place);
  if (is_new && !place.function.empty()) {
    found->second = {visible(place.function), visible(place.module), fmt::format("{}", place.offset)};
  } else if (is_new && place.is_known()) {
    auto const key = std::pair(place.module, place.build_id);
    SourcePlace const exact = modules_.try_emplace(key, place.module, place.build_id).first->second.find(place.offset);
    found->second = {visible(exact.function), visible(exact.file), visible(exact.line)};
  }
  return found->second;
}

std::string CodeLines::label(CodePlace const& place) const {
  if (!place.is_known()) return {};
  SourcePlace const& source = find(place);
  std::string const module = place.module.substr(place.module.rfind('/') + 1);
  std::string const where =
      source.file.empty() ? fmt::format("{}+0x{:x}", visible(module), place.offset) : line_of(source);
  return source.function.empty() ? where : fmt::format("{} ({})", where, innermost_of(source.function));
}

}  // namespace mpisee_through
