#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "generator.hpp"

namespace commprof::generator {

namespace {

// The rule as a function of the communicator's view. keeps_status: it reads the profiler's status, not the program's.
std::string rule_expression(calls::Row const& row, bool keeps_status) {
  std::string_view const rule = row.rule;
  std::size_t const open = rule.find('(') + 1;
  std::string_view const name = rule.substr(0, open), arguments = rule.substr(open);
  return fmt::format("[&{}](CommView const& view) {{ return volume::{}view{}{}; }}",
                     keeps_status ? ", status = out.get()" : "", name, arguments == ")" ? "" : ", ", arguments);
}

std::string plain_op(Function const& function) { return "Op::" + std::string(function.row->name); }

// The condition under which a polling call counts as the operation itself; otherwise it found nothing.
std::string found_something(Function const& function) {
  return std::string("result != MPI_SUCCESS || ") +
         (has(function, "flag") ? "is_set(flag)" : "value_of(outcount) != 0");
}

std::string op_expression(Function const& function) {
  std::string const op = plain_op(function);
  return function.row->polls ? fmt::format("found ? {} : {}_none", op, op) : op;
}

// The messages of the call: what is sent, posted or has come; or is sought, if the call polls and finds nothing.
// Partitioned messages are in no stream of others.
std::string messages_of(Function const& function, bool finds_nothing = false) {
  bool const is_partitioned = has(function, "partitions"), issues = has(function, "request");
  std::string text;
  auto const named = [&](char const* tag, char const* other) { return has(function, tag) ? tag : other; };
  if (function.row->on == calls::on_dest)
    text += is_partitioned ? ".to(dest)" : fmt::format(".to(dest, {})", named("sendtag", "tag"));
  if (function.row->family != calls::point_to_point || !has(function, "source")) return text;
  std::string_view const name = function.row->name;
  if (issues)
    return text + (is_partitioned ? ".from(source)" : fmt::format(".from(source, {})", named("recvtag", "tag")));
  if (name == "Iprobe" || finds_nothing) return text + ".sought(source, tag)";
  return text + (name == "Probe" ? ".probed(out.get())" : ".received(out.get())");
}

// The communicator that the call counts on.
std::string place_expression(Function const& function, Addresses const& address, bool finds_nothing = false) {
  switch (function.row->on) {
    case calls::on_comm:
    case calls::on_dest:
      return "at_comm(comm, result)" + messages_of(function, finds_nothing) +
             (function.row->waits_for == calls::WaitsFor::root ? ".rooted(root)" : "");
    case calls::on_window:
      return "at_window(win, result)";
    case calls::on_target:
      return "at_target(win, target_rank, result)";
    case calls::on_opened_file:
      return "at_file(fh, result)";
    case calls::on_message:
      return "matched.at(result)";
    case calls::on_requests:
      return fmt::format("at_request({}, result)", address.request);
    case calls::on_self:
      return "at_self(result)";
    case calls::on_world:
      return "at_world(result)";
  }
  return {};
}

std::string completion_call(Function const& function, std::string const& op) {
  std::string const rule(function.row->rule);
  std::string const flag = has(function, "flag") ? ", is_set(flag)" : "";
  if (rule.ends_with("all")) return fmt::format("{}(call, {}, result{})", rule, op, flag);
  if (rule.ends_with("any")) return fmt::format("{}(call, {}, result, value_of(index){})", rule, op, flag);
  if (rule.ends_with("some"))
    return fmt::format("{}(call, {}, result, value_of(outcount), array_of_indices)", rule, op);
  return fmt::format("{}(call, {}, result)", rule, op);
}

std::string line(std::string const& text) { return "  " + text + ";\n"; }

// Keeps the message that a probe leaves for a later call.
std::string keep_match(Function const& function, Addresses const& address) {
  std::string const flag = has(function, "flag") ? " && is_set(flag)" : "";
  return line(fmt::format("if (result == MPI_SUCCESS{}) match(comm, *message, {})", flag, address.message));
}

// Records each operation in a branch of its own, where it is a compile-time constant.
std::string record_of_operation(Function const& function, Addresses const& address, std::string const& rule) {
  auto const record = [&](std::string const& op, bool finds_nothing) {
    return fmt::format("record(call, {}, {}, {})", op, place_expression(function, address, finds_nothing), rule);
  };
  std::string const op = plain_op(function);
  if (!function.row->polls) return line(record(op, false));
  return line("if (found) " + record(op, false)) + line("else " + record(op + "_none", true));
}

}  // namespace

std::string show_call(Function const& function, std::string_view handle, std::string_view rank) {
  std::string text = fmt::format("call.{}({})", function.row->polls ? "show_poll" : "show", plain_op(function));
  for (std::size_t i = 0; i < function.names.size(); ++i) {
    std::string const& name = function.names[i];
    std::string const& type = function.prototype.parameters[i].before;
    if (name == "comm" && type == "MPI_Comm")
      text += fmt::format(".on({})", fmt::vformat(handle, fmt::make_format_args(name)));
    if (type != "int") continue;
    std::string const value = fmt::vformat(rank, fmt::make_format_args(name));
    if (name == "dest" || name == "target_rank") text += fmt::format(".to({})", value);
    if (name == "source") text += fmt::format(".from({})", value);
    if (name == "root") text += fmt::format(".rooted({})", value);
  }
  return line(text);
}

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

namespace {

bool is_testall(Function const& function) { return function.row->name == "Testall"; }

}  // namespace

std::string hold_back(Function const& function, std::string const& given, std::string_view flag,
                      std::string_view result) {
  if (!is_testall(function)) return "";
  return fmt::format("  if (completion.holds_back(call, {}, {})) [[unlikely]] return {};\n", given, flag, result);
}

std::string statuses_to_forward(Function const& function, std::string const& given) {
  return is_testall(function) ? fmt::format("completion.statuses_of_testall({})", given) : "completion.statuses()";
}

// The status is a variable of its own: MPI gets its address, so the compiler assumes that MPI changes everything around
// it.
std::string completion_of_one(std::string const& request, std::string const& status) {
  if (status.empty()) return fmt::format("  CompletionOfOne completion({});\n", request);
  return fmt::format("  MPI_Status own_status;\n  CompletionOfOne completion({}, {}, &own_status);\n", request, status);
}

// The class or namespace of the object that a call releases.
std::string scope_of(calls::On on) {
  return on == calls::on_window ? "Windows" : on == calls::on_opened_file ? "Files" : "communicators";
}

// The argument that distinguishes concurrent calls on one group.
std::string tag_of(Function const& function) {
  for (char const* const name : {"tag", "stringtag"})
    if (has(function, name)) return fmt::format(", {}", name);
  return "";
}

namespace {

// Whether the wrapper must also run for calls that do not count: requests, messages or communicators begin or end in
// the call, or processes count it to agree on the numbers of messages or of collective calls.
bool keeps_tables(Function const& function) {
  if (has(function, "request") || has(function, "message")) return function.row->kind != calls::Kind::partition;
  if (!messages_of(function).empty()) return true;
  switch (function.row->kind) {
    case calls::Kind::completing:
    case calls::Kind::start:
    case calls::Kind::creation:
    case calls::Kind::window_creation:
    case calls::Kind::file_opening:
    case calls::Kind::release:
      return true;
    default:
      return calls::members_awaited(*function.row) != calls::WaitsFor::nobody;
  }
}

Shape shape_without_role(Function const& function, Addresses const& address) {
  if (function.row->kind == calls::Kind::by_hand) throw std::logic_error("a call that is written by hand has no shape");
  std::string const op = op_expression(function), place = place_expression(function, address);
  bool const issues = has(function, "request");
  bool const keeps_status = function.row->kind == calls::Kind::by_status && !issues;
  std::string const rule = rule_expression(*function.row, keeps_status);
  bool const consumes_message = function.row->on == calls::On::on_message;
  switch (function.row->kind) {
    case calls::Kind::operation:
      if (issues) return {{}, line(fmt::format("issue(call, {}, {}, request, {})", op, place, rule))};
      return {{.keeps_status = place.find("out.get()") != std::string::npos},
              record_of_operation(function, address, rule) +
                  (has(function, "message") ? keep_match(function, address) : "")};
    case calls::Kind::by_status:
      return {{.keeps_status = keeps_status, .keeps_message = consumes_message},
              line(fmt::format("{}(call, {}, {}, {}{})", issues ? "post" : "record", op, place,
                               issues ? "request, " : "", rule))};
    case calls::Kind::completing:
      return {{.covers_requests = true}, line("completion." + completion_call(function, op))};
    case calls::Kind::persistent:
    case calls::Kind::persistent_receive:
      return {{},
              line(fmt::format("prepare(call, {}, {}, request, {}, {})", op, place,
                               function.row->kind == calls::Kind::persistent_receive, rule))};
    case calls::Kind::start:
      return {{.starts_requests = true}, line(fmt::format("starting.started(call, {}, result)", op))};
    case calls::Kind::partition:
      return {{}, line(fmt::format("record(call, {}, {}, volume::none)", op, place))};
    case calls::Kind::creation:
      return {{},
              line(fmt::format("create(call, {{{}, Letter{{'{}'}}, {}, {}{}}}, {}, newcomm{})", op,
                               static_cast<char>(function.row->letter), function.row->several,
                               has(function, "reorder") ? "reorder" : "-1", tag_of(function), place,
                               issues ? ", request" : ""))};
    case calls::Kind::window_creation:
      return {{},
              line(fmt::format("record(call, {}, {}, volume::none)", op, place)) +
                  line("if (result == MPI_SUCCESS) Windows::created(comm, *win)")};
    case calls::Kind::file_opening:
      return {{},
              line(fmt::format("record(call, {}, {}, volume::none)", op, place)) +
                  line("if (result == MPI_SUCCESS) Files::created(comm, *fh)")};
    case calls::Kind::release:
      return {{.observes_release = scope_of(function.row->on) + "::Release"},
              line(fmt::format("release(call, {}, released.index(result))", op))};
    case calls::Kind::by_hand:
    case calls::Kind::in_callback:
      break;
  }
  return {};
}

}  // namespace

Shape shape_of(Function const& function, Addresses const& address) {
  Shape shape = shape_without_role(function, address);
  shape.keeps_tables = keeps_tables(function);
  if (function.row->polls)
    shape.after = line(fmt::format("bool const found = {}", found_something(function))) + line("call.polled(found)") +
                  shape.after;
  return shape;
}

std::string_view role(Shape const& shape) { return shape.keeps_tables ? "is_kept" : "is_counted"; }

}  // namespace commprof::generator
