#include "commands/pages.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string_view>
#include <vector>

#include "commands/commands.hpp"
#include "findings/findings.hpp"

namespace mpisee_through {
namespace {

std::vector<CLI::Option const*> visible_options(CLI::App const& app) {
  std::vector<CLI::Option const*> options;
  for (CLI::Option const* option : app.get_options()) {
    if (!option->get_group().empty()) options.push_back(option);
  }
  return options;
}

struct CompletedOptions {
  std::string all;
  std::string with_word;  // options followed by a word that is not a file
};

CompletedOptions completed_options(CLI::App const& app) {
  CompletedOptions options;
  for (CLI::Option const* option : visible_options(app)) {
    for (std::string const& name : option->get_lnames()) {
      options.all += fmt::format("{}--{}", options.all.empty() ? "" : " ", name);
      std::string const type = option->get_type_name();
      bool const takes_word = option->get_expected_min() > 0 && type != "FILE" && type != "DIR" && type != "PROFILE";
      if (takes_word) options.with_word += fmt::format("{}--{}", options.with_word.empty() ? "" : " ", name);
    }
  }
  return options;
}

}  // namespace

std::string findings_section() {
  std::string section = "[FINDINGS]\nThe first page names what holds of a profile:\n";
  for (Rule const& rule : rules()) section += fmt::format(".TP\n.B {}\n{}\n", rule.name, rule.condition);
  return section;
}

std::string bash_completion(CLI::App const& app) {
  auto const branch = [](std::string_view pattern, CLI::App const& of_command) {
    CompletedOptions const options = completed_options(of_command);
    return fmt::format("    {}) options=\"{}\" with_word=\"{}\" ;;\n", pattern, options.all, options.with_word);
  };
  std::string branches;
  std::string names;
  for (Command const& command : commands()) {
    branches += branch(command.name, command.options()->app());
    names += fmt::format("{}{}", names.empty() ? "" : " ", command.name);
  }
  branches += branch("*", app);
  return fmt::format(R"(# Completion of mpisee-through for bash.
_mpisee_through() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} options with_word
  case ${{COMP_WORDS[1]}} in
{}  esac
  [[ " $with_word " == *" $before "* ]] && return
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  else
    compopt -o filenames
    COMPREPLY=($(compgen -f -- "$word"))
    [[ $COMP_CWORD -eq 1 ]] && COMPREPLY+=($(compgen -W "{}" -- "$word"))
  fi
}}
complete -F _mpisee_through mpisee-through
)",
                     branches, names);
}

}  // namespace mpisee_through
