// --node FILE.xml: the inside of a host, as hwloc's lstopo writes it.
#pragma once

#include <filesystem>
#include <map>
#include <string_view>
#include <vector>

#include "placement/machine.hpp"

namespace mpisee_through {

class NodeShape {
 public:
  // hwloc itself reads the file: it knows its own versions and where NUMA domains hang. Throws ProfileError.
  explicit NodeShape(std::filesystem::path const& file);

  // Where a process is that may run on these processors of the operating system, by logical numbers. Nothing if the
  // node has none of them.
  [[nodiscard]] std::optional<SlotPlace> place_of(std::string_view cpus) const;
  // Of that many slots, spread over the cores, the one with this number.
  [[nodiscard]] SlotPlace slot(std::size_t number, std::size_t slots) const;

 private:
  struct Core {
    std::uint32_t package, numa;
    std::vector<std::uint32_t> cpus;
  };
  std::vector<Core> cores_;
  std::map<std::uint32_t, std::uint32_t> core_of_cpu_;
};

}  // namespace mpisee_through
