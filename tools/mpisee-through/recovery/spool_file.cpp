#include "recovery/spool_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

#include "files/profile_error.hpp"
#include "files/sparse_file.hpp"
#include "ops.hpp"
#include "recovery/spool_segments.hpp"

namespace mpisee_through {

using namespace commprof;
using spool::Kind;

namespace {

// The page sizes that a system may have.
constexpr std::size_t smallest_page = 4096, largest_page = std::size_t{1} << 20;

// The first page that begins at `at` or after it.
constexpr std::size_t next_page(std::size_t at) { return (at + smallest_page - 1) / smallest_page * smallest_page; }

bool is_page_size(std::uint64_t bytes) {
  return std::has_single_bit(bytes) && bytes >= smallest_page && bytes <= largest_page;
}

constexpr std::initializer_list<std::size_t> bools_of_communicator = {
    offsetof(Communicator, is_folded), offsetof(Communicator, is_inter), offsetof(Communicator, is_lead_side),
    offsetof(Communicator, spans_worlds), offsetof(Communicator, is_described_here)};

std::string_view text_in(Bytes bytes) {
  std::string_view const text(bytes.data(), bytes.size());
  return text.substr(0, text.find('\0'));
}

}  // namespace

bool RecoveredRegistry::makes_sense(Communicator const& record) const {
  std::size_t const place = size();
  bool const has_letter = record.letter == Letter::none || record.letter == Letter::foreign ||
                          (static_cast<char>(record.letter) >= 'a' && static_cast<char>(record.letter) <= 'z');
  bool const has_parent = record.parent == CommIndex::unknown || static_cast<std::size_t>(record.parent) < place;
  return static_cast<std::size_t>(record.index) == place && has_parent && has_letter && record.size >= 0 &&
         record.remote_size >= 0;
}

std::uint16_t RecoveredRegistry::next_depth(CommIndex parent) const {
  if (parent == CommIndex::unknown) return 0;
  std::uint16_t const depth = (*this)[parent].depth;
  return depth < UINT16_MAX ? static_cast<std::uint16_t>(depth + 1) : depth;
}

bool RecoveredRegions::restore(RegionIndex around, std::string_view name, RegionTotals const& running) {
  std::size_t const place = regions_.size();
  bool const is_main = place == 0;
  std::size_t depth = 0;
  for (RegionIndex outer = around; !is_main && outer != RegionIndex::main && depth <= max_depth;
       outer = at(outer).around) {
    if (static_cast<std::size_t>(outer) >= place) return false;
    ++depth;
  }
  if (depth >= max_depth || name.empty() != is_main || name.size() > RegionName::max_bytes) return false;
  Region* const region = regions_.append();
  if (region == nullptr) return false;
  *region = {around, texts_.add(name), running, {}};
  return true;
}

void RecoveredRegions::stop(RegionIndex innermost, Ticks time) {
  at(innermost).running.wall += time;
  take_stock(since_);
}

class SpoolFile::Reading {
 public:
  Reading(FileToRead const& file, SpoolFile& result) : file_(file), result_(result), contents_(file) {}

  void run(Parts parts) {
    take_head();
    find_segments();
    result_.run_json = text_in(segments_.only(Kind::run_json));
    result_.processors = text_in(segments_.only(Kind::processors));
    take_home();
    take_communicators();
    take_regions();
    take_sites();
    take_records();
    take_requests();
    take_time_windows();
    // Without an entry, a message would seem to have been there before. So a part that is lost costs all.
    if (parts == Parts::all && result_.lost_chunks == 0)
      result_.messages = read_message_waits(segments_, result_.registry, result_.sites, result_.damaged);
    if (result_.messages != nullptr)
      for (PendingRequest const& request : result_.requests)
        if (request.is_pending()) result_.messages->add_pending(request.key, request.since);
    end_regions();
    take_current_calls();
  }

 private:
  [[noreturn]] void fail(std::string_view problem) const { throw ProfileError(file_.shown, std::nullopt, problem); }

