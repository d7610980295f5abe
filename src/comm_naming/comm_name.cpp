#include "comm_naming/comm_name.hpp"

#include <utility>

namespace commprof {

namespace {

constexpr std::size_t max_text_of_tag = 16;

bool is_letter_or_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Whether a text can stand in a name as it is, in any file and list.
bool is_plain(std::string_view text) {
  return text.size() <= max_text_of_tag && std::all_of(text.begin(), text.end(), is_letter_or_digit);
}

std::uint64_t hash_of(CallTag const& tag) {
  return scattered(commprof::hash_of(tag.text()) ^ static_cast<std::uint32_t>(tag.number));
}

}  // namespace

MembersOfCall MembersOfCall::of(RankSet const& one, RankSet const& other) {
  MembersOfCall call;
  call.group = one;
  call.other_group = other;
  if (other.count() > 0 && other.smallest() < one.smallest()) std::swap(call.group, call.other_group);
  return call;
}

std::uint64_t MembersOfCall::hash() const {
  return scattered(scattered(group.hash() + 1) ^ scattered(other_group.hash() + 2) ^ scattered(hash_of(tag) + 3));
}

void NameWriter::put_ranks(RankSet const& ranks) {
  put_number(ranks.smallest());
  if (ranks.count() <= 1) return;
  if (!ranks.is_range()) {
    put(".");
    return put_number(ranks.short_hash(), 16);
  }
  put("-");
  put_number(ranks.largest());
  if (ranks.stride() == 1) return;
  put(":");
  put_number(ranks.stride());
}

void NameWriter::put_tag(CallTag const& tag) {
  if (tag.number != 0) {
    put(".t");
    put_number(tag.number);
  }
  if (tag.length == 0) return;
  put(".");
  if (is_plain(tag.text())) put(tag.text());
  else put_number(static_cast<std::uint32_t>(hash_of(tag)), 16);
}

void NameWriter::put_members(MembersOfCall const& call) {
  put(".");
  put_ranks(call.group);
  if (call.other_group.count() > 0) {
    put(".");
    put_ranks(call.other_group);
  }
  put_tag(call.tag);
}

}  // namespace commprof
