// The run over time. Text has a line for each rank, or for neighbours together, with a character for each window,
// and below them the efficiencies of the job. The other forms have all windows of each rank and of the job.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>

#include "text/terminal.hpp"
#include "text/units.hpp"
#include "views/columns.hpp"
#include "views/views.hpp"

namespace mpisee_through {
namespace {

using table::Bound, table::In, table::Kind;

constexpr std::string_view job_name = "all";
constexpr std::size_t most_lines = 64, least_picture = 16, most_mean = 12;

std::size_t parts_of(std::size_t whole, std::size_t most) {
  return std::max<std::size_t>((whole + most - 1) / most, 1);
}

// A line of text.
struct PictureLine {
  std::string name, mean, picture;
};

// The mean over some windows, by their lengths.
template <class Of>
std::optional<double> mean_of(TimeWindows const& all, std::size_t begin, std::size_t end, Of of) {
  double sum = 0, length_s = 0;
  for (std::size_t i = begin; i < std::min(end, all.windows.size()); ++i) {
    auto const value = of(i);
    if (!value) continue;
    sum += *value * all.windows[i].length_s();
    length_s += all.windows[i].length_s();
  }
  return share_of(sum, length_s);
}

class Picture {
 public:
  Picture(TimeWindows const& all, std::size_t width) : all_(all) {
    std::size_t name = 10;  // as wide as "Efficiency"
    std::size_t const groups = parts_of(all.groups.size(), most_lines);
    for (WindowGroup const& one : joined(all, all.windows.size(), groups).groups)
      name = std::max(name, one.ranks.to_string().size());
    std::size_t const taken = name + most_mean + 4;
    std::size_t const room = std::max(width, taken + least_picture) - taken;
    shown_ = joined(all, parts_of(all.windows.size(), room), groups);
    for (WindowGroup const& group : shown_.groups) add_rank(group);
    ranks_ = lines_.size();
    add_job();
  }

  // Sets the document's notes, and adds the lines and their pictures.
  void add_to(Document& document) const {
    document.head.emplace_back(
        "Time", fmt::format("{} to {}; a character is {}, ▁ to █ for up to 100 %", format_seconds(begin_s()),
                            format_seconds(end_s()),
                            format_seconds(std::ranges::max(shown_.windows, {}, &WindowSpan::length_s).length_s())));
    if (most_bytes_s_ > 0)
      document.head.emplace_back(
          " ", fmt::format("of bytes, █ is {}/s", format_bytes(static_cast<std::uint64_t>(most_bytes_s_))));
    table::View<PictureLine> const view{.name = "pictures",
                                        .columns = {{"rank", "Rank", Kind::name, &PictureLine::name},
                                                    {"mean", "Mean", Kind::figure, &PictureLine::mean},
                                                    {"picture", axis(), Kind::bar, &PictureLine::picture}}};
    table::Table& text = document.tables.emplace_back(table_of(view, lines_));
    text.in = In::text;
    text.below_line = [ranks = ranks_](std::size_t line) { return line + 1 == ranks ? "\n" : ""; };
  }

 private:
  [[nodiscard]] double begin_s() const { return shown_.windows.front().begin_s; }
  [[nodiscard]] double end_s() const { return shown_.windows.back().end_s; }

  // The title of the pictures: their begin and end.
  [[nodiscard]] std::string axis() const {
    std::string axis = format_seconds(begin_s());
    std::string const end = format_seconds(end_s());
    std::size_t const width = shown_.windows.size();
    axis.append(width > axis.size() + end.size() ? width - axis.size() - end.size() : 1, ' ');
    return axis + end;
  }

  template <class Of>
  [[nodiscard]] std::string picture_of(Of of) const {
    std::string picture;
    for (std::size_t i = 0; i < shown_.windows.size(); ++i) picture += spark_of(of(i));
    return picture;
  }

  template <class Of>
  void add_share(std::string name, std::optional<double> mean, Of of) {
    lines_.push_back({std::move(name), format_share(mean), picture_of(of)});
  }

  void add_rank(WindowGroup const& group) {
    WindowSum sum;
    for (WindowSum const& one : group.windows) sum += one;
    add_share(group.ranks.to_string(), sum.mpi_share(), [&](std::size_t i) { return group.windows[i].mpi_share(); });
  }

  // Efficiencies are of single windows: ranks that are joined in a line may be uneven.
  void add_job() {
    std::size_t const every = parts_of(all_.windows.size(), shown_.windows.size());
    auto const add_mean = [&](std::string name, auto of) {
      add_share(std::move(name), mean_of(all_, 0, all_.windows.size(), of),
                [&](std::size_t i) { return mean_of(all_, i * every, (i + 1) * every, of); });
    };
    WindowSum sum;
    for (std::size_t i = 0; i < shown_.windows.size(); ++i) sum += shown_.job(i);
    add_share(std::string(job_name), sum.mpi_share(), [&](std::size_t i) { return shown_.job(i).mpi_share(); });
    add_mean("Efficiency", [&](std::size_t i) { return all_.parallel_efficiency(i); });
    add_mean("Balance", [&](std::size_t i) { return all_.load_balance(i); });
    auto const bytes_s = [&](std::size_t i) {
      return static_cast<double>(shown_.job(i).bytes) / shown_.windows[i].length_s();
    };
    for (std::size_t i = 0; i < shown_.windows.size(); ++i) most_bytes_s_ = std::max(most_bytes_s_, bytes_s(i));
    if (most_bytes_s_ == 0) return;
    double const mean = static_cast<double>(sum.bytes) / (end_s() - begin_s());
    lines_.push_back({"Bytes", format_bytes(static_cast<std::uint64_t>(mean)) + "/s",
                      picture_of([&](std::size_t i) { return std::optional(bytes_s(i) / most_bytes_s_); })});
  }

