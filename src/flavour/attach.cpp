#include "flavour/attach.hpp"

#include "base/export.hpp"

extern "C" {

// The bounds of the section, defined by the linker.
// NOLINTNEXTLINE(readability-identifier-naming)
[[gnu::visibility("hidden")]] extern commprof::front::NextDefinition __start_commprof_next[], __stop_commprof_next[];

COMMPROF_EXPORT void commprof_flavour_attach(commprof::front::Services* services) {
  services->first_next = __start_commprof_next;
  services->end_of_next = __stop_commprof_next;
  commprof::front_services = services;
  commprof::at_load = services->at_load;
}
}