  void find_segments() {
    // Steps by the smallest page size: segments on larger pages begin at its multiples, too, so a damaged page size
    // hides none.
    Bytes const all = contents_.bytes();
    for (std::size_t at = 0; at + sizeof(spool::SegmentHead) <= all.size();) {
      auto const head = *object_at<spool::SegmentHead>(all.subspan(at));
      bool const is_known = head.magic == spool::segment_magic && head.part.kind > Kind::none &&
                            head.part.kind < Kind::count_ &&
                            (head.offset == sizeof(spool::SegmentHead) || is_page_size(head.offset)) &&
                            head.bytes <= std::uint64_t{1} << 40;
      if (!is_known) {
        if (at < bytes_in_use_ && at % page_bytes_ == 0) ++result_.damaged;
        at = at < bytes_in_use_ ? at + smallest_page : next_page(contents_.next_data(at + smallest_page));
        continue;
      }
      std::size_t const begin = std::min(at + head.offset, all.size());
      std::size_t const bytes = std::min<std::size_t>(head.bytes, all.size() - begin);
      if (bytes < head.bytes) ++result_.damaged;  // the segment was cut off
      if (!segments_.all
               .emplace(SpoolSegments::Place{head.part.kind, head.part.owner, head.part.chunk},
                        all.subspan(begin, bytes))
               .second)
        ++result_.damaged;
      at = next_page(at + head.offset + head.bytes);
    }
  }

  template <class T, class Visitor>
  void for_each_entry(Kind kind, Visitor&& visit) const {
    segments_.for_each(kind, [&](Bytes bytes) {
      for (; bytes.size() >= sizeof(T); bytes = bytes.subspan(sizeof(T))) visit(bytes.first(sizeof(T)));
    });
  }

  void take_head() {
    Bytes const all = contents_.bytes();
    auto const segment = object_at<spool::SegmentHead>(all);
    if (!segment || segment->magic != spool::segment_magic || segment->part.kind != Kind::head)
      fail("not a spool file of commprof");
    Bytes const bytes = all.subspan(sizeof(spool::SegmentHead));
    spool::SpoolHead head;
    std::memcpy(static_cast<void*>(&head), bytes.data(), std::min(bytes.size(), sizeof head));
    spool::SpoolHead const like{};
    if (bytes.size() < sizeof head || head.layout != like.layout || head.bytes_of_head != like.bytes_of_head ||
        head.operations != like.operations)
      fail("written by a commprof of another version: use the mpisee-through of that version");
    if (is_page_size(head.bytes_of_page)) page_bytes_ = head.bytes_of_page;
    else ++result_.damaged;
    result_.owner = head.owner;
    result_.owner.host[sizeof result_.owner.host - 1] = '\0';
    if (result_.owner.ranks < 1 || result_.owner.rank < 0 || result_.owner.rank >= result_.owner.ranks)
      fail("damaged: names no rank");
    result_.first = head.first;
    if (head.owner.reads_tsc != 0) {
      if (head.last.ns > head.first.ns && head.last.ticks > head.first.ticks)
        result_.rate = clock::Rate::between(head.first, head.last);
      else ++result_.damaged;
    }
    result_.region = head.region;
    region_since_ = head.region_since;
    result_.end = std::max(result_.owner.start, region_since_);
    result_.threads = head.threads;
    bytes_in_use_ = head.bytes_in_use;
    result_.lost_chunks = head.chunks_elsewhere;
    result_.abort = head.abort;
    result_.use = head.use;
    std::ranges::copy(head.dropped.dropped, result_.dropped.begin());
    std::ranges::copy(head.dropped.folded, result_.folded.begin());
  }

  void take_home() {
    Bytes const bytes = segments_.only(Kind::home);
    result_.profile = text_in(bytes);
    if (result_.profile.size() < bytes.size()) result_.job = text_in(bytes.subspan(result_.profile.size() + 1));
  }

  [[nodiscard]] std::string_view text(Kind kind, TextRef ref) const {
    if (ref.length == 0) return {};
    auto const found = segments_.all.find({kind, 0, ref.chunk});
    Bytes const chunk = found == segments_.all.end() ? Bytes{} : found->second;
    if (ref.offset <= chunk.size() && ref.length <= chunk.size() - ref.offset)
      return {chunk.data() + ref.offset, ref.length};
    ++result_.damaged;
    return {};
  }