  TimeWindows const& all_;
  TimeWindows shown_;
  std::vector<PictureLine> lines_;
  std::size_t ranks_ = 0;  // lines of ranks
  double most_bytes_s_ = 0;
};

// Lines of data.
struct WindowLine {
  TimeWindows const* all;
  std::size_t window;
  WindowSum sum;
  std::string rank;
  std::uint64_t ranks;
  bool is_job;

  [[nodiscard]] WindowSpan const& span() const { return all->windows[window]; }
  [[nodiscard]] std::optional<double> efficiency() const {
    return share_of(sum.useful_s(), static_cast<double>(ranks) * span().length_s());
  }
};

table::View<WindowLine> view_of_windows() {
  auto const balance = [](WindowLine const& line) {
    if (!line.is_job) return table::Value();
    return bounded(line.all->load_balance(line.window), line.all->has_single_ranks() ? Bound::none : Bound::at_most);
  };
  return {.name = "windows",
          .columns = {
              {"rank", "Rank", Kind::name, &WindowLine::rank},
              {"ranks", "", Kind::count, &WindowLine::ranks},
              {"begin_s", "From", Kind::seconds, [](WindowLine const& line) { return line.span().begin_s; }},
              {"end_s", "To", Kind::seconds, [](WindowLine const& line) { return line.span().end_s; }},
              {"calls", "Calls", Kind::count, [](WindowLine const& line) { return line.sum.calls; }},
              {"bytes", "Bytes", Kind::bytes, [](WindowLine const& line) { return line.sum.bytes; }},
              {"mpi_s", "MPI time", Kind::seconds, [](WindowLine const& line) { return line.sum.mpi_s; }},
              {"mpi_share", "In MPI", Kind::share, [](WindowLine const& line) { return line.sum.mpi_share(); }},
              {"parallel_efficiency", "Efficiency", Kind::share, &WindowLine::efficiency},
              {.key = "load_balance", .title = "Balance", .kind = Kind::share, .value = balance, .has_bounds = true}}};
}

std::vector<WindowLine> lines_of_ranks(TimeWindows const& all) {
  std::vector<WindowLine> lines;
  for (WindowGroup const& group : all.groups)
    for (std::size_t i = 0; i < all.windows.size(); ++i)
      lines.push_back({&all, i, group.windows[i], group.ranks.to_string(), group.ranks.size(), false});
  return lines;
}

void add_lines_of_job(std::vector<WindowLine>& lines, TimeWindows const& all) {
  std::uint64_t ranks = 0;
  for (WindowGroup const& group : all.groups) ranks += group.ranks.size();
  for (std::size_t i = 0; i < all.windows.size(); ++i)
    lines.push_back({&all, i, all.job(i), std::string(job_name), ranks, true});
}

// The job as lines over time, and a map of ranks and windows. joined: as many neighbours together as a page has room
// for.
std::vector<table::Table> tables_for_page(TimeWindows const& all, TimeWindows const& joined) {
  std::vector<WindowLine> lines_of_job;
  add_lines_of_job(lines_of_job, all);
  table::Table job = table_of(view_of_windows(), std::move(lines_of_job)),
               ranks = table_of(view_of_windows(), lines_of_ranks(joined));
  job.in = ranks.in = In::page;
  job.noun = ranks.noun = "window";
  job.title = "All ranks";
  ranks.title = "Ranks";
  job.drawing = {{"as", "lines"}, {"x", "begin_s"}, {"y", {"parallel_efficiency", "load_balance"}}};
  ranks.drawing = {
      {"as", "cells"}, {"x", "begin_s"}, {"x2", "end_s"}, {"y", "rank"}, {"values", {"mpi_share", "bytes", "calls"}}};
  return {std::move(job), std::move(ranks)};
}

}  // namespace

Document over_time(Overview const& overview, TimeWindows const* windows, Selection const& selection,
                   std::size_t width) {
  Document document = document_of(overview);
  if (windows != nullptr) {
    document.run["window_s"] = overview.run.windows->width_s;
    document.run["clock"] = overview.run.windows->has_common_clock ? "common" : "own";
    std::vector<std::string_view> kinds;
    for (OperationKind const kind : selection.kinds) kinds.push_back(name_of(kind));
    if (!kinds.empty())
      document.head.emplace_back("Calls", fmt::format("{}; efficiencies are of all", fmt::join(kinds, ", ")));
    if (!overview.run.windows->has_common_clock)
      document.notes.emplace_back("Clock", "hosts have none in common: times are since each rank's own MPI_Init");
    Picture(*windows, width).add_to(document);
  }
  std::vector<WindowLine> lines;
  if (windows != nullptr) {
    lines = lines_of_ranks(*windows);
    add_lines_of_job(lines, *windows);
  }
  document.tables.push_back(table_of(view_of_windows(), std::move(lines)));
  document.tables.back().in = In::data;
  if (windows != nullptr) {
    auto const shown = std::make_shared<TimeWindows>(joined(*windows, 1, parts_of(windows->groups.size(), most_lines)));
    std::ranges::move(tables_for_page(*windows, *shown), std::back_inserter(document.tables));
    document.of = shown;
  }
  if (windows == nullptr)
    document.notes.emplace_back(
        "",
        "\nThis profile has no windows of time: it is older than they are, or was made with COMMPROF_WHEN=0, or its "
        "processes have clocks of different kinds.\n");
  return document;
}

}  // namespace mpisee_through
