#include "recovery/collect.hpp"

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
#include "recovery/process_life.hpp"
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

class Collecting {
 public:
  Collecting(CollectWish const& wish, fs::path const& from) : wish_(wish) {
    std::error_code error;
    is_to_profile_ = wish.to && (fs::is_directory(*wish.to / name_of_spool, error) ||
                                 fs::exists(*wish.to / schema::run_file, error));
    run_.from = from;
  }

  // Collects the files of the run. Nothing if the run is not wanted.
  std::optional<CollectedRun> take_all() {
    for (auto const& [rank, path] : spool_files(run_.from)) {
      if (!is_own(path, S_IFREG)) continue;
      try {
        take(rank, path);
      } catch (std::exception const& error) {
        run_.problems.emplace_back(error.what());
      }
      if (choice_ == Choice::unwanted) return std::nullopt;
      if (choice_ == Choice::refused) return std::move(run_);
    }
    if (!run_.ranks.empty()) rmdir(run_.from.c_str());
    bool const is_unknown = choice_ == Choice::none;  // no file could be read
    if (is_unknown && (run_.problems.empty() || is_to_profile_ || !wish_.job.empty())) return std::nullopt;
    return std::move(run_);
  }

 private:
  enum class Choice { none, wanted, unwanted, refused };

  void take(std::int32_t rank, fs::path const& path) {
    SpoolFile const file({path, path});
    if (choice_ == Choice::none) choice_ = choose(file);
    if (choice_ != Choice::wanted) return;
    Life const life = LocalProcess(file.owner, path).life();
    if (life == Life::running || is_written_to(path)) {
      run_.running.push_back(rank);
    } else if (life == Life::unknown) {
      run_.of_others.push_back(rank);
      run_.host = file.owner.host;
    } else if (move(path, spool(file) / path.filename())) {
      run_.ranks.push_back(rank);
    }
  }

  // Decides where the run goes, or why it cannot be collected.
  Choice choose(SpoolFile const& file) {
    if (!wish_.job.empty() && file.job != as_in_path(wish_.job)) return Choice::unwanted;
    if (wish_.to) {
      bool const is_profile = run_.from.filename() == name_of_spool;
      fs::path const name = (is_profile ? run_.from.parent_path() : run_.from).filename();
      run_.to = is_to_profile_ ? *wish_.to : *wish_.to / name;
      return !is_to_profile_ || is_of(run_.to, file) ? Choice::wanted : Choice::unwanted;
    }
    run_.to = file.profile;
    if (!run_.to.empty() && is_of(run_.to, file)) return Choice::wanted;
    run_.problems.push_back(
        file.profile.empty()
            ? fmt::format("{}: does not say where its profile is: name a directory to collect into", run_.from.string())
            : fmt::format("{}: its profile {} is finished or gone: name a directory to collect into",
                          run_.from.string(), file.profile));
    return Choice::refused;
  }

  // Whether the directory is the unfinished profile of this file's run.
  bool is_of(fs::path const& profile, SpoolFile const& file) const {
    std::error_code error;
    if (!fs::is_directory(profile / name_of_spool, error)) return false;
    if (auto const there = find_node_directory(profile)) return there->filename() == run_.from.filename();
    if (auto const run = run_in(profile / name_of_spool)) return *run == file.owner.run;
    return fs::equivalent(profile, file.profile, error);
  }

  // The directory for spool files, created at the first call.
  fs::path spool(SpoolFile const& file) {
    fs::path spool = run_.to / name_of_spool;
    if (is_ready_) return spool;
    fs::create_directories(run_.to);
    if (mkdir(spool.c_str(), 0700) != 0 && errno != EEXIST) fail(spool);
    if (auto const run = run_in(spool); run && *run != file.owner.run)
      throw ProfileError(spool, std::nullopt,
                         fmt::format("holds files of another run than {}: left", run_.from.string()));
    is_ready_ = true;
    return spool;
  }

  CollectWish const& wish_;
  CollectedRun run_;
  Choice choice_ = Choice::none;
  bool is_to_profile_ = false;  // the destination is the profile of a single run
  bool is_ready_ = false;
};

}  // namespace

std::vector<fs::path> node_directories() {
  spool::NodeDirectories const all = spool::node_directories();
  return {all.begin(), all.end()};
}

std::vector<CollectedRun> collect(CollectWish const& wish) {
  std::vector<CollectedRun> runs;
  for (fs::path const& directory : Search(wish.from).found)
    if (auto run = Collecting(wish, directory).take_all()) runs.push_back(std::move(*run));
  return runs;
}

}  // namespace mpisee_through
