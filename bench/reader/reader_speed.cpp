// How fast mpisee-through reads a profile, and in how much memory.
//
//   bench_reader [RANKS ...]      default: 1000 10000 100000
//
// For each number of ranks: writes a synthetic profile into a temporary directory (about 30 KB a rank, so 3 GB for
// 100000; TMPDIR says where), runs the real mpisee-through on it three times with each set of options, and prints the
// run that took least processor time. Most of the profile is then in the page cache: what is measured is the reader and
// not the disk. Speeds are per second of processor time, which a machine busy with other things spoils less than the
// time that passed. Peak memory is the kernel's account of the process. MPISEE_THROUGH names another program to
// measure.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "synthetic_profile.hpp"

namespace {

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "bench_reader.XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a directory like " + name);
    path_ = name;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(TemporaryDirectory const&) = delete;
  TemporaryDirectory& operator=(TemporaryDirectory const&) = delete;
  [[nodiscard]] std::filesystem::path const& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct Measurement {
  double seconds;
  double cpu_seconds;  // user and system
  long peak_kib;
};

double seconds(timeval time) { return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec); }

Measurement run_once(std::vector<std::string> const& arguments, std::filesystem::path const& output) {
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (std::string const& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);

  auto const start = std::chrono::steady_clock::now();
  pid_t const child = ::fork();
  if (child == 0) {
    if (std::freopen(output.c_str(), "w", stdout) == nullptr) ::_exit(126);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || ::wait4(child, &status, 0, &usage) != child) throw std::runtime_error("cannot run " + arguments[0]);
  std::chrono::duration<double> const elapsed = std::chrono::steady_clock::now() - start;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw std::runtime_error(arguments[0] + " failed");
  return {elapsed.count(), seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss};
}

std::string program() {
  char const* const other = std::getenv("MPISEE_THROUGH");
  return other == nullptr ? MPISEE_THROUGH_PATH : other;
}

void measure(std::uint64_t ranks) {
  TemporaryDirectory const directory;
  bench::ProfileSize const size = bench::write_synthetic_profile(directory.path(), ranks);

  std::vector<std::vector<std::string>> const option_sets{
      {}, {"--operations"}, {"--sizes"}, {"--tree", "--op", "Isend"}, {"--sizes", "--csv"}, {"--matrix"}};
  for (auto const& options : option_sets) {
    std::vector<std::string> arguments{program()};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.push_back(directory.path().string());

    constexpr int repetitions = 3;
    Measurement best{};
    for (int i = 0; i < repetitions; ++i) {
      Measurement const run = run_once(arguments, directory.path() / "output");
      if (i == 0 || run.cpu_seconds < best.cpu_seconds) best = run;
    }
    bool const reads_messages = std::ranges::find(options, "--matrix") != options.end();
    auto const megabytes = static_cast<double>(reads_messages ? size.bytes_of_messages : size.bytes_of_calls) / 1e6;
    fmt::print("{:>6} {:>7} {:>6.0f}  {:<16} {:>8.2f} {:>6.2f} {:>5.0f} {:>9.0f}\n", ranks, size.communicators,
               megabytes, fmt::format("{}", fmt::join(options, " ")), best.seconds, best.cpu_seconds,
               megabytes / best.cpu_seconds, static_cast<double>(best.peak_kib) / 1024);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) try {
  std::vector<std::uint64_t> rank_counts{1'000, 10'000, 100'000};
  if (argc > 1) rank_counts.clear();
  for (int i = 1; i < argc; ++i) rank_counts.push_back(std::stoull(argv[i]));

  fmt::print("{:>6} {:>7} {:>6}  {:<16} {:>8} {:>6} {:>5} {:>9}\n", "ranks", "comms", "MB", "options", "seconds",
             "CPU s", "MB/s", "peak MiB");
  std::fflush(stdout);  // a child would inherit and print what is buffered
  for (std::uint64_t const ranks : rank_counts) measure(ranks);
  return EXIT_SUCCESS;
} catch (std::exception const& error) {
  fmt::print(stderr, "bench_reader: {}\n", error.what());
  return EXIT_FAILURE;
}