  // Takes the entries of an arena in order, up to the first missing chunk.
  template <class T, class Take>
  void take_in_order(Kind kind, Take&& take) {
    for (std::uint32_t chunk = 0;; ++chunk) {
      auto const found = segments_.all.find({kind, 0, chunk});
      if (found == segments_.all.end()) return;
      for (Bytes bytes = found->second; bytes.size() >= sizeof(T); bytes = bytes.subspan(sizeof(T)))
        if (!take(bytes.first(sizeof(T)))) return;
    }
  }

  void take_communicators() {
    take_in_order<Communicator>(Kind::communicators, [&](Bytes bytes) {
      if (std::ranges::all_of(bytes, [](char byte) { return byte == 0; })) return result_.registry.size() == 0;
      auto const record = object_at<Communicator>(bytes, bools_of_communicator);
      auto const text_of = [this](TextRef ref) { return text(Kind::communicator_texts, ref); };
      if (record && static_cast<std::size_t>(record->created_by) < static_cast<std::size_t>(Op::count_) &&
          result_.registry.restore(*record, text_of)) {
        result_.handles.push_back({record->handle, record->integer});
        return true;
      }
      ++result_.damaged;
      return false;
    });
    if (result_.registry.size() < 2) fail("damaged: the communicators are lost");
  }

  void take_regions() {
    take_in_order<Regions::Region>(Kind::regions, [&](Bytes bytes) {
      auto const region = *object_at<Regions::Region>(bytes);
      if (region.name.length == 0 && result_.regions.size() > 0) return false;
      if (result_.regions.restore(region.around, text(Kind::region_texts, region.name), region.running)) return true;
      ++result_.damaged;
      return false;
    });
    if (result_.regions.size() == 0) result_.regions.start(result_.owner.start);
  }

  // Damage costs the names of sites, not the counts. An arena has zeroes after its last entry. These end it: a module
  // has a path, and only the first site and scope are empty.
  void take_sites() {
    Sites& found = result_.sites;
    auto const judge = [this](bool is_whole) {
      if (!is_whole) ++result_.damaged;
      return true;
    };
    take_in_order<Sites::Module>(Kind::modules, [&](Bytes bytes) {
      auto const one = *object_at<Sites::Module>(bytes);
      if (one.path.length == 0) return false;
      result_.modules.push_back(one);
      return judge(found.restore_module(text(Kind::module_texts, one.path), text(Kind::module_texts, one.build_id),
                                        text(Kind::module_texts, one.function)));
    });
    take_in_order<Sites::Site>(Kind::sites, [&](Bytes bytes) {
      auto const one = *object_at<Sites::Site>(bytes);
      if (found.size() > 0 && one.module == 0 && one.offset == 0) return false;
      return judge(found.restore(one));
    });
    take_in_order<Sites::Scope>(Kind::scopes, [&](Bytes bytes) {
      auto const one = *object_at<Sites::Scope>(bytes);
      if (found.scopes() > 0 && one.region == RegionIndex::main && one.site == SiteIndex::none) return false;
      return judge(found.restore(one, result_.regions.size()));
    });
    if (found.scopes() == 0 && !found.start()) fail("no memory");
  }

  // A record whose scope is damaged counts outside all regions.
  RecordKey with_known_scope(RecordKey key) {
    if (static_cast<std::size_t>(key.scope()) < result_.sites.scopes()) return key;
    ++result_.damaged;
    return RecordKey::of(key.comm(), ScopeIndex::main, key.op(), key.bin());
  }

  [[nodiscard]] bool is_known(RecordKey key) const {
    return static_cast<std::size_t>(key.comm()) < result_.registry.size() &&
           static_cast<std::size_t>(key.op()) < static_cast<std::size_t>(Op::count_);
  }

