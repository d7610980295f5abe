#include "commands/pages.hpp"

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
std::string verbatim(std::string_view text) { return fmt::format(".nf\n{}\n.fi\n", roff(text)); }

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

// The options of a command, each group under a heading; heading: the request for one.
std::string describe_options(CLI::App const& app, std::string_view heading) {
  std::string text;
  std::string group;
  for (CLI::Option const* option : visible_options(app)) {
    if (option->get_group() != group) {
      group = option->get_group();
      text += fmt::format(".{} \"{}\"\n", heading, roff(group));
    }
    text += describe(*option);
  }
  return text;
}

struct CompletedOptions {
  std::string all;
  std::string with_word;  // that are followed by a word which is no file
};

CompletedOptions completed_options(CLI::App const& app) {
  CompletedOptions options;
  for (CLI::Option const* option : visible_options(app)) {
    for (std::string const& name : option->get_lnames()) {
      options.all += fmt::format("{}--{}", options.all.empty() ? "" : " ", name);
      bool const takes_word =
          option->get_expected_min() > 0 && option->get_type_name() != "FILE" && option->get_type_name() != "PROFILE";
      if (takes_word) options.with_word += fmt::format("{}--{}", options.with_word.empty() ? "" : " ", name);
    }
  }
  return options;
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
  page += ".SH DESCRIPTION\n" + verbatim(app.get_description()) + describe_options(app, "SH");
  for (Command const& command : commands()) {
    auto const options = command.options();
    page += fmt::format(".SH \"COMMAND {}\"\n", roff(command.name)) + verbatim(options->app().get_description());
    page += describe_options(options->app(), "SS");
  }
  page += ".SH FINDINGS\nThe first page names what holds of a profile:\n";
  for (Rule const& rule : rules()) page += fmt::format(".TP\n.B {}\n{}\n", roff(rule.name), roff(rule.condition));
  return page + ".SH NOTES\n" + verbatim(app.get_footer());
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
