#include "support/run_tool.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace {

// Uses files for the output: a pipe that is not read in time would block the tool.
class OutputFile {
 public:
  OutputFile() {
    int const descriptor = ::mkstemp(name_.data());
    if (descriptor < 0) throw std::runtime_error("cannot make " + name_);
    ::close(descriptor);
  }
  ~OutputFile() { std::filesystem::remove(name_); }
  OutputFile(OutputFile const&) = delete;
  OutputFile& operator=(OutputFile const&) = delete;

  [[nodiscard]] std::string const& name() const { return name_; }
  [[nodiscard]] std::string text() const {
    std::ifstream in(name_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::string name_ = (std::filesystem::temp_directory_path() / "mpisee_through_output.XXXXXX").string();
};

}  // namespace

ToolRun run_shell(std::string const& line, std::filesystem::path const& directory) {
  OutputFile const out;
  OutputFile const err;
  std::filesystem::path const tool = MPISEE_THROUGH_PATH;
  std::string const script = "unset COLUMNS NO_COLOR; export LC_ALL=C.UTF-8 PATH='" + tool.parent_path().string() +
                             "':$PATH; cd '" + directory.string() + "' || exit 99; exec >'" + out.name() + "' 2>'" +
                             err.name() + "' </dev/null; " + line;
  pid_t const child = ::fork();
  if (child == 0) {
    ::execl("/bin/sh", "sh", "-c", script.c_str(), nullptr);
    ::_exit(127);
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || ::wait4(child, &status, 0, &usage) != child) throw std::runtime_error("cannot run " + line);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), out.text(), err.text(), usage.ru_maxrss};
}

ToolRun run_tool(std::string const& arguments, std::filesystem::path const& directory) {
  return run_shell("exec mpisee-through " + arguments, directory);
}

void check_refused(ToolRun const& run, int exit_code, std::string const& message) {
  CHECK(run.exit_code == exit_code);
  CHECK(run.out.empty());
  CHECK(run.err == message + "\n");
}

bool contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }
