#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <set>
#include <system_error>

#include "files/profile_error.hpp"
#include "files/sparse_file.hpp"
#include "profile/profile.hpp"
#include "profile/schema.hpp"
#include "recovery/look.hpp"
#include "recovery/recovery.hpp"
#include "recovery/spool_file.hpp"
#include "spool/directories.hpp"

namespace mpisee_through {

namespace fs = std::filesystem;
using namespace commprof;

namespace {

fs::path const name_of_spool = spool::subdirectory.substr(1);

bool is_own(fs::path const& path, mode_t type) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && (status.st_mode & S_IFMT) == type && status.st_uid == geteuid();
}

// Searches for directories with spool files. Skips those inside a profile: they are in the right place already.
class Search {
 public:
  explicit Search(std::vector<fs::path> const& from) {
    for (fs::path const& one : from) visit(one, 0);
  }
  std::vector<fs::path> found;

 private:
  void visit(fs::path const& directory, int depth) {
    constexpr int deepest = 2;
    std::error_code error;
    fs::path const real = fs::canonical(directory, error);
    if (error || !seen_.insert(real).second) return;
    if (depth > 0 && directory.filename() == name_of_spool) return;
    if (!spool_files(directory).empty()) return found.push_back(real);
    if (depth == deepest) return;
    std::vector<fs::path> within;
    fs::directory_iterator entry(directory, fs::directory_options::skip_permission_denied, error);
    for (fs::directory_iterator const end; !error && entry != end; entry.increment(error))
      if (is_own(entry->path(), S_IFDIR)) within.push_back(entry->path());
    std::ranges::sort(within);
    for (fs::path const& one : within) visit(one, depth + 1);
  }

  std::set<fs::path> seen_;
};

// The contents of a file. Nothing if it does not exist.
std::optional<SparseFile> contents(fs::path const& file) {
  try {
    return SparseFile({file, file});
  } catch (ProfileError const&) {
    if (fs::exists(file)) throw;
    return std::nullopt;
  }
}

[[noreturn]] void fail(fs::path const& file) {
  throw ProfileError(file, std::nullopt, std::generic_category().message(errno));
}

// Writes a new file. Holes stay holes.
void write_new(fs::path const& file, SparseFile const& contents) {
  Descriptor const out(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!out) fail(file);
  std::string_view const bytes = contents.bytes();
  for (auto [at, end] : contents.extents())
    while (at < end) {
      ssize_t const n = pwrite(out.get(), bytes.data() + at, end - at, static_cast<off_t>(at));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) fail(file);
      at += static_cast<std::size_t>(n);
    }
  if (ftruncate(out.get(), static_cast<off_t>(bytes.size())) != 0) fail(file);
  if (fsync(out.get()) != 0 && errno != EINVAL) fail(file);
}

// Gives a file its final name unless that exists. Uses a rename where the file system has no hard links.
bool publish(fs::path const& unfinished, fs::path const& file) {
  if (link(unfinished.c_str(), file.c_str()) == 0) return unlink(unfinished.c_str()) == 0;
  if (errno == EEXIST || fs::exists(file)) return false;
  if (std::rename(unfinished.c_str(), file.c_str()) != 0) fail(file);
  return true;
}

// Copies the file, then deletes the original. An earlier attempt may have stopped in between. False if another process
// has moved the file.
bool move(fs::path const& from, fs::path const& to) {
  std::optional<SparseFile> const copied = contents(from);
  if (!copied) return false;
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  fs::path const unfinished =
      to.parent_path() / fmt::format(".{}.{}-{}", to.filename().string(), host.data(), static_cast<int>(getpid()));
  bool is_there = fs::exists(to);
  if (!is_there) {
    try {
      write_new(unfinished, *copied);
      is_there = !publish(unfinished, to);
    } catch (...) {
      unlink(unfinished.c_str());
      throw;
    }
    if (is_there) unlink(unfinished.c_str());
  }
  if (is_there) {
    std::optional<SparseFile> const other = contents(to);
    if (!other || other->bytes() != copied->bytes())
      throw ProfileError(to, std::nullopt, fmt::format("is there, and differs from {}: left", from.string()));
  }
  if (unlink(from.c_str()) != 0) fail(from);
  return true;
}

// The job as %j puts it into a path.
std::string as_in_path(std::string const& job) {
  auto const facts = std::make_unique<RunFacts>();
  job.copy(facts->host, sizeof facts->host - 1);
  char path[PATH_MAX];
  return expand_path("/%h", *facts, path) ? path + 1 : job;
}

