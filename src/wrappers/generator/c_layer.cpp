#include "c_layer.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace commprof::generator {

namespace {

// The shapes of a wrapper. Words between @ are replaced; see replacements().

constexpr std::string_view operation_shape = R"(
COMMPROF_EXPORT @result@ @function@(@parameters@) {
  Call call;
  if (!call) return P@function@(@arguments@);
  @result@ const result = P@function@(@arguments@);
  call.stop();
  call.record(@op@, comm, result, [&](CommView const& view) { return volume::@rule@; });@matched@
  return result;
}
)";

constexpr std::string_view issuing_shape = R"(
COMMPROF_EXPORT @result@ @function@(@parameters@) {
  Call call;
  if (!call) return P@function@(@arguments@);
  @result@ const result = P@function@(@arguments@);
  call.stop();
  call.issue(@op@, comm, result, request, [&](CommView const& view) { return volume::@rule@; });
  return result;
}
)";

constexpr std::string_view receive_shape = R"(
COMMPROF_EXPORT @result@ @function@(@parameters@) {
  Call call;
  if (!call) return P@function@(@arguments@);
  StatusOut out(status);
  @result@ const result = P@function@(@arguments_with_status@);
  call.stop();
  call.record(@op@, comm, result, [&](CommView const& view) { return volume::@rule@; });
  return result;
}
)";

constexpr std::string_view posting_shape = R"(
COMMPROF_EXPORT @result@ @function@(@parameters@) {
  Call call;
  if (!call) return P@function@(@arguments@);
  @result@ const result = P@function@(@arguments@);
  call.stop();
  call.post_receive(@op@, comm, result, request);
  return result;
}
)";

constexpr std::string_view message_shape = R"(
COMMPROF_EXPORT @result@ @function@(@parameters@) {
  Call call;
  if (!call) return P@function@(@arguments@);
  StatusOut out(status);
  MPI_Message const matched = *message;
  @result@ const result = P@function@(@arguments_with_status@);
  call.stop();
  call.receive_message(@op@, Call::comm_of_message(matched, message, result), result, out.get());
  return result;
}
)";

constexpr std::string_view posting_message_shape = R"(
COMMPROF_EXPORT @result@ @function@(@parameters@) {
  Call call;
  if (!call) return P@function@(@arguments@);
  MPI_Message const matched = *message;
  @result@ const result = P@function@(@arguments@);
  call.stop();
  call.post_receive(@op@, Call::comm_of_message(matched, message, result), result, request);
  return result;
}
)";

constexpr std::string_view completion_shape = R"(
COMMPROF_EXPORT @result@ @function@(@parameters@) {
  Call call;
  if (!call) return P@function@(@arguments@);
  Completion completion(@requests@);
  @result@ const result = P@function@(@arguments_with_status@);
  call.stop();
  completion.@completed@;
  return result;
}
)";

constexpr std::string_view creation_shape = R"(
COMMPROF_EXPORT @result@ @function@(@parameters@) {
  Call call;
  if (!call) return P@function@(@arguments@);
  @result@ const result = P@function@(@arguments@);
  call.stop();
  call.create({@op@, Letter{'@letter@'}, @several@, @reorder@}, comm, result, newcomm@request@);
  return result;
}
)";

constexpr std::string_view release_shape = R"(
COMMPROF_EXPORT @result@ @function@(@parameters@) {
  Call call;
  if (!call) return P@function@(@arguments@);
  communicators::Release const release(comm);
  @result@ const result = P@function@(@arguments@);
  call.stop();
  call.release(@op@, release.index());
  return result;
}
)";

bool has(Function const& function, std::string_view parameter) {
  return std::find(function.names.begin(), function.names.end(), parameter) != function.names.end();
}

std::string_view shape_of(Function const& function) {
  bool const issues = has(function, "request");
  switch (function.row->kind) {
    case calls::Kind::operation: return issues ? issuing_shape : operation_shape;
    case calls::Kind::receive: return issues ? posting_shape : receive_shape;
    case calls::Kind::message: return issues ? posting_message_shape : message_shape;
    case calls::Kind::completing: return completion_shape;
    case calls::Kind::creation: return creation_shape;
    case calls::Kind::release: return release_shape;
    case calls::Kind::by_hand: break;
  }
  throw std::logic_error("a call that is written by hand has no shape");
}

