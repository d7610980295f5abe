#include "recovery/recovery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "files/profile_error.hpp"
#include "files/rank_set.hpp"
#include "files/text_lines.hpp"
#include "files/visible_text.hpp"
#include "profile/profile.hpp"
#include "profile/schema.hpp"
#include "recovery/look.hpp"
#include "recovery/spool_file.hpp"
#include "waiting/situation.hpp"

namespace mpisee_through {

namespace fs = std::filesystem;
using namespace commprof;

namespace {

SiteIndex site_of(Sites& sites, CurrentCall const& call, CodePlace const& place) {
  if (!place.is_known()) return SiteIndex::none;
  if (Sites::is_site(call.site)) return Sites::site_at(call.site);
  std::uint32_t module = 0;
  while (module < sites.modules() && (sites.path(module) != place.module || sites.build_id(module) != place.build_id))
    ++module;
  if (module == sites.modules()) sites.restore_module(place.module, place.build_id, "");
  for (std::size_t i = 1; i < sites.size(); ++i) {
    Sites::Site const& known = sites[static_cast<SiteIndex>(i)];
    if (known.module == module && known.offset == place.offset && known.caller == SiteIndex::none)
      return static_cast<SiteIndex>(i);
  }
  return sites.restore({module, SiteIndex::none, place.offset}) ? static_cast<SiteIndex>(sites.size() - 1)
                                                                : SiteIndex::none;
}

ScopeIndex scope_of(Sites& sites, RegionIndex region, SiteIndex site, std::size_t regions) {
  constexpr std::size_t most = std::size_t{1} << RecordKey::scope_bits;
  for (std::size_t i = 0; i < sites.scopes(); ++i) {
    auto const scope = static_cast<ScopeIndex>(i);
    if (sites.region(scope) == region && sites.site(scope) == site) return scope;
  }
  if (sites.scopes() + 1 < most) sites.restore(Sites::Scope{region, site}, regions);
  return sites.scopes() + 1 < most ? static_cast<ScopeIndex>(sites.scopes() - 1) : ScopeIndex::main;
}

// A call without a communicator counts on that of the process's first pending request if it completes requests.
CommIndex comm_of(SpoolFile const& file, CurrentCall const& call, Op op) {
  OperationFacts const& facts = facts_of(op);
  if (facts.has_comm) return communicator_of(file, call.comm).value_or(CommIndex::self);
  auto const pending = std::ranges::find_if(file.requests, &PendingRequest::is_counted);
  bool const is_known = facts.needs == Needs::requests && pending != file.requests.end();
  return is_known ? pending->key.comm() : CommIndex::self;
}

// Extends the file to the end of its process, and adds a record for each call that had not ended. Returns their time.
Ticks count_unfinished_calls(SpoolFile& file, ProcessState const& process) {
  Ticks const end{process.end};
  Ticks sum;
  if (end > file.end) {
    file.regions.stop(file.region, end - file.end);
    file.end = end;
  }
  auto state = process.threads.begin();
  for (CurrentCall const& call : file.current_calls) {
    if (call.since.count == 0 || state == process.threads.end()) continue;
    CodePlace const& place = state->place;
    std::optional<Op> const op = (state++)->op;
    if (!op || call.op != static_cast<std::uint32_t>(*op) + 1) continue;
    Ticks const time = end - std::min(end, call.since);
    ScopeIndex const scope = scope_of(file.sites, file.region, site_of(file.sites, call, place), file.regions.size());
    file.records.push_back({.key = RecordKey::of(comm_of(file, call, *op), scope, *op, SizeBin{}).unfinished(),
                            .calls = 1,
                            .bytes = {},
                            .time = time,
                            .shortest = time,
                            .longest = time,
                            .last = end});
    sum += time;
  }
  return sum;
}

template <std::size_t n>
void add_counts(Json& counts, std::array<std::string_view, n> const& names,
                std::array<std::uint64_t, n> const& values) {
  for (std::size_t i = 0; i < n; ++i) counts[std::string(names[i])] = values[i];
}

// Writes the files of the profile, and collects the facts of the whole run.
class Recovery {
 public:
  // Reads each file twice: what processes know of each other has to be joined before rows are written.
  explicit Recovery(fs::path const& spool) : seen_(spool, nullptr), spool_(spool) {
    problems_.insert(seen_.look.problems.begin(), seen_.look.problems.end());
  }

  void write_to(fs::path const& profile) {
    if (!output_.open(profile.c_str(), true)) fail();
    output_.add_files(false);
    std::map<std::int32_t, fs::path> const files = spool_files(spool_);
    for (ProcessState const& process : seen_.look.job.processes) {
      try {
        SpoolFile file({files.at(process.rank), files.at(process.rank)});
        take(file, process);
      } catch (std::exception const& error) {
        problems_.insert(error.what());
      }
    }
    write_sums();
    Json const state = to_json(understand(seen_.look.job, nullptr));
    output_.write_run_file([&](TextWriter& out) { out.raw(run_json(state)); });
    if (!output_.publish()) fail();
  }

