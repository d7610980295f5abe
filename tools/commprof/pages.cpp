#include "pages.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "launch/run.hpp"

namespace commprof_launcher {

int print_bash_completion() {
  RunOptions const options;
  std::string all, with_word;
  auto const add = [](std::string& list, std::string const& name) {
    list += fmt::format("{}{}", list.empty() ? "" : " ", name);
  };
  for (CLI::Option const* option : options.app.get_options()) {
    auto const names = [&](std::string& list) {
      for (std::string const& name : option->get_snames()) add(list, "-" + name);
      for (std::string const& name : option->get_lnames()) add(list, "--" + name);
    };
    names(all);
    if (option->get_expected_min() > 0) names(with_word);
  }
  fmt::print(R"(# Completion of commprof for bash.
_commprof() {{
  local options="{}" with_word="{}" word=${{COMP_WORDS[COMP_CWORD]}} i=1
  while [[ $i -lt $COMP_CWORD && ${{COMP_WORDS[i]}} == -* ]]; do
    [[ " $with_word " == *" ${{COMP_WORDS[i]}} "* ]] && ((i++))
    ((i++))
  done
  if [[ $i -gt $COMP_CWORD ]]; then
    compopt -o filenames
    COMPREPLY=($(compgen -f -- "$word"))
  elif [[ $i -eq $COMP_CWORD ]]; then
    if [[ $word == -* ]]; then
      COMPREPLY=($(compgen -W "$options" -- "$word"))
    else
      COMPREPLY=($(compgen -c -- "$word") $(compgen -W doctor -- "$word"))
    fi
  elif declare -F _command_offset >/dev/null; then
    _command_offset "$i"
  else
    compopt -o filenames
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}}
complete -F _commprof commprof
)",
             all, with_word);
  return EXIT_SUCCESS;
}

}  // namespace commprof_launcher