std::string list(std::vector<std::string> const& parts) {
  std::string text;
  for (std::string const& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

// The arguments, with the program's statuses replaced by where the profiler wants them.
std::string arguments(Function const& function, std::string_view status) {
  std::vector<std::string> names = function.names;
  for (std::string& name : names)
    if (name == "status" || name == "array_of_statuses") name = status;
  return list(names);
}

// The rule's expression, with the communicator's view in front and the profiler's status for the program's.
std::string rule_expression(calls::Row const& row) {
  std::string rule(row.rule);
  std::size_t const open = rule.find('(');
  rule.insert(open + 1, rule[open + 1] == ')' ? "view" : "view, ");
  if (std::size_t const status = rule.find("status)"); status != std::string::npos) rule.replace(status, 6, "out.get()");
  return rule;
}

std::string op_expression(Function const& function) {
  std::string const op = "Op::" + std::string(function.row->name);
  if (!calls::polls(*function.row)) return op;
  std::string const found = has(function, "flag") ? "*flag != 0" : "*outcount != 0";
  return "result != MPI_SUCCESS || " + found + " ? " + op + " : " + op + "_none";
}

// What is handed to Completion: the requests that the call covers and where their statuses go.
std::string completion_requests(Function const& function) {
  if (has(function, "request")) {
    bool const by_value = function.prototype.parameters[0].before == "MPI_Request";
    return std::string("1, ") + (by_value ? "&request, " : "request, ") + (has(function, "status") ? "status" : "MPI_STATUS_IGNORE");
  }
  return function.names[0] + ", array_of_requests, " + (has(function, "status") ? "status" : "array_of_statuses");
}

std::string completion_call(Function const& function) {
  std::string const rule(function.row->rule);
  std::string const flag = has(function, "flag") ? ", *flag != 0" : "";
  std::string const start = rule + "(call, " + op_expression(function);
  if (rule == "none") return start + ")";
  if (rule == "all") return start + ", result" + flag + ")";
  if (rule == "any") return start + ", result, *index" + flag + ")";
  if (rule == "some") return start + ", result, *outcount, array_of_indices)";
  return start + ", result)";
}

std::map<std::string, std::string> replacements(Function const& function) {
  calls::Row const& row = *function.row;
  std::vector<std::string> parameters;
  for (std::size_t i = 0; i < function.names.size(); ++i)
    parameters.push_back(function.prototype.parameters[i].declare(function.names[i]));
  bool const completes = row.kind == calls::Kind::completing;
  std::string matched;
  if (row.kind == calls::Kind::operation && has(function, "message")) {
    std::string const condition = has(function, "flag") ? "result == MPI_SUCCESS && *flag != 0" : "result == MPI_SUCCESS";
    matched = "\n  if (" + condition + ") call.matched(comm, message);";
  }
  return {{"result", function.prototype.result},
          {"function", function.prototype.name},
          {"parameters", list(parameters)},
          {"arguments", list(function.names)},
          {"arguments_with_status", arguments(function, completes ? "completion.statuses()" : "out.get()")},
          {"op", op_expression(function)},
          {"rule", completes ? "" : rule_expression(row)},
          {"matched", matched},
          {"requests", completes ? completion_requests(function) : ""},
          {"completed", completes ? completion_call(function) : ""},
          {"letter", std::string(1, row.letter)},
          {"several", row.several ? "true" : "false"},
          {"reorder", has(function, "reorder") ? "reorder" : "-1"},
          {"request", has(function, "request") ? ", request" : ""}};
}

}  // namespace

std::string c_wrapper(Function const& function) {
  std::string_view const shape = shape_of(function);
  std::map<std::string, std::string> const values = replacements(function);
  std::string text;
  for (std::size_t i = 0; i < shape.size();) {
    std::size_t const mark = shape.find('@', i);
    text += shape.substr(i, mark - i);
    if (mark == std::string_view::npos) break;
    std::size_t const end = shape.find('@', mark + 1);
    text += values.at(std::string(shape.substr(mark + 1, end - mark - 1)));
    i = end + 1;
  }
  return text;
}

}  // namespace commprof::generator
