#include <algorithm>
#include <mutex>

#include "base/index.hpp"
#include "base/memory.hpp"
#include "mpi/library_version.hpp"
#include "mpi/mpi.hpp"
#include "run/participants.hpp"
#include "run/run.hpp"

namespace commprof::self_attributes {

namespace {

// A keyval, and when its attribute was last set.
struct Attribute {
  static constexpr std::uint64_t deleted = 1;

  int keyval = 0;
  std::uint64_t number = 0;  // among all settings; deleted: there is no attribute now
};

// Setting and deleting an attribute do not search the others: a deleted one stays in the list until the list is twice
// as long as it need be.
class Attributes {
 public:
  void set(int keyval) {
    std::uint64_t* const latest = latest_.find_or_add(key_of(keyval));
    if (latest == nullptr) return;
    bool const is_set = *latest > Attribute::deleted;
    if (is_set && !is_open_mpi()) return;  // keeps its place; in Open MPI it becomes the latest
    if (!is_set) ++set_;
    if (list_.size() > 2 * set_ + few) drop_outdated();
    *latest = ++last_;
    list_.push_back({keyval, *latest});
  }

  void remove(int keyval) {
    std::uint64_t* const latest = latest_.find(key_of(keyval));
    if (latest == nullptr || *latest == Attribute::deleted) return;
    *latest = Attribute::deleted;
    --set_;
  }

  // The keyval that was set last.
  int latest() {
    while (list_.size() > 0 && is_outdated(*(list_.end() - 1))) list_.pop_back();
    return list_.size() == 0 ? MPI_KEYVAL_INVALID : (list_.end() - 1)->keyval;
  }

 private:
  static constexpr std::size_t few = 64;

  static std::uint64_t key_of(int keyval) { return std::uint64_t{1} << 32 | static_cast<std::uint32_t>(keyval); }
  bool is_outdated(Attribute const& one) const { return *latest_.find(key_of(one.keyval)) != one.number; }
  void drop_outdated() {
    auto* const end = std::remove_if(list_.begin(), list_.end(), [&](auto const& one) { return is_outdated(one); });
    list_.resize(static_cast<std::size_t>(end - list_.begin()));
  }

  // The number of each keyval. MPIs reuse the integers of freed keyvals, so these are as many as there are keyvals at
  // one time.
  Index<std::uint64_t, std::uint64_t> latest_;
  std::size_t set_ = 0;  // keyvals with an attribute
  std::uint64_t last_ = Attribute::deleted;
  LastingVector<Attribute> list_;  // in the order of setting
};

std::mutex mutex;
constinit Attributes attributes;

int latest() {
  std::lock_guard const lock(mutex);
  return attributes.latest();
}

}  // namespace

void was_set(int keyval) {
  std::lock_guard const lock(mutex);
  attributes.set(keyval);
}

void was_deleted(int keyval) {
  std::lock_guard const lock(mutex);
  attributes.remove(keyval);
}

void delete_all() {
  ErrorsReturned const ours(MPI_COMM_SELF);
  for (int keyval = latest(); keyval != MPI_KEYVAL_INVALID; keyval = latest()) {
    if (PMPI_Comm_delete_attr(MPI_COMM_SELF, keyval) != MPI_SUCCESS) return;
    was_deleted(keyval);
  }
}

}  // namespace commprof::self_attributes
