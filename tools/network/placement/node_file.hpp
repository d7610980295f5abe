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
  // hwloc reads the file: it knows its versions, and where NUMA domains belong. Throws ProfileError.
  explicit NodeShape(std::filesystem::path const& file);

  // The place of a process that may run on these processors: from the operating system's numbers to logical ones.
  // Nothing if the node has none of the processors.
  [[nodiscard]] std::optional<SlotPlace> place_of(std::string_view cpus) const;
  // The place of slot `number` when that many slots are spread over the cores.
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
