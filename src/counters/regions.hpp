// The named regions of the program: which exist, which are open in this process, and how long each was the innermost
// open one.
//
// Regions nest, and a path identifies one: halo, begun within solve, is solve/halo. The length of a name, the depth of
// nesting and the number of regions are bounded. A region beyond the bounds of depth or number, or without memory, is
// folded: it counts as the region around it.
//
// Entering a known region again costs a look-up. Does not know MPI. Callers serialise, except for size() and path(),
// which any thread may call at any time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "base/index.hpp"
#include "base/memory.hpp"

namespace commprof {

// The names of regions in a profile.
namespace region_names {

// The region of calls outside any named one.
inline constexpr std::string_view main = "main";

// Between the names of nested regions.
inline constexpr char separator = '/';

// The path of a region that the program itself names main, outside any other region.
inline constexpr std::string_view main_within_main = "main/main";

}  // namespace region_names

// The name of one region. A / in it, which would look like a level of nesting, becomes |.
class RegionName {
 public:
  static constexpr std::size_t max_bytes = 255;               // further ones are cut off
  static constexpr std::size_t enough_bytes = max_bytes + 1;  // of a longer name: they tell where a character ends

  explicit RegionName(std::string_view given);

  std::string_view text() const { return {text_, length_}; }
  std::uint64_t hash() const { return hash_; }

 private:
  char text_[max_bytes];
  std::size_t length_ = 0;
  std::uint64_t hash_ = 0;
};

struct RegionTotals {
  std::uint64_t entered = 0;
  Ticks wall;                   // while it was the innermost one
  Ticks mpi;                    // in calls that count in it
  std::uint64_t queued_ns = 0;  // for a processor, outside MPI; of the thread that has waited longest
};

class Regions {
 public:
  static constexpr std::size_t max_depth = 64;
  static constexpr std::size_t max_path = max_depth * (RegionName::max_bytes + 1);

  enum class Ending : std::uint8_t { done, none_is_open, of_another_name };

  void set_max_regions(std::uint32_t number) { max_regions_ = number; }

  // Starts the run, outside all named regions. False if memory is used up.
  bool start(Ticks now);

  // Returns the region that calls count in from now on.
  RegionIndex begin(std::string_view name, Ticks now);

  // Ends the innermost region if it has this name, or in any case if data() is null. Beyond the greatest depth, names
  // are not compared.
  Ending end(std::string_view name, Ticks now);

  RegionIndex current() const { return depth_ == 0 ? RegionIndex::main : open_[depth_ - 1].region; }
  std::uint64_t open() const { return depth_ + beyond_depth_; }

  // Takes the snapshot that totals() returns until the next call, with the time in the open region until now.
  void take_stock(Ticks now);
  void add_mpi_time(RegionIndex region, Ticks time) { at(region).stock.mpi += time; }
  // Any thread may.
  void add_queue(RegionIndex region, std::uint64_t ns) {
    std::atomic_ref(at(region).running.queued_ns).fetch_add(ns, std::memory_order_relaxed);
  }
  RegionTotals const& totals(RegionIndex region) const { return const_cast<Regions*>(this)->at(region).stock; }

  std::size_t size() const { return regions_.size(); }

  // Writes the path into room, which has max_path bytes. The result is a view of room.
  std::string_view path(RegionIndex region, char* room) const;

  // One region, as readers of the spool find it.
  struct Region {
    RegionIndex around = RegionIndex::main;
    TextRef name;
    RegionTotals running;
    RegionTotals stock;
  };

 protected:  // for a reader of the spool
  Region& at(RegionIndex region) { return regions_[static_cast<std::size_t>(region)]; }
  Region const& at(RegionIndex region) const { return regions_[static_cast<std::size_t>(region)]; }

  Arena<Region, 6, 11> regions_{spool::Part{spool::Kind::regions}};
  TextStore texts_{spool::Kind::region_texts};
  Ticks since_;  // the last change

 private:
  struct Open {
    RegionIndex region;
    std::uint64_t name_hash;
  };
  void spend(Ticks now);
  void tell_spool() const;
  // The region of a name within another; `around` itself if the region has to be folded.
  RegionIndex find_or_add(RegionIndex around, RegionName const& name);
  RegionIndex add(RegionIndex around, std::string_view name);

  std::uint32_t max_regions_ = 10'000;
  Index<std::uint64_t, RegionIndex> index_;  // by hash of the name and of what is around
  Open open_[max_depth]{};
  std::size_t depth_ = 0;
  std::uint64_t beyond_depth_ = 0;
};

// The regions of the process. The mutex also serialises pause and resume.
namespace regions {
inline constinit Regions table;
inline std::mutex mutex;
}  // namespace regions

}  // namespace commprof
