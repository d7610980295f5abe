// How fast mpisee-through reads a profile, and in how much memory.
//
//   bench_reader [--few] [RANKS ...]      default: 1000 10000 100000
//
// For each number of ranks: writes a synthetic profile into a temporary directory (about 30 KB a rank, so 3 GB for
// 100000; TMPDIR says where), runs the real mpisee-through on it three times with each set of options, and prints the
// fastest run. Most of the profile is then in the page cache: what is measured is the reader and not the disk. Views
// are measured with summary.csv ("sums"), which has sums over ranks, and without it ("rows"). With --few only a few
// ranks have rows (COMMPROF_DETAIL=summary). Peak memory is the kernel's account of the process. MPISEE_THROUGH names
// another program to measure.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
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

using Options = std::vector<std::string>;

void measure(std::filesystem::path const& directory, std::uint64_t ranks, std::uint64_t communicators,
             std::uint64_t bytes, std::string_view from, Options const& options) {
  std::vector<std::string> arguments{program()};
  arguments.insert(arguments.end(), options.begin(), options.end());
  arguments.push_back(directory.string());
  constexpr int repetitions = 3;
  Measurement best{};
  for (int i = 0; i < repetitions; ++i) {
    Measurement const run = run_once(arguments, directory / "output");
    if (i == 0 || run.seconds < best.seconds) best = run;
  }
  auto const megabytes = static_cast<double>(bytes) / 1e6;
  fmt::print("{:>7} {:>7} {:>6.0f}  {:<4} {:<16} {:>8.2f} {:>6.2f} {:>5.0f} {:>9.0f}\n", ranks, communicators,
             megabytes, from, fmt::format("{}", fmt::join(options, " ")), best.seconds, best.cpu_seconds,
             megabytes / best.seconds, static_cast<double>(best.peak_kib) / 1024);
  std::fflush(stdout);
}

void measure(std::uint64_t ranks, bench::Rows rows) {
  TemporaryDirectory const directory;
  bench::ProfileSize const size = bench::write_synthetic_profile(directory.path(), ranks, rows);
  auto const show = [&](std::string_view from, std::uint64_t bytes, std::vector<Options> const& views) {
    for (Options const& options : views) measure(directory.path(), ranks, size.communicators, bytes, from, options);
  };
  std::vector<Options> const of_sums{
      {}, {"--operations"}, {"--tree"}, {"--sites"}, {"--communicators"}, {"--sizes"}, {"report", "-o", "/dev/null"}};
  show("sums", size.bytes_of_sums, of_sums);
  if (rows == bench::Rows::of_few_ranks) return;
  show("rows", size.bytes_of_calls, {{"--ranks"}});
  show("rows", size.bytes_of_messages, {{"--matrix"}});
  bench::remove_sums(directory.path());
  show("rows", size.bytes_of_calls,
       {{}, {"--operations"}, {"--tree"}, {"--sites"}, {"--communicators"}, {"--sizes"}, {"--sizes", "--csv"}});
}

}  // namespace

int main(int argc, char** argv) try {
  std::vector<std::uint64_t> rank_counts;
  auto rows = bench::Rows::of_all_ranks;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--few") rows = bench::Rows::of_few_ranks;
    else rank_counts.push_back(std::stoull(argv[i]));
  }
  if (rank_counts.empty()) rank_counts = {1'000, 10'000, 100'000};

  fmt::print("{:>7} {:>7} {:>6}  {:<4} {:<16} {:>8} {:>6} {:>5} {:>9}\n", "ranks", "comms", "MB", "from", "options",
             "seconds", "CPU s", "MB/s", "peak MiB");
  std::fflush(stdout);  // a child would inherit and print what is buffered
  for (std::uint64_t const ranks : rank_counts) measure(ranks, rows);
  return EXIT_SUCCESS;
} catch (std::exception const& error) {
  fmt::print(stderr, "bench_reader: {}\n", error.what());
  return EXIT_FAILURE;
}
