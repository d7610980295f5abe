#pragma once

#include <map>
#include <memory>
#include <string>

#include "symbols/symbolizer.hpp"
#include "waiting/job.hpp"

namespace mpisee_through {

// The lines of code of places in programs and libraries, by looking at these, each place once.
class CodeLines {
 public:
  [[nodiscard]] SourcePlace const& find(CodePlace const& place) const;
  // "solver.f90:214 (dt_min)"; where the line is not known, "solver+0x4a2f (dt_min)"; where nothing is, without the
  // function. Empty for a place that is not known.
  [[nodiscard]] std::string label(CodePlace const& place) const;

 private:
  mutable std::map<std::pair<std::string, std::string>, Symbolizer> modules_;  // by path and build id
  mutable std::map<CodePlace, SourcePlace> known_;
};

}  // namespace mpisee_through
