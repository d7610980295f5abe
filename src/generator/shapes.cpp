#include "shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace commprof::generator {

namespace {

// The rule's expression, with the communicator's view in front and the profiler's status for the program's.
std::string rule_expression(calls::Row const& row) {
  std::string rule(row.rule);
  std::size_t const open = rule.find('(');
  rule.insert(open + 1, rule[open + 1] == ')' ? "view" : "view, ");
  if (std::size_t const status = rule.find("status)"); status != std::string::npos) rule.replace(status, 6, "out.get()");
  return "[&](CommView const& view) { return volume::" + rule + "; }";
}

std::string plain_op(Function const& function) { return "Op::" + std::string(function.row->name); }

// That a polling call counts as the operation, and not as the one that found nothing.
std::string found_something(Function const& function) {
  return std::string("result != MPI_SUCCESS || ") + (has(function, "flag") ? "*flag != 0" : "*outcount != 0");
}

std::string op_expression(Function const& function) {
  std::string const op = plain_op(function);
  return calls::polls(*function.row) ? fmt::format("{} ? {} : {}_none", found_something(function), op, op) : op;
}

// Where the call counts.
std::string place_expression(Function const& function) {
  if (has(function, "comm")) return has(function, "dest") ? "at_comm(comm, result).to(dest)" : "at_comm(comm, result)";
  if (has(function, "target_rank")) return "at_target(win, target_rank, result)";
  if (has(function, "win")) return "at_window(win, result)";
  if (has(function, "fh")) return "at_file(fh)";
  if (has(function, "message")) return "at_message(matched, message, result)";
  return "at_self()";
}

std::string completion_call(Function const& function, std::string const& op) {
  std::string const rule(function.row->rule);
  std::string const flag = has(function, "flag") ? ", is_set(flag)" : "";
  if (rule == "none") return fmt::format("none(call, {})", op);
  if (rule == "all") return fmt::format("all(call, {}, result{})", op, flag);
  if (rule == "any") return fmt::format("any(call, {}, result, value_of(index){})", op, flag);
  if (rule == "some") return fmt::format("some(call, {}, result, value_of(outcount), array_of_indices)", op);
  return fmt::format("{}(call, {}, result)", rule, op);
}

// Calls that make a communicator out of none: of groups, it belongs under the world; of a socket, to this process.
std::string parent_of_creation(Function const& function) {
  if (has(function, "comm")) return "at_comm(comm, result)";
  return has(function, "fd") ? "at_self()" : "at_world()";
}

std::string line(std::string const& text) { return "  " + text + ";\n"; }

// A probe leaves a message for a later call.
std::string keep_match(Function const& function) {
  std::string const flag = has(function, "flag") ? " && *flag != 0" : "";
  return line(fmt::format("if (result == MPI_SUCCESS{}) call.matched(comm, *message, message)", flag));
}

// Each operation by a call of its own, which can be compiled for it.
std::string record_of_operation(Function const& function, std::string const& place, std::string const& rule) {
  auto const record = [&](std::string const& op) { return fmt::format("call.record({}, {}, result, {})", op, place, rule); };
  std::string const op = plain_op(function);
  if (!calls::polls(*function.row)) return line(record(op));
  return line(fmt::format("if ({}) {}", found_something(function), record(op))) + line("else " + record(op + "_none"));
}

}  // namespace

bool has(Function const& function, std::string_view parameter) {
  return std::find(function.names.begin(), function.names.end(), parameter) != function.names.end();
}

std::string list(std::vector<std::string> const& parts) {
  std::string text;
  for (std::string const& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

CoveredRequests covered_requests(Function const& function) {
  bool const is_one = has(function, "request");
  std::string statuses;
  for (char const* const name : {"status", "array_of_statuses"})
    if (has(function, name)) statuses = name;
  return {is_one ? "1" : function.names[0], is_one ? "request" : "array_of_requests", statuses};
}

// The room for a status stands apart: MPI is given its address, and might change whatever lies with it.
std::string completion_of_one(std::string const& request, std::string const& status) {
  if (status.empty()) return fmt::format("  CompletionOfOne completion({});\n", request);
  return fmt::format("  MPI_Status own_status;\n  CompletionOfOne completion({}, {}, &own_status);\n", request, status);
}

Shape shape_of(Function const& function) {
  if (function.row->kind == calls::Kind::by_hand) throw std::logic_error("a call that is written by hand has no shape");
  std::string const op = op_expression(function), place = place_expression(function);
  std::string const rule = rule_expression(*function.row);
  bool const issues = has(function, "request");
  bool const consumes_message = has(function, "message") && !has(function, "comm");
  switch (function.row->kind) {
    case calls::Kind::operation:
      if (issues) return {{}, line(fmt::format("call.issue({}, {}, result, request, {})", op, place, rule))};
      return {{}, record_of_operation(function, place, rule) + (has(function, "message") ? keep_match(function) : "")};
    case calls::Kind::receive:
      return {{.keeps_status = !issues, .keeps_message = consumes_message},
              line(fmt::format("call.{}({}, {}, result, {}{})", issues ? "post" : "record", op, place,
                               issues ? "request, " : "", rule))};
    case calls::Kind::completing:
      return {{.covers_requests = true}, line("completion." + completion_call(function, op))};
    case calls::Kind::persistent:
    case calls::Kind::persistent_receive:
      return {{}, line(fmt::format("call.prepare({}, {}, result, request, {}, {})", op, place,
                                   function.row->kind == calls::Kind::persistent_receive, rule))};
    case calls::Kind::start: return {{.starts_requests = true}, line(fmt::format("starting.started(call, {}, result)", op))};
    case calls::Kind::partition: return {{}, line(fmt::format("call.record({}, at_request(request), result, volume::none)", op))};
    case calls::Kind::creation:
      return {{.tells_spawned = has(function, "array_of_errcodes")},
              line(fmt::format("call.create({{{}, Letter{{'{}'}}, {}, {}}}, {}, result, newcomm{})", op,
                                   function.row->letter, function.row->several,
                                   has(function, "reorder") ? "reorder" : "-1", parent_of_creation(function), issues ? ", request" : ""))};
    case calls::Kind::window_creation:
      return {{}, line(fmt::format("call.record({}, {}, result, volume::none)", op, place)) +
                      line("if (result == MPI_SUCCESS) windows::created(comm, *win)")};
    case calls::Kind::file_opening:
      return {{}, line(fmt::format("call.record({}, {}, result, volume::none)", op, place)) +
                      line("if (result == MPI_SUCCESS) files::opened(comm, *fh)")};
    case calls::Kind::release: {
      std::string const parameter = function.names[0];
      std::string const folder = parameter == "win" ? "windows" : parameter == "fh" ? "files" : "communicators";
      return {{.observes_release = folder + "::Release"}, line(fmt::format("call.release({}, release.index(result))", op))};
    }
    case calls::Kind::by_hand: break;
  }
  return {};
}

}  // namespace commprof::generator
