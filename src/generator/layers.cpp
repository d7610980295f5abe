#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>

#include "generator.hpp"

namespace commprof::generator {

namespace {

constexpr std::string_view c_wrapper_text = R"(
COMMPROF_EXPORT {result} {function}({parameters}) {{
  Call call;
  if (!call.{role}()) return next::{function}({arguments});
{show}{before}  {result} const returned = next::{function}({forwarded});
  call.stop();
  int const result = call.error(returned);
{after}  return returned;
}}
)";

bool is_by_value(Function const& function, std::string_view type) {
  for (Parameter const& parameter : function.prototype.parameters)
    if (parameter.before == type) return true;
  return false;
}

std::string before_call(Function const& function, Before const& before, std::string const& request) {
  std::string lines;
  if (before.keeps_status) lines += "  StatusOut out(status);\n";
  if (before.keeps_message)
    lines += "  TakenMessage const matched(message == nullptr ? MPI_MESSAGE_NULL : *message, message);\n";
  if (!before.observes_release.empty())
    lines += fmt::format("  {} const released({});\n", before.observes_release, function.names[0]);
  if (before.covers_requests) {
    CoveredRequests const covered = covered_requests(function);
    if (covered.count == "1") lines += completion_of_one(request, covered.statuses);
    else
      lines += fmt::format("  Completion completion({}, {}, {});\n", covered.count, covered.requests, covered.statuses);
    lines += hold_back(function, covered.statuses, "flag", "MPI_SUCCESS");
  }
  if (before.starts_requests) {
    CoveredRequests const started = covered_requests(function);
    lines += fmt::format("  Starting const starting({}, {});\n", started.count, started.requests);
  }
  return lines;
}

}  // namespace

std::string c_wrapper(Function const& function) {
  // A request passed by value has its address in the wrapper, not in the program.
  std::string const request = is_by_value(function, "MPI_Request") ? "&request" : "request";
  Shape const shape = shape_of(function, {.request = request});
  std::vector<std::string> parameters, forwarded = function.names;
  for (std::size_t i = 0; i < function.names.size(); ++i) {
    parameters.push_back(function.prototype.parameters[i].declare(function.names[i]));
    bool const is_status = forwarded[i] == "status" || forwarded[i] == "array_of_statuses";
    if (is_status && shape.before.keeps_status) forwarded[i] = "out.get()";
    if (is_status && shape.before.covers_requests) forwarded[i] = statuses_to_forward(function, forwarded[i]);
  }
  return fmt::format(c_wrapper_text, fmt::arg("result", function.prototype.result),
                     fmt::arg("function", function.prototype.name), fmt::arg("parameters", list(parameters)),
                     fmt::arg("role", role(shape)), fmt::arg("arguments", list(function.names)),
                     fmt::arg("show", show_call(function, "handle_bits({})", "{}")),
                     fmt::arg("before", before_call(function, shape.before, request)),
                     fmt::arg("forwarded", list(forwarded)), fmt::arg("after", shape.after));
}

namespace {

constexpr std::string_view fortran_wrapper_text = R"(
COMMPROF_EXPORT void {symbol}({parameters}) {{
  COMMPROF_NEXT_SECTION static constinit fortran::Next next{next};
  Call call;
  if (!call.{role}()) return next({arguments});
{show}{before}  fortran::ErrorOut error_out(f_ierror);
  next({forwarded});
  call.stop();
  int const result = call.error(error_out.result());
{values}{after}}}
)";

// The wrappers of the functions of mpi_f08 with choice buffers. MPICH's functions call C, where the calls are counted;
// the wrapper only adds the call site. Open MPI's call the profiling interface; in version 6, they have MPICH's names.
constexpr std::string_view site_text = R"(
COMMPROF_EXPORT void {symbol}({parameters}) {{
  COMMPROF_NEXT_SECTION static constinit fortran::Next next("{symbol}");
  SiteOfBinding const site;
  next({arguments});
}}
)";

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

bool uses(std::string const& text, std::string const& word) {
  auto const is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    bool const starts = at == 0 || !is_word(text[at - 1]);
    bool const ends = at + word.size() == text.size() || !is_word(text[at + word.size()]);
    if (starts && ends) return true;
  }
  return false;
}

// The kind of handle that the type denotes; "" for other types.
std::string handle_name(std::string const& type) {
  for (char const* const name : {"Comm", "Win", "File", "Datatype", "Op", "Message"})
    if (type == fmt::format("MPI_{}", name)) return type == "MPI_Datatype" ? "Type" : name;
  return "";
}

