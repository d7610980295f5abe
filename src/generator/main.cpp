// The build's generator: makes the wrappers from the call table and the preprocessed mpi.h.
//
//   generator ops DIRECTORY     writes ops.hpp and ops.cpp, which depend on the table alone
//   generator wrappers MPI_H STANDARD DIRECTORY [strict]
//                               writes c_wrappers.cpp, fortran_wrappers_0.cpp to _3.cpp, next.hpp, next.cpp and
//                               coverage.txt, the names of functions that are wrapped; strict: an unknown function is
//                               an error
//
// MPI_H: the preprocessed mpi.h. STANDARD: that of the standard ABI (src/mpi_abi).
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "base/hash.hpp"
#include "generator.hpp"
#include "profile/schema.hpp"

namespace commprof::generator {

namespace {

// Leaves an unchanged file alone, so that its time stays and nothing is rebuilt.
void write_if_changed(std::string const& path, std::string const& text) {
  std::ifstream old(path, std::ios::binary);
  if (old && std::string(std::istreambuf_iterator<char>(old), {}) == text) return;
  old.close();
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw std::runtime_error(path + ": cannot be written");
}

void write_ops(std::string const& directory) {
  std::string enumerators, names;
  auto const add = [&](std::string const& op, std::string const& name) {
    enumerators += fmt::format("  {},\n", op);
    names += fmt::format("    \"{}\",\n", name);
  };
  for (calls::Row const& row : calls::rows) {
    add(std::string(row.name), std::string(row.name));
    if (row.polls) add(fmt::format("{}_none", row.name), fmt::format("{}{}", row.name, schema::found_nothing_suffix));
  }
  write_if_changed(directory + "/ops.hpp", fmt::format(R"(// Generated from the call table.
#pragma once

#include <string_view>

#include "base/ids.hpp"

namespace commprof {{

enum class Op : std::uint16_t {{
{}  count_
}};

// The name of an operation in a profile.
std::string_view op_name(Op op);

// Tells whether two programs number the operations alike.
inline constexpr std::uint64_t op_names_hash = {}U;

}}  // namespace commprof
)",
                                                       enumerators, hash_of(names)));
  write_if_changed(directory + "/ops.cpp", fmt::format(R"(// Generated from the call table.
#include "ops.hpp"

namespace commprof {{

namespace {{
constexpr std::string_view names[] = {{
{}}};
}}  // namespace

std::string_view op_name(Op op) {{ return names[static_cast<std::size_t>(op)]; }}

}}  // namespace commprof
)",
                                                       names));
}

// A file of wrappers: its text up to the definitions.
struct Source {
  std::string text = "// Generated from the call table and mpi.h.\n";

  explicit Source(std::vector<std::string> const& headers) {
    for (std::string const& header : headers) text += fmt::format("#include \"{}\"\n", header);
    text += "\nusing namespace commprof;\n\nextern \"C\" {\n";
  }
};

// Declares a function of newer MPIs. The reference is weak, so that the profiler can be linked with this MPI.
std::string declaration(Function const& function) {
  std::vector<std::string> parameters;
  for (std::size_t i = 0; i < function.names.size(); ++i)
    parameters.push_back(function.prototype.parameters[i].declare(function.names[i]));
  return fmt::format("extern \"C\" [[gnu::weak]] {} P{}({});\n", function.prototype.result, function.prototype.name,
                     list(parameters));
}

// Writes the definitions that the wrappers in C forward to, and the names of the functions that are wrapped.
void write_next(std::vector<Function> const& functions, std::string const& directory) {
  std::string declarations, definitions, coverage;
  for (Function const& function : functions) {
    if (function.coverage != Coverage::wrapped) continue;
    std::string const& name = function.prototype.name;
    coverage += name + "\n";
    if (!function.is_declared) declarations += declaration(function);
    declarations += fmt::format("extern Next<decltype(P{0})> {0};\n", name);
    definitions += fmt::format("COMMPROF_NEXT_SECTION constinit Next<decltype(P{0})> {0}{{\"{0}\", P{0}}};\n", name);
  }
  write_if_changed(directory + "/next.hpp", fmt::format(R"(// Generated from the call table and mpi.h.
#pragma once

#include "flavour/flavour.hpp"
#include "mpi/mpi.hpp"

namespace commprof::next {{

{}
}}  // namespace commprof::next
)",
                                                        declarations));
  write_if_changed(directory + "/next.cpp", fmt::format(R"(// Generated from the call table and mpi.h.
#include "next.hpp"

namespace commprof::next {{

{}
}}  // namespace commprof::next
)",
                                                        definitions));
  write_if_changed(directory + "/coverage.txt", coverage);
}

std::string read_file(std::string const& name) {
  std::ifstream input(name, std::ios::binary);
  if (!input) throw std::runtime_error(name + ": cannot be read");
  return {std::istreambuf_iterator<char>(input), {}};
}

void write_wrappers(std::string const& header, std::string const& standard, std::string const& directory, bool strict) {
  std::vector<Function> const functions = read_functions(read_file(header), read_file(standard));
  if (functions.empty()) throw std::runtime_error(header + ": declares no MPI function");

  Source c({"wrappers/wrappers.hpp"});
  // They take a minute to compile; as several files, several processors do.
  std::vector<Source> fortran(4, Source({"wrappers/wrappers.hpp", "wrappers/fortran.hpp"}));
  std::size_t wrapped = 0;
  bool complete = true;
  for (Function const& function : functions) {
    if (function.coverage == Coverage::wrapped && function.row->kind != calls::Kind::by_hand) {
      c.text += c_wrapper(function);
      fortran[wrapped++ % fortran.size()].text += fortran_wrappers(function);
    }
    if (function.coverage != Coverage::unknown) continue;
    fmt::print(stderr, "{}: {}: the call table does not know {}\n", header, strict ? "error" : "warning",
               function.prototype.name);
    complete = false;
  }
  if (strict && !complete) throw std::runtime_error("add the functions above to call_table.hpp or other_calls.hpp");
  write_if_changed(directory + "/c_wrappers.cpp", c.text + "}\n");
  for (std::size_t i = 0; i < fortran.size(); ++i)
    write_if_changed(fmt::format("{}/fortran_wrappers_{}.cpp", directory, i), fortran[i].text + "}\n");
  write_next(functions, directory);
}

}  // namespace

}  // namespace commprof::generator

int main(int argc, char** argv) {
  try {
    std::string const what = argc > 1 ? argv[1] : "";
    if (what == "ops" && argc == 3) {
      commprof::generator::write_ops(argv[2]);
    } else if (what == "wrappers" && (argc == 5 || (argc == 6 && std::string(argv[5]) == "strict"))) {
      commprof::generator::write_wrappers(argv[2], argv[3], argv[4], argc == 6);
    } else {
      fmt::print(stderr, "usage: generator ops DIRECTORY | generator wrappers MPI_H STANDARD DIRECTORY [strict]\n");
      return 2;
    }
  } catch (std::exception const& error) {
    fmt::print(stderr, "generator: {}\n", error.what());
    return 1;
  }
}
