// The named parts of the program's run: which there are, which of them this process is in, and how long each was the
// innermost one.
//
// Regions nest, and one is known by its path: what is begun as halo within solve is solve/halo. All that comes from the
// program is bounded: the bytes of a name, the depth of nesting and the number of regions. What goes beyond depth and
// number is folded: it counts as the region around it. So is what there is no memory for.
//
// A region that was begun before is entered again at the cost of a look-up. Knows no MPI. Callers serialise, but for
// size() and path(), which may be read beside them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "base/memory.hpp"

namespace commprof {

// The name of one region as it is shown: what is not printable, or no UTF-8, appears as \xHH, and so does a / , which
// would look like a level of nesting. Two names that are shown alike are one.
class RegionName {
 public:
  static constexpr std::size_t max_bytes = 255;  // further ones are cut off

  explicit RegionName(std::string_view given);

  std::string_view text() const { return {text_, length_}; }
  std::uint64_t hash() const { return hash_; }

 private:
  void append(std::string_view part);

  char text_[max_bytes];
  std::size_t length_ = 0;
  std::uint64_t hash_ = 0;
};

// What is written of a region.
struct RegionTotals {
  std::uint64_t entered = 0;
  Ticks wall;  // while it was the innermost one
  Ticks mpi;   // in calls that count in it
};

class Regions {
 public:
  static constexpr std::size_t max_depth = 64;
  static constexpr std::size_t max_path = max_depth * (RegionName::max_bytes + 1);

  enum class Ending : std::uint8_t { done, none_is_open, of_another_name };

  void set_max_regions(std::uint32_t number) { max_regions_ = number; }

  // The run begins, in no named region. False when memory is used up.
  bool start(Ticks now);

  // Returns the region that calls count in from now on.
  RegionIndex begin(std::string_view name, Ticks now);

  // Ends the innermost region. An end of another name ends nothing; without one (data() is null) it ends whichever is
  // innermost. Beyond the greatest depth, names are not compared.
  Ending end(std::string_view name, Ticks now);

  RegionIndex current() const { return depth_ == 0 ? RegionIndex::main : open_[depth_ - 1].region; }
  std::uint64_t open() const { return depth_ + beyond_depth_; }

  // Fixes what totals() says until the next time, with the time of open regions until now.
  void take_stock(Ticks now);
  void add_mpi_time(RegionIndex region, Ticks time) { at(region).stock.mpi += time; }
  RegionTotals const& totals(RegionIndex region) const { return const_cast<Regions*>(this)->at(region).stock; }

  // Takes in the next region of another process, whose index is then size() - 1; the first one is main. False if it
  // makes no sense there, or memory is used up.
  bool restore(RegionIndex around, std::string_view name, RegionTotals const& running);

  // The last of them: the innermost region at the end, and how long it had been that. Takes stock.
  void stop(RegionIndex innermost, Ticks time);

  // Gives all memory back.
  void release();

  std::size_t size() const { return regions_.size(); }

  // The names of a region and those around it, into a room of max_path bytes; the view is valid as long as the room is.
  std::string_view path(RegionIndex region, char* room) const;

  // One region as the pages hold it.
  struct Region {
    RegionIndex around = RegionIndex::main;
    TextRef name;
    RegionTotals running;
    RegionTotals stock;
  };

 private:
  struct Open {
    RegionIndex region;
    std::uint64_t name_hash;
  };
  static constexpr std::size_t slot_count = std::size_t{1} << 17;  // twice as many as there can be regions

  Region& at(RegionIndex region) { return regions_[static_cast<std::size_t>(region)]; }
  Region const& at(RegionIndex region) const { return regions_[static_cast<std::size_t>(region)]; }
  void spend(Ticks now);
  void tell_spool() const;
  // The region of a name within another; that other one if it has to be folded.
  RegionIndex find_or_add(RegionIndex around, RegionName const& name);
  RegionIndex add(RegionIndex around, std::string_view name);

  std::uint32_t max_regions_ = 10'000;
  RegionIndex* slots_ = nullptr;  // open-addressed, main: empty
  Arena<Region, 6, 11> regions_{spool::Part{spool::Kind::regions}};
  TextStore texts_{spool::Kind::region_texts};
  Open open_[max_depth]{};
  std::size_t depth_ = 0;
  std::uint64_t beyond_depth_ = 0;
  Ticks since_;  // the last change
};

// Those of the process. The mutex also serialises those who pause and resume.
namespace regions {
inline constinit Regions table;
inline std::mutex mutex;
}  // namespace regions

}  // namespace commprof
