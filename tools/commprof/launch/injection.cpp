#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <stdexcept>

#include "launch/launchers.hpp"

namespace commprof_launcher {

namespace {

constexpr std::string_view preload_variable = "LD_PRELOAD";

// NAME=VALUE; or NAME alone, whose value is that in the launcher's environment.
struct Setting {
  explicit Setting(std::string_view text) : name(text.substr(0, text.find('='))) {
    if (name.size() < text.size()) value = text.substr(name.size() + 1);
  }
  std::string name;
  std::optional<std::string> value;
};

// Keeps what the user preloads, behind the profiler.
std::string joined_preload(Injection const& injection, std::optional<std::string> const& of_user) {
  return of_user.value_or("").empty() ? injection.preload : fmt::format("{}:{}", injection.preload, *of_user);
}

std::string assignment(std::string_view name, std::string_view value) { return fmt::format("{}={}", name, value); }

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    std::size_t const end = std::min(text.find(separator), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

void add_in_front(ProgramLine& program, std::vector<Words> const& options) {
  program.options.insert(program.options.begin(), options.begin(), options.end());
}

std::string given_by_environment(char const* name) {
  char const* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Open MPI: the functions from here on.

bool is_export(Words const& option) { return option.size() == 2 && option_name(option.front()) == "x"; }

void add_exports(ProgramLine& program, Injection const& injection) {
  Variables missing = injection.variables;
  bool has_preload = false;
  for (Words& option : program.options) {
    if (!is_export(option)) continue;
    Setting const setting(option[1]);
    missing.erase(setting.name);
    if (setting.name != preload_variable) continue;
    option[1] = assignment(setting.name, joined_preload(injection, setting.value));
    has_preload = true;
  }
  std::vector<Words> added;
  if (!has_preload) added.push_back({"-x", assignment(preload_variable, injection.preload)});
  for (auto const& [name, value] : missing) added.push_back({"-x", assignment(name, value)});
  add_in_front(program, added);
}

// mpirun takes no -x beside the list of variables, and the programs of a file do not get it.
bool takes_no_exports(ProgramLine const& program) {
  return std::ranges::any_of(program.options, [](Words const& option) {
    return option_name(option.front()) == "app" || (option.size() == 3 && option[1] == "mca_base_env_list");
  });
}

Command inject_open_mpi(JobLine line, Injection const& injection) {
  if (std::ranges::any_of(line.programs, takes_no_exports) ||
      !given_by_environment("OMPI_MCA_mca_base_env_list").empty())
    throw std::runtime_error(
        "the profiler cannot be handed on with --app or mca_base_env_list: preload it there, by -x or in the list");
  for (ProgramLine& program : line.programs) add_exports(program, injection);
  return {line.words(), {}, {}};
}

// Hydra: the functions from here on. -genv NAME VALUE applies to all programs; the last one for a name counts. -env
// NAME VALUE applies to one program and has precedence. NAME=VALUE may be one word.

// Adds the profiler to a program's own LD_PRELOAD.
void join_preloads(ProgramLine& program, Injection const& injection) {
  for (Words& option : program.options) {
    std::string_view const name = option_name(option.front());
    if ((name != "genv" && name != "env") || option.size() < 2) continue;
    Setting setting(option[1]);
    if (setting.name != preload_variable) continue;
    if (option.size() > 2) setting.value = option[2];
    option = {option.front(), setting.name, joined_preload(injection, setting.value)};
  }
}

Command inject_hydra(JobLine line, Injection const& injection) {
  Variables missing = injection.variables;
  missing[std::string(preload_variable)] = injection.preload;
  for (ProgramLine& program : line.programs) {
    join_preloads(program, injection);
    for (Words const& option : program.options)
      if (option_name(option.front()) == "genv" && option.size() > 1) missing.erase(Setting(option[1]).name);
  }
  Command command;
  std::vector<Words> added;
  if (auto const preload = missing.extract(std::string(preload_variable)))
    added.push_back({"-genv", preload.key(), preload.mapped()});
  for (auto const& [name, value] : missing) added.push_back({"-genv", name, value});
  add_in_front(line.programs.front(), added);
  command.words = line.words();
  return command;
}

// Slurm: the functions from here on.

// The value that srun uses without --export.
std::string exported_by_environment() {
  for (char const* const variable : {"SRUN_EXPORT_ENV", "SLURM_EXPORT_ENV"})
    if (std::string value = given_by_environment(variable); !value.empty()) return value;
  return "ALL";
}

std::optional<std::string> take_export(ProgramLine& program) {
  std::optional<std::string> found;
  std::erase_if(program.options, [&](Words const& option) {
    if (option_name(option.front()) != "export") return false;
    found = option.size() > 1 ? option[1] : Setting(option.front()).value.value_or("");
    return true;
  });
  return found;
}

// Passes our variables by name: srun splits the list at commas, which values may contain. A value in srun's environment
// would override one in the list.
Command inject_srun(JobLine line, Injection const& injection) {
  if (injection.preload.find(',') != injection.preload.npos)
    throw std::runtime_error(fmt::format("srun cannot hand on a path with a comma: {}", injection.preload));
  for (ProgramLine& program : line.programs) {
    std::vector<std::string> list = split(take_export(program).value_or(exported_by_environment()), ',');
    std::optional<std::string> of_user;
    std::erase_if(list, [&](std::string const& item) {
      Setting const setting(item);
      if (setting.name == preload_variable) of_user = setting.value;
      return setting.name == preload_variable || item == "NONE" || item == "NIL";
    });
    for (auto const& [name, value] : injection.variables) list.push_back(name);
    list.push_back(assignment(preload_variable, joined_preload(injection, of_user)));
    add_in_front(program, {{fmt::format("--export={}", fmt::join(list, ","))}});
  }
  Command command{line.words(), injection.variables, {}};
  command.removed.emplace_back(preload_variable);
  return command;
}

// Flux: later options of the environment override earlier ones, so ours follow the user's last one.
Command inject_flux(JobLine line, Injection const& injection) {
  std::vector<Words>& options = line.programs.front().options;
  std::string preload = injection.preload;
  auto place = options.begin();
  for (auto option = options.begin(); option != options.end(); ++option) {
    if (!option_name(option->front()).starts_with("env")) continue;
    place = option + 1;
    Setting const setting(option->size() > 1 ? (*option)[1] : Setting(option->front()).value.value_or(""));
    if (setting.name == preload_variable) preload = joined_preload(injection, setting.value);
  }
  std::vector<Words> added{{fmt::format("--env={}={}", preload_variable, preload)}};
  for (auto const& [name, value] : injection.variables) added.push_back({fmt::format("--env={}={}", name, value)});
  options.insert(place, added.begin(), added.end());
  return {line.words(), {}, {}};
}

Command inject_environment(Words words, Injection const& injection) {
  Command command{std::move(words), injection.variables, {}};
  command.environment[std::string(preload_variable)] = injection.preload;
  return command;
}

}  // namespace

Command inject(Words words, FoundLauncher launcher, Injection const& injection) {
  if (launcher.kind == Launcher::none) return inject_environment(std::move(words), injection);
  JobLine line = parse_job_line(words, launcher);
  if (launcher.kind == Launcher::open_mpi) return inject_open_mpi(std::move(line), injection);
  if (launcher.kind == Launcher::hydra) return inject_hydra(std::move(line), injection);
  if (launcher.kind == Launcher::srun) return inject_srun(std::move(line), injection);
  return inject_flux(std::move(line), injection);
}

}  // namespace commprof_launcher
