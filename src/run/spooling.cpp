#include "run/spooling.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <ctime>
#include <string_view>
#include <utility>

#include "comm_naming/comm_name.hpp"
#include "counters/counters.hpp"
#include "finalize/gathering.hpp"
#include "finalize/profile_writer.hpp"
#include "mpi/polite_wait.hpp"
#include "profile/output.hpp"
#include "profile/profile.hpp"
#include "request_table/requests.hpp"
#include "spool/directories.hpp"
#include "spool/spool.hpp"

namespace commprof::spooling {

namespace {

// The directory of the spool files, broadcast by rank 0.
struct Place {
  std::uint64_t run = 0;
  bool is_on_node = false;        // each host has a directory of its own with this name
  char directory[PATH_MAX] = "";  // empty if there is no spool
  char home[1024] = "";           // contents of spool::Kind::home
  std::uint32_t bytes_of_home = 0;
};
Place place;

char claimed[PATH_MAX] = "";
char const* claimed_pattern = nullptr;

// Creates the profile's directory, and in it the spool's. False on failure; the reason is printed when the profile is
// written.
bool claim(char const* pattern, RunFacts const& facts) {
  char wanted[PATH_MAX];
  if (!expand_path(pattern, facts, wanted) || !claim_directory(wanted, claimed)) return false;
  std::snprintf(place.directory, sizeof place.directory, "%s", claimed);
  if (append_to_path(place.directory, spool::subdirectory) && mkdir(place.directory, 0700) == 0) {
    claimed_pattern = pattern;
    add_to_index(claimed, facts);
    return true;
  }
  rmdir(claimed);
  place.directory[0] = '\0';
  return false;
}

// A name unique to this run, after a slash: the name of the profile's directory, the time and the process id.
void name_run(char (&name)[NAME_MAX + 2], RunFacts const& facts) {
  std::string_view const last = std::string_view(claimed).substr(std::string_view(claimed).rfind('/') + 1);
  tm parts{};
  gmtime_r(&facts.start_time.tv_sec, &parts);
  char time[32];
  std::strftime(time, sizeof time, "%Y%m%dT%H%M%S", &parts);
  constexpr int longest = 200;  // leaves room for the time and the process id
  std::snprintf(name, sizeof name, "/%s%.*s-%s-%d", last.starts_with("commprof-") ? "" : "commprof-", longest,
                last.data(), time, facts.pid);
}

void tell_home(char const* profile, RunFacts const& facts) {
  static char job[PATH_MAX];
  if (!expand_path("/%j", facts, job)) return;
  std::size_t const room = sizeof place.home - std::strlen(job + 1) - 2;
  if (std::strlen(profile) > room) profile = "";
  place.bytes_of_home =
      static_cast<std::uint32_t>(std::snprintf(place.home, sizeof place.home, "%s%c%s", profile, '\0', job + 1) + 1);
}

// Moves the spool to the nodes if the profile's file system does not suit it. The profile's directory gets a link to
// the spool.
void prefer_node(RunFacts const& facts) {
  static char directory[PATH_MAX];
  char name[NAME_MAX + 2];
  if (spool::find_unsuited(place.directory) == nullptr) return;
  name_run(name, facts);
  if (!spool::open_on_node("", name + 1, directory)) return;
  if (append_to_path(place.directory, spool::link_to_node))
    static_cast<void>(symlink(directory, place.directory));  // ignores errors: not every file system has links
  std::memcpy(place.directory, directory, sizeof directory);
  place.is_on_node = true;
  tell_home(claimed, facts);
}

void choose(RunFacts const& facts) {
  place.run = static_cast<std::uint64_t>(facts.start_time.tv_sec) << 32 ^
              static_cast<std::uint64_t>(facts.start_time.tv_nsec) << 2 ^ static_cast<std::uint64_t>(facts.pid);
  for (char const* const pattern : output_patterns(state.options))
    if (claim(pattern, facts)) return prefer_node(facts);
}

// Broadcasts the directory without spinning. With COMMPROF_INTERNAL=1 it uses the blocking call: a nonblocking
// collective on the world would use up one of the tags by which the MPI's own messages are told apart.
void tell_place(MPI_Comm comm) {
  int const result =
      state.options.internal ? PMPI_Bcast(&place, sizeof place, MPI_BYTE, 0, comm) : broadcast_politely(place, comm);
  if (result != MPI_SUCCESS) place = Place{};
}

// Opens the directory; on a node, where rank 0 has its own, if this host has that path, too.
Descriptor open_directory() {
  if (place.directory[0] == '\0') return {};
  if (!place.is_on_node) {
    Descriptor directory = open_private_directory(place.directory);
    spool::UnsuitedFileSystem const* const unsuited = directory ? spool::find_unsuited(place.directory) : nullptr;
    return unsuited == nullptr || unsuited->why != spool::copying ? std::move(directory) : Descriptor();
  }
  static char of_rank_0[PATH_MAX];
  std::memcpy(of_rank_0, place.directory, sizeof of_rank_0);
  std::string_view const path = of_rank_0;
  std::size_t const slash = path.rfind('/');
  return spool::open_on_node(path.substr(0, slash), path.substr(slash + 1), place.directory);
}

bool open_file(Descriptor const& directory, RunFacts const& facts) {
  spool::Owner owner{.run = place.run,
                     .rank = facts.rank,
                     .ranks = facts.ranks,
                     .pid = facts.pid,
                     .reads_tsc = clock::reads_tsc ? 1U : 0U,
                     .start_time = facts.start_time,
                     .start = facts.start,
                     .any_source = MPI_ANY_SOURCE,
                     .proc_null = MPI_PROC_NULL,
                     .root = MPI_ROOT};
  std::memcpy(owner.host, facts.host, sizeof owner.host);
  static char path[PATH_MAX];
  int const length =
      std::snprintf(path, sizeof path, "%s/%d%s", place.directory, facts.rank, spool::file_suffix.data());
  return length < PATH_MAX && spool::open(directory.get(), path, owner);
}

void keep_run_json(RunFacts const& facts) {
  PageVector<char> text;
  append_written(text, [&](TextWriter& out) { write_run_json(out, facts, {}, {}); });
  spool::keep(spool::Kind::run_json, {text.begin(), text.size()});
}

// Stores `home` in a file that is not where the reader looks by itself.
void keep_home() { spool::keep(spool::Kind::home, {place.home, place.bytes_of_home}); }

void keep_processors() {
  PageVector<char> text;
  append_processors(text);
  spool::keep(spool::Kind::processors, {text.begin(), text.size()});
}

// The name of the directory in messages.
char const* shown_place() {
  if (!place.is_on_node) return place.directory;
  static char text[2 * PATH_MAX + 512];
  std::snprintf(text, sizeof text, "%s on each host, such as %s; there, \"mpisee-through collect %s\" gathers it",
                place.directory, spool::head().owner.host, claimed);
  return text;
}

// On rank 0, with files on the nodes: removes the directories and the link that it created in the profile.
void end_in_profile(File file) {
  char path[PATH_MAX];
  if (claimed[0] == '\0') return;
  std::snprintf(path, sizeof path, "%s", claimed);
  if (!append_to_path(path, spool::subdirectory) || !append_to_path(path, spool::link_to_node)) return;
  if (file == File::remove) unlink(path);
  path[std::strlen(path) - spool::link_to_node.size()] = '\0';
  rmdir(path);
  rmdir(claimed);
}

}  // namespace

// The options of rank 0 hold for all processes: otherwise some would wait for others.
void begin(RunFacts const& facts, MPI_Comm comm) {
  if (facts.rank == 0 && state.options.spool) choose(facts);
  // Rank 0 creates the directory before the others look for it.
  Descriptor directory;
  if (facts.rank == 0) directory = open_directory();
  if (facts.ranks > 1) tell_place(comm);
  if (facts.rank != 0) directory = open_directory();
  if (!directory || !open_file(directory, facts)) return;
  keep_run_json(facts);
  keep_processors();
  keep_home();
  requests::of_process.table.keep_in_spool(0);
}

MadeAtStart made() {
  return {.spool = spool::is_open() ? shown_place() : "",
          .directory = claimed_pattern == nullptr ? nullptr : claimed,
          .pattern = claimed_pattern};
}

// rmdir() fails until the last process has removed its file, and for the directory of a written profile.
void end(File file) {
  if (file == File::remove) spool::remove();
  claimed_pattern = nullptr;
  if (place.directory[0] != '\0') rmdir(place.directory);
  if (place.is_on_node) return end_in_profile(file);
  if (place.directory[0] == '\0') return;
  char parent[PATH_MAX];
  std::snprintf(parent, sizeof parent, "%s", place.directory);
  parent[std::strlen(parent) - spool::subdirectory.size()] = '\0';
  rmdir(parent);
}

}  // namespace commprof::spooling