// Declares a variable of C, under the table's name, with the value of the argument f_NAME. condition: whether a
// pointed-to variable is set; empty: always.
std::string value(Parameter const& parameter, std::string const& name, std::string const& condition = "") {
  std::string type = parameter.before;
  if (type.starts_with("const ")) type.erase(0, 6);
  bool const is_array = !parameter.after.empty();
  bool const is_pointer = type.ends_with(" *");
  if (is_pointer) type.erase(type.size() - 2);

  if (type == "void") return fmt::format("  void const* const {0} = next.buffer(f_{0});\n", name);
  if (type == "MPI_Request") return fmt::format("  auto const {0} = RequestsOfCall::of_fortran(f_{0});\n", name);
  if (type == "MPI_Datatype" && is_array) return fmt::format("  fortran::Datatypes const {0}(f_{0});\n", name);
  bool const is_number = type == "int" || type == "MPI_Count" || type == "MPI_Aint";
  if (is_number && (is_array || is_pointer))
    return fmt::format("  auto const* const {0} = static_cast<{1} const*>(f_{0});\n", name, type);
  if (type == "int") return fmt::format("  int const {0} = fortran::integer(f_{0});\n", name);
  if (type == "char" && is_pointer)
    return fmt::format("  auto const {0} = fortran::text(f_{0}, length_of_{0});\n", name);
  if (type == "MPI_Count") return fmt::format("  MPI_Count const {0} = *static_cast<MPI_Count const*>(f_{0});\n", name);
  std::string const handle = handle_name(type);
  if (handle.empty())
    throw std::logic_error(fmt::format("no conversion from Fortran for {} {}", parameter.before, name));
  if (type == "MPI_Comm" && !is_pointer)
    return fmt::format("  auto const {0} = CommOfCall::of_fortran(fortran::integer(f_{0}));\n", name);
  if (type == "MPI_Datatype") return fmt::format("  MPI_Datatype const {0} = fortran::datatype(f_{0});\n", name);
  std::string const converted = fmt::format("PMPI_{}_f2c(fortran::integer(f_{}))", handle, name);
  if (!is_pointer) return fmt::format("  {} const {} = {};\n", type, name, converted);
  std::string const given = condition.empty() ? converted : fmt::format("{} ? {} : {}{{}}", condition, converted, type);
  return fmt::format("  {0} const {1}_in_c = {2};\n  {0} const* const {1} = &{1}_in_c;\n", type, name, given);
}

std::string before_call(Function const& function, Before const& before) {
  std::string lines;
  // If the call fails, MPICH 4.0 converts a handle that it has not set.
  if (function.prototype.name == "MPI_File_open") lines += "  fortran::clear_stack();\n";
  if (before.keeps_status) lines += "  StatusOut out(fortran::statuses(f_status));\n";
  if (before.keeps_message)
    lines += "  TakenMessage const matched(PMPI_Message_f2c(fortran::integer(f_message)), f_message);\n";
  if (!before.observes_release.empty()) {
    Parameter const& parameter = function.prototype.parameters[0];
    lines += value(parameter, function.names[0]);
    lines += fmt::format("  {} const released({});\n", before.observes_release, function.names[0]);
  }
  if (before.covers_requests) {
    CoveredRequests const covered = covered_requests(function);
    std::string const requests = fmt::format("RequestsOfCall::of_fortran(f_{})", covered.requests);
    std::string const statuses =
        covered.statuses.empty() ? "" : fmt::format("fortran::statuses(f_{})", covered.statuses);
    if (covered.count == "1") lines += completion_of_one(requests, statuses);
    else
      lines += fmt::format("  CompletionInFortran completion(fortran::integer(f_{}), {}, {});\n", covered.count,
                           requests, statuses);
    lines += hold_back(function, statuses, "static_cast<int*>(f_flag)", "fortran::succeed(f_ierror)");
  }
  if (before.starts_requests) {
    CoveredRequests const started = covered_requests(function);
    std::string const count = started.count == "1" ? "1" : fmt::format("fortran::integer(f_{})", started.count);
    lines += fmt::format("  Starting const starting({}, RequestsOfCall::of_fortran(f_{}));\n", count, started.requests);
  }
  return lines;
}

// The parameters of a wrapper: the arguments, the error code, the lengths of texts.
std::vector<std::string> parameter_names(Function const& function) {
  std::vector<std::string> names;
  for (std::string const& name : function.names) names.push_back("f_" + name);
  names.emplace_back("f_ierror");
  for (std::size_t i = 0; i < function.names.size(); ++i)
    if (function.prototype.parameters[i].before.find("char *") != std::string::npos)
      names.push_back("length_of_" + function.names[i]);
  return names;
}

std::string declaration(std::vector<std::string> const& names) {
  std::vector<std::string> parameters;
  for (std::string const& name : names)
    parameters.push_back((name.starts_with("f_") ? "void* " : "std::size_t ") + name);
  return list(parameters);
}

