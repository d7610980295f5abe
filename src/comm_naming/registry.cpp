#include "comm_naming/registry.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/dropped.hpp"
#include "base/hash.hpp"
#include "counters/counters.hpp"

namespace commprof {

Communicator const no_communicator;

[[gnu::hot]] Communicator* Registry::append(Creation const& creation, unsigned depth) {
  Communicator* const record = records_.append([&](Communicator& made) {
    made.index = static_cast<CommIndex>(records_.size());
    made.parent = creation.parent;
    made.created_by = creation.created_by;
    made.letter = creation.letter;
    made.ordinal = creation.ordinal;
    made.depth = static_cast<std::uint16_t>(depth);
  });
  if (record == nullptr) dropped::count(Dropped::communicators);
  return record;
}

[[gnu::hot]] Communicator* Registry::add_child(Communicator& parent, Op created_by, Letter letter,
                                               std::uint32_t ordinal) {
  CommIndex const ancestor = folds_into(parent, ordinal);
  if (ancestor != CommIndex::unknown) return fold((*this)[ancestor], created_by, letter);
  return append({parent.index, created_by, letter, ordinal}, parent.depth + 1U);
}

[[gnu::hot]] Communicator* Registry::fold(Communicator& ancestor, Op created_by, Letter letter) {
  dropped::count(Folded::communicators);
  for (CommIndex index = ancestor.first_fold; index != CommIndex::unknown;) {
    Communicator& record = (*this)[index];
    if (record.letter == letter) {
      ++record.instances;
      return &record;
    }
    index = record.next_fold;
  }
  Communicator* const record = append({ancestor.index, created_by, letter}, ancestor.depth + 1U);
  if (record == nullptr) return nullptr;
  record->is_folded = true;
  record->size = ancestor.size;
  record->remote_size = ancestor.remote_size;
  record->members = ancestor.members;
  record->next_fold = ancestor.first_fold;
  ancestor.first_fold = record->index;
  return record;
}

Communicator* Registry::add_of_members(Communicator& parent, Op created_by, Letter letter, MembersOfCall const& call) {
  if (parent.is_folded) return fold((*this)[parent.parent], created_by, letter);
  char room[max_name];
  std::string_view const parent_name = name(parent.index, room);
  if (parent.depth >= max_depth || parent_name.size() > max_name_above_members) return fold(parent, created_by, letter);

  std::uint64_t const key =
      scattered(hash_of(parent_name) ^ scattered(call.hash() ^ static_cast<std::uint64_t>(letter)));
  auto const ordinal = next_of_group(key, parent);
  if (!ordinal) return nullptr;
  if (*ordinal == 0) return fold(parent, created_by, letter);
  Communicator* const record = append({parent.index, created_by, letter, *ordinal}, parent.depth + 1U);
  if (record == nullptr) return nullptr;
  char part_room[NameWriter::max_members];
  NameWriter part(part_room, sizeof part_room);
  part.put_members(call);
  record->name_part = store(part.view());
  return record;
}

// The ordinal of a communicator of a group; 0 if it is to be folded, nothing if memory is used up. A process may be a
// member of any number of groups: beyond the limit, further ones are not remembered.
std::optional<std::uint32_t> Registry::next_of_group(std::uint64_t key, Communicator& parent) {
  if (parent.made_by_members >= max_children_) return 0;
  std::uint32_t* const count = groups_.find_or_add(key == 0 ? 1 : key);
  if (count == nullptr) {
    dropped::count(Dropped::communicators);
    return {};
  }
  if (*count < UINT32_MAX) ++*count;
  if (*count > max_children_) return 0;
  ++parent.made_by_members;
  return *count;
}

CommIndex Registry::add_root(std::string_view name, Op created_by, Letter letter) {
  Communicator* const record = append({CommIndex::unknown, created_by, letter}, 0);
  if (record != nullptr) record->name_part = store(name);
  return index_of(record);
}

Communicator* Registry::add_foreign(RankSet const& group) {
  Communicator& world = (*this)[CommIndex::world];
  auto const ordinal = next_of_group(scattered(group.hash()), world);
  if (!ordinal) return nullptr;
  if (*ordinal == 0) return fold(world, {}, Letter::foreign);
  Communicator* const record = append({CommIndex::unknown, {}, Letter::foreign, *ordinal}, 0);
  if (record == nullptr) return nullptr;
  char room[NameWriter::max_members];
  NameWriter part(room, sizeof room);
  part.put(".");
  part.put_number(group.smallest());
  part.put(".");
  part.put_number(group.short_hash(), 16);
  record->name_part = store(part.view());
  return record;
}

Communicator Registry::copy_of(CommIndex index) const {
  std::lock_guard const lock(mutex);
  return (*this)[index];
}

// The room is a power of two, so that names that grow bit by bit leave less than its size behind. A reader of the spool
// may find parts of two names if the process is killed here.
void Registry::rename(Communicator& record, std::string_view name) {
  constexpr std::size_t least_room = 64;
  if (name.size() > record.user_name.length)
    record.user_name = texts_.add_room(std::bit_ceil(std::max(name.size(), least_room)));
  if (record.user_name.length == 0) return;
  char* const room = texts_.room(record.user_name);
  std::memset(room + name.size(), 0, record.user_name.length - name.size());
  std::memcpy(room, name.data(), name.size());
}

std::string_view Registry::user_name(CommIndex index, char* room) const {
  std::lock_guard const lock(mutex);
  std::string_view const stored = text((*this)[index].user_name);
  return {room, stored.substr(0, stored.find('\0')).copy(room, max_user_name)};
}

bool Registry::is_private(CommIndex index) const {
  while ((*this)[index].parent != CommIndex::unknown) index = (*this)[index].parent;
  return index == CommIndex::self;
}

bool Registry::is_named_alike(Communicator const& comm) const {
  if (comm.is_folded || comm.spans_worlds) return false;
  Communicator const* root = &comm;
  while (root->parent != CommIndex::unknown) root = &(*this)[root->parent];
  // If a creation call was not seen, the members may have different names.
  return root->letter != Letter::foreign;
}

bool Registry::has_same_members_on_all(Communicator const& comm) const {
  return is_named_alike(comm) && !comm.is_inter && comm.size > 1 && !is_private(comm.index);
}

// Looks at all records, at the latest first: only a call that fails has to ask. What was found last is asked first.
CommIndex Registry::find_by_handle(std::uint64_t handle) {
  auto const is_live = [&](CommIndex index) { return (*this)[index].has_handle(handle) && !is_freed(index); };
  CommIndex& last = found_[scattered(handle) % found_.size()];
  for (CommIndex const likely : {last, CommIndex::world, CommIndex::self})
    if (is_live(likely)) return likely;
  for (std::size_t i = records_.size(); i-- > 0;)
    if (auto const index = static_cast<CommIndex>(i); is_live(index)) return last = index;
  return CommIndex::unknown;
}

std::string_view Registry::name(CommIndex index, char* room) const {
  CommIndex path[max_depth + 2];
  std::size_t steps = 0;
  for (; index != CommIndex::unknown && steps < max_depth + 2; index = (*this)[index].parent) path[steps++] = index;

  NameWriter out(room);
  while (steps > 0) {
    Communicator const& comm = (*this)[path[--steps]];
    if (comm.index == CommIndex::world) {
      out.put("W");
    } else if (comm.index == CommIndex::self) {
      out.put("SELF");
    } else if (comm.parent != CommIndex::unknown) {
      out.put_step(comm.letter, comm.is_folded ? 0 : comm.ordinal);
    } else if (comm.letter == Letter::foreign) {
      out.put("U");
      out.put_number(comm.ordinal);
    }
    if (!comm.is_folded && comm.smallest_parent_rank >= 0) {
      out.put(".");
      out.put_number(comm.smallest_parent_rank);
    }
    out.put(text(comm.name_part));
  }
  return out.view();
}

void Origins::add(std::uint64_t handle, CommIndex comm) {
  Guard const lock(mutex_);
  CommIndex* const of_handle = handle == 0 ? nullptr : comms_.find_or_add(handle);
  if (of_handle == nullptr) return dropped::count(Dropped::requests);
  *of_handle = comm;
}

CommIndex Origins::of(std::uint64_t handle) {
  Guard const lock(mutex_);
  CommIndex const* const comm = handle == 0 ? nullptr : comms_.find(handle);
  return comm == nullptr ? CommIndex::unknown : *comm;
}

CommIndex Origins::take(std::uint64_t handle) {
  Guard const lock(mutex_);
  CommIndex* const of_handle = handle == 0 ? nullptr : comms_.find(handle);
  if (of_handle == nullptr) return CommIndex::unknown;
  CommIndex const comm = *of_handle;
  comms_.erase(*of_handle);
  return comm;
}

}  // namespace commprof
