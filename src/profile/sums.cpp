#include "profile/sums.hpp"

#include <algorithm>

#include "counters/counters.hpp"
#include "ops.hpp"
#include "profile/profile.hpp"

namespace commprof {

namespace {

NameHash comm_of(Sum const& sum) { return sum.comm; }
NameHash comm_of(NameHash name) { return name; }

void keep_if_same(NameHash& name, NameHash other) {
  if (name != other) name = NameHash::several;
}

}  // namespace

Sum& Sum::operator+=(Sum const& other) {
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
  return *this;
}

void Sum::add_of_same_rank(Sum const& other) {
  keep_if_same(region, other.region);
  keep_if_same(site, other.site);
  calls += other.calls;
  bytes_sent += other.bytes_sent;
  bytes_received += other.bytes_received;
  time_ns += other.time_ns;
  least_ns = most_ns = most_ns + other.most_ns;
  shortest_ns = std::min(shortest_ns, other.shortest_ns);
  longest_ns = std::max(longest_ns, other.longest_ns);
}

bool Sums::take_communicators(RowContext const& context) {
  char room[Registry::max_name];
  bool is_whole = true;
  communicators_.reserve(context.registry.size());
  for (std::size_t i = 0; i < context.registry.size(); ++i) {
    auto const index = static_cast<CommIndex>(i);
    Communicator const comm = context.registry.copy_of(index);
    bool const is_of_each = context.registry.is_private(index) || comm.is_folded;
    auto const members = is_of_each ? 0 : static_cast<std::uint32_t>(comm.total_size());
    NameHash const name = name_hash(context.registry.name(index, room));
    is_whole = communicators_.push_back({name, comm.total_size(), members, 1}) && is_whole;
  }
  order_rows(communicators_, [](SummedCommunicator&, SummedCommunicator const&) {});
  return is_whole;
}

namespace {

void order_own(PageVector<Sum>& sums) {
  order_rows(sums, [](Sum& sum, Sum const& other) { sum.add_of_same_rank(other); });
}

// Without names.
Sum sum_of(Record const& record, RowContext const& context) {
  std::uint64_t const time = context.rate.to_ns(record.time);
  return {.level = Sum::Level::size,
          .is_unfinished = record.key.is_unfinished(),
          .bin = record.key.bin(),
          .op = record.key.op(),
          .ranks = 1,
          .calls = record.calls,
          .bytes_sent = record.bytes.sent,
          .bytes_received = record.bytes.received,
          .time_ns = time,
          .least_ns = time,
          .most_ns = time,
          .least_rank = context.facts.rank,
          .most_rank = context.facts.rank,
          .shortest_ns = context.rate.to_ns(record.shortest),
          .longest_ns = context.rate.to_ns(record.longest)};
}

}  // namespace

bool Sums::take(RowContext const& context) {
  static char path_room[Regions::max_path];  // too long for the stack of a thread: one profile at a time is written
  char name_room[Registry::max_name], site_room[Sites::max_name];
  bool is_whole = take_communicators(context);
  auto const hash_of_name = [&](std::string_view name) {
    is_whole = names_.add(name) && is_whole;
    return name_hash(name);
  };
  sums_.reserve(2 * static_cast<std::size_t>(context.records.end() - context.records.begin()));
  for (Record const& record : context.records) {
    Sum sum = sum_of(record, context);
    sum.comm = hash_of_name(context.registry.name(record.key.comm(), name_room));
    sum.region = hash_of_name(context.regions.path(context.sites.region(record.key.scope()), path_room));
    sum.site = hash_of_name(context.sites.name(context.sites.site(record.key.scope()), site_room));
    is_whole = sums_.push_back(sum) && is_whole;
    sum.bin = {};
    sum.level = Sum::Level::operation;
    is_whole = sums_.push_back(sum) && is_whole;
  }
  order_own(sums_);
  return add_wider_sums() && is_whole;
}

// From the sums of the parts of groups: those of the groups, of communicators, and over all communicators.
bool Sums::add_wider_sums() {
  PageVector<Sum> wider;
  wider.reserve(sums_.size());
  bool is_whole = true;
  auto const add = [&](Sum const& sum) { is_whole = wider.push_back(sum) && is_whole; };
  for (Sum const* part = sums_.begin(); part != sums_.end();) {
    Sum of_group = *part;
    auto const take = [&](Sum const& one) {
      Sum of_all = one;
      of_all.comm = NameHash::several;
      if (one.level == Sum::Level::operation) add(of_all);
    };
    take(of_group);
    for (++part; part != sums_.end() && part->group() == of_group.group(); ++part) {
      of_group.add_of_same_rank(*part);
      take(*part);
    }
    if (of_group.level == Sum::Level::operation) {
      Sum of_communicator = of_group;
      of_communicator.op = {};
      of_communicator.level = Sum::Level::communicator;
      add(of_communicator);
    }
    of_group.covers_others = true;
    add(of_group);
  }
  order_own(wider);
  return merge_rows(sums_, wider) && is_whole;
}

bool Sums::add(Sums const& others) {
  bool const has_communicators = merge_rows(communicators_, others.communicators_);
  bool const has_sums = merge_rows(sums_, others.sums_);
  return names_.add(others.names_) && has_communicators && has_sums;
}

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
  constexpr std::uint64_t second_ns = 1'000'000'000;
  write_row<schema::summary_columns>(
      out, cell<"region">(text(sum.region)), cell<"comm">(text(sum.comm)),
      cell<"comm_size">(communicator == nullptr ? std::nullopt : std::optional(members(*communicator))),
      cell<"site">(text(sum.site)),
      cell<"op">(sum.level == Sum::Level::communicator ? schema::several : operation_name(sum.op, sum.is_unfinished)),
      cell<"size_min">(size(smallest_of(sum.bin))), cell<"size_max">(size(largest_of(sum.bin))),
      cell<"ranks">(std::uint64_t{sum.ranks}), cell<"calls">(sum.calls), cell<"bytes_sent">(sum.bytes_sent),
      cell<"bytes_received">(sum.bytes_received),
      cell<"time_s">(Nanoseconds{static_cast<std::uint64_t>(sum.time_ns % second_ns),
                                 static_cast<std::uint64_t>(sum.time_ns / second_ns)}),
      cell<"time_min_s">(Nanoseconds{sum.least_ns}), cell<"time_min_rank">(sum.least_rank),
      cell<"time_max_s">(Nanoseconds{sum.most_ns}), cell<"time_max_rank">(sum.most_rank),
      cell<"call_min_s">(Nanoseconds{sum.shortest_ns}), cell<"call_max_s">(Nanoseconds{sum.longest_ns}),
      cell<"level">(level));
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
  std::uint64_t rows = 0;
  for (Sum const* sum = first; sum != last; ++sum) {
    if (covers_one(*sum)) continue;
    bool const is_first = sum == first || sum[-1].group() != sum->group() || covers_one(sum[-1]);
    write_row_of(*sum, level_of(*sum, is_first), &communicator, out);
    ++rows;
  }
  return rows;
}