// next: how its definition behind the profiler is found.
std::string one_wrapper(Function const& function, std::string const& symbol, std::string const& next) {
  Shape const shape = shape_of(function, {.message = "f_message"});
  std::vector<std::string> const names = parameter_names(function);
  std::vector<std::string> forwarded = names;
  std::replace(forwarded.begin(), forwarded.end(), std::string("f_ierror"), std::string("error_out.get()"));
  std::string values;
  for (std::size_t i = 0; i < function.names.size(); ++i) {
    std::string const& name = function.names[i];
    bool const is_status = name == "status" || name == "array_of_statuses";
    if (is_status && shape.before.keeps_status) forwarded[i] = "static_cast<void*>(out.get())";
    if (is_status && shape.before.covers_requests)
      forwarded[i] = fmt::format("fortran::statuses_or({}, f_{})",
                                 statuses_to_forward(function, fmt::format("fortran::statuses(f_{})", name)), name);
    if (!is_status && uses(shape.after, name))
      values += value(function.prototype.parameters[i], name, "result == MPI_SUCCESS");
  }
  return fmt::format(fortran_wrapper_text, fmt::arg("symbol", symbol), fmt::arg("next", next),
                     fmt::arg("parameters", declaration(names)), fmt::arg("arguments", list(names)),
                     fmt::arg("show", show_call(function, "fortran::shown(f_{})", "fortran::integer(f_{})")),
                     fmt::arg("before", before_call(function, shape.before)), fmt::arg("forwarded", list(forwarded)),
                     fmt::arg("role", role(shape)), fmt::arg("values", values), fmt::arg("after", shape.after));
}

std::string one_wrapper(Function const& function, std::string const& symbol) {
  return one_wrapper(function, symbol, fmt::format("(\"{}\")", symbol));
}

std::string alias_of(Function const& function, std::string const& alias, std::string const& symbol) {
  return fmt::format("COMMPROF_EXPORT void {}({}) __attribute__((alias(\"{}\")));\n", alias,
                     declaration(parameter_names(function)), symbol);
}

// Whether the call returns an address, in mpi_f08 as type(c_ptr).
bool returns_address(Function const& function) { return has(function, "baseptr") || has(function, "buffer_addr"); }

bool has_choice_buffer(Function const& function) {
  return !returns_address(function) && std::ranges::any_of(function.prototype.parameters, [](Parameter const& one) {
    return one.before.ends_with("void *");
  });
}

bool has_large_counts(std::string_view name) { return name.ends_with("_c"); }

// The symbols of a call in mpi_f08. With large counts, MPICH 4.0.2 has mpi_send_f08ts_large_, MPICH 4.2.1 has
// mpi_send_c_f08ts_, both under one ABI.
std::vector<std::string> symbols_of_f08(Function const& function, std::string const& suffix) {
  std::string const name = lower(function.prototype.name);
  if (!has_large_counts(name)) return {name + suffix + "_"};
  return {name.substr(0, name.size() - 2) + suffix + "_large_", name + suffix + "_"};
}

// Calls of mpi_f08 with large counts and a choice buffer reach C; those without one need a wrapper.
// Open MPI 5.0's mpi_f08 has MPI_Psend_init and MPI_Precv_init without their info, so it has its own arguments there.
bool has_fortran_form(Function const& function) {
  bool const may_lack_info = !function.is_declared && has(function, "partitions");
  if (may_lack_info) return false;
  return !has_large_counts(function.prototype.name) || returns_address(function);
}

std::string f08_wrappers_of_choice_buffers(Function const& function) {
  std::string const name = lower(function.prototype.name), symbol = name + "_f08_", with_descriptors = name + "_f08ts_";
  std::vector<std::string> const names = parameter_names(function), symbols = symbols_of_f08(function, "_f08ts");
  std::string text = "#ifdef MPICH_VERSION\n";
  for (std::string const& one : symbols)
    text += fmt::format(site_text, fmt::arg("symbol", one), fmt::arg("parameters", declaration(names)),
                        fmt::arg("arguments", list(names)));
  text += "#else\n";
  if (has_large_counts(name) || !has_fortran_form(function))
    text += one_wrapper(function, symbols.back(), fmt::format("(\"{}\", fortran::with_descriptors)", symbols.back()));
  else
    text += one_wrapper(function, symbol, fmt::format("(\"{}\", \"{}\")", symbol, with_descriptors)) +
            alias_of(function, with_descriptors, symbol);
  return text + "#endif\n";
}

std::string wrappers_of_mpif(Function const& function) {
  std::string const name = lower(function.prototype.name);
  std::string text = one_wrapper(function, name + "_");
  std::vector<std::string> other_manglings{name, name + "__", upper(name)};
  // The module mpi also has forms with an address as type(c_ptr).
  if (has(function, "baseptr")) other_manglings.push_back(name + "_cptr_");
  for (std::string const& alias : other_manglings) text += alias_of(function, alias, name + "_");
  return text;
}

}  // namespace

std::string fortran_wrappers(Function const& function) {
  std::string text;
  if (has_fortran_form(function)) {
    if (!has_large_counts(function.prototype.name)) text += wrappers_of_mpif(function);
    if (!has_choice_buffer(function))
      for (std::string const& symbol : symbols_of_f08(function, "_f08")) text += one_wrapper(function, symbol);
  }
  return has_choice_buffer(function) ? text + f08_wrappers_of_choice_buffers(function) : text;
}

}  // namespace commprof::generator
