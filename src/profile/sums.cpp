#include "profile/sums.hpp"

#include <algorithm>
#include <utility>

#include "counters/counters.hpp"
#include "ops.hpp"
#include "profile/profile.hpp"

namespace commprof {

namespace {

constexpr std::uint64_t second_ns = 1'000'000'000;

// The end of the group that begins at `first`.
Sum const* end_of_group(Sum const* first, Sum const* end) {
  return std::find_if(first, end, [=](Sum const& sum) { return sum.group() != first->group(); });
}

NameHash comm_of(Sum const& sum) { return sum.comm; }
NameHash comm_of(NameHash name) { return name; }

void keep_if_same(NameHash& name, NameHash other) {
  if (name != other) name = NameHash::several;
}

}  // namespace

void Sum::add(Sum const& other) {
  if (other.least_ns < least_ns || (other.least_ns == least_ns && other.least_rank < least_rank)) {
    least_ns = other.least_ns;
    least_rank = other.least_rank;
  }
  if (other.most_ns > most_ns || (other.most_ns == most_ns && other.most_rank < most_rank)) {
    most_ns = other.most_ns;
    most_rank = other.most_rank;
  }
  std::uint32_t const ranks_of_both = ranks + other.ranks;
  std::uint64_t const least = least_ns, most = most_ns;
  add_of_same_rank(other);
  ranks = ranks_of_both;
  least_ns = least;
  most_ns = most;
}

void Sum::add_of_same_rank(Sum const& other) {
  keep_if_same(region, other.region);
  keep_if_same(site, other.site);
  calls += other.calls;
  bytes_sent += other.bytes_sent;
  bytes_received += other.bytes_received;
  nanoseconds += other.nanoseconds;
  seconds += other.seconds + nanoseconds / second_ns;
  nanoseconds %= second_ns;
  least_ns = most_ns = most_ns + other.most_ns;
  shortest_ns = std::min(shortest_ns, other.shortest_ns);
  longest_ns = std::max(longest_ns, other.longest_ns);
}

void Sums::take(RowContext const& context) {
  take_communicators(context);
  take_records(context);
}

void Sums::take_communicators(RowContext const& context) {
  char room[Registry::max_name];
  communicators_.reserve(context.registry.size());
  for (std::size_t i = 0; i < context.registry.size(); ++i) {
    auto const index = static_cast<CommIndex>(i);
    Registry::Description const comm = context.registry.describe(index);
    bool const is_of_each = context.registry.is_private(index) || comm.is_folded;
    push(communicators_, {name_hash(context.registry.name(index, room)), comm.total_size,
                          is_of_each ? 0 : static_cast<std::uint32_t>(comm.total_size), 1});
  }
  std::sort(communicators_.begin(), communicators_.end(), [](auto const& a, auto const& b) { return a.name < b.name; });
}

namespace {

// The place of the sum with this group and part, or of its successor.
Sum* find_place(PageVector<Sum>& all, Sum const& sum) {
  return std::lower_bound(all.begin(), all.end(), sum, [](Sum const& a, Sum const& b) {
    return std::tuple(a.group(), a.part()) < std::tuple(b.group(), b.part());
  });
}

// Adds a rank's sum to the sums of the same rank, which are sorted. False without memory.
bool add_to(PageVector<Sum>& all, Sum const& sum) {
  Sum* const place = find_place(all, sum);
  if (place != all.end() && place->group() == sum.group() && place->part() == sum.part()) {
    place->add_of_same_rank(sum);
    return true;
  }
  auto const index = place - all.begin();
  if (!all.push_back(sum)) return false;
  std::rotate(all.begin() + index, all.end() - 1, all.end());
  return true;
}

Sum sum_of(Record const& record, RowContext const& context, NameHash comm, NameHash region, NameHash site) {
  std::uint64_t const time = context.rate.to_ns(record.time);
  return {.comm = comm,
          .level = Sum::Level::size,
          .is_unfinished = record.key.is_unfinished(),
          .bin = record.key.bin(),
          .op = record.key.op(),
          .region = region,
          .site = site,
          .ranks = 1,
          .calls = record.calls,
          .bytes_sent = record.bytes.sent,
          .bytes_received = record.bytes.received,
          .seconds = time / second_ns,
          .nanoseconds = time % second_ns,
          .least_ns = time,
          .most_ns = time,
          .least_rank = context.facts.rank,
          .most_rank = context.facts.rank,
          .shortest_ns = context.rate.to_ns(record.shortest),
          .longest_ns = context.rate.to_ns(record.longest)};
}

}  // namespace

// Adds the records, which are sorted by communicator.
void Sums::take_records(RowContext const& context) {
  static char path_room[Regions::max_path];  // too long for the stack of a thread: one profile at a time is written
  char name_room[Registry::max_name], site_room[Sites::max_name];
  PageVector<Sum> of_all, of_comm;  // short lists: by operation and site
  sums_.reserve(2 * static_cast<std::size_t>(context.records.end() - context.records.begin()));
  auto const keep = [this](PageVector<Sum>& all, Sum const& sum) {
    if (!add_to(all, sum)) is_whole_ = false;
  };
  CommIndex current = CommIndex::unknown;
  for (Record const& record : context.records) {
    std::string_view const comm = context.registry.name(record.key.comm(), name_room);
    std::string_view const region = context.regions.path(context.sites.region(record.key.scope()), path_room);
    std::string_view const site = context.sites.name(context.sites.site(record.key.scope()), site_room);
    Sum sum = sum_of(record, context, name_hash(comm), name_hash(region), name_hash(site));
    add_name(sum.comm, comm);
    add_name(sum.region, region);
    add_name(sum.site, site);
    if (std::exchange(current, record.key.comm()) != record.key.comm()) move_to(sums_, of_comm);
    push(sums_, sum);
    Sum of_size = sum;
    of_size.comm = of_size.region = of_size.site = NameHash::several;
    keep(of_all, of_size);
    sum.bin = {};
    sum.level = Sum::Level::operation;
    keep(of_comm, sum);
    Sum of_communicator = sum;
    of_communicator.op = {};
    of_communicator.level = Sum::Level::communicator;
    keep(of_comm, of_communicator);
    sum.comm = NameHash::several;
    keep(of_all, sum);
  }
  move_to(sums_, of_comm);
  move_to(sums_, of_all);
  order_groups();
}

void Sums::move_to(PageVector<Sum>& all, PageVector<Sum>& some) {
  for (Sum const& sum : some) push(all, sum);
  some.clear();
}

// Joins sums of the same part. In front of a group with several parts, adds the sum that covers them.
void Sums::order_groups() {
  std::sort(sums_.begin(), sums_.end(), [](Sum const& a, Sum const& b) {
    return std::tuple(a.group(), a.part()) < std::tuple(b.group(), b.part());
  });
  PageVector<Sum> covering;
  std::size_t size = 0;
  Sum* const all = sums_.begin();
  for (Sum const* first = sums_.begin(); first != sums_.end();) {
    Sum const* const last = end_of_group(first, sums_.end());
    std::size_t const begin = size;
    Sum of_group = *first;
    for (Sum const* sum = first; sum != last; ++sum) {
      if (sum != first) of_group.add_of_same_rank(*sum);
      if (size > begin && all[size - 1].part() == sum->part()) all[size - 1].add_of_same_rank(*sum);
      else all[size++] = *sum;
    }
    of_group.covers_others = true;
    if (size > begin + 1) push(covering, of_group);
    first = last;
  }
  sums_.resize(size);
  if (covering.size() == 0) return;
  for (Sum const& sum : covering) push(sums_, sum);
  std::sort(sums_.begin(), sums_.end(), [](Sum const& a, Sum const& b) {
    return std::tuple(a.group(), !a.covers_others, a.part()) < std::tuple(b.group(), !b.covers_others, b.part());
  });
}

void Sums::merge(Sums const& a, Sums const& b) {
  is_whole_ = a.is_whole_ && b.is_whole_;
  communicators_.clear();
  sums_.clear();
  communicators_.reserve(a.communicators_.size() + b.communicators_.size());
  sums_.reserve(a.sums_.size() + b.sums_.size());
  auto const *of_a = a.communicators_.begin(), *of_b = b.communicators_.begin();
  while (of_a != a.communicators_.end() || of_b != b.communicators_.end()) {
    bool const takes_a = of_b == b.communicators_.end() || (of_a != a.communicators_.end() && of_a->name <= of_b->name);
    bool const takes_b = of_a == a.communicators_.end() || (of_b != b.communicators_.end() && of_b->name <= of_a->name);
    SummedCommunicator both = takes_a ? *of_a : *of_b;
    if (takes_a && takes_b) both.joined += of_b->joined;
    push(communicators_, both);
    if (takes_a) ++of_a;
    if (takes_b) ++of_b;
  }
  Sum const *sum_of_a = a.sums_.begin(), *sum_of_b = b.sums_.begin();
  while (sum_of_a != a.sums_.end() || sum_of_b != b.sums_.end())
    merge_groups(sum_of_a, a.sums_.end(), sum_of_b, b.sums_.end());
  merge_names(a, b);
}

void Sums::add_group(Sum const* first, Sum const* last) {
  for (; first != last; ++first) push(sums_, *first);
}

// Merges the next group, which one of the two or both have.
void Sums::merge_groups(Sum const*& a, Sum const* end_of_a, Sum const*& b, Sum const* end_of_b) {
  Sum const* const last_of_a = a == end_of_a ? a : end_of_group(a, end_of_a);
  Sum const* const last_of_b = b == end_of_b ? b : end_of_group(b, end_of_b);
  if (b == end_of_b || (a != end_of_a && a->group() < b->group())) {
    add_group(std::exchange(a, last_of_a), last_of_a);
  } else if (a == end_of_a || b->group() < a->group()) {
    add_group(std::exchange(b, last_of_b), last_of_b);
  } else {
    Sum of_group = *a;
    of_group.add(*b);
    of_group.covers_others = true;
    std::size_t const place = sums_.size();
    push(sums_, of_group);
    if (a->covers_others) ++a;
    if (b->covers_others) ++b;
    while (a != last_of_a || b != last_of_b) {
      bool const takes_a = b == last_of_b || (a != last_of_a && a->part() <= b->part());
      bool const takes_b = a == last_of_a || (b != last_of_b && b->part() <= a->part());
      Sum both = takes_a ? *a : *b;
      if (takes_a && takes_b) both.add(*b);
      push(sums_, both);
      if (takes_a) ++a;
      if (takes_b) ++b;
    }
    if (sums_.size() == place + 2) sums_.pop_back();  // the group has one part: the covering sum is superfluous
    if (sums_.size() == place + 1) sums_.begin()[place].covers_others = false;
  }
}

void Sums::add_name(NameHash hash, std::string_view text) {
  if (!names_.add(hash, text)) is_whole_ = false;
}

// Merges the names; keeps those that the sums in this object use.
void Sums::merge_names(Sums const& a, Sums const& b) {
  names_.clear();
  names_.reserve(a.names_, b.names_);
  PageVector<NameHash> used;
  used.reserve(3 * sums_.size());
  for (Sum const& sum : sums_) {
    for (NameHash const hash : {sum.comm, sum.region, sum.site})
      if (hash != NameHash::several) push(used, hash);
  }
  std::sort(used.begin(), used.end());
  NameHash const* const last = std::unique(used.begin(), used.end());
  for (NameHash const* hash = used.begin(); hash != last; ++hash)
    add_name(*hash, (a.names_.contains(*hash) ? a : b).names_.text(*hash));
}

namespace {

// The cells that sizes.csv and summary.csv have in common.
auto cells_of(Sum const& sum) {
  return std::tuple(cell<"ranks">(std::uint64_t{sum.ranks}), cell<"calls">(sum.calls),
                    cell<"bytes_sent">(sum.bytes_sent), cell<"bytes_received">(sum.bytes_received),
                    cell<"time_s">(Nanoseconds{sum.nanoseconds, sum.seconds}),
                    cell<"time_min_s">(Nanoseconds{sum.least_ns}), cell<"time_min_rank">(sum.least_rank),
                    cell<"time_max_s">(Nanoseconds{sum.most_ns}), cell<"time_max_rank">(sum.most_rank),
                    cell<"call_min_s">(Nanoseconds{sum.shortest_ns}), cell<"call_max_s">(Nanoseconds{sum.longest_ns}));
}

}  // namespace

void Sums::write_row_of(Sum const& sum, std::string_view level, SummedCommunicator const* communicator,
                        TextWriter& out) const {
  auto const text = [&](NameHash hash) {
    if (hash == NameHash::several) return schema::several;
    std::string_view const name = names_.text(hash);
    return name == schema::several ? "\\x2a" : name;
  };
  bool const has_size = sum.level == Sum::Level::size;
  auto const size = [&](std::uint64_t bytes) { return has_size ? std::optional(bytes) : std::nullopt; };
  auto const members = [](SummedCommunicator const& one) { return static_cast<std::uint64_t>(one.size); };
  write_row<schema::summary_columns>(
      out,
      std::tuple_cat(
          std::tuple(cell<"region">(text(sum.region)), cell<"comm">(text(sum.comm)),
                     cell<"comm_size">(communicator == nullptr ? std::nullopt : std::optional(members(*communicator))),
                     cell<"site">(text(sum.site)),
                     cell<"op">(sum.level == Sum::Level::communicator ? schema::several
                                                                      : operation_name(sum.op, sum.is_unfinished)),
                     cell<"size_min">(size(smallest_of(sum.bin))), cell<"size_max">(size(largest_of(sum.bin)))),
          cells_of(sum), std::tuple(cell<"level">(level))));
}

namespace {

std::string_view level_of(Sum const& sum, bool is_first_of_group) {
  if (sum.level == Sum::Level::communicator) return schema::level_communicator;
  if (sum.level == Sum::Level::operation) return is_first_of_group ? schema::level_operation : schema::level_site;
  return is_first_of_group ? schema::level_size : schema::level_part;
}

}  // namespace

std::uint64_t Sums::write_rows_of(SummedCommunicator const& communicator, TextWriter& out) const {
  auto const [first, last] = std::equal_range(sums_.begin(), sums_.end(), communicator.name,
                                              [](auto const& a, auto const& b) { return comm_of(a) < comm_of(b); });
  for (Sum const* sum = first; sum != last; ++sum)
    write_row_of(*sum, level_of(*sum, sum == first || sum[-1].group() != sum->group()), &communicator, out);
  return static_cast<std::uint64_t>(last - first);
}

// Writes the chosen sums, sorted by name.
template <class Chosen>
std::uint64_t Sums::write_chosen(TextWriter& out, Chosen&& is_chosen) const {
  std::uint64_t rows = 0;
  PageVector<SummedCommunicator> chosen;
  for (SummedCommunicator const& one : communicators_)
    if (is_chosen(one) && names_.contains(one.name) && !chosen.push_back(one)) rows += write_rows_of(one, out);
  std::sort(chosen.begin(), chosen.end(), [&](SummedCommunicator const& a, SummedCommunicator const& b) {
    return names_.text(a.name) < names_.text(b.name);
  });
  for (SummedCommunicator const& one : chosen) rows += write_rows_of(one, out);
  return rows;
}

std::uint64_t Sums::write_complete(TextWriter& out) {
  std::uint64_t const rows = write_chosen(out, [](SummedCommunicator const& one) { return one.is_complete(); });
  drop_complete();
  return rows;
}

std::uint64_t Sums::write(TextWriter& out) const {
  std::uint64_t rows = write_chosen(out, [](SummedCommunicator const&) { return true; });
  for (Sum const& sum : sums_) {
    if (sum.comm != NameHash::several || sum.covers_others || sum.is_of_size_of_all()) continue;
    write_row_of(sum, schema::level_all, nullptr, out);
    ++rows;
  }
  return rows;
}

std::uint64_t Sums::write_sizes(TextWriter& out) const {
  std::uint64_t rows = 0;
  for (Sum const& sum : sums_) {
    if (!sum.is_of_size_of_all()) continue;
    write_row<schema::sizes_columns>(
        out, std::tuple_cat(std::tuple(cell<"op">(operation_name(sum.op, sum.is_unfinished)),
                                       cell<"size_min">(smallest_of(sum.bin)), cell<"size_max">(largest_of(sum.bin))),
                            cells_of(sum)));
    ++rows;
  }
  return rows;
}

void Sums::drop_complete() {
  Sums rest;
  rest.is_whole_ = is_whole_;
  rest.communicators_.reserve(communicators_.size());
  rest.sums_.reserve(sums_.size());
  Sum const* sum = sums_.begin();
  auto const move_up_to = [&](NameHash comm, bool is_kept) {
    for (; sum != sums_.end() && sum->comm <= comm; ++sum)
      if (is_kept) rest.push(rest.sums_, *sum);
  };
  move_up_to(NameHash::several, true);
  for (SummedCommunicator const& one : communicators_) {
    move_up_to(one.name, !one.is_complete());
    if (!one.is_complete()) rest.push(rest.communicators_, one);
  }
  rest.merge_names(*this, {});
  swap(rest);
}

void Sums::swap(Sums& other) {
  communicators_.swap(other.communicators_);
  sums_.swap(other.sums_);
  names_.swap(other.names_);
  std::swap(is_whole_, other.is_whole_);
}

}  // namespace commprof
