// Meetings: who waits at an instant for members of a communicator that have not entered a collective call. Processes in
// the call do not know who is missing, so all members tell when they have entered it.
#include "message_waits/own_message_waits.hpp"

namespace commprof {

bool OwnMessageWaits::ask_members(std::uint32_t index, Awaited const& one) {
  if (!one.has_number() || !is_known_alike(one.comm) || !comm_of(one.comm).has_members) return false;
  Meeting meeting;
  meeting.comm = comm_of(one.comm).name;
  meeting.cell = (hits_.begin() + index)->cell;
  meeting.number = one.number;
  meeting.joint = static_cast<calls::Joint>(one.tag);
  return to_meet_.push_back({index, one}) && meetings_.rows.push_back(meeting);
}

// Members that have made no collective call on a communicator do not meet there.
bool OwnMessageWaits::add_meeting_heads() {
  std::uint32_t index = 0;
  for (Comm const& comm : comms_) {
    auto const of_members = [this, at = static_cast<CommIndex>(index++)](calls::Joint joint) {
      return waits_->counted(StreamKey::of_members(at, joint));
    };
    if (!comm.is_known_alike || comm.members < 2) continue;
    MeetingHead head;
    head.comm = comm.name;
    head.members = comm.members;
    head.joined = head.is_wanted = 1;
    head.least = head.most = {.calls = {of_members(calls::Joint::communicator), of_members(calls::Joint::window),
                                        of_members(calls::Joint::file)},
                              .creations = comm.creations};
    if (head.has_counts() && !meetings_.heads.push_back(head)) return false;
  }
  return true;
}

void OwnMessageWaits::answer_meetings() {
  Ticks const both_clocks = waits_->clock_error() + waits_->clock_error();
  for (MeetingHead& head : meetings_.heads) head.joined = 1;
  for (Meeting& meeting : meetings_.rows) {
    PlacedInstants::One const* const instant = waits_->instants().find(meeting.cell);
    StreamKey const key = StreamKey::of_members(find(meeting.comm), meeting.joint);
    MessageWaits::Answer const answer = waits_->answer(key, {.number = meeting.number,
                                                             .cell = meeting.cell,
                                                             .at = instant == nullptr ? Ticks{} : instant->at,
                                                             .exit = {UINT64_MAX},
                                                             .clock_error = both_clocks});
    bool const is_late = answer.told == MessageWaits::Told::after;
    bool const is_known =
        is_late ? answer.when != Ticks{UINT64_MAX} || !waits_->is_cut_off() : answer.told == MessageWaits::Told::before;
    meeting.level = static_cast<std::uint8_t>(waits_->level());
    meeting.is_left_out = answer.told == MessageWaits::Told::not_kept;
    meeting.is_close = answer.is_close;
    meeting.is_surely_late = is_late && is_known && !answer.is_close;
    meeting.earliest = is_late && is_known ? answer.when : Ticks{UINT64_MAX};
    meeting.known = is_known ? 1 : 0;
    meeting.last_rank = is_late && is_known ? rank_ : -1;
    meeting.latest = answer.when;
    meeting.coming = coming_of(answer);
  }
}

void OwnMessageWaits::take_meetings(bool must_agree) {
  for (Comm& comm : comms_) {
    MeetingHead const* const head = meetings_.find(comm.name);
    bool const is_named = comm.named_after != CommIndex::unknown;
    Comm const* const ancestor = is_named ? &comm_of(comm.named_after) : nullptr;
    MeetingHead const* const of_ancestor = is_named ? meetings_.find(ancestor->name) : nullptr;
    bool const are_creations_alike = of_ancestor == nullptr || of_ancestor->agrees_in_creations();
    comm.is_name_in_doubt = must_agree && is_named && (ancestor->is_name_in_doubt || !are_creations_alike);
    for (std::size_t joint = 0; joint < MeetingHead::Counts::joints && must_agree && head != nullptr; ++joint)
      comm.are_calls_in_doubt[joint] = !head->agrees_in(joint);
    if (comm.is_name_in_doubt) comm.is_known_alike = false;
  }
  for (ToMeet const& asked : to_meet_) {
    Awaited const& one = asked.awaited;
    instants::Cell const cell = (hits_.begin() + asked.hit)->cell;
    MessageComm const& comm = comm_of(one.comm).name;
    take(asked, meetings_.find_row(std::tuple(comm, static_cast<calls::Joint>(one.tag), cell, one.number)),
         meetings_.find(comm));
  }
}

void OwnMessageWaits::take(ToMeet const& asked, Meeting const* meeting, MeetingHead const* head) {
  Hit& hit = *(hits_.begin() + asked.hit);
  Counts& counts = hit.of(WaitKind::collective);
  if (meeting == nullptr || head == nullptr || meeting->is_left_out) {
    hit.is_dropped = true;
    return;
  }
  hit.level = std::max(hit.level, meeting->level);
  hit.met_level = std::max(hit.met_level, static_cast<std::uint8_t>(head->level));
  counts.is_close = counts.is_close || (meeting->is_close && !meeting->is_surely_late);
  Ticks const both_clocks = waits_->clock_error() + waits_->clock_error();
  Ticks const exit = end_of(*(waits_->spans().begin() + hit.span)) + both_clocks;
  bool const is_in_doubt = are_calls_in_doubt(asked.awaited.comm, static_cast<calls::Joint>(asked.awaited.tag));
  bool const is_for_last = meeting->last_rank >= 0 && meeting->latest <= exit;  // of those that are known
  if (is_in_doubt ||
      (!is_for_last && (meeting->known < comm_of(asked.awaited.comm).members || meeting->earliest <= exit))) {
    ++counts.unknown;  // it has not needed the last one, but perhaps others
  } else if (!is_for_last) {
    ++counts.fine;
  } else {
    counts.add_late(meeting->last_rank, meeting->latest, meeting->coming,
                    lap_for(meeting->coming, asked.hit, asked.awaited.lap));
  }
}

}  // namespace commprof
