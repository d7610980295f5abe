#include "flavour/attach.hpp"

#include "base/export.hpp"

extern "C" COMMPROF_EXPORT void commprof_flavour_attach(commprof::front::Services* services) {
  commprof::front_services = services;
}