 private:
  [[noreturn]] void fail() const {
    throw ProfileError(output_.problem(), std::nullopt, "the recovered profile is not written");
  }

  void take(SpoolFile& file, ProcessState const& process) {
    if (ranks_found_.empty()) hertz_ = file.rate.hertz();
    if (run_json_.empty()) run_json_ = file.run_json;
    last_record_ns_ = std::max(last_record_ns_, file.rate.to_ns(file.end - file.owner.start));
    in_calls_s_ += static_cast<double>(file.rate.to_ns(count_unfinished_calls(file, process))) * 1e-9;
    // Several ranks may call MPI_Abort before the first one's call has ended them.
    Ticks const until_abort = file.abort.at - std::min(file.abort.at, file.owner.start);
    if (file.abort.at != Ticks{} && (!abort_ || until_abort < abort_->after))
      abort_ = Aborted{file.owner.rank, file.abort.code, until_abort};
    if (auto const use = use_of(file); !use || !use->queued_ns) without_queues_.push_back(file.owner.rank);
    write_rows(file);
    ranks_found_.push_back(file.owner.rank);
    if (file.lost_chunks > 0)
      problems_.insert(
          fmt::format("{}.spool: {} parts of its counts did not fit into the file", process.rank, file.lost_chunks));
  }

  void write_rows(SpoolFile& file) {
    RunFacts facts;
    facts.rank = file.owner.rank;
    facts.ranks = file.owner.ranks;
    facts.pid = file.owner.pid;
    std::memcpy(facts.host, file.owner.host, sizeof facts.host);
    MergedRecords const records(file.records);
    MergedPeers const peers(file.peers);
    for (Record const& record : records) file.regions.add_mpi_time(file.sites.region(record.key.scope()), record.time);
    Ticks const wall = file.end - file.owner.start;
    RowContext const context{facts,
                             file.registry,
                             file.regions,
                             file.sites,
                             records,
                             peers,
                             file.rate,
                             wall,
                             file.threads,
                             file.threads_at_once,
                             file.processors,
                             use_of(file),
                             seen_.messages.of(file.owner.rank)};
    RunSummary summary;
    summary.wall_ns = file.rate.to_ns(wall);
    summary.dropped = file.dropped;
    summary.folded = file.folded;
    summary.dropped[static_cast<std::size_t>(Dropped::requests_unfinished)] += file.unfinished.count();
    if (context.waits.is_joined()) count_calls_without_waits(context, summary);
    total_.add(summary);
    for (RowWriter const& writer : row_writers)
      if (writer.file != File::communicators)
        write(writer.file, [&](TextWriter& out) { return writer.write(context, out); });
    write(File::when, [&](TextWriter& out) { return seen_.windows.add(file, out); });
    Sums own;
    own.take(context);
    sums_.add(own);
    for (RowWriter const& writer : offer_writers)
      if (writer.file != File::communicators)
        offer(offers_, writer.file, [&](TextWriter& out) { writer.write(context, out); });
    offer_communicators(context);
  }

  // A communicator's row is written by one process, its author. If there is none, or its file is missing, the first row
  // of another process with that name is taken.
  void offer_communicators(RowContext const& context) {
    offer(offers_, File::communicators, [&](TextWriter& out) { write_communicator_rows(context, out); });
    offer(of_others_, File::communicators, [&](TextWriter& out) {
      for (std::size_t i = 0; i < context.registry.size(); ++i)
        if (auto const index = static_cast<CommIndex>(i); context.registry[index].instances > 0)
          write_communicator_row(context, index, out);
    });
  }

  template <class Write>
  void write(File table, Write const& rows) {
    struct Sink {
      OutputDirectory& output;
      File table;
      static void put(void* self, char const* text, std::size_t length) {
        static_cast<Sink*>(self)->output.take(static_cast<Sink*>(self)->table, {text, length});
      }
    } sink{output_, table};
    TextWriter out(buffer_.data(), buffer_.size(), Sink::put, &sink);
    total_.rows[static_cast<std::size_t>(table)] += rows(out);
  }
  template <class Write>
  static void offer(Offers& offers, File table, Write const& rows) {
    PageVector<char> text;
    if (!append_written(text, rows) || !offers.take(table, {text.begin(), text.size()})) throw std::bad_alloc();
  }

  void write_sums() {
    write(File::summary, [&](TextWriter& out) { return sums_.write(out); });
    write(File::when, [&](TextWriter& out) { return seen_.windows.finish(out); });
    offers_.add(of_others_);
    offers_.for_each([this](File file, std::string_view row) {
      output_.take(file, row);
      output_.take(file, "\n");
      ++total_.rows[static_cast<std::size_t>(file)];
    });
  }

