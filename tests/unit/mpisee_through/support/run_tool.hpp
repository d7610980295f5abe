#pragma once

#include <filesystem>
#include <string>

struct ToolRun {
  int exit_code;
  std::string out;
  std::string err;
  long peak_kib;  // resident memory
};

// Runs a shell command in a directory, with the built mpisee-through first in PATH, and without a terminal.
ToolRun run_shell(std::string const& line, std::filesystem::path const& directory = ".");

// Runs mpisee-through with these arguments, quoted for a shell.
ToolRun run_tool(std::string const& arguments, std::filesystem::path const& directory = ".");

// Checks that the tool printed nothing but this line of error.
void check_refused(ToolRun const& run, int exit_code, std::string const& message);

bool contains(std::string const& text, std::string const& part);

// The directory of the sample profiles.
inline std::filesystem::path const sample_parent = std::filesystem::path(MPISEE_THROUGH_SAMPLE).parent_path();
