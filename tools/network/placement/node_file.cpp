#include <fmt/format.h>
#include <hwloc.h>

#include <memory>
#include <set>

#include "files/profile_error.hpp"
#include "placement/machines.hpp"

namespace mpisee_through {
namespace {

struct Closer {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using Hwloc = std::unique_ptr<hwloc_topology, Closer>;

Hwloc load(std::filesystem::path const& file) {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) throw ProfileError(file, std::nullopt, "hwloc cannot be used");
  Hwloc loaded(topology);
  if (!std::filesystem::is_regular_file(file)) throw ProfileError(file, std::nullopt, "is no file");
  if (hwloc_topology_set_xml(topology, file.c_str()) != 0 || hwloc_topology_load(topology) != 0)
    throw ProfileError(file, std::nullopt, "hwloc cannot read it: no output of lstopo FILE.xml");
  return loaded;
}

std::uint32_t index_of(hwloc_obj_t object) { return object == nullptr ? 0 : object->logical_index; }

std::uint32_t numa_of(hwloc_topology_t topology, unsigned cpu) {
  for (hwloc_obj_t numa = nullptr; (numa = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, numa)) != nullptr;)
    if (hwloc_bitmap_isset(numa->cpuset, cpu) != 0) return numa->logical_index;
  return 0;
}

std::string text_of(std::set<std::uint32_t> const& numbers) {
  RankSet all;
  for (std::uint32_t const number : numbers) all.append(WorldRank{number});
  return all.to_string();
}

}  // namespace

NodeShape::NodeShape(std::filesystem::path const& file) {
  Hwloc const topology = load(file);
  hwloc_topology_t const all = topology.get();
  for (hwloc_obj_t cpu = nullptr; (cpu = hwloc_get_next_obj_by_type(all, HWLOC_OBJ_PU, cpu)) != nullptr;) {
    hwloc_obj_t const core = hwloc_get_ancestor_obj_by_type(all, HWLOC_OBJ_CORE, cpu);
    std::uint32_t const number = core == nullptr ? cpu->logical_index : core->logical_index;
    if (number >= cores_.size()) cores_.resize(number + 1);
    cores_[number].package = index_of(hwloc_get_ancestor_obj_by_type(all, HWLOC_OBJ_PACKAGE, cpu));
    cores_[number].numa = numa_of(all, cpu->os_index);
    cores_[number].cpus.push_back(cpu->os_index);
    core_of_cpu_[cpu->os_index] = number;
  }
  if (cores_.empty()) throw ProfileError(file, std::nullopt, "has no processors");
}

std::optional<SlotPlace> NodeShape::place_of(std::string_view cpus) const {
  auto const set = RankSet::parse(cpus);
  if (!set || set->empty()) return std::nullopt;
  std::set<std::uint32_t> packages, numa, cores;
  for (auto const& [cpu, core] : core_of_cpu_) {
    if (!set->contains(WorldRank{cpu})) continue;
    packages.insert(cores_[core].package);
    numa.insert(cores_[core].numa);
    cores.insert(core);
  }
  if (cores.empty()) return std::nullopt;
  return SlotPlace{text_of(packages), text_of(numa), text_of(cores), std::string(cpus)};
}

SlotPlace NodeShape::slot(std::size_t number, std::size_t slots) const {
  std::size_t const core = number * cores_.size() / slots;
  Core const& one = cores_[core];
  return {fmt::format("{}", one.package), fmt::format("{}", one.numa), fmt::format("{}", core),
          text_of({one.cpus.begin(), one.cpus.end()})};
}

}  // namespace mpisee_through
