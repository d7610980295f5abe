#include "launch/injection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <stdexcept>

namespace commprof_launcher {

namespace {

using Words = std::vector<std::string>;

constexpr std::string_view preload_variable = "LD_PRELOAD";
constexpr std::string_view separator = ":";  // between the programs of one job

// Calls add(words, place) for each program of a job; place: behind the launcher, or behind the separator.
template <class Add>
void for_each_program(Words& words, std::size_t launcher, Add&& add) {
  for (std::size_t i = words.size(); i-- > launcher;)
    if (i == launcher || words[i] == separator) add(i + 1);
}

void insert(Words& words, std::size_t place, Words const& added) {
  words.insert(words.begin() + static_cast<std::ptrdiff_t>(place), added.begin(), added.end());
}

// A user's `-x LD_PRELOAD=…` takes ours in front. True if there is one.
bool join_preload_of_user(Words& words, std::size_t launcher, std::string const& preload) {
  std::string const start = fmt::format("{}=", preload_variable);
  bool is_joined = false;
  for (std::size_t i = launcher + 2; i < words.size(); ++i)
    if (words[i - 1] == "-x" && words[i].starts_with(start))
      words[i] = start + preload + ":" + words[i].substr(start.size()), is_joined = true;
  return is_joined;
}

bool has_application_file(Words const& words) {
  return std::ranges::any_of(words, [](std::string const& word) { return word == "--app" || word == "-app"; });
}

// The programs of an --app file know no -x of the command line. The list in the environment reaches all programs, but
// Open MPI refuses it beside a -x.
Command inject_by_list(Words words, Injection const& injection) {
  constexpr char variable[] = "OMPI_MCA_mca_base_env_list";
  char const* const given = std::getenv(variable);
  std::string list = given == nullptr ? "" : given;
  auto const add = [&](std::string_view name, std::string const& value) {
    if (value.find(';') != value.npos)
      throw std::runtime_error(fmt::format("{}: a value with a ; cannot be handed on beside --app: {}", name, value));
    list += fmt::format("{}{}={}", list.empty() ? "" : ";", name, value);
  };
  add(preload_variable, injection.preload);
  for (auto const& [name, value] : injection.variables) add(name, value);
  return {std::move(words), {{variable, list}}, {}};
}

Command inject_open_mpi(Words words, std::size_t launcher, Injection const& injection) {
  if (has_application_file(words)) return inject_by_list(std::move(words), injection);
  bool const has_preload = join_preload_of_user(words, launcher, injection.preload);
  Words added;
  if (!has_preload) added = {"-x", fmt::format("{}={}", preload_variable, injection.preload)};
  for (auto const& [name, value] : injection.variables) added.insert(added.end(), {"-x", name + "=" + value});
  for_each_program(words, launcher, [&](std::size_t place) { insert(words, place, added); });
  return {std::move(words), {}, {}};
}

Command inject_hydra(Words words, std::size_t launcher, Injection const& injection) {
  Words added{"-genv", std::string(preload_variable), injection.preload};
  for (auto const& [name, value] : injection.variables) added.insert(added.end(), {"-genv", name, value});
  insert(words, launcher + 1, added);  // for all programs of the job
  return {std::move(words), {}, {}};
}

// What srun takes without --export.
std::string exported_by_environment() {
  for (char const* const variable : {"SRUN_EXPORT_ENV", "SLURM_EXPORT_ENV"})
    if (char const* const value = std::getenv(variable); value != nullptr && *value != '\0') return value;
  return "ALL";
}

// Takes the user's --export out of the options of one program.
std::optional<std::string> take_export(Words& words, std::size_t place, OptionsWithValues const& options) {
  constexpr std::string_view name = "--export", with_value = "--export=";
  std::optional<std::string> found;
  auto const at = [&](std::size_t i) { return words.begin() + static_cast<std::ptrdiff_t>(i); };
  while (place < words.size() && words[place].size() > 1 && words[place].front() == '-' && words[place] != "--") {
    if (words[place].starts_with(with_value)) {
      found = words[place].substr(with_value.size());
      words.erase(at(place));
    } else if (words[place] == name && place + 1 < words.size()) {
      found = words[place + 1];
      words.erase(at(place), at(place + 2));
    } else {
      place += options.words_of(words[place]);
    }
  }
  return found;
}

// Variables of ours are handed on by name, since values may have commas, which srun takes for its own. A value in the
// environment of srun would replace one in the list.
Command inject_srun(Words words, std::size_t launcher, Injection const& injection, std::string_view help) {
  if (injection.preload.find(',') != injection.preload.npos)
    throw std::runtime_error(fmt::format("srun cannot hand on a path with a comma: {}", injection.preload));
  OptionsWithValues const options(help);
  for_each_program(words, launcher, [&](std::size_t place) {
    std::string list = take_export(words, place, options).value_or(exported_by_environment());
    if (list == "NONE" || list == "NIL") list.clear();
    for (auto const& [name, value] : injection.variables) list += fmt::format("{}{}", list.empty() ? "" : ",", name);
    list += fmt::format("{}{}={}", list.empty() ? "" : ",", preload_variable, injection.preload);
    insert(words, place, {"--export=" + list});
  });
  return {std::move(words), injection.variables, {std::string(preload_variable)}};
}

Command inject_flux(Words words, std::size_t launcher, Injection const& injection) {
  Words added{fmt::format("--env={}={}", preload_variable, injection.preload)};
  for (auto const& [name, value] : injection.variables) added.push_back(fmt::format("--env={}={}", name, value));
  insert(words, std::min(launcher + 2, words.size()), added);  // behind run, submit or alloc
  return {std::move(words), {}, {}};
}

Command inject_environment(Words words, Injection const& injection) {
  Command command{std::move(words), injection.variables, {}};
  command.environment[std::string(preload_variable)] = injection.preload;
  return command;
}

}  // namespace

Command inject(Words words, FoundLauncher launcher, Injection const& injection, std::string_view help_of_srun) {
  switch (launcher.kind) {
    case Launcher::open_mpi:
      return inject_open_mpi(std::move(words), launcher.at, injection);
    case Launcher::hydra:
      return inject_hydra(std::move(words), launcher.at, injection);
    case Launcher::srun:
      return inject_srun(std::move(words), launcher.at, injection, help_of_srun);
    case Launcher::flux:
      return inject_flux(std::move(words), launcher.at, injection);
    case Launcher::none:
      break;
  }
  return inject_environment(std::move(words), injection);
}

// Lines such as "  -A, --account=name   charge job" and "      --qos=qos   quality". A value in brackets is optional,
// and then never a word of its own.
OptionsWithValues::OptionsWithValues(std::string_view help) {
  while (!help.empty()) {
    std::string_view line = help.substr(0, help.find('\n'));
    help.remove_prefix(std::min(line.size() + 1, help.size()));
    std::size_t const first = line.find_first_not_of(' ');
    if (first == line.npos || line[first] != '-') continue;
    line.remove_prefix(first);
    std::size_t const name = line.find("--");
    if (name == line.npos || name > std::string_view("-x, ").size()) continue;
    std::size_t const end = line.find_first_of("= [", name);
    if (end == line.npos || line[end] != '=') continue;
    names_.emplace_back(line.substr(name, end - name));
    if (name > 0) letters_ += line[1];
  }
}

std::size_t OptionsWithValues::words_of(std::string_view option) const {
  if (option.starts_with("--")) {
    bool const has_own_value = option.find('=') != option.npos;
    return !has_own_value && std::ranges::find(names_, option) != names_.end() ? 2 : 1;
  }
  // -x, or -abx: the first letter that takes a value takes what follows it, or the next word.
  for (std::size_t i = 1; i < option.size(); ++i)
    if (letters_.find(option[i]) != letters_.npos) return i + 1 == option.size() ? 2 : 1;
  return 1;
}

}  // namespace commprof_launcher
