#include <dlfcn.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <string_view>

#include "base/object_range.hpp"
#include "front/front.hpp"

namespace commprof::front {

namespace {

// An object that defines entry points.
struct Definer {
  DynamicSection dynamic{0, nullptr};
  ObjectRange range;
  Owner owner = Owner::other;
};

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

// Visits all loaded objects once, without calling the dynamic linker, and finds the set of objects that define each
// entry point.
class Search {
 public:
  using Set = std::uint64_t;

  Search(std::size_t first, std::size_t last, link_map const* mpi, Set* sets)
      : first_(first), last_(last), mpi_(mpi), sets_(sets) {
    dl_iterate_phdr([](dl_phdr_info* info, std::size_t, void* self) { return static_cast<Search*>(self)->add(*info); },
                    this);
  }

  Definition definition(std::size_t number) {
    Set const set = sets_[number - first_];
    if (set == 0) return {};
    Definition found;
    found.is_before_front = (set & before_front_ & ~of_mpi_) != 0;
    int winner = in_global_scope(number, set);
    // A transport may be loaded outside the global scope, with a component of the MPI. Two of them are told apart by
    // the caller.
    if (winner == none && is_of_transport(entry_name(number)) && std::has_single_bit(set & ~before_front_))
      winner = std::countr_zero(set & ~before_front_);
    if (winner == none) {
      winner = first_of_mpi(set);
      Set const rest = set & ~before_front_ & ~(winner == none ? 0 : of_mpi_);
      found.is_elsewhere = rest != 0;
    }
    if (winner == none) return found;
    found.address = address(number, winner);
    found.owner = definers_[winner].owner;
    if (found.owner == Owner::other)
      if (int const first = first_of_mpi(set); first != none) found.behind_other = address(number, first);
    return found;
  }

 private:
  static constexpr int most = 64, none = -1;

  int add(dl_phdr_info const& info) {
    DynamicSection const dynamic(info);
    if (dynamic.defines_any({"commprof_version", attach_symbol})) {
      // The object is the front, a flavour, or a program that the profiler is linked into.
      bool const is_front = ObjectRange::of(info).contains(reinterpret_cast<void const*>(&is_named_as_mpi));
      if (is_front) before_front_ = count_ == 0 ? 0 : ~Set{0} >> (most - count_);
      return 0;
    }
    bool is_definer = false;
    auto const take = [&](std::size_t number) {
      if (dynamic.find(entry_name(number), entry_hash(number)).address == nullptr) return;
      is_definer = true;
      sets_[number - first_] |= Set{1} << count_;
    };
    if (last_ - first_ == 1) take(first_);
    else
      dynamic.for_each_definition([&](std::uint32_t hash, auto const& name) {
        if (!is_hash_of_entry(hash)) return;
        std::size_t const number = find_entry(name());
        if (number >= first_ && number < last_) take(number);
      });
    if (!is_definer) return 0;
    Definer& definer = definers_[count_];
    definer.dynamic = dynamic;
    definer.range = ObjectRange::of(info);
    definer.owner = judge(dynamic, info, mpi_);
    if (definer.owner == Owner::mpi) of_mpi_ |= Set{1} << count_;
    return ++count_ == most ? 1 : 0;
  }

  // Entry points defined by the same objects have the same owner, so the dynamic linker is asked once for each set.
  int in_global_scope(std::size_t number, Set set) {
    for (int i = 0; i < known_count_; ++i)
      if (known_[i].set == set) return known_[i].winner;
    int winner = none;
    void const* const next = next_definition(entry_name(number));
    for (int i = 0; i < count_ && next != nullptr; ++i)
      if ((set >> i & 1) != 0 && definers_[i].range.contains(next)) winner = i;
    if (known_count_ < static_cast<int>(std::size(known_))) known_[known_count_++] = {set, winner};
    return winner;
  }

  void* address(std::size_t number, int definer) const {
    DynamicSection::Definition const own = definers_[definer].dynamic.find(entry_name(number), entry_hash(number));
    return own.is_indirect ? next_definition(entry_name(number)) : own.address;
  }

  int first_of_mpi(Set set) const {
    for (int i = 0; i < count_; ++i)
      if ((set & of_mpi_) >> i & 1) return i;
    return none;
  }

  std::size_t first_, last_;
  link_map const* mpi_;
  Set* sets_;
  Definer definers_[most];
  int count_ = 0;
  Set before_front_ = 0, of_mpi_ = 0;
  struct Known {
    Set set;
    int winner;
  };
  Known known_[32];
  int known_count_ = 0;
};

}  // namespace

Owners::Owners(std::size_t first, std::size_t last, link_map const* mpi) : first_(first) {
  std::size_t const count = last - first;
  if (count == 1) {
    Search::Set set = 0;
    own_ = Search(first, last, mpi, &set).definition(first);
    definitions_ = &own_;
    return;
  }
  bytes_ = count * (sizeof(Definition) + sizeof(Search::Set));
  void* const pages = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return;
  definitions_ = static_cast<Definition*>(pages);
  Search search(first, last, mpi, reinterpret_cast<Search::Set*>(definitions_ + count));
  for (std::size_t number = first; number < last; ++number) definitions_[number - first] = search.definition(number);
}

Owners::~Owners() {
  if (bytes_ != 0 && definitions_ != nullptr) munmap(definitions_, bytes_);
}

void const* own_base() {
  Dl_info own{};
  return dladdr(reinterpret_cast<void const*>(&own_base), &own) != 0 ? own.dli_fbase : nullptr;
}

void* find_behind(char const* symbol, link_map const* mpi) {
  if (std::size_t const number = find_entry(symbol); number != entry_count()) {
    Definition const found = owner(number, mpi);
    if (found.owner == Owner::mpi) return found.address;
    // A converter owns the name, and calls the wrapper for the MPI.
    if (found.behind_other != nullptr) return found.behind_other;
  }
  if (void* const next = next_definition(symbol)) return next;
  void* found = nullptr;
  void const* const front = own_base();
  LoadedList const list([](dl_phdr_info const&) { return true; });
  list.for_each([&](char const* path) {
    if (found != nullptr) return;
    LoadedObject const object(path);
    if (!object || object.contains(front) || object.find_own(attach_symbol) != nullptr) return;
    found = object.find_own(symbol);
  });
  return found;
}

void* transport_target(std::size_t number, Definition const& found, TransportUse const& use) {
  bool const is_observed = use.flavour != nullptr && is_transport_observed.load(std::memory_order_relaxed);
  if (!found.is_for_all() || !is_observed) return found.address;
  NextDefinition* const end = use.services.end_of_next;
  NextDefinition* const next = std::find_if(use.services.first_next, end, [&](NextDefinition const& one) {
    return std::string_view(one.symbol) == entry_name(number);
  });
  DynamicSection const flavour(use.flavour->l_addr, use.flavour->l_ld);
  void* const wrapper = flavour.find(entry_name(number), entry_hash(number)).address;
  if (next == end || wrapper == nullptr) return found.address;
  std::atomic_ref(next->address).store(found.address, std::memory_order_release);
  return wrapper;
}

void lead_transport(TransportUse const& use) {
  std::size_t end = 0;
  for (std::size_t first = 0; first < entry_count(); first = end + 1) {  // names are in order
    for (end = first; end < entry_count() && is_of_transport(entry_name(end));) ++end;
    if (end == first) continue;
    Owners const owners(first, end, use.mpi);
    for (std::size_t number = first; number < end; ++number)
      if (owners[number].is_for_all()) lead_entry(number, transport_target(number, owners[number], use));
  }
}

}  // namespace commprof::front
