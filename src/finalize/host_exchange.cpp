#include "finalize/host_exchange.hpp"

#include "finalize/parcel.hpp"
#include "finalize/tree.hpp"
#include "profile/profile.hpp"

namespace commprof {

namespace {

constexpr int tag_of_places_up = tag_of_hosts, tag_of_places_down = tag_of_places_up + tags_of_parcel,
              tag_of_messages = tag_of_places_down + tags_of_parcel;

template <class Parts>
auto visit_all(Parts& parts) {
  return [&parts](auto&& visitor) { parts.visit(visitor); };
}
auto visit_ranges(HostRanks& hosts) {
  return [&hosts](auto&& visitor) { hosts.visit_ranges(visitor); };
}

// The messages of a subtree.
struct Messages {
  HostPairs pairs;
  BytesAcross across;
  bool is_across_known = true;

  template <class Visitor>
  void visit(Visitor&& visitor) {
    pairs.visit(visitor);
    visitor(across);
    visitor(is_across_known);
  }
};

class HostExchange {
 public:
  HostExchange(RunFacts const& facts, Channel const& channel) : channel_(channel), tree_(facts.rank, facts.ranks) {}

  bool is_root() const { return tree_.is_root(); }

  // Gathers the hosts of the subtree's ranks, with their names.
  void gather(HostRanks& hosts) const {
    for (int const child : tree_.children()) {
      HostRanks of_child;
      if (receive(child, tag_of_places_up, visit_all(of_child))) hosts.append(of_child);
      else hosts.lose_some();
    }
    if (!is_root()) send(tree_.parent(), tag_of_places_up, visit_all(hosts));
  }

  // Sends the hosts of all ranks down; only rank 0 has their names.
  void tell(HostRanks& hosts) const {
    if (!is_root() && !receive(tree_.parent(), tag_of_places_down, visit_ranges(hosts))) hosts.lose_some();
    for (int const child : tree_.children()) send(child, tag_of_places_down, visit_ranges(hosts));
  }

  void gather(Messages& messages) const {
    for (int const child : tree_.children()) {
      Messages of_child;
      HostPairs both;
      if (!receive(child, tag_of_messages, visit_all(of_child))) {
        messages.is_across_known = false;
        continue;
      }
      both.merge(messages.pairs, of_child.pairs);
      messages.pairs.swap(both);
      messages.across.add(of_child.across);
      messages.is_across_known = messages.is_across_known && of_child.is_across_known;
    }
    if (!is_root()) send(tree_.parent(), tag_of_messages, visit_all(messages));
  }

 private:
  template <class Visit>
  void send(int to, int tag, Visit&& visit) const {
    Parcel parcel;
    visit([&](auto const& part) { parcel.put(part); });
    parcel.send(channel_, to, tag);
  }
  template <class Visit>
  bool receive(int from, int tag, Visit&& visit) const {
    Parcel parcel;
    bool is_sound = !parcel.receive(channel_, from, tag);
    visit([&](auto& part) { is_sound = is_sound && parcel.get(part); });
    return is_sound;
  }

  Channel const& channel_;
  Tree tree_;
};

}  // namespace

void exchange_hosts(RowContext const& context, bool with_pairs, MessageTotals& totals, Channel const& channel,
                    OwnRows& rows) {
  HostExchange const exchange(context.facts, channel);
  HostRanks hosts;
  hosts.take(context.facts.host, context.facts.rank);
  exchange.gather(hosts);
  exchange.tell(hosts);
  if (hosts.is_whole()) hosts.order_by_rank();
  Messages messages;
  messages.is_across_known = hosts.is_whole();
  if (hosts.is_whole()) {
    Placements const others(hosts);
    messages.is_across_known = others.is_whole();
    if (others.is_whole()) messages.across = bytes_across(context, hosts, others);
    if (with_pairs) messages.pairs.take(context, hosts);
  }
  exchange.gather(messages);
  if (!exchange.is_root()) return;
  totals.across = messages.across;
  totals.is_across_known = messages.is_across_known ? 1 : 0;
  if (with_pairs)
    rows.add(File::host_pairs, [&](TextWriter& out) { return messages.pairs.write(totals, hosts.names(), out); });
}

}  // namespace commprof
