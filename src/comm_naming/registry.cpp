#include "comm_naming/registry.hpp"

#include <charconv>

#include "base/dropped.hpp"
#include "counters/counters.hpp"

namespace commprof {

Communicator const no_communicator;

[[gnu::hot]] Communicator* Registry::append(Creation const& creation, std::uint32_t depth) {
  Communicator* const record = records_.append([&](Communicator& made) {
    made.index = static_cast<CommIndex>(records_.size());
    made.parent = creation.parent;
    made.created_by = creation.created_by;
    made.letter = creation.letter;
    made.ordinal = creation.ordinal;
    made.depth = depth;
  });
  if (record == nullptr) dropped::count(Dropped::communicators);
  return record;
}

[[gnu::hot]] Communicator* Registry::add_child(Communicator& parent, Op created_by, Letter letter,
                                               std::uint32_t ordinal) {
  CommIndex const ancestor = folds_into(parent, ordinal);
  if (ancestor != CommIndex::unknown) return fold((*this)[ancestor], created_by, letter);
  return append({parent.index, created_by, letter, ordinal}, parent.depth + 1);
}

[[gnu::hot]] Communicator* Registry::fold(Communicator& ancestor, Op created_by, Letter letter) {
  dropped::count_alone(Folded::communicators);
  for (CommIndex index = ancestor.first_fold; index != CommIndex::unknown;) {
    Communicator& record = (*this)[index];
    if (record.letter == letter) {
      ++record.instances;
      return &record;
    }
    index = record.next_fold;
  }
  Communicator* const record = append({ancestor.index, created_by, letter}, ancestor.depth + 1);
  if (record == nullptr) return nullptr;
  record->is_folded = true;
  record->size = ancestor.size;
  record->remote_size = ancestor.remote_size;
  record->members = ancestor.members;
  record->next_fold = ancestor.first_fold;
  ancestor.first_fold = record->index;
  return record;
}

CommIndex Registry::set_own_name(CommIndex index, std::string_view name) {
  if (name.ends_with('*')) {
    (*this)[index].is_folded = true;
    dropped::count_alone(Folded::communicators);
    for (std::size_t i = 0; i < records_.size(); ++i) {
      if (text(records_[i].own_name) != name) continue;
      ++records_[i].instances;
      (*this)[index].instances = 0;
      return static_cast<CommIndex>(i);
    }
  }
  (*this)[index].own_name = store(name);
  return index;
}

bool Registry::makes_sense(Communicator const& record, std::size_t place) {
  bool const has_letter = record.letter == Letter::none || record.letter == Letter::foreign ||
                          (static_cast<char>(record.letter) >= 'a' && static_cast<char>(record.letter) <= 'z');
  bool const has_parent = record.parent == CommIndex::unknown || static_cast<std::size_t>(record.parent) < place;
  return static_cast<std::size_t>(record.index) == place && has_parent && has_letter && record.size >= 0 &&
         record.remote_size >= 0;
}

Registry::Description Registry::describe(CommIndex index) const {
  std::lock_guard const lock(mutex);
  Communicator const& record = (*this)[index];
  return {.parent = record.parent,
          .created_by = record.created_by,
          .created_at = record.created_at,
          .reorder = record.reorder,
          .is_folded = record.is_folded,
          .is_lead_side = record.is_lead_side,
          .is_described_here = record.is_described_here,
          .is_in_use = record.instances > 0,
          .is_freed = is_freed(index),
          .total_size = record.total_size(),
          .members = record.members,
          .topology = record.topology,
          .user_name = record.user_name};
}

bool Registry::is_private(CommIndex index) const {
  while ((*this)[index].parent != CommIndex::unknown) index = (*this)[index].parent;
  return index == CommIndex::self;
}

bool Registry::has_same_members_on_all(Communicator const& comm) const {
  if (comm.is_folded || comm.is_inter || comm.spans_worlds || comm.size < 2) return false;
  // If a creation call was not seen, the members may have different names.
  Communicator const* ancestor = &comm;
  while (ancestor->letter != Letter::foreign && ancestor->parent != CommIndex::unknown)
    ancestor = &(*this)[ancestor->parent];
  return ancestor->index == CommIndex::world || ancestor->own_name.length > 0;
}

CommIndex Registry::find_by_handle(std::uint64_t handle) const {
  for (std::size_t i = records_.size(); i-- > 0;)
    if (records_[i].has_handle(handle) && !is_freed(static_cast<CommIndex>(i))) return static_cast<CommIndex>(i);
  return CommIndex::unknown;
}

namespace {

// Adds to a name as far as its room goes.
class NameWriter {
 public:
  explicit NameWriter(char* room) : room_(room) {}
  void put(std::string_view text) {
    for (char const c : text)
      if (length_ < Registry::max_name) room_[length_++] = c;
  }
  template <class Number>
  void put_number(Number number, int base = 10) {
    char digits[24];
    put({digits, static_cast<std::size_t>(std::to_chars(digits, digits + sizeof digits, number, base).ptr - digits)});
  }
  // ordinal: 0 for what is folded.
  void put_step(Letter letter, std::uint32_t ordinal) {
    char const suffix[] = {'_', static_cast<char>(letter)};
    put({suffix, 2});
    if (ordinal == 0) put("*");
    else put_number(ordinal);
  }
  std::string_view view() const { return {room_, length_}; }

 private:
  char* room_;
  std::size_t length_ = 0;
};

}  // namespace

std::string_view Registry::name_of_child(CommIndex parent, Letter letter, std::uint32_t ordinal, char* room) const {
  CommIndex const ancestor = folds_into((*this)[parent], ordinal);
  char parent_room[max_name];
  NameWriter out(room);
  out.put(name(ancestor == CommIndex::unknown ? parent : ancestor, parent_room));
  out.put_step(letter, ancestor == CommIndex::unknown ? ordinal : 0);
  return out.view();
}

std::string_view Registry::name(CommIndex index, char* room) const {
  CommIndex path[max_depth + 2];
  std::size_t steps = 0;
  for (; index != CommIndex::unknown && steps < max_depth + 2; index = (*this)[index].parent) {
    path[steps++] = index;
    if ((*this)[index].own_name.length > 0) break;
  }

  NameWriter out(room);
  while (steps > 0) {
    CommIndex const step = path[--steps];
    Communicator const& comm = (*this)[step];
    if (comm.own_name.length > 0) {
      out.put(text(comm.own_name));
    } else if (step == CommIndex::world) {
      out.put("W");
    } else if (step == CommIndex::self) {
      out.put("SELF");
    } else if (comm.letter == Letter::foreign) {
      out.put("U");
      out.put_number(comm.ordinal);
      out.put(".");
      out.put_number(comm.smallest_parent_rank);
      out.put(".");
      out.put_number(comm.group_hash, 16);
    } else {
      out.put_step(comm.letter, comm.is_folded ? 0 : comm.ordinal);
      if (!comm.is_folded && comm.smallest_parent_rank >= 0) {
        out.put(".");
        out.put_number(comm.smallest_parent_rank);
      }
    }
  }
  return out.view();
}

}  // namespace commprof
