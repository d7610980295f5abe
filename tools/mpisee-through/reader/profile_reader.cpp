#include "reader/profile_reader.hpp"

#include "reader/run_file.hpp"

namespace mpisee_through {
namespace schema = commprof::schema;

Profile::Profile(std::filesystem::path const& path) : files_(path), run_(read_run(files_.file(schema::run_file))) {}

std::optional<std::uint64_t> Profile::expected_rows(std::string_view file) const {
  auto const found = run_.rows_of_file.find(file);
  return found == run_.rows_of_file.end() ? std::nullopt : std::optional(found->second);
}

bool Profile::holds(schema::File const& file) const {
  return expected_rows(file.name).has_value() || files_.has(file.name);
}

}  // namespace mpisee_through
