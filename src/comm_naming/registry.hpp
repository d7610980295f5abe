// The records of all communicators that a process has been a member of. A record links to its parent and does not hold
// its history, so it stays small; comm_name.hpp defines how the name follows from the history.
//
// Knows no MPI; communicators.hpp is the part that does.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>

#include "base/ids.hpp"
#include "base/index.hpp"
#include "base/memory.hpp"
#include "comm_naming/comm_name.hpp"

namespace commprof {

// Finds the communicator that an object was made from, by the object's handle and without asking MPI, because the
// handle may be invalid. Any thread may call these functions.
class Origins {
 public:
  // An object was made. An older object with this handle no longer exists, even if its release was not seen.
  void add(std::uint64_t handle, CommIndex comm);
  // CommIndex::unknown if there is no such object.
  CommIndex of(std::uint64_t handle);
  // Forgets an object and returns its communicator. Must be called before the call that releases the object: by the
  // time that returns, another thread may have made another object with this handle.
  CommIndex take(std::uint64_t handle);

 private:
  std::mutex mutex_;
  Index<std::uint64_t, CommIndex> comms_;  // by handle
};

template <Letter... letters>
constexpr bool is_one_of(Letter letter) {
  return ((letter == letters) || ...);
}

// Whether the new communicator may have a topology; also true if the call was not seen.
constexpr bool may_have_topology(Letter letter) {
  return is_one_of<Letter::dup, Letter::cart, Letter::cart_sub, Letter::graph, Letter::dist_graph, Letter::foreign>(
      letter);
}

// Whether the call makes, from an intracommunicator, an intracommunicator of some of its members.
constexpr bool makes_part_of_group(Letter letter) {
  return is_one_of<Letter::split, Letter::split_type, Letter::create, Letter::create_group, Letter::cart,
                   Letter::cart_sub, Letter::graph, Letter::dist_graph>(letter);
}

struct Communicator {
  // own_root if MPI must be asked.
  static constexpr std::int32_t root_unknown = INT32_MIN;
  static constexpr std::int32_t no_integer = INT32_MIN;

  CommIndex index = CommIndex::unknown;  // this record's index
  std::int32_t own_root = root_unknown;  // root argument for this process: its rank or MPI_ROOT; unknown if folded
  std::uint64_t handle = 0;              // handle of the latest instance; 0 once that is freed
  std::int32_t integer = no_integer;  // integer in Fortran; known once the communicator was used there, unless folded
  CommIndex parent = CommIndex::unknown;  // unknown for a root
  CommIndex first_fold = CommIndex::unknown;
  CommIndex next_fold = CommIndex::unknown;
  Op created_by{};
  Letter letter = Letter::none;
  bool is_folded = false;
  bool is_inter = false;
  bool has_all_processes = false;          // of this world, in one group
  std::int8_t reorder = -1;                // the flag of a topology's creation; -1: not applicable
  SiteIndex created_at = SiteIndex::none;  // of a folded record: the first instance's
  std::uint16_t depth = 0;
  std::uint32_t ordinal = 0;
  std::int32_t smallest_parent_rank = -1;  // -1: not part of the name
  std::int32_t size = 0;                   // of the local group; of a folded record: the parent's
  std::int32_t remote_size = 0;            // of the remote group of an intercommunicator, else 0
  std::int32_t rank = 0;                   // of this process; meaningless if folded
  std::uint32_t creations = 0;             // creation calls made on it so far
  std::uint64_t instances = 1;             // communicators that share this record
  std::uint64_t freed = 0;                 // number of these that are freed
  bool is_lead_side = true;                // of an intercommunicator: the group with the smaller world ranks names it
  bool spans_worlds = false;               // it or an ancestor may have members of other worlds
  bool is_described_here = false;          // this process knows the members and the topology
  std::uint32_t made_by_members = 0;       // children with records of their own that only their members have made
  TextRef name_part;                       // what follows the ordinal in the name; of a root without ordinal, the name
  TextRef members;                         // world ranks; valid if is_described_here
  TextRef topology;                        // valid if is_described_here
  TextRef user_name;                       // the room for the name: see Registry::rename()

  // Safe while other threads attach the record to a communicator or free the communicator.
  std::uint64_t handle_now() const {
    return std::atomic_ref(const_cast<std::uint64_t&>(handle)).load(std::memory_order_relaxed);
  }
  bool has_handle(std::uint64_t bits) const { return handle_now() == bits; }
  bool has_integer(std::int32_t given) const {
    return std::atomic_ref(const_cast<std::int32_t&>(integer)).load(std::memory_order_relaxed) == given;
  }
  void show_integer(std::int32_t known) { std::atomic_ref(integer).store(known, std::memory_order_relaxed); }
  // MPI has deleted the instance with that handle. Takes no lock: other threads may call this at the same time.
  void count_freed(std::uint64_t freed_handle) {
    std::atomic_ref const count(freed), current(handle);
    if (!is_folded) [[likely]] {  // the only one
      count.store(1, std::memory_order_relaxed);
      show_integer(no_integer);
      return current.store(0, std::memory_order_relaxed);
    }
    count.fetch_add(1, std::memory_order_relaxed);
    current.compare_exchange_strong(freed_handle, 0, std::memory_order_relaxed);
  }
  // The program has freed an instance that MPI keeps until pending operations end; count_freed() follows.
  void count_kept_by_mpi() {
    if (!is_folded) std::atomic_ref(freed).store(1, std::memory_order_relaxed);
  }
  // The call that made it; nothing if no call was seen.
  std::optional<Op> creation() const {
    return parent == CommIndex::unknown || letter == Letter::foreign ? std::nullopt : std::optional(created_by);
  }
  // Both groups of an intercommunicator together.
  std::int32_t total_size() const { return size + remote_size; }
};

static_assert(sizeof(Communicator) == 144);  // docs/memory.md counts on it

struct Creation {
  CommIndex parent = CommIndex::unknown;
  Op created_by{};
  Letter letter = Letter::none;
  std::uint32_t ordinal = 0;
};

class Registry {
 public:
  // Limits the depth; deeper communicators are folded. The rule depends on the ancestors alone, so all members fold
  // alike.
  static constexpr std::uint32_t max_depth = 64;
  static constexpr std::size_t max_name = NameWriter::max_name;
  // A communicator with a longer name gets no children from add_of_members(), except folded ones. So no name is longer
  // than max_name.
  static constexpr std::size_t max_name_above_members = 400;
  static constexpr std::size_t max_user_name = 1024;

