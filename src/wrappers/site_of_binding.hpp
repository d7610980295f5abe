// Says from where the program called a binding that is built upon another one.
#pragma once

#include "counters/counters.hpp"

namespace commprof {

// In the definition of a symbol that is not counted itself, but calls one that is: that call counts where the symbol
// was called.
class SiteOfBinding {
 public:
  [[gnu::always_inline]] SiteOfBinding() {
    this_thread.binding_site = __builtin_extract_return_addr(__builtin_return_address(0));
  }
  SiteOfBinding(SiteOfBinding const&) = delete;
  SiteOfBinding& operator=(SiteOfBinding const&) = delete;
  ~SiteOfBinding() {
    if (this_thread.binding_site != &callers_wanted) this_thread.binding_site = nullptr;
  }
};

}  // namespace commprof