  // What the system has counted for the process; nothing if the process wrote it down last long before its end, which
  // is MPI_Abort where the process has called it.
  static std::optional<ProcessorUse> use_of(SpoolFile const& file) {
    spool::UseSoFar const& use = file.use;
    constexpr std::uint64_t most_unknown = 10;  // a part of the run
    Ticks const end = file.abort.at == Ticks{} ? file.end : file.abort.at;
    Ticks const known = use.at - std::min(use.at, file.owner.start), all = end - file.owner.start;
    if (use.at == Ticks{} || known.count + all.count / most_unknown < all.count) return std::nullopt;
    ProcessorUse result{.cpu_ns = use.cpu_ns,
                        .voluntary_switches = use.voluntary_switches,
                        .involuntary_switches = use.involuntary_switches,
                        .max_rss_bytes = use.max_rss_bytes};
    if (use.queued_ns != spool::UseSoFar::unknown) result.queued_ns = use.queued_ns;
    return result;
  }

  std::string run_json(Json const& state) const {
    // The text may be damaged. Deeper nesting than the profiler writes is refused.
    auto const is_shallow = [](int depth, Json::parse_event_t, Json&) { return depth < 8; };
    Json run = Json::parse(run_json_, is_shallow, false);
    if (!run.is_object()) run = {{"schema_version", schema::version}, {"program", "(unknown)"}};
    for (char const* const key : {"clock", "dropped", "folded", "waits", "files"})
      if (!run[key].is_object()) run[key] = Json::object();
    double const wall_s = static_cast<double>(total_.wall_ns) * 1e-9;
    run["ranks"] = seen_.look.job.ranks;
    run["wall_s"] = wall_s;
    run["clock"]["hz"] = static_cast<std::uint64_t>(std::llround(std::clamp(hertz_, 0.0, 1e12)));
    add_counts(run["dropped"], dropped::names, total_.dropped);
    add_counts(run["folded"], dropped::folded_names, total_.folded);
    add_counts(run["waits"], no_waits_names, total_.no_waits);
    WindowSpan const& windows = seen_.windows.span();
    run["when"] = windows.is_known == 0 ? Json()
                                        : Json{{"window_s", static_cast<double>(windows.width_ns()) * 1e-9},
                                               {"clock", windows.is_common() ? "common" : "own"}};
    run.erase("messages");  // removes sums of the starting process, which had not sent anything
    for (std::size_t i = 0; i < schema::tables.size(); ++i)
      if (is_in_profile(static_cast<File>(i), false))
        run["files"][std::string(schema::tables[i].name)] = {{"rows", total_.rows[i]}};
    std::string const missing = others_than(ranks_found_, seen_.look.job.ranks);
    auto const on_nodes = find_node_directory(spool_);
    std::optional<CommandEnd> const& command = seen_.end.command();
    run["unfinished"] = {{"ranks_missing", missing},
                         {"on_nodes", missing.empty() || !on_nodes ? "" : on_nodes->string()},
                         {"last_record_s", static_cast<double>(last_record_ns_) * 1e-9},
                         {"end_known", seen_.end.is_known()},
                         {"interrupted_by", command && command->signal != 0 ? Json(command->signal) : Json()},
                         {"exit_code", command ? Json(command->exit_code) : Json()},
                         {"in_calls_s", in_calls_s_},
                         {"aborted", abort_ ? Json{{"rank", abort_->rank}, {"code", abort_->code}} : Json()},
                         {"queues_unknown", ranges_of(without_queues_)},
                         {"problems", problems_},
                         {"state", state}};
    return run.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  }

  SpoolLook seen_;
  fs::path spool_;
  std::uint64_t last_record_ns_ = 0;
  double in_calls_s_ = 0;  // in calls that did not end, of all threads
  OutputDirectory output_;
  Offers offers_, of_others_;  // of_others_: rows of communicators that no author may have written
  RunSummary total_;           // of all processes
  Sums sums_;
  std::vector<char> buffer_ = std::vector<char>(64 * 1024);
  double hertz_ = 0;
  std::string run_json_;
  std::vector<int> ranks_found_;  // ranks with spool files, ascending
  struct Aborted {
    std::int32_t rank, code;
    Ticks after;  // the start
  };
  std::optional<Aborted> abort_;     // the first call of MPI_Abort
  std::vector<int> without_queues_;  // ranks of which it is not known how long they waited for a processor
  std::set<std::string> problems_;   // of both readings of the files
};

}  // namespace

void recover(fs::path const& spool, fs::path const& profile) {
  std::make_unique<Recovery>(spool)->write_to(fs::absolute(profile));
}

fs::path recover_profile(fs::path const& directory) {
  std::error_code error;
  if (!fs::is_directory(directory, error)) throw ProfileError(directory, std::nullopt, "not a directory");
  if (fs::exists(directory / schema::run_file, error))
    throw ProfileError(directory, std::nullopt, "a finished profile: nothing to recover");
  auto const spool = find_spool(directory);
  if (!spool) check_not_on_nodes(directory);
  if (!spool) throw ProfileError(directory, std::nullopt, "no spool files: nothing to recover");
  recover(*spool, directory);
  return directory;
}

}  // namespace mpisee_through