// The run whose spool files the directory has already.
std::optional<std::uint64_t> run_in(fs::path const& spool) {
  for (auto const& [rank, path] : spool_files(spool)) {
    try {
      return SpoolFile({path, path}).owner.run;
    } catch (std::exception const&) {
      continue;
    }
  }
  return std::nullopt;
}

// Whether the directory is the unfinished profile of the run of this file, which is in the directory `from`.
bool is_profile_of(fs::path const& profile, SpoolFile const& file, fs::path const& from) {
  std::error_code error;
  if (!fs::is_directory(profile / name_of_spool, error)) return false;
  if (auto const there = find_node_directory(profile)) return there->filename() == from.filename();
  if (auto const run = run_in(profile / name_of_spool)) return *run == file.owner.run;
  return fs::equivalent(profile, file.profile, error);
}

// The run does not say where it goes.
struct NoDestination : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Whether the directory is that of one run.
bool is_profile(fs::path const& directory) {
  std::error_code error;
  return fs::is_directory(directory / name_of_spool, error) || fs::exists(directory / schema::run_file, error);
}

// Where the run of this file goes; nothing if it is not wanted. Throws NoDestination.
std::optional<fs::path> destination_of(SpoolFile const& file, CollectWish const& wish, fs::path const& from) {
  if (!wish.job.empty() && file.job != as_in_path(wish.job)) return std::nullopt;
  if (wish.to && is_profile(*wish.to)) return is_profile_of(*wish.to, file, from) ? wish.to : std::nullopt;
  if (wish.to) return *wish.to / (from.filename() == name_of_spool ? from.parent_path() : from).filename();
  if (!file.profile.empty() && is_profile_of(file.profile, file, from)) return file.profile;
  throw NoDestination(fmt::format("{}: {}: name a directory to collect into", from.string(),
                                  file.profile.empty()
                                      ? "does not say where its profile is"
                                      : fmt::format("its profile {} is finished or gone", file.profile)));
}

// The directory for the spool files of a run.
fs::path make_spool(fs::path const& profile, std::uint64_t run, fs::path const& from) {
  fs::path spool = profile / name_of_spool;
  fs::create_directories(profile);
  if (mkdir(spool.c_str(), 0700) != 0 && errno != EEXIST) fail(spool);
  if (auto const there = run_in(spool); there && *there != run)
    throw ProfileError(spool, std::nullopt, fmt::format("holds files of another run than {}: left", from.string()));
  return spool;
}

// Collects the files of the run. Nothing if the run is not wanted.
std::optional<CollectedRun> collect_run(CollectWish const& wish, fs::path const& from) {
  CollectedRun run{.from = from};
  fs::path spool;
  for (auto const& [rank, path] : spool_files(from)) {
    if (!is_own(path, S_IFREG)) continue;
    try {
      SpoolFile const file({path, path});
      if (run.to.empty()) {
        auto const to = destination_of(file, wish, from);
        if (!to) return std::nullopt;
        run.to = *to;
      }
      Life const life = life_of(file.owner, path);
      if (life == Life::running) {
        run.running.push_back(rank);
      } else if (life == Life::unknown) {
        run.of_others.push_back(rank);
        run.host = file.owner.host;
      } else {
        if (spool.empty()) spool = make_spool(run.to, file.owner.run, from);
        if (move(path, spool / path.filename())) run.ranks.push_back(rank);
      }
    } catch (NoDestination const& error) {
      run.problems.emplace_back(error.what());
      return run;
    } catch (std::exception const& error) {
      run.problems.emplace_back(error.what());
    }
  }
  if (!run.ranks.empty()) rmdir(from.c_str());
  bool const is_unknown = run.to.empty();  // no file could be read
  if (is_unknown && (run.problems.empty() || (wish.to && is_profile(*wish.to)) || !wish.job.empty()))
    return std::nullopt;
  return run;
}

}  // namespace

std::vector<fs::path> node_directories() {
  spool::NodeDirectories const all = spool::node_directories();
  return {all.begin(), all.end()};
}

std::vector<CollectedRun> collect(CollectWish const& wish) {
  std::vector<CollectedRun> runs;
  for (fs::path const& directory : Search(wish.from).found)
    if (auto run = collect_run(wish, directory)) runs.push_back(std::move(*run));
  return runs;
}

}  // namespace mpisee_through
