// Shows a line for each call site and what it waits for; by rank: a block for each of these with a line for each rank;
// by pair: who waits for whom.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "text/units.hpp"
#include "views/columns.hpp"
#include "views/forms.hpp"
#include "views/waits_head.hpp"

namespace mpisee_through {
namespace {

using table::Kind, table::only_json, table::only_text, table::picks;

struct WaitsRow {
  Summary const* summary;
  OperationWaiting const* one;

  [[nodiscard]] CommunicatorSummary const& communicator() const { return summary->communicator(one->communicator); }
  [[nodiscard]] std::optional<SiteRef> site() const {
    return one->site ? std::optional(SiteRef{summary, *one->site}) : std::nullopt;
  }
  [[nodiscard]] std::optional<RankShare> cause() const {
    return one->causes.empty() ? std::nullopt : std::optional(one->causes.front());
  }
};

std::string with_share(OperationWaiting const& one, std::optional<RankShare> const& rank) {
  if (!rank) return "-";
  std::string const number = fmt::format("{}", static_cast<std::uint32_t>(rank->rank));
  return one.has_enough_instants() ? fmt::format("{} ({})", number, format_share(rank->share)) : number;
}

std::string place_of(WaitsRow const& line) {
  auto const site = line.site();
  return site ? line.summary->site_names->line(line.summary->site(site->site)) : "-";
}

// The table of waiting and that of pending requests have some of them in text.
std::vector<table::Column<WaitsRow>> columns_of_waits() {
  static std::vector<table::Column<RankShare>> const rank_columns{
      {"rank", "", Kind::number, [](RankShare const& one) { return static_cast<std::uint32_t>(one.rank); }},
      {"share", "", Kind::share, &RankShare::share}};
  std::vector<table::Column<WaitsRow>> columns{
      {"comm", "", Kind::name, [](WaitsRow const& line) { return line.communicator().name; }},
      {"comm_size", "", Kind::count, [](WaitsRow const& line) { return line.communicator().size; }},
      {"op", "", Kind::name, [](WaitsRow const& line) { return line.summary->name_of(line.one->operation); }},
      {"kind", "", Kind::name, [](WaitsRow const& line) { return name_of(line.one->kind); }},
      {"awaited", "", Kind::name, [](WaitsRow const& line) { return awaited_in_words(line.one->kind); }, only_text},
      {"ranks", "", Kind::count, [](WaitsRow const& line) { return line.one->ranks; }},
      {"calls", "", Kind::count, [](WaitsRow const& line) { return line.one->calls; }},
      {"instants", "", Kind::count, [](WaitsRow const& line) { return line.one->instants; }},
      {"time_s", "", Kind::seconds, [](WaitsRow const& line) { return line.one->time_s; }},
      {"wait_s", "", Kind::seconds, [](WaitsRow const& line) { return line.one->wait_s; }},
      {"wait_share", "", Kind::share, [](WaitsRow const& line) { return line.one->share(); }},
      {"of_time", "", Kind::figure,
       [](WaitsRow const& line) {
         std::string const text = describe_share(*line.one);
         return table::ordered(text, text == "-" ? std::nullopt : line.one->share());
       },
       only_text},
      {"wait_error_s", "", Kind::seconds, [](WaitsRow const& line) { return line.one->error_s; }},
      {"unknown_share", "", Kind::share, [](WaitsRow const& line) { return line.one->unknown_share(); }},
      {"last", "", Kind::figure, [](WaitsRow const& line) { return with_share(*line.one, line.one->last); }, only_text},
      {"cause", "", Kind::figure, [](WaitsRow const& line) { return with_share(*line.one, line.cause()); }, only_text},
      {"at", "", Kind::name, place_of, only_text}};
  add_columns(columns, rank_columns, [](WaitsRow const& line) { return line.one->last; },
              {table::Pick("rank").as("last_rank"), table::Pick("share").as("last_share")});
  add_columns(columns, rank_columns, [](WaitsRow const& line) { return line.cause(); },
              {table::Pick("rank").as("caused_by"), table::Pick("share").as("caused_share")});
  add_columns(
      columns, site_columns(), [](WaitsRow const& line) { return line.site(); }, picks("site, function, file, line"));
  return columns;
}

// titles: the columns of text, as picks.
table::View<WaitsRow> view_of_waits(std::string_view titles) {
  table::View<WaitsRow> view{
      .name = "waits", .columns = columns_of_waits(), .text = {}, .cut = {.title = "At", .is_site = true, .least = 24}};
  set_titles(view, picks(titles));
  return view;
}

constexpr std::string_view titles_of_waits =
    "comm=Communicator, op=Call, awaited=Waits for, ranks=Ranks, calls=Calls, time_s=Time, wait_s=Waiting, of_time=Of "
    "the time, last=For rank, cause=Caused by, unknown_share=Not known, at=At";
constexpr std::string_view titles_of_pending =
    "comm=Communicator, op=Call, ranks=Ranks, calls=Calls, time_s=Requests pending, wait_s=In MPI calls, of_time=Not "
    "overlapped, at=At";

// CSV repeats only the operation's name in the lines of its ranks.
table::View<WaitsRow> view_of_waiting_blocks() {
  table::View<WaitsRow> view = view_of_waits(titles_of_waits);
  for (auto& column : view.columns) {
    bool const is_name = column.key == "comm" || column.key == "op" || column.key == "site" || column.key == "kind";
    if (!is_name && column.data == table::Heading::Data::both) column.data = only_json;
  }
  return view;
}

struct RankLine {
  Summary const* summary;
  OperationWaiting const* operation;
  RankWaiting const* one;
  double longest_s;  // over all ranks of the operation

