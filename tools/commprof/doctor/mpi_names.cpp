#include "doctor/mpi_names.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <iterator>
#include <sstream>

#include "calls/other_calls.hpp"

namespace commprof_launcher {

namespace {

bool has_small_letter(std::string_view name) {
  return std::ranges::any_of(name, [](unsigned char c) { return std::islower(c) != 0; });
}

enum class Binding : std::uint8_t { none, c, fortran, profiling };

// Functions of MPI have a lower-case letter; other symbols are in capitals.
Binding binding_of(std::string_view name) {
  bool const is_function = has_small_letter(name);
  if (is_function && (name.starts_with("MPI_") || name.starts_with("MPIX_"))) return Binding::c;
  if (is_function && name.starts_with("PMPI_")) return Binding::profiling;
  bool const is_of_fortran = name.starts_with("mpi_") && (name.ends_with('_') || name.find("_f08") != name.npos);
  return is_of_fortran ? Binding::fortran : Binding::none;
}

std::string in_small_letters(std::string_view text) {
  std::string result;
  std::ranges::transform(text, std::back_inserter(result),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

// The call's name without the additions of bindings: mpi_comm_rank_, MPI_Type_size_c and mpi_comm_rank_f08_ become
// comm_rank and type_size.
std::string stem_of(std::string_view name) {
  std::string stem = in_small_letters(name);
  while (stem.ends_with('_')) stem.pop_back();
  for (std::string_view const addition : {"_large", "_f08ts", "_f08", "_c"})
    if (stem.ends_with(addition)) stem.resize(stem.size() - addition.size());
  return stem.starts_with("mpi_") ? stem.substr(4) : stem;
}

// Whether it is a call in which there is nothing to count.
bool needs_no_wrapper(std::string_view name) {
  static std::set<std::string> const stems = [] {
    std::set<std::string> all;
    std::istringstream words{std::string(commprof::calls::needs_none)};
    for (std::string word; words >> word;) all.insert(in_small_letters(word));
    return all;
  }();
  return stems.contains(stem_of(name));
}

}  // namespace

MpiNames mpi_names(ElfFile const& file, std::set<std::string> const& front) {
  MpiNames names;
  for (std::string const& name : file.imports) {
    Binding const binding = binding_of(name);
    if (binding == Binding::none) continue;
    if (binding == Binding::profiling) names.profiling.push_back(name);
    else if (front.contains(name)) (binding == Binding::c ? names.c : names.fortran).push_back(name);
    else if (!needs_no_wrapper(name)) names.unknown.push_back(name);
  }
  for (std::string const& name : file.exports) {
    Binding const binding = binding_of(name);
    bool const is_function = binding == Binding::c || binding == Binding::fortran;
    if (is_function && front.contains(name)) names.defined.push_back(name);
  }
  return names;
}

}  // namespace commprof_launcher
