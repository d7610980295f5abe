
#include <atomic>
#include <cstring>
#include <mutex>

#include "base/dropped.hpp"
#include "base/message.hpp"
#include "commprof/commprof.h"
#include "counters/counters.hpp"
#include "run/run.hpp"
#include "sites/sites.hpp"

namespace commprof::control {

namespace {

std::string_view view_of(char const* name) {
  return name == nullptr ? std::string_view{} : std::string_view(name, strnlen(name, RegionName::enough_bytes));
}

void enter(RegionIndex region) {
  state.enter(sites::table.scope_of(region));
  use_so_far::refresh();
}

// Prints a message for the first ignored end of each kind.
void ignore_end(Regions::Ending ending, std::string_view name) {
  static std::atomic<bool> told_none_is_open{false}, told_other_name{false};
  dropped::count(Dropped::region_ends_ignored);
  if (run::facts().rank != 0) return;
  std::string_view const shown = name.data() == nullptr ? "(any)" : name;
  if (ending == Regions::Ending::none_is_open) {
    if (!told_none_is_open.exchange(true)) say({"the end of region ", shown, " while none is open: it is ignored"});
  } else if (!told_other_name.exchange(true)) {
    static char room[Regions::max_path];
    std::string_view const innermost = regions::table.path(regions::table.current(), room);
    say({"the end of region ", shown, " within ", innermost, ": it is ignored"});
  }
}

}  // namespace

Wish meaning_of(int level) {
  switch (state.is_tracking() ? level : -1) {
    case COMMPROF_PAUSE:
      return Wish::pause;
    case COMMPROF_RESUME:
      return Wish::resume;
    case COMMPROF_FLUSH:
      return Wish::flush;
    case COMMPROF_REGION_BEGIN:
      return Wish::begin_region;
    case COMMPROF_REGION_END:
      return Wish::end_region;
    default:
      return Wish::nothing;
  }
}

void obey(Wish wish, char const* name) {
  if (wish == Wish::begin_region) return begin_region(name);
  if (wish == Wish::end_region) return end_region(name);
  if (wish == Wish::flush) return static_cast<void>(run::flush(nullptr));
  if (wish == Wish::nothing || !state.is_tracking()) return;
  std::lock_guard const lock(regions::mutex);
  if (wish == Wish::pause) state.pause();
  if (wish == Wish::resume) state.resume();
}

void begin_region(char const* name) {
  if (!state.is_tracking()) return;
  std::lock_guard const lock(regions::mutex);
  enter(regions::table.begin(view_of(name), clock::now()));
}

void end_region(char const* name) {
  if (!state.is_tracking()) return;
  std::lock_guard const lock(regions::mutex);
  Regions::Ending const ending = regions::table.end(view_of(name), clock::now());
  if (ending == Regions::Ending::done) enter(regions::table.current());
  else ignore_end(ending, view_of(name));
}

}  // namespace commprof::control