  void take_records() {
    std::optional<std::uint32_t> last;
    for (auto const& [place, bytes] : segments_.all) {
      auto const& [kind, owner, chunk] = place;
      if (kind != Kind::records || last == owner) continue;
      last = owner;
      ++result_.threads_at_once;
    }
    for_each_entry<Record>(Kind::records, [&](Bytes bytes) {
      auto const record = *object_at<Record>(bytes);
      if (record.calls == 0) return;
      if (!is_known(record.key)) return void(++result_.damaged);
      result_.records.push_back(record);
      result_.records.back().key = with_known_scope(record.key);
      result_.end = std::max(result_.end, record.last);
    });
    for_each_entry<PeerRecord>(Kind::peers, [&](Bytes bytes) {
      auto const record = *object_at<PeerRecord>(bytes);
      if (record.messages == 0) return;
      auto const rank = static_cast<std::int32_t>(record.world_rank);
      bool const is_rank = rank < result_.owner.ranks && record.world_rank >= commprof::WorldRank::elsewhere;
      if (!is_known(record.key) || !is_rank || record.peer.message_class() >= MessageClass::count_)
        return void(++result_.damaged);
      result_.peers.push_back(record);
      result_.peers.back().key = with_known_scope(record.key);
    });
  }

  template <class T>
  void take_requests_of(Kind kind, bool (*is_there)(PendingRequest const&)) {
    for_each_entry<T>(kind, [&](Bytes bytes) {
      auto request = *object_at<T>(bytes);
      if (!is_there(request)) return;
      if (request.is_counted() && !is_known(request.key)) return void(++result_.damaged);
      if (request.is_counted()) request.key = with_known_scope(request.key);
      result_.unfinished.take(request);
      result_.requests.push_back(request);
    });
  }

  // A process killed while it changed the table may leave a request twice, or a completed one.
  void take_requests() {
    take_requests_of<PendingRequest>(Kind::requests, RequestTable::is_taken);
    take_requests_of<RequestTable::Chained>(Kind::further_requests, RequestTable::holds);
    for_each_entry<StartedCall>(Kind::started_calls, [&](Bytes bytes) {
      auto call = *object_at<StartedCall>(bytes);
      if (call.receives == 0) return;
      if (!call.key.is_of_nothing() && !is_known(call.key)) return void(++result_.damaged);
      if (!call.key.is_of_nothing()) call.key = with_known_scope(call.key);
      result_.unfinished.take(call);
    });
    for (Record const& record : result_.unfinished.records()) result_.records.push_back(record);
  }

  void take_time_windows() {
    Bytes const bytes = segments_.only(Kind::time_windows);
    std::vector<std::uint64_t>& copy = result_.time_windows_;
    copy.resize(std::max(bytes.size(), sizeof(TimeWindowTable)) / sizeof(std::uint64_t));
    if (!bytes.empty())
      std::memcpy(copy.data(), bytes.data(), std::min(bytes.size(), copy.size() * sizeof(std::uint64_t)));
    if (result_.time_windows()->is_sound(bytes.size())) return;
    if (!bytes.empty()) ++result_.damaged;
    copy.clear();
  }

  void take_current_calls() {
    segments_.for_each(Kind::current_calls, [&](Bytes bytes) {
      std::size_t const whole = bytes.size() / sizeof(CurrentCall) * sizeof(CurrentCall);
      result_.current_calls_at.push_back({static_cast<std::size_t>(bytes.data() - contents_.bytes().data()), whole});
      for (std::size_t at = 0; at < whole; at += sizeof(CurrentCall))
        result_.current_calls.push_back(*object_at<CurrentCall>(bytes.subspan(at)));
    });
  }

  void end_regions() {
    bool const is_known_region = static_cast<std::size_t>(result_.region) < result_.regions.size();
    if (!is_known_region) {
      ++result_.damaged;
      result_.region = RegionIndex::main;
    }
    result_.regions.stop(result_.region, result_.end - region_since_);
  }

  FileToRead const& file_;
  SpoolFile& result_;
  SparseFile contents_;
  SpoolSegments segments_;
  std::size_t page_bytes_ = largest_page;  // page size of the machine that wrote the file
  std::uint64_t bytes_in_use_ = 0;
  Ticks region_since_;
};

SpoolFile::SpoolFile(FileToRead const& file, Parts parts) {
  try {
    Reading(file, *this).run(parts);
  } catch (...) {
    sites.release();
    throw;
  }
}

SpoolFile::~SpoolFile() { sites.release(); }

}  // namespace mpisee_through
