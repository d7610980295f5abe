#include "comm_naming/registry.hpp"

#include <charconv>

#include "profile/dropped.hpp"

namespace commprof {

CommIndex Registry::append(Creation const& creation) {
  Communicator* const record = records_.append();
  if (record == nullptr) {
    dropped::count(Dropped::communicators);
    return CommIndex::unknown;
  }
  record->parent = creation.parent;
  record->created_by = creation.created_by;
  record->letter = creation.letter;
  record->ordinal = creation.ordinal;
  if (creation.parent != CommIndex::unknown) record->depth = (*this)[creation.parent].depth + 1;
  return static_cast<CommIndex>(records_.size() - 1);
}

CommIndex Registry::add(Creation const& creation) {
  if (creation.parent == CommIndex::unknown) return append(creation);
  Communicator const& parent = (*this)[creation.parent];
  if (parent.is_folded) return fold(parent.parent, creation);
  if (creation.ordinal > max_children_ || parent.depth >= max_depth) return fold(creation.parent, creation);
  return append(creation);
}

CommIndex Registry::fold(CommIndex ancestor, Creation const& creation) {
  dropped::count(Folded::communicators);
  Communicator& parent = (*this)[ancestor];
  for (CommIndex index = parent.first_fold; index != CommIndex::unknown; index = (*this)[index].next_fold) {
    Communicator& record = (*this)[index];
    if (record.letter != creation.letter) continue;
    ++record.instances;
    return index;
  }
  CommIndex const index = append({ancestor, creation.created_by, creation.letter, 0});
  if (index == CommIndex::unknown) return index;
  Communicator& record = (*this)[index];
  record.is_folded = true;
  record.size = parent.size;
  record.remote_size = parent.remote_size;
  record.members = parent.members;
  record.next_fold = parent.first_fold;
  parent.first_fold = index;
  return index;
}

CommIndex Registry::set_own_name(CommIndex index, std::string_view name) {
  if (name.ends_with('*')) {
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

bool Registry::is_private(CommIndex index) const {
  while ((*this)[index].parent != CommIndex::unknown) index = (*this)[index].parent;
  return index == CommIndex::self;
}

CommIndex Registry::find_by_handle(std::uint64_t handle) const {
  for (std::size_t i = records_.size(); i-- > 0;)
    if (records_[i].handle == handle && !is_freed(static_cast<CommIndex>(i))) return static_cast<CommIndex>(i);
  return CommIndex::unknown;
}

std::string_view Registry::name(CommIndex index, char* room) const {
  CommIndex path[max_depth + 2];
  std::size_t steps = 0;
  for (; index != CommIndex::unknown && steps < max_depth + 2; index = (*this)[index].parent) {
    path[steps++] = index;
    if ((*this)[index].own_name.length > 0) break;
  }

  char* end = room;
  char* const limit = room + max_name;
  auto const put = [&](std::string_view text) {
    for (char const c : text)
      if (end < limit) *end++ = c;
  };
  auto const put_number = [&](auto number, int base = 10) { end = std::to_chars(end, limit, number, base).ptr; };

  while (steps > 0) {
    CommIndex const step = path[--steps];
    Communicator const& comm = (*this)[step];
    if (comm.own_name.length > 0) {
      put(text(comm.own_name));
    } else if (step == CommIndex::world) {
      put("W");
    } else if (step == CommIndex::self) {
      put("SELF");
    } else if (comm.letter == Letter::foreign) {
      put("U");
      put_number(comm.ordinal);
      put(".");
      put_number(comm.smallest_parent_rank);
      put(".");
      put_number(comm.group_hash, 16);
    } else {
      char const suffix[] = {'_', static_cast<char>(comm.letter)};
      put({suffix, 2});
      if (comm.is_folded) {
        put("*");
      } else {
        put_number(comm.ordinal);
        if (comm.smallest_parent_rank >= 0) {
          put(".");
          put_number(comm.smallest_parent_rank);
        }
      }
    }
  }
  return {room, static_cast<std::size_t>(end - room)};
}

}  // namespace commprof
