#include "pages.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string_view>
#include <vector>

#include "commands/commands.hpp"
#include "findings/findings.hpp"

namespace mpisee_through {
namespace {

// Text as roff prints it: a backslash and a minus have meanings of their own, a line that begins with . or ' is a
// request.
std::string roff(std::string_view text) {
  std::string escaped;
  bool at_line_start = true;
  for (char const character : text) {
    if (at_line_start && (character == '.' || character == '\'')) escaped += "\\&";
    if (character == '\\') {
      escaped += "\\e";
    } else if (character == '-') {
      escaped += "\\-";
    } else {
      escaped += character;
    }
    at_line_start = character == '\n';
  }
  return escaped;
}

// As it is, line by line: examples and lists.
std::string verbatim(std::string_view text) {
  return fmt::format(".nf\n{}\n.fi\n", roff(text));
}

std::vector<CLI::Option const*> visible_options(CLI::App const& app) {
  std::vector<CLI::Option const*> options;
  for (CLI::Option const* option : app.get_options()) {
    if (!option->get_group().empty()) options.push_back(option);
  }
  return options;
}

std::string describe(CLI::Option const& option) {
  if (option.get_positional())
    return fmt::format(".TP\n.I {}\n{}\n", option.get_name(true), roff(option.get_description()));
  std::string const type = option.get_type_name();
  return fmt::format(".TP\n.B {}{}{}\n{}\n", roff(option.get_name(false, true)), type.empty() ? "" : " ", type,
                     roff(option.get_description()));
}

}  // namespace

std::string manual_page(CLI::App const& app) {
  std::string page = fmt::format(
      ".TH MPISEE\\-THROUGH 1 \"\" \"commprof {0}\" \"User Commands\"\n"
      ".SH NAME\nmpisee\\-through \\- reads a profile of an MPI program\n"
      ".SH SYNOPSIS\n.B mpisee\\-through\n[OPTIONS] PROFILE\n",
      COMMPROF_VERSION);
  for (Command const& command : commands()) {
    page += fmt::format(".br\n.B mpisee\\-through {}\n[OPTIONS] ...\n", roff(command.name));
  }
  page += ".SH DESCRIPTION\n" + verbatim(app.get_description());
  std::string group;
  for (CLI::Option const* option : visible_options(app)) {
    if (option->get_group() != group) {
      group = option->get_group();
      page += fmt::format(".SH \"{}\"\n", roff(group));
    }
    page += describe(*option);
  }
  page += ".SH FINDINGS\nThe first page names what holds of a profile:\n";
  for (Rule const& rule : rules()) page += fmt::format(".TP\n.B {}\n{}\n", roff(rule.name), roff(rule.condition));
  return page + ".SH NOTES\n" + verbatim(app.get_footer());
}

std::string bash_completion(CLI::App const& app) {
  std::string options;
  std::string with_value;
  for (CLI::Option const* option : visible_options(app)) {
    for (std::string const& name : option->get_lnames()) {
      options += fmt::format("{}--{}", options.empty() ? "" : " ", name);
      bool const takes_word = option->get_expected_min() > 0 && option->get_type_name() != "FILE";
      if (takes_word) with_value += fmt::format("{}--{}", with_value.empty() ? "" : "|", name);
    }
  }
  std::string names;
  for (Command const& command : commands()) names += fmt::format(" {}", command.name);
  return fmt::format(R"(# Completion of mpisee-through for bash.
_mpisee_through() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} commands="{2}"
  case $before in
    {1}) return ;;
  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "{0}" -- "$word"))
  else
    compopt -o filenames
    COMPREPLY=($(compgen -f -- "$word"))
    [[ $COMP_CWORD -eq 1 ]] && COMPREPLY+=($(compgen -W "$commands" -- "$word"))
  fi
}}
complete -F _mpisee_through mpisee-through
)",
                     options, with_value, names.empty() ? names : names.substr(1));
}

}  // namespace mpisee_through
