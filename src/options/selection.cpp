#include "options/selection.hpp"

#include <charconv>
#include <optional>

#include "base/text.hpp"

namespace commprof::selection {

namespace {

constexpr std::string_view mpi_prefix = "mpi_";

template <class IsSame>
bool matches(std::string_view glob, std::string_view text, IsSame&& is_same) {
  // Where to continue if the text after the latest * does not match: the * then takes one more character.
  std::size_t star = glob.npos, taken = 0;
  std::size_t at = 0, place = 0;
  while (place < text.size()) {
    if (at < glob.size() && glob[at] == '*') {
      star = at++;
      taken = place;
    } else if (at < glob.size() && (glob[at] == '?' || is_same(glob[at], text[place]))) {
      ++at;
      ++place;
    } else if (star != glob.npos) {
      at = star + 1;
      place = ++taken;
    } else {
      return false;
    }
  }
  return glob.find_first_not_of('*', at) == glob.npos;
}

bool is_same_letter(char a, char b) { return lower(a) == lower(b); }

bool names_op(std::string_view pattern, std::string_view op) {
  if (matches(mpi_prefix, pattern.substr(0, mpi_prefix.size()), is_same_letter))
    pattern.remove_prefix(mpi_prefix.size());
  return matches(pattern, op, is_same_letter);
}

// Whether the item is a size; names of communicators do not begin with a digit.
bool is_size(Item item) { return !item.pattern.empty() && item.pattern.front() >= '0' && item.pattern.front() <= '9'; }

// Bounds, inclusive.
struct Sizes {
  std::int32_t least = 0;
  std::int32_t most = INT32_MAX;
};

std::optional<Sizes> sizes_of(std::string_view text) {
  Sizes sizes;
  char const* const end = text.data() + text.size();
  auto const first = std::from_chars(text.data(), end, sizes.least);
  if (first.ec != std::errc{}) return std::nullopt;
  if (first.ptr == end) {
    sizes.most = sizes.least;
  } else {
    if (*first.ptr != '-') return std::nullopt;
    char const* const bound = first.ptr + 1;
    if (bound != end) {
      auto const last = std::from_chars(bound, end, sizes.most);
      if (last.ec != std::errc{} || last.ptr != end) return std::nullopt;
    }
  }
  if (sizes.most < sizes.least) return std::nullopt;
  return sizes;
}

// The things, of n, that a list selects. names(item, i): whether the item names thing i.
template <class Kind, std::size_t n, class Names>
std::bitset<n> wanted(std::string_view list, Names&& names) {
  std::bitset<n> included, excluded;
  bool are_all_included = true;
  for_each_item<Kind>(list, [&](Item item) {
    if (!item.excludes) are_all_included = false;
    for (std::size_t i = 0; i < n; ++i)
      if (names(item, i)) (item.excludes ? excluded : included).set(i);
  });
  if (are_all_included) included.set();
  return included & ~excluded;
}

}  // namespace

bool take_item(std::string_view& list, Item& item) {
  while (!list.empty()) {
    std::size_t const comma = list.find(',');
    std::string_view text = trimmed(list.substr(0, comma));
    list = comma == list.npos ? std::string_view{} : list.substr(comma + 1);
    if (text.empty()) continue;
    bool const excludes = text.front() == '-';
    if (excludes) text = trimmed(text.substr(1));
    item = {text, excludes};
    return true;
  }
  return false;
}

bool matches(std::string_view glob, std::string_view text) {
  return matches(glob, text, [](char a, char b) { return a == b; });
}

bool Operations::names(Item item, std::string_view op) { return names_op(item.pattern, op); }

bool Operations::makes_sense(Item item) {
  for (std::size_t op = 0; op < OperationSet{}.size(); ++op)
    if (names(item, op_name(static_cast<Op>(op)))) return true;
  return false;
}

bool Communicators::makes_sense(Item item) {
  return is_size(item) ? sizes_of(item.pattern).has_value() : !item.pattern.empty();
}

bool Communicators::names(Item item, std::string_view comm, std::int32_t size) {
  if (!is_size(item)) return matches(item.pattern, comm);
  auto const sizes = sizes_of(item.pattern);
  return sizes && size >= sizes->least && size <= sizes->most;
}

OperationSet wanted_operations(std::string_view list) {
  return wanted<Operations, OperationSet{}.size()>(
      list, [](Item item, std::size_t op) { return Operations::names(item, op_name(static_cast<Op>(op))); });
}

bool is_wanted_communicator(std::string_view list, std::string_view comm, std::int32_t size) {
  return wanted<Communicators, 1>(list, [=](Item item, std::size_t) { return Communicators::names(item, comm, size); })
      .any();
}

bool is_wanted_program(std::string_view list, std::string_view program) {
  return wanted<Programs, 1>(list, [=](Item item, std::size_t) { return Programs::names(item, program); }).any();
}

}  // namespace commprof::selection
