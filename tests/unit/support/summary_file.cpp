#include "support/summary_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <sstream>

namespace {

struct CallRow {
  std::string region, comm, comm_size, op, size_min, size_max, site;
  std::uint64_t rank, calls, sent, received, time_ns, shortest_ns, longest_ns;
};
using CallRows = std::vector<CallRow const*>;

CallRow call_row(std::string const& text) {
  std::vector<std::string> const f = fields_of_row(text);
  return {f[0],
          f[1],
          f[2],
          f[4],
          f[5],
          f[6],
          f[13],
          std::stoull(f[3]),
          std::stoull(f[7]),
          std::stoull(f[8]),
          std::stoull(f[9]),
          nanoseconds_of(f[10]),
          nanoseconds_of(f[11]),
          nanoseconds_of(f[12])};
}

using TextOf = std::function<std::string(CallRow const&)>;

// The text that all rows share, or *.
std::string only(CallRows const& rows, TextOf const& text, std::string const& several = "*") {
  std::set<std::string> texts;
  for (CallRow const* row : rows) texts.insert(text(*row));
  return texts.size() == 1 ? *texts.begin() : several;
}

std::string region_of(CallRow const& row) { return row.region == "*" ? "\\x2a" : row.region; }
std::string site_of(CallRow const& row) { return row.site; }

std::map<std::string, CallRows> grouped(CallRows const& rows, TextOf const& text) {
  std::map<std::string, CallRows> groups;
  for (CallRow const* row : rows) groups[text(*row)].push_back(row);
  return groups;
}

// The fields of the summary row after the first ones.
std::string sums(CallRows const& rows) {
  std::map<std::uint64_t, std::uint64_t> by_rank;
  std::uint64_t calls = 0, sent = 0, received = 0, time_ns = 0, longest = 0;
  std::uint64_t shortest = UINT64_MAX;
  for (CallRow const* row : rows) {
    by_rank[row->rank] += row->time_ns;
    calls += row->calls;
    sent += row->sent;
    received += row->received;
    time_ns += row->time_ns;
    if (row->calls == 0) continue;
    shortest = std::min(shortest, row->shortest_ns);
    longest = std::max(longest, row->longest_ns);
  }
  auto const time = [](auto const& left, auto const& right) { return left.second < right.second; };
  auto const least = std::min_element(by_rank.begin(), by_rank.end(), time);
  auto const most = std::max_element(by_rank.begin(), by_rank.end(), time);
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{}", by_rank.size(), calls, sent, received, seconds_text(time_ns),
                     seconds_text(least->second), least->first, seconds_text(most->second), most->first,
                     seconds_text(calls == 0 ? 0 : shortest), seconds_text(longest));
}

// A row of one communicator.
std::string row_of(CallRows const& rows, std::string const& op, std::string const& sizes, char const* level) {
  return fmt::format("{},{},{},{},{},{},{},{}", only(rows, region_of), rows.front()->comm, rows.front()->comm_size,
                     only(rows, site_of), op, sizes, sums(rows), level);
}

void add_operation(std::vector<std::string>& out, std::string const& op, CallRows const& rows) {
  out.push_back(row_of(rows, op, ",", "operation"));
  auto const sites = grouped(rows, site_of);
  if (sites.size() > 1) {
    for (auto const& [site, part] : sites) out.push_back(row_of(part, op, ",", "site"));
  }
  std::map<std::uint64_t, CallRows> sizes;
  for (CallRow const* row : rows) sizes[std::stoull(row->size_min)].push_back(row);
  for (auto const& [size, part] : sizes) {
    std::string const bounds = fmt::format("{},{}", size, part.front()->size_max);
    out.push_back(row_of(part, op, bounds, "size"));
    auto const cells = grouped(part, [](CallRow const& row) { return region_of(row) + "," + row.site; });
    if (cells.size() == 1) continue;
    for (auto const& [place, cell] : cells) out.push_back(row_of(cell, op, bounds, "part"));
  }
}

}  // namespace

std::vector<std::string> summary_rows(std::vector<std::string> const& operations) {
  std::vector<CallRow> all;
  for (std::string const& text : operations) all.push_back(call_row(text));
  CallRows rows;
  for (CallRow const& row : all) rows.push_back(&row);
  std::vector<std::string> out;
  for (auto const& [comm, of_comm] : grouped(rows, [](CallRow const& row) { return row.comm; })) {
    out.push_back(row_of(of_comm, "*", ",", "communicator"));
    for (auto const& [op, of_op] : grouped(of_comm, [](CallRow const& row) { return row.op; }))
      add_operation(out, op, of_op);
  }
  for (auto const& [op, of_op] : grouped(rows, [](CallRow const& row) { return row.op; })) {
    for (auto const& [site, part] : grouped(of_op, site_of))
      out.push_back(fmt::format("{},*,,{},{},,,{},all", only(part, region_of), site, op, sums(part)));
  }
  return out;
}

std::vector<std::string> size_rows(std::vector<std::string> const& operations) {
  std::vector<CallRow> all;
  for (std::string const& text : operations) all.push_back(call_row(text));
  std::map<std::pair<std::string, std::uint64_t>, CallRows> rows;
  for (CallRow const& row : all) rows[{row.op, std::stoull(row.size_min)}].push_back(&row);
  std::vector<std::string> out;
  for (auto const& [key, part] : rows)
    out.push_back(fmt::format("{},{},{},{}", key.first, key.second, part.front()->size_max, sums(part)));
  return out;
}

std::string seconds_text(std::uint64_t nanoseconds) {
  return fmt::format("{}.{:09}", nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000);
}

std::uint64_t nanoseconds_of(std::string const& seconds) {
  std::size_t const point = seconds.find('.');
  return 1'000'000'000 * std::stoull(seconds.substr(0, point)) + std::stoull(seconds.substr(point + 1));
}

std::vector<std::string> fields_of_row(std::string const& row) {
  std::vector<std::string> fields;
  std::istringstream in(row + ",");
  for (std::string field; std::getline(in, field, ',');) fields.push_back(field);
  return fields;
}
