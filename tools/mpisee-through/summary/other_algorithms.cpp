#include "summary/other_algorithms.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <iterator>

#include "summary/operation_kind.hpp"

namespace mpisee_through {
namespace {

// Values of coll_tuned_..._algorithm and MPIR_CVAR_..._INTRA_ALGORITHM, each followed by the name here.
struct ChoicesOfOperation {
  std::string_view operation, of_open_mpi, of_mpich;
};
constexpr ChoicesOfOperation all_choices[]{
    {"Allgather", "2 Bruck, 3 recursive doubling, 4 ring, 5 neighbour exchange",
     "brucks Bruck, recursive_doubling recursive doubling, ring ring"},
    {"Allgatherv", "2 Bruck, 3 ring, 4 neighbour exchange",
     "brucks Bruck, recursive_doubling recursive doubling, ring ring"},
    {"Allreduce", "1 flat, 3 recursive doubling, 4 ring, 6 halving and doubling",
     "recursive_doubling recursive doubling, reduce_scatter_allgather halving and doubling"},
    {"Alltoall", "1 linear, 2 pairwise, 3 Bruck", "scattered linear, pairwise pairwise, brucks Bruck"},
    {"Alltoallv", "1 linear, 2 pairwise", ""},
    {"Barrier", "1 flat, 2 double ring, 3 recursive doubling, 4 dissemination, 6 binomial tree", ""},
    {"Bcast",
     "1 flat, 2 several chains, 3 chain, 4 split binary tree, 5 binary tree, 6 binomial tree, 7 k-nomial tree, "
     "8 scatter and recursive doubling, 9 scatter and ring",
     "binomial binomial tree, scatter_recursive_doubling_allgather scatter and recursive doubling, "
     "scatter_ring_allgather scatter and ring"},
    {"Exscan", "1 chain, 2 recursive doubling", ""},
    {"Gather", "1 flat, 2 binomial tree, 3 flat with synchronisation", ""},
    {"Reduce",
     "1 flat, 2 several chains, 3 chain, 4 binary tree, 5 binomial tree, 6 in-order binary tree, 7 halving and gather",
     "binomial binomial tree, reduce_scatter_gather halving and gather"},
    {"Reduce_scatter", "2 recursive halving, 3 ring, 4 butterfly",
     "recursive_halving recursive halving, recursive_doubling recursive doubling, pairwise pairwise"},
    {"Reduce_scatter_block", "2 recursive doubling, 3 recursive halving, 4 butterfly",
     "recursive_halving recursive halving, recursive_doubling recursive doubling, pairwise pairwise"},
    {"Scan", "1 chain, 2 recursive doubling", ""},
    {"Scatter", "1 flat, 2 binomial tree", ""}};

// Whether the library is this MPI, of this version or a later one.
bool is_from(std::string_view library, std::string_view before_version, std::array<int, 2> const& first) {
  if (!library.starts_with(before_version)) return false;
  std::array<int, 2> version{};
  std::size_t part = 0;
  for (char const character : library.substr(before_version.size())) {
    if (character == '.') ++part;
    else if (std::isdigit(static_cast<unsigned char>(character)) == 0) break;
    else if (part < version.size()) version.at(part) = 10 * version.at(part) + (character - '0');
  }
  return version >= first;
}

// The first versions that have all these values.
bool is_open_mpi(std::string_view library) { return is_from(library, "Open MPI v", {4, 1}); }
bool is_mpich(std::string_view library) { return is_from(library, "MPICH Version: ", {3, 3}); }

template <class Change>
std::string in_case(std::string text, Change change) {
  for (char& character : text) character = static_cast<char>(change(static_cast<unsigned char>(character)));
  return text;
}

// Whether a setting would change nothing. MPICH uses it between hosts and, if it is not for Allreduce, within them.
bool is_in_use(std::string_view algorithm, std::string_view operation, std::string_view now) {
  std::size_t const place = now.find(words_within);
  if (place == std::string_view::npos) return now == algorithm;
  std::string_view const within = now.substr(0, place), between = now.substr(place + words_within.size());
  return between == std::string(algorithm).append(words_between) && (operation == "Allreduce" || within == algorithm);
}

std::vector<OtherAlgorithm> choices_in(std::string_view list, std::string_view operation, std::string_view now) {
  std::vector<OtherAlgorithm> choices;
  while (!list.empty()) {
    std::string_view const one = list.substr(0, list.find(", "));
    list.remove_prefix(std::min(list.size(), one.size() + 2));
    std::size_t const blank = one.find(' ');
    OtherAlgorithm choice{std::string(one.substr(0, blank)), std::string(one.substr(blank + 1))};
    if (!is_in_use(choice.algorithm, operation, now)) choices.push_back(std::move(choice));
  }
  return choices;
}

}  // namespace

std::optional<OtherAlgorithms> other_algorithms(std::string_view library, std::string_view operation,
                                                std::string_view algorithm, std::uint64_t ranks) {
  auto const* const found = std::ranges::find(all_choices, operation, &ChoicesOfOperation::operation);
  if (found == std::end(all_choices)) return std::nullopt;
  OtherAlgorithms others;
  std::string const name(operation);
  if (is_open_mpi(library)) {
    // Where hosts have an algorithm of their own, another component is in charge.
    if (algorithm.find(words_within) != std::string_view::npos) return std::nullopt;
    others.environment = "OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_" +
                         in_case(name, [](int character) { return std::tolower(character); }) + "_algorithm=";
    others.choices = choices_in(found->of_open_mpi, operation, algorithm);
    // Its butterfly for a power of two ranks sends what recursive halving sends, so nobody could tell them apart.
    if (operation == "Reduce_scatter_block" && std::has_single_bit(ranks))
      std::erase_if(others.choices, [](OtherAlgorithm const& one) { return one.algorithm == "butterfly"; });
  } else if (is_mpich(library)) {
    others.environment =
        "MPIR_CVAR_" + in_case(name, [](int character) { return std::toupper(character); }) + "_INTRA_ALGORITHM=";
    others.choices = choices_in(found->of_mpich, operation, algorithm);
  }
  return others.choices.empty() ? std::nullopt : std::optional(std::move(others));
}

std::optional<AlgorithmToReplace> algorithm_to_replace(Summary const& summary,
                                                       std::vector<AlgorithmSummary> const& algorithms) {
  std::optional<AlgorithmToReplace> costliest;
  for (AlgorithmSummary const& one : algorithms) {
    // On two ranks, all algorithms are alike.
    auto const ranks = summary.communicator(one.communicator).size;
    if (one.algorithm == "unknown" || ranks <= 2) continue;
    if (costliest && costliest->now.totals.time_s >= one.totals.time_s) continue;
    auto others = other_algorithms(summary.run.mpi_library, summary.name_of(one.operation), one.algorithm, ranks);
    if (others) costliest = {one, *std::move(others)};
  }
  return costliest;
}

}  // namespace mpisee_through
