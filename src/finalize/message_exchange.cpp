#include <algorithm>
#include <span>
#include <tuple>

#include "finalize/exchanges.hpp"
#include "finalize/gather.hpp"
#include "request_table/requests.hpp"

namespace commprof {

namespace {

using sparse_exchange::Part;

// Questions, and the answers with the next tag; those of hops in even and in odd rounds.
constexpr int tag_of_counts = tag_of_messages, tag_of_levels = tag_of_messages + 1,
              tag_of_questions = tag_of_messages + 2, tag_of_hops = tag_of_messages + 4,
              tag_of_rows_up = tag_of_messages + 8, tag_of_rows_down = tag_of_rows_up + tags_of_parcel;
static_assert(tag_of_rows_down + tags_of_parcel == tag_of_messages + tags_of_messages);

constexpr std::uint64_t most_asked = std::uint64_t{1} << 17;  // questions that a process answers
constexpr std::uint64_t most_hops = std::uint64_t{1} << 17;   // instants that all processes together may follow

// The parts of an ordered array, by the process of each value.
template <class Value, class ToOf>
void find_parts(PageVector<Value> const& values, ToOf&& to_of, PageVector<Part>& parts) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    int const to = to_of(*(values.begin() + i));
    bool const is_next = parts.size() == 0 || (parts.end() - 1)->to != to;
    if (is_next && !parts.push_back({to, i, 0})) return parts.clear();
    ++(parts.end() - 1)->count;
  }
}
std::span<Part const> all_of(PageVector<Part> const& parts) { return {parts.begin(), parts.size()}; }

// Asks processes in parts of an ordered array of questions, and answers theirs. answer(question) is the answer to
// another process's; take(index, answer) gets that to this process's. A process that has no room for all its answers
// gives none. False: answers that follow a lost one would be those of other questions.
template <class Question, class Answer, class AnswerIt, class Take>
bool ask_and_answer(Channel const& channel, int tag, PageVector<Question> const& questions, PageVector<Part>& parts,
                    AnswerIt&& answer, Take&& take) {
  PageVector<Answer> answers;
  PageVector<Part> to_askers;
  bool can_answer = true;
  can_answer &= exchange_sparsely(channel, tag, questions.begin(), all_of(parts),
                                  [&](int from, std::span<Question const> values) {
                                    Part const part{from, answers.size(), values.size()};
                                    for (Question const& one : values) can_answer &= answers.push_back(answer(one));
                                    can_answer &= to_askers.push_back(part);
                                  });
  if (!can_answer) to_askers.clear();
  return exchange_sparsely(
      channel, tag + 1, answers.begin(), all_of(to_askers), [&](int from, std::span<Answer const> values) {
        Part* const part = std::find_if(parts.begin(), parts.end(), [&](Part const& one) { return one.to == from; });
        if (part == parts.end() || part->count < values.size()) return;
        for (Answer const& one : values) take(part->first++, one);
        part->count -= values.size();
      });
}

class MessageExchange {
 public:
  MessageExchange(OwnMessageWaits& own, RunFacts const& facts, Channel const& channel)
      : own_(own), ranks_(facts.ranks), channel_(channel), tree_(facts.rank, facts.ranks) {}

  void find_levels();
  void ask();
  void follow_chains();
  void merge_rows();

 private:
  void hop(int round, PageVector<OwnMessageWaits::Link>& links);
  void send(int to, int tag, MessageRows const& rows) const;
  void receive(int from, int tag, MessageRows& rows) const;

  OwnMessageWaits& own_;
  int ranks_;
  Channel const& channel_;
  Tree tree_;
};

void MessageExchange::find_levels() {
  std::uint64_t const free = most_asked / 2 / static_cast<std::uint64_t>(ranks_);
  PageVector<Part> asked, told;
  find_parts(
      own_.questions(), [](OwnMessageWaits::ToAsk const& one) { return one.to; }, asked);
  PageVector<std::uint64_t> counts;
  for (Part const& part : asked) {
    if (part.count <= free) continue;
    if (counts.push_back(part.count)) told.push_back({part.to, counts.size() - 1, 1});
  }
  PageVector<Part> to_askers;  // all get the same level
  std::uint64_t sum = 0;
  exchange_sparsely(channel_, tag_of_counts, counts.begin(), all_of(told),
                    [&](int from, std::span<std::uint64_t const> values) {
                      for (std::uint64_t const questions : values) sum += questions;
                      to_askers.push_back({from, 0, 1});
                    });
  std::uint32_t level = 0;
  while (sum >> level > most_asked / 2) ++level;
  struct Level {
    int of;
    std::uint32_t level;
  };
  PageVector<Level> known;
  exchange_sparsely(channel_, tag_of_levels, &level, all_of(to_askers),
                    [&](int from, std::span<std::uint32_t const> values) {
                      if (!values.empty()) known.push_back({from, values[0]});
                    });
  std::sort(known.begin(), known.end(), [](Level const& a, Level const& b) { return a.of < b.of; });
  own_.thin([&](int process) {
    Level const* const found =
        std::lower_bound(known.begin(), known.end(), process, [](Level const& one, int of) { return one.of < of; });
    return found != known.end() && found->of == process ? found->level : 0U;
  });
}

