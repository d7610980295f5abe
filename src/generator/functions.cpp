#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <stdexcept>

#include "calls/other_calls.hpp"
#include "generator.hpp"

namespace commprof::generator {

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view space = " \t\r\n";
  std::size_t const first = std::min(text.find_first_not_of(space), text.size());
  return text.substr(first, text.find_last_not_of(space) + 1 - first);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  for (std::vector<std::string_view> parts;;) {
    std::size_t const end = text.find(separator);
    parts.push_back(trimmed(text.substr(0, end)));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// "const void* buf" consists of "const void *" and the name, "int counts[]" of "int", the name and "[]".
Parameter read_parameter(std::string_view text) {
  std::size_t const array = std::min(text.find('['), text.size());
  std::string_view type = trimmed(text.substr(0, array));
  if (std::size_t const name = type.find_last_of(" *"); name != type.npos) type = trimmed(type.substr(0, name + 1));
  std::string before;
  for (char const c : type) {
    if (c == '*' && !before.ends_with(' ')) before += ' ';
    before += c;
  }
  return {before, std::string(text.substr(array))};
}

// By name, those that the preprocessed mpi.h of the standard ABI declares.
std::map<std::string, Prototype> read_prototypes(std::string_view standard) {
  std::map<std::string, Prototype> prototypes;
  for (std::string_view const declaration : split(standard, ';')) {
    std::size_t const open = declaration.find('('), close = declaration.rfind(')');
    if (open == declaration.npos || declaration.starts_with("typedef")) continue;
    std::string_view const head = trimmed(declaration.substr(0, open));
    std::size_t const name = head.rfind(' ') + 1;
    if (!head.substr(name).starts_with("MPI_")) continue;
    Prototype prototype{std::string(head.substr(name)), std::string(trimmed(head.substr(0, name))), {}};
    for (std::string_view const parameter : split(declaration.substr(open + 1, close - open - 1), ','))
      if (parameter != "void" && parameter != "...") prototype.parameters.push_back(read_parameter(parameter));
    prototypes.emplace(prototype.name, std::move(prototype));
  }
  return prototypes;
}

// The functions that a preprocessed mpi.h declares: each also has a name in the profiling interface.
std::set<std::string> declared_functions(std::string_view mpi_h) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < mpi_h.size();) {
    std::size_t const first = i;
    while (i < mpi_h.size() && is_word(mpi_h[i])) ++i;
    std::string_view const word = mpi_h.substr(first, i - first);
    if (word.starts_with("PMPI_") || word.starts_with("PMPIX_")) names.emplace(word.substr(1));
    if (i == first) ++i;
  }
  return names;
}

// The name in the table: Send for MPI_Send and MPI_Send_c; Bcast_init for MPIX_Bcast_init, of MPIs that had persistent
// collectives before the standard.
std::string_view table_name(std::string_view function, bool with_suffix) {
  if (function.starts_with("MPI_")) function.remove_prefix(4);
  if (function.starts_with("MPIX_") && function.ends_with("_init")) function.remove_prefix(5);
  if (!with_suffix && function.ends_with("_c")) function.remove_suffix(2);
  return function;
}

Function find_in_table(std::string const& name) {
  Function function;
  function.prototype.name = name;
  for (bool const with_suffix : {true, false}) {
    std::string_view const row_name = table_name(name, with_suffix);
    function.row = std::find_if(std::begin(calls::rows), std::end(calls::rows),
                                [&](calls::Row const& row) { return row.name == row_name; });
    bool const has_row = function.row != std::end(calls::rows);
    if (has_row && function.row->kind != calls::Kind::in_callback) {
      function.coverage = Coverage::wrapped;
      function.names = words(function.row->parameters);
    } else if (has_row || calls::has_word(calls::needs_none, row_name) || calls::has_word(calls::needs_none, name)) {
      function.coverage = Coverage::needs_none;
    }
    if (function.coverage != Coverage::unknown) break;
  }
  return function;
}

}  // namespace

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> result;
  for (std::string_view const word : split(text, ' '))
    if (!word.empty()) result.emplace_back(word);
  return result;
}

std::vector<Function> read_functions(std::string_view mpi_h, std::string_view standard) {
  std::map<std::string, Prototype> const prototypes = read_prototypes(standard);
  std::set<std::string> const declared = declared_functions(mpi_h);
  std::set<std::string> names = declared;
  if (declared.empty()) return {};
  for (auto const& [name, prototype] : prototypes) names.insert(name);
  std::vector<Function> functions;
  for (std::string const& name : names) {
    Function function = find_in_table(name);
    function.is_declared = declared.contains(name);
    if (function.coverage == Coverage::wrapped) {
      auto const found = prototypes.find(name.starts_with("MPIX_") ? "MPI_" + name.substr(5) : name);
      if (found == prototypes.end() || found->second.parameters.size() != function.names.size())
        throw std::runtime_error(
            fmt::format("{}: src/mpi_abi/calls.h lacks it, or has not the {} parameters that the call table names",
                        name, function.names.size()));
      function.prototype = found->second;
      function.prototype.name = name;
      if (mpi_h.find(name + "(int length, int ") != mpi_h.npos)  // MPI_Pready_list of MPICH 4.0 lacks a const
        function.prototype.parameters[1].before = "int";
    } else if (!function.is_declared) {
      continue;
    }
    functions.push_back(std::move(function));
  }
  return functions;
}

}  // namespace commprof::generator
