// Includes everything that the generated wrappers call.
#pragma once

#include "base/export.hpp"
#include "next.hpp"
#include "wrappers/collective_volume.hpp"
#include "wrappers/completion.hpp"
#include "wrappers/creating.hpp"
#include "wrappers/issuing.hpp"
#include "wrappers/persistent.hpp"
#include "wrappers/site_of_binding.hpp"
#include "wrappers/spawn.hpp"
#include "wrappers/status_out.hpp"
