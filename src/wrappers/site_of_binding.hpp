// The site of a call through a binding that is built upon another binding.
#pragma once

#include "counters/counters.hpp"

namespace commprof {

// Construct it in a function that is not counted itself but calls one that is: that call counts at the site of the
// function's caller.
class SiteOfBinding {
 public:
  [[gnu::always_inline]] SiteOfBinding() {
    this_thread.binding_site = __builtin_extract_return_addr(__builtin_return_address(0));
  }
  SiteOfBinding(SiteOfBinding const&) = delete;
  SiteOfBinding& operator=(SiteOfBinding const&) = delete;
  ~SiteOfBinding() { this_thread.binding_site = state.options.stack > 0 ? &callers_wanted : nullptr; }
};

}  // namespace commprof