  [[nodiscard]] std::optional<double> share() const { return share_of(one->wait_s, one->time_s); }
  [[nodiscard]] table::Value told_share() const { return are_enough(one->instants) ? share() : table::Value(); }
};

table::View<RankLine> view_of_rank_waits() {
  auto const nanoseconds = [](double time_s) { return static_cast<std::uint64_t>(time_s * 1e9); };
  return {.name = "by_rank",
          .columns = {
              {"rank", "Rank", Kind::number,
               [](RankLine const& line) { return static_cast<std::uint32_t>(line.one->rank); }},
              {"host", "Host", Kind::name, [](RankLine const& line) { return line.summary->host_of(line.one->rank); }},
              {"instants", "", Kind::count, [](RankLine const& line) { return line.one->instants; }},
              {"time_s", "Time", Kind::seconds, [](RankLine const& line) { return line.one->time_s; }},
              {"wait_s", "Waiting", Kind::seconds, [](RankLine const& line) { return line.one->wait_s; }},
              {"wait_share", "", Kind::share, &RankLine::share},
              {"of_time", "Of the time", Kind::share, &RankLine::told_share, only_text},
              {"bar", "Of the longest", Kind::bar,
               [nanoseconds](RankLine const& line) {
                 return format_bar(nanoseconds(line.one->wait_s), nanoseconds(line.longest_s));
               },
               only_text}}};
}

std::string_view awaited_act(WaitKind kind) {
  constexpr std::array<std::string_view, commprof::wait_kind_names.size()> words{"enter the call", "send",
                                                                                 "post its receive", "call MPI", ""};
  return words[static_cast<std::size_t>(kind)];
}

// The columns of pairs.
struct WaitingPairLine {
  Summary const* summary;
  PairWaiting const* one;
};

table::View<WaitingPairLine> view_of_pairs() {
  return {
      .name = "pairs",
      .columns =
          {{"comm", "Communicator", Kind::name,
            [](WaitingPairLine const& line) { return line.summary->communicator(line.one->communicator).name; }},
           {"op", "Call", Kind::name,
            [](WaitingPairLine const& line) { return line.summary->name_of(line.one->operation); }},
           {"kind", "", Kind::name, [](WaitingPairLine const& line) { return name_of(line.one->kind); }},
           {"rank", "Rank", Kind::number,
            [](WaitingPairLine const& line) { return static_cast<std::uint32_t>(line.one->rank); }},
           {"host", "", Kind::name, [](WaitingPairLine const& line) { return line.summary->host_of(line.one->rank); }},
           {"for_rank", "Waits for", Kind::number,
            [](WaitingPairLine const& line) { return static_cast<std::uint32_t>(line.one->for_rank); }},
           {"to", "To", Kind::name, [](WaitingPairLine const& line) { return awaited_act(line.one->kind); }, only_text},
           {"wait_s", "Waiting", Kind::seconds, [](WaitingPairLine const& line) { return line.one->wait_s; }},
           {"wait_error_s", "Error", Kind::seconds, [](WaitingPairLine const& line) { return line.one->error_s; }}},
      .text = {"Rank", "Waits for", "To", "Waiting", "Error", "Communicator", "Call"}};
}

// Blocks of operations and their ranks.
struct Blocks {
  Summary const* summary;
  std::vector<RankWaits> shown;
  std::vector<WaitsRow> operations{};
  std::vector<RankLine> ranks{};
  std::vector<std::size_t> begin{};