void MessageExchange::ask() {
  PageVector<OwnMessageWaits::ToAsk> const& asked = own_.questions();
  PageVector<MessageQuestion> questions;
  PageVector<Part> parts;
  find_parts(
      asked, [](OwnMessageWaits::ToAsk const& one) { return one.to; }, parts);
  for (OwnMessageWaits::ToAsk const& one : asked)
    if (!questions.push_back(one.question)) parts.clear();
  PageVector<char> is_answered;
  if (!is_answered.resize(asked.size())) parts.clear();
  std::fill(is_answered.begin(), is_answered.end(), 0);
  bool const is_sound = ask_and_answer<MessageQuestion, MessageAnswer>(
      channel_, tag_of_questions, questions, parts, [&](MessageQuestion const& one) { return own_.answer(one); },
      [&](std::size_t i, MessageAnswer const& answer) {
        own_.take(*(asked.begin() + i), answer);
        *(is_answered.begin() + i) = 1;
      });
  if (!is_sound) own_.doubt();
  // A process that does not answer knows nothing.
  for (std::size_t i = 0; i < asked.size(); ++i)
    if (is_answered.size() == 0 || *(is_answered.begin() + i) == 0) own_.take(*(asked.begin() + i), {});
}

// Asks the process at the end of each known chain whom it waits for.
void MessageExchange::hop(int round, PageVector<OwnMessageWaits::Link>& links) {
  struct ToAsk {
    int to;
    std::uint32_t link;
    instants::Cell cell;
  };
  PageVector<ToAsk> asked;
  for (OwnMessageWaits::Link const& link : links)
    if (!link.is_at_end) asked.push_back({link.ahead.to, static_cast<std::uint32_t>(&link - links.begin()), link.cell});
  std::sort(asked.begin(), asked.end(),
            [](ToAsk const& a, ToAsk const& b) { return std::tuple(a.to, a.link) < std::tuple(b.to, b.link); });
  PageVector<instants::Cell> questions;
  PageVector<Part> parts;
  find_parts(
      asked, [](ToAsk const& one) { return one.to; }, parts);
  for (ToAsk const& one : asked)
    if (!questions.push_back(one.cell)) parts.clear();
  bool const is_sound = ask_and_answer<instants::Cell, OwnMessageWaits::Ahead>(
      channel_, tag_of_hops + round % 2 * 2, questions, parts,
      [&](instants::Cell cell) { return own_.waits_for(cell); },
      [&](std::size_t i, OwnMessageWaits::Ahead const& next) {
        OwnMessageWaits::follow(*(links.begin() + (asked.begin() + i)->link), next);
      });
  if (!is_sound) links.clear();
}

void MessageExchange::follow_chains() {
  unsigned level = 0;
  while (static_cast<std::uint64_t>(ranks_) * instants::most >> level > most_hops * 8) ++level;
  PageVector<OwnMessageWaits::Link>& links = own_.chain(level);
  int const rounds = OwnMessageWaits::rounds(ranks_);
  for (int round = 0; round < rounds; ++round) hop(round, links);
}

void MessageExchange::send(int to, int tag, MessageRows const& rows) const {
  Parcel parcel;
  parcel.put(rows.heads);
  parcel.put(rows.rows);
  parcel.put(rows.is_whole);
  parcel.send(channel_, to, tag);
}

void MessageExchange::receive(int from, int tag, MessageRows& rows) const {
  Parcel parcel;
  bool const is_there = !parcel.receive(channel_, from, tag) && parcel.get(rows.heads) && parcel.get(rows.rows) &&
                        parcel.get(rows.is_whole);
  if (is_there) return;
  rows.heads.clear();
  rows.rows.clear();
  rows.is_whole = false;
}

void MessageExchange::merge_rows() {
  MessageRows all, told_by[Tree::most_children];
  all.join(own_.rows());
  std::span<int const> const children = tree_.children();
  for (std::size_t i = 0; i < children.size(); ++i) {
    receive(children[i], tag_of_rows_up, told_by[i]);
    all.join(told_by[i]);
    told_by[i].rows.release();
  }
  if (!tree_.is_root()) {
    MessageRows whole, part, answer;
    all.select(whole, [](MessageHead const& head) { return head.is_complete(); });
    all.select(part, [](MessageHead const& head) { return !head.is_complete(); });
    send(tree_.parent(), tag_of_rows_up, part);
    receive(tree_.parent(), tag_of_rows_down, answer);
    whole.join(answer);
    all.heads.swap(whole.heads);
    all.rows.swap(whole.rows);
  }
  auto const are_wanted_by = [](MessageRows const& those) {
    return [&](MessageHead const& head) {
      MessageHead const* const told = those.find(head.comm);
      return told != nullptr && told->is_wanted != 0;
    };
  };
  for (std::size_t i = children.size(); i-- > 0;) {
    MessageRows answer;
    all.select(answer, are_wanted_by(told_by[i]));
    send(children[i], tag_of_rows_down, answer);
  }
  MessageRows result;
  all.select(result, are_wanted_by(own_.rows()));
  own_.rows().heads.swap(result.heads);
  own_.rows().rows.swap(result.rows);
}

}  // namespace

void exchange_messages(OwnMessageWaits& own, RowContext const& context, CommonClock const& clock,
                       Channel const& channel) {
  MessageWaits& waits = message_waits::of_process;
  waits.stop();
  requests::for_each_pending([&](PendingRequest const& request) {
    if (request.is_pending()) waits.add_pending(request.key, request.since);
  });
  waits.order(clock);
  own.begin(waits, context.facts.rank, context.rate);
  take_communicators(own, context.registry, context.facts.rank);
  own.ask();
  MessageExchange exchange(own, context.facts, channel);
  exchange.find_levels();
  exchange.ask();
  exchange.follow_chains();
  own.count(context.records, context.sites);
  own.finish();
  exchange.merge_rows();
}

}  // namespace commprof
