#include "c_layer.hpp"

#include <fmt/format.h>

#include "shapes.hpp"

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
    lines += "  MPI_Message const matched = message == nullptr ? MPI_MESSAGE_NULL : *message;\n";
  if (!before.observes_release.empty())
    lines += fmt::format("  {} const released({});\n", before.observes_release, function.names[0]);
  if (before.covers_requests) {
    CoveredRequests const covered = covered_requests(function);
    if (covered.count == "1") lines += completion_of_one(request, covered.statuses);
    else
      lines += fmt::format("  Completion completion({}, {}, {}, {});\n", covered.count, covered.requests,
                           covered.statuses, status_of(function));
    lines += hold_back(function, covered.statuses, "flag", "MPI_SUCCESS");
  }
  if (before.starts_requests) {
    CoveredRequests const started = covered_requests(function);
    lines += fmt::format("  Starting const starting({}, {});\n", started.count, started.requests);
  }
  if (before.tells_spawned)
    lines += fmt::format("  SpawnInfo const spawn({}, root, comm);\n",
                         has(function, "info") ? "1, &info" : "count, array_of_info");
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
    if (shape.before.tells_spawned && forwarded[i] == "info") forwarded[i] = "*spawn.infos()";
    if (shape.before.tells_spawned && forwarded[i] == "array_of_info") forwarded[i] = "spawn.infos()";
  }
  return fmt::format(c_wrapper_text, fmt::arg("result", function.prototype.result),
                     fmt::arg("function", function.prototype.name), fmt::arg("parameters", list(parameters)),
                     fmt::arg("role", role(shape)), fmt::arg("arguments", list(function.names)),
                     fmt::arg("show", show_call(function, "handle_bits({})", "{}")),
                     fmt::arg("before", before_call(function, shape.before, request)),
                     fmt::arg("forwarded", list(forwarded)), fmt::arg("after", shape.after));
}

}  // namespace commprof::generator
