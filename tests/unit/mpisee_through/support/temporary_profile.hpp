#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "summary/summarise.hpp"

// A profile that a test writes; the destructor removes it. By default it is a valid profile of the given number of
// ranks, all on one host, each 10 s with 2 s of MPI, with MPI_COMM_WORLD, MPI_COMM_SELF and no calls.
class TemporaryProfile {
 public:
  struct Content {
    std::uint32_t ranks = 2;
    // The ends of the rows of ranks.csv, from cpu_s to major_faults; if empty, these columns are missing, as in old
    // profiles.
    std::vector<std::string> processor_use{};
    std::vector<std::string> communicators{};           // rows after those of W and SELF
    std::vector<std::string> operations{};              // rows
    std::optional<std::vector<std::string>> peers{};    // rows; nothing: no file, as in old profiles
    std::optional<std::vector<std::string>> regions{};  // rows; nothing: no file
    std::optional<std::vector<std::string>> sites{};  // the same; with it, rows of calls end with their site, and those
                                                      // of communicators with the one that made them
    std::optional<std::vector<std::string>> modules{};        // rows
    std::optional<std::vector<std::string>> waits{};          // rows; nothing: no file
    std::optional<std::vector<std::string>> waits_by_rank{};  // rows; nothing: no file
    std::optional<std::vector<std::string>> waits_by_pair{};  // rows; nothing: no file
    std::optional<std::vector<std::string>> when{};           // rows; nothing: no file
    std::string more_of_run{};                                // further members of run.json, each preceded by a comma
  };

  TemporaryProfile() : TemporaryProfile(Content{}) {}
  explicit TemporaryProfile(Content const& content);
  ~TemporaryProfile();
  TemporaryProfile(TemporaryProfile const&) = delete;
  TemporaryProfile& operator=(TemporaryProfile const&) = delete;

  [[nodiscard]] std::filesystem::path const& path() const { return path_; }
  [[nodiscard]] std::string file(std::string_view name) const { return (path_ / name).string(); }
  [[nodiscard]] std::string read(std::string_view name) const;
  void write(std::string_view name, std::string_view text) const;
  void remove(std::string_view name) const;
  // Replaces the first occurrence in a file; the text must be there.
  void replace(std::string_view name, std::string_view old_text, std::string_view new_text) const;

  [[nodiscard]] mpisee_through::Summary summarise(
      mpisee_through::Selection const& selection = {},
      mpisee_through::Detail detail = mpisee_through::Detail::operations) const;

  // The error of reading the profile to its end, without the directory's name: "operations.csv:3: ...". Empty if there
  // is none.
  [[nodiscard]] std::string problem() const;

 private:
  std::filesystem::path path_;
};