  Blocks(Summary const& of, std::vector<RankWaits> blocks) : summary(&of), shown(std::move(blocks)) {
    for (RankWaits const& block : shown) {
      operations.push_back({summary, block.operation});
      begin.push_back(ranks.size());
      double longest_s = 0;
      for (RankWaiting const& rank : block.operation->by_rank) longest_s = std::max(longest_s, rank.wait_s);
      for (RankWaiting const& rank : block.ranks) ranks.push_back({summary, block.operation, &rank, longest_s});
    }
  }
  [[nodiscard]] std::string heading(std::size_t block) const {
    return waiting_in_words(*summary, *shown[block].operation) + ".\n";
  }
  [[nodiscard]] std::string footing(std::size_t block) const {
    std::size_t const hidden = shown[block].operation->by_rank.size() - shown[block].ranks.size();
    return hidden > 0 ? fmt::format("  Not shown, beyond --top: {}.\n", format_number_of(hidden, "rank")) : "";
  }
};

std::vector<WaitsRow> lines_of(Summary const& summary, std::span<OperationWaiting const> list,
                               Arrangement const& arrangement) {
  std::vector<WaitsRow> lines;
  for (OperationWaiting const* one : arrange_waits(summary, list, arrangement)) lines.push_back({&summary, one});
  return lines;
}

std::vector<WaitingPairLine> lines_of_pairs(Summary const& summary, Waits const& waits,
                                            std::optional<std::size_t> top) {
  std::vector<WaitingPairLine> lines;
  for (PairWaiting const& one : table::first_of(waits.pairs, top)) lines.push_back({&summary, &one});
  return lines;
}

// The pairs shown below the operations, unless --top says how many.
constexpr std::size_t most_pairs = 10;

class WaitsForms {
 public:
  WaitsForms(std::ostream& out, Summary const& summary, Waits const& waits, Format format,
             Arrangement const& arrangement)
      : out_(out), summary_(summary), waits_(waits), format_(format), arrangement_(arrangement) {
    around_.members = [this] {
      return Json{{"run", head_of(summary_)}, {"not_sampled", counts(summary_.run.not_sampled)}};
    };
    around_.above = [this](std::ostream& text) {
      print_head(text, summary_);
      print_sums_of_waits(text, summary_, waits_);
      text << '\n';
    };
    around_.if_empty = "No waiting is known in this selection.\n";
    around_.below = [this](std::ostream& text) {
      table::say_hidden(text, hidden_, "operation");
      print_notes_on_waits(text, summary_, waits_);
    };
  }