// are_all: also those that are not complete.
std::uint64_t Sums::write_communicators(TextWriter& out, bool are_all) const {
  std::uint64_t rows = 0;
  PageVector<SummedCommunicator> chosen;
  for (SummedCommunicator const& one : communicators_)
    if ((are_all || one.is_complete()) && names_.contains(one.name) && !chosen.push_back(one))
      rows += write_rows_of(one, out);
  std::sort(chosen.begin(), chosen.end(), [&](SummedCommunicator const& a, SummedCommunicator const& b) {
    return names_.text(a.name) < names_.text(b.name);
  });
  for (SummedCommunicator const& one : chosen) rows += write_rows_of(one, out);
  return rows;
}

std::uint64_t Sums::write(TextWriter& out) const {
  std::uint64_t rows = write_communicators(out, true);
  for (Sum const& sum : sums_) {
    if (sum.comm != NameHash::several) continue;
    write_row_of(sum, schema::level_all, nullptr, out);
    ++rows;
  }
  return rows;
}

void Sums::drop_complete() {
  SummedCommunicator const* comm = communicators_.begin();
  Sum* const sums = std::remove_if(sums_.begin(), sums_.end(), [&](Sum const& sum) {
    while (comm != communicators_.end() && comm->name < sum.comm) ++comm;
    return comm != communicators_.end() && comm->name == sum.comm && comm->is_complete();
  });
  sums_.resize(static_cast<std::size_t>(sums - sums_.begin()));
  SummedCommunicator* const end = std::remove_if(communicators_.begin(), communicators_.end(),
                                                 [](SummedCommunicator const& one) { return one.is_complete(); });
  communicators_.resize(static_cast<std::size_t>(end - communicators_.begin()));
}

}  // namespace commprof
