#include <dlfcn.h>
#include <sys/mman.h>

#include <bit>
#include <iterator>
#include <span>
#include <string_view>

#include "front/front.hpp"

namespace commprof::front {

namespace {

// Whether an object that is not the MPI itself is a part of it.
bool is_of_mpi(DynamicSection const& dynamic, char const* path, link_map const* mpi) {
  if (mpi == nullptr || !is_part_of_mpi(dynamic, path) || dynamic.defines_any({characteristic_of_mpi})) return false;
  return !has_standard_abi(dynamic.soname()) || has_standard_abi(DynamicSection(mpi->l_addr, mpi->l_ld).soname());
}

Owner judge(DynamicSection const& dynamic, dl_phdr_info const& info, link_map const* mpi) {
  if (mpi != nullptr && info.dlpi_addr == mpi->l_addr && std::string_view(info.dlpi_name) == mpi->l_name)
    return Owner::mpi;
  if (is_of_mpi(dynamic, info.dlpi_name, mpi)) return Owner::mpi;
  return calls_pmpi(dynamic) ? Owner::tool : Owner::other;
}

}  // namespace

// Visits all loaded objects once, without calling the dynamic linker, and finds the set of objects that define each
// entry point.
Owners::Owners(std::size_t first, std::size_t last, link_map const* mpi) : first_(first), last_(last), mpi_(mpi) {
  if (last - first > 1) {
    void* const pages = mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    sets_ = pages == MAP_FAILED ? nullptr : static_cast<Set*>(pages);
  }
  if (sets_ == nullptr) return;
  dl_iterate_phdr([](dl_phdr_info* info, std::size_t, void* self) { return static_cast<Owners*>(self)->add(*info); },
                  this);
}

Owners::~Owners() {
  if (sets_ != nullptr && sets_ != &own_set_) munmap(sets_, bytes());
}

int Owners::add(dl_phdr_info const& info) {
  DynamicSection const dynamic(info);
  if (dynamic.defines_any({"commprof_version", attach_symbol})) {
    // The object is the front, a flavour, or a program that the profiler is linked into.
    bool const is_front = ObjectRange::of(info).contains(reinterpret_cast<void const*>(&is_named_as_mpi));
    if (is_front) before_front_ = count_ == 0 ? 0 : ~Set{0} >> (most - count_);
    return 0;
  }
  bool is_definer = false;
  for (std::size_t number = first_; number < last_; ++number) {
    if (dynamic.find(entry_name(number), entry_hash(number)) == nullptr) continue;
    is_definer = true;
    sets_[number - first_] |= Set{1} << count_;
  }
  if (!is_definer) return 0;
  definers_[count_] = {dynamic, ObjectRange::of(info).begin, judge(dynamic, info, mpi_)};
  if (definers_[count_].owner == Owner::mpi) of_mpi_ |= Set{1} << count_;
  return ++count_ == most ? 1 : 0;
}

Definition Owners::operator[](std::size_t number) {
  Set const set = sets_ == nullptr ? 0 : sets_[number - first_];
  if (set == 0) return {};
  Definition found;
  found.is_before_front = (set & before_front_ & ~of_mpi_) != 0;
  int winner = in_global_scope(number, set);
  // A transport may be loaded outside the global scope, with a component of the MPI. Two of them are told apart by the
  // caller.
  if (winner == none && is_of_transport(entry_name(number)) && std::has_single_bit(set & ~before_front_))
    winner = std::countr_zero(set & ~before_front_);
  if (winner == none) {
    if ((set & of_mpi_) != 0) winner = std::countr_zero(set & of_mpi_);
    found.is_elsewhere = (set & ~before_front_ & ~(winner == none ? 0 : of_mpi_)) != 0;
  }
  if (winner == none) return found;
  found.address = definers_[winner].dynamic.find(entry_name(number), entry_hash(number));
  found.owner = definers_[winner].owner;
  return found;
}

// Entry points defined by the same objects have the same owner, so the dynamic linker is asked once for each set.
int Owners::in_global_scope(std::size_t number, Set set) {
  for (Known const& known : std::span(known_, known_count_))
    if (known.set == set) return known.winner;
  int winner = none;
  void const* const next = next_definition(entry_name(number));
  std::uintptr_t const begin = next == nullptr ? 0 : ObjectRange::at(next).begin;
  for (int i = 0; i < count_ && next != nullptr; ++i)
    if ((set >> i & 1) != 0 && definers_[i].begin == begin) winner = i;
  if (known_count_ < std::size(known_)) known_[known_count_++] = {set, winner};
  return winner;
}

Definition owner(std::size_t number, link_map const* mpi) { return Owners(number, number + 1, mpi)[number]; }

void const* own_base() {
  Dl_info own{};
  return dladdr(reinterpret_cast<void const*>(&own_base), &own) != 0 ? own.dli_fbase : nullptr;
}

}  // namespace commprof::front