  void show_operations() {
    auto const waiting = lines_of(summary_, waits_.operations, arrangement_);
    auto const pending = lines_of(summary_, waits_.pending, arrangement_);
    auto const view = view_of_waits(titles_of_waits), view_of_pending = view_of_waits(titles_of_pending);
    hidden_ = waits_.operations.size() + waits_.pending.size() - waiting.size() - pending.size();
    auto const pairs = lines_of_pairs(summary_, waits_, arrangement_.top.value_or(most_pairs));
    auto const view_of_all_pairs = view_of_pairs();
    if (format_ == Format::json)
      around_.members = [&, before = around_.members] {
        Json members = before();
        members["pairs"] = json_list(table_of(view_of_all_pairs, pairs));
        return members;
      };
    if (format_ == Format::csv || format_ == Format::json) {
      std::vector<WaitsRow> all = waiting;
      all.insert(all.end(), pending.begin(), pending.end());
      return show(out_, format_, table_of(view, all), around_, layout());
    }
    std::vector<TablePart> parts{{table_of(view, waiting), layout(), around_.above, {}, around_.if_empty}};
    auto const add = [&](table::Table const& table) {
      if (table.lines > 0) parts.push_back({table, layout()});
    };
    add(table_of(view_of_all_pairs, pairs));
    if (pairs.size() < waits_.pairs.size())
      parts.back().below = [&](std::ostream& text) {
        text << fmt::format("and {}: --by-pair\n", format_number_of(waits_.pairs.size() - pairs.size(), "pair"));
      };
    add(table_of(view_of_pending, pending));
    parts.back().below = [&, above = parts.back().below](std::ostream& text) {
      if (above) above(text);
      around_.below(text);
    };
    show_parts(out_, format_, parts);
  }

  void show_ranks() {
    Blocks const all(summary_, arrange_rank_waits(summary_, waits_, arrangement_));
    hidden_ = waits_.operations.size() - all.shown.size();
    auto const outer = view_of_waiting_blocks();
    auto const inner = view_of_rank_waits();
    show(out_, format_,
         {table_of(outer, all.operations), table_of(inner, all.ranks), all.begin,
          [&](std::size_t block) { return all.heading(block); }, [&](std::size_t block) { return all.footing(block); }},
         around_, {.indent = 2});
  }

  void show_pairs() {
    auto const lines = lines_of_pairs(summary_, waits_, arrangement_.top);
    auto const view = view_of_pairs();
    around_.if_empty = "No rank is known to wait for another one.\n";
    around_.below = [&](std::ostream& text) { table::say_hidden(text, waits_.pairs.size() - lines.size(), "pair"); };
    show(out_, format_, table_of(view, lines), around_, layout());
  }

 private:
  [[nodiscard]] table::TextLayout layout() const { return {.width = arrangement_.width}; }

  std::ostream& out_;
  Summary const& summary_;
  Waits const& waits_;
  Format format_;
  Arrangement const& arrangement_;
  AroundTable around_;
  std::size_t hidden_ = 0;
};

}  // namespace

Json page_tables_of_waits(Summary const& summary, Waits const& waits, Arrangement const& arrangement) {
  auto const table = [&](std::string_view titles, std::span<OperationWaiting const> list) {
    auto const lines = lines_of(summary, list, arrangement);
    auto const view = view_of_waits(titles);
    return page_table(table_of(view, lines));
  };
  auto const pairs = lines_of_pairs(summary, waits, arrangement.top);
  auto const view_of_all_pairs = view_of_pairs();
  return {{"waits", table(titles_of_waits, waits.operations)},
          {"pairs", page_table(table_of(view_of_all_pairs, pairs))},
          {"pending", table(titles_of_pending, waits.pending)}};
}

void show(std::ostream& out, Summary const& summary, Waits const& waits, Format format, Arrangement const& arrangement,
          WaitLines lines) {
  WaitsForms forms(out, summary, waits, format, arrangement);
  if (lines == WaitLines::ranks) forms.show_ranks();
  else if (lines == WaitLines::pairs) forms.show_pairs();
  else forms.show_operations();
}

}  // namespace mpisee_through
