#pragma once

#include <filesystem>
#include <string>

struct ToolRun {
  int exit_code;
  std::string out;
  std::string err;
  long peak_kib;  // resident memory
};

// Runs a line of shell in a directory, with the built mpisee-through first in PATH and without a terminal.
ToolRun run_shell(std::string const& line, std::filesystem::path const& directory = ".");

// Runs mpisee-through with these arguments, as a shell takes them.
ToolRun run_tool(std::string const& arguments, std::filesystem::path const& directory = ".");
