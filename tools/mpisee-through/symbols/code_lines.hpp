#pragma once

#include <map>
#include <memory>
#include <string>

#include "symbols/symbolizer.hpp"
#include "waiting/job.hpp"

namespace mpisee_through {

// Finds the source lines of places in programs and libraries; remembers each place.
class CodeLines {
 public:
  [[nodiscard]] SourcePlace const& find(CodePlace const& place) const;
  // "solver.f90:214 (dt_min)"; with an unknown line "solver+0x4a2f (dt_min)"; without a function if that is unknown,
  // too. Empty for an unknown place.
  [[nodiscard]] std::string label(CodePlace const& place) const;

 private:
  mutable std::map<std::pair<std::string, std::string>, Symbolizer> modules_;  // by path and build id
  mutable std::map<CodePlace, SourcePlace> known_;
};

}  // namespace mpisee_through