  // Children of one parent beyond this ordinal share one record per letter.
  void set_max_children(std::uint32_t ordinal) { max_children_ = ordinal; }

  // The record for a new communicator: one of its own, or the one it is folded into, whose instances increase by one.
  // A child of a folded record is folded into a record of that record's parent, so the number of records stays bounded.
  // CommIndex::unknown when memory is used up.
  CommIndex add(Creation const& creation) {
    auto const [parent, created_by, letter, ordinal] = creation;
    return index_of(parent == CommIndex::unknown ? append(creation, 0)
                                                 : add_child((*this)[parent], created_by, letter, ordinal));
  }
  // add() with the parent's record. nullptr when memory is used up.
  Communicator* add_child(Communicator& parent, Op created_by, Letter letter, std::uint32_t ordinal);

  // The record for a communicator that only its members have made: of its own or folded, as for add().
  Communicator* add_of_members(Communicator& parent, Op created_by, Letter letter, MembersOfCall const& call);

  // Adds a root with a name of its own.
  CommIndex add_root(std::string_view name, Op created_by, Letter letter);

  // Adds a root for a communicator whose creation was not seen, or folds it into a record of the world. Its members
  // have seen the same number of these communicators of this group, except in contrived programs. group: world ranks.
  Communicator* add_foreign(RankSet const& group);

  Communicator& operator[](CommIndex index) { return records_[static_cast<std::size_t>(index)]; }
  Communicator const& operator[](CommIndex index) const { return records_[static_cast<std::size_t>(index)]; }
  std::size_t size() const { return records_.size(); }

  // Whether all instances are gone.
  bool is_freed(CommIndex index) const {
    Communicator const& record = (*this)[index];
    return std::atomic_ref(const_cast<std::uint64_t&>(record.freed)).load(std::memory_order_relaxed) >=
           record.instances;
  }

  // A consistent copy of a record for a profile. Safe while other threads name the communicator, or create another one
  // that shares its record.
  Communicator copy_of(CommIndex index) const;

  // Gives a communicator the program's name for it, in place of the one before: however often that happens, a
  // communicator stores its name once, in room for the longest so far. The caller holds the mutex.
  void rename(Communicator& record, std::string_view name);
  // A copy of that name in room, which has max_user_name bytes. Safe while other threads rename it.
  std::string_view user_name(CommIndex index, char* room) const;

  // Hold it to change records that other threads may read. Do not hold it around a call that sets, copies or deletes
  // attributes: MPI runs the callbacks, ours among them, while it holds locks of its own.
  mutable std::mutex mutex;

  // Whether the record stands for one communicator with one group of two or more members, all of them processes of this
  // world that know it by the same name.
  bool has_same_members_on_all(Communicator const& comm) const;

  // Whether all members, in both groups of an intercommunicator, are processes of this world that know the communicator
  // by the same name, and no other one of theirs has that name.
  bool is_named_alike(Communicator const& comm) const;

  // Whether the communicator descends from this process's MPI_COMM_SELF. Each process has such a tree, with the same
  // names.
  bool is_private(CommIndex index) const;

  // The live communicator of a handle, found without asking MPI; unknown if there is none. The caller holds the mutex.
  CommIndex find_by_handle(std::uint64_t handle);

  // Writes the name into room, which has max_name bytes. The result is a view of room.
  std::string_view name(CommIndex index, char* room) const;

  TextRef store(std::string_view text, std::size_t max_length = UINT32_MAX) { return texts_.add(text, max_length); }
  std::string_view text(TextRef ref) const { return texts_.view(ref); }

 private:
  static CommIndex index_of(Communicator const* record) {
    return record == nullptr ? CommIndex::unknown : record->index;
  }
  // The record whose folded children a child joins; unknown if the child gets a record of its own.
  CommIndex folds_into(Communicator const& parent, std::uint32_t ordinal) const {
    if (parent.is_folded) [[unlikely]]
      return parent.parent;
    return ordinal > max_children_ || parent.depth >= max_depth ? parent.index : CommIndex::unknown;
  }
  Communicator* fold(Communicator& ancestor, Op created_by, Letter letter);
  Communicator* append(Creation const& creation, unsigned depth);
  std::optional<std::uint32_t> next_of_group(std::uint64_t key, Communicator& parent);

  std::uint32_t max_children_ = 1000;
  // How many communicators with certain members this process has created from one parent by calls that only the members
  // make; the count is the last one's ordinal. Communicators whose creation was not seen count as made from the world.
  // Keys are hashes that all members know.
  Index<std::uint64_t, std::uint32_t> groups_;
  std::array<CommIndex, 64> found_{};  // the latest for handles of one hash; may be freed since

 protected:  // for a reader of the spool
  Arena<Communicator, 6, 24> records_{spool::Part{spool::Kind::communicators}};
  TextStore texts_{spool::Kind::communicator_texts};
};

}  // namespace commprof
