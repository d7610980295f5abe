#include "files/switch_line.hpp"

#include <fmt/format.h>
#include <strings.h>

#include <utility>

#include "files/host_list.hpp"
#include "files/text_lines.hpp"
#include "files/visible_text.hpp"

namespace mpisee_through {
namespace {

bool is_key(std::string_view text, std::string_view key) {
  return text.size() == key.size() && strncasecmp(text.data(), key.data(), key.size()) == 0;
}

}  // namespace

SwitchLine parse_switch_line(std::string_view text, std::function<void(std::string const& problem)> const& fail) {
  SwitchLine line;
  for (std::string_view const word : words_of(text)) {
    auto const equals = word.find('=');
    std::string_view const key = word.substr(0, equals);
    std::string_view const value = equals == std::string_view::npos ? "" : word.substr(equals + 1);
    bool const has_switches = is_key(key, "Switches");
    if (is_key(key, "SwitchName")) {
      line.name = value;
    } else if (has_switches || is_key(key, "Nodes")) {
      auto names = expand_host_list(value);
      if (!names) fail(fmt::format("\"{}\" is no list of names like node[01-16]", visible(value)));
      for (std::string& name : *names) line.below.push_back({std::move(name), has_switches});
    } else if (!is_key(key, "LinkSpeed")) {
      fail(fmt::format("\"{}\" is not SwitchName=, Nodes=, Switches= or LinkSpeed=", visible(word)));
    }
  }
  if (line.name.empty()) fail("no SwitchName=");
  return line;
}

}  // namespace mpisee_through
