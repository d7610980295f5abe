#include "recovery/recovery.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "comm_naming/registry.hpp"
#include "counters/counters.hpp"
#include "files/profile_error.hpp"
#include "files/temporary_directory.hpp"
#include "ops.hpp"
#include "reader/profile_reader.hpp"
#include "recovery/look.hpp"
#include "recovery/spool_file.hpp"
#include "spool/spool.hpp"
#include "support/left_spool.hpp"
#include "support/long_run.hpp"

namespace fs = std::filesystem;
namespace through = mpisee_through;
using namespace commprof;

namespace {

std::string contents(fs::path const& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

spool::Owner owner_of(int rank, int ranks) {
  spool::Owner owner{.run = 42,
                     .rank = rank,
                     .ranks = ranks,
                     .pid = 7,
                     .reads_tsc = 0,
                     .start_time = {},
                     .start = {1000},
                     .any_source = -2,
                     .proc_null = -1,
                     .root = -3};
  std::strcpy(owner.host, "host");
  return owner;
}

class Left {
 public:
  explicit Left(int ranks = 2) {
    fs::create_directory(directory.path() / "spool");
    for (int rank = 0; rank < ranks; ++rank) leave_spool_file(directory.path() / "spool", owner_of(rank, ranks));
  }
  fs::path file(int rank) const { return directory.path() / "spool" / (std::to_string(rank) + ".spool"); }

  through::TemporaryDirectory directory;
};

void read_everything(through::Profile const& profile) {
  for (through::Rows<through::OperationRow> rows(profile); rows.next() != nullptr;) {
  }
  for (through::Rows<through::CommunicatorRow> rows(profile); rows.next() != nullptr;) {
  }
  for (through::RankRows rows(profile); rows.next() != nullptr;) {
  }
  for (through::Rows<through::RegionRow> rows(profile); rows.next() != nullptr;) {
  }
  for (through::Rows<through::PeerRow> rows(profile); rows.next() != nullptr;) {
  }
}

}  // namespace

TEST_CASE("what processes were in when they were killed") {
  Left const left;
  fs::path const spool = left.directory.path() / "spool";
  through::Look const look = through::SpoolLook(spool, nullptr).look;
  CHECK(look.problems.empty());
  CHECK(look.counts.at("W_d1").calls == 200);
  REQUIRE(look.job.processes.size() == 2);
  for (through::ProcessState const& process : look.job.processes) {
    CHECK(process.is_at_least);  // the host's name is not that of any host
    REQUIRE(process.threads.size() == 1);
    through::ThreadState const& state = process.threads[0];
    CHECK(state.op == Op::Recv);
    REQUIRE(look.job.communicator(state.comm) != nullptr);
    CHECK(look.job.communicator(state.comm)->name == "W_d1");
    CHECK(state.source == static_cast<through::GivenRank>(1 - process.rank));
    through::SpoolFile const file({left.file(process.rank), left.file(process.rank)});
    CHECK(state.place.module == file.sites.path(0));
    CHECK(state.place.offset == file.sites[SiteIndex{1}].offset);
  }
  for (bool const is_recovered : {false, true}) {
    if (is_recovered) through::recover_profile(left.directory.path());
    auto const state = through::Profile(left.directory.path()).run().unfinished->state;
    REQUIRE(state);
    REQUIRE(state->stuck.size() == 1);
    CHECK(state->stuck[0].steps.size() == 2);
  }
}

TEST_CASE("a segment that cannot be told is damage, room for more segments is not") {
  Left const left(1);
  std::string file = contents(left.file(0));
  std::size_t last = 0;
  for (std::size_t at = 0; at < file.size(); at += spool::page_bytes)
    if (std::memcmp(file.data() + at, &spool::segment_magic, sizeof spool::segment_magic) == 0) last = at;
  REQUIRE(last > 0);
  if constexpr (spool::page_bytes == 4096) REQUIRE(file.find_last_not_of('\0') < file.size() - spool::page_bytes);
  file[last] = '\0';
  std::ofstream(left.file(0), std::ios::binary) << file;
  CHECK(through::SpoolFile({left.file(0), left.file(0)}).damaged > 0);
}

namespace {

template <class T>
T object_in(std::string const& file, std::size_t at) {
  T object;
  REQUIRE(at + sizeof object <= file.size());
  std::memcpy(static_cast<void*>(&object), file.data() + at, sizeof object);
  return object;
}

template <class T>
void put(std::string& file, std::size_t at, T const& object) {
  std::memcpy(file.data() + at, &object, sizeof object);
}

constexpr std::size_t bytes_of_page_at = sizeof(spool::SegmentHead) + offsetof(spool::SpoolHead, bytes_of_page);
constexpr std::size_t bytes_in_use_at = sizeof(spool::SegmentHead) + offsetof(spool::SpoolHead, bytes_in_use);

// The file as a machine with pages of another size writes it. Segments of peers that were moved into the file have
// their head on a page of its own.
std::string with_pages_of(std::size_t page, std::string const& file) {
  auto const up = [](std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; };
  auto const bytes_in_use = object_in<std::uint64_t>(file, bytes_in_use_at);
  std::string other;
  for (std::size_t at = 0; at < bytes_in_use;) {
    auto segment = object_in<spool::SegmentHead>(file, at);
    REQUIRE(segment.magic == spool::segment_magic);
    std::string const held = file.substr(at + segment.offset, segment.bytes);
    at = up(at + segment.offset + segment.bytes, spool::page_bytes);
    if (segment.part.kind == spool::Kind::peers) segment.offset = static_cast<std::uint32_t>(page);
    std::size_t const place = other.size();
    other.resize(up(place + segment.offset + segment.bytes, page));
    put(other, place, segment);
    other.replace(place + segment.offset, held.size(), held);
  }
  put(other, bytes_of_page_at, std::uint64_t{page});
  put(other, bytes_in_use_at, std::uint64_t{other.size()});
  other.resize(other.size() + 3 * page);  // room for more
  return other;
}

}  // namespace

TEST_CASE("counts whose call sites are lost are there, outside all regions") {
  Left const left(1);
  std::string file = contents(left.file(0));
  for (std::size_t at = 0; at < file.size(); at += spool::page_bytes)
    if (auto const head = object_in<spool::SegmentHead>(file, at); head.part.kind == spool::Kind::scopes) file[at] = 0;
  std::ofstream(left.file(0), std::ios::binary) << file;
  through::SpoolFile const found({left.file(0), left.file(0)});
  REQUIRE(found.records.size() == 300);
  CHECK(found.records[0].key.scope() == ScopeIndex::main);
}

TEST_CASE("a file of a machine with other pages gives all that is in it") {
  Left const left(1);
  std::string const own = contents(left.file(0));
  for (std::size_t const page : {std::size_t{4096}, std::size_t{16384}, std::size_t{65536}}) {
    INFO("pages of " << page << " bytes");
    std::ofstream(left.file(0), std::ios::binary) << with_pages_of(page, own);
    through::SpoolFile const file({left.file(0), left.file(0)});
    CHECK(file.damaged == 0);
    CHECK(file.records.size() == 300);
    CHECK(file.peers.size() == 1);
    CHECK(file.registry.size() == 3);
    CHECK(file.registry.text(file.registry[CommIndex{2}].user_name) == "a \"name\", of a user");
    CHECK(file.regions.size() == 2);
  }
}

TEST_CASE("a size that no page has is damage, and what is in the file is found all the same") {
  Left const left(1);
  std::string const own = contents(left.file(0));
  CHECK(through::SpoolFile({left.file(0), left.file(0)}).damaged == 0);
  for (std::uint64_t const nonsense :
       {std::uint64_t{0}, std::uint64_t{64}, std::uint64_t{5000}, std::uint64_t{1} << 40, UINT64_MAX}) {
    INFO("pages of " << nonsense << " bytes");
    for (std::size_t const page : {std::size_t{4096}, std::size_t{65536}}) {
      std::string damaged = with_pages_of(page, own);
      put(damaged, bytes_of_page_at, nonsense);
      std::ofstream(left.file(0), std::ios::binary) << damaged;
      through::SpoolFile const file({left.file(0), left.file(0)});
      CHECK(file.damaged == 1);
      CHECK(file.records.size() == 300);
      CHECK(file.peers.size() == 1);
    }
  }
}

TEST_CASE("a run ends when its launcher says, and calls that did not end take until then") {
  Left const left;
  through::write_command_end(left.directory.path() / "spool", {.day_s = 1e-3, .signal = 2, .exit_code = 130});
  for (bool const is_recovered : {false, true}) {
    if (is_recovered) through::recover_profile(left.directory.path());
    through::Profile const profile(left.directory.path());
    through::Run const& run = profile.run();
    CHECK_FALSE(run.is_longer());
    CHECK(run.wall_s == Approx(1e-3));
    CHECK(run.unfinished->how() == "interrupted by SIGINT");
    CHECK(run.unfinished->last_record_s == Approx(5299e-9));
    CHECK(run.unfinished->in_calls_s == Approx(2 * (1e-3 - 6000e-9)));
    CHECK_FALSE(run.has_efficiencies());
    CHECK(run.unfinished->state->groups.at(0).longest_s == Approx(1e-3 - 6000e-9));
    double mpi_s = 0, in_solve_s = 0;
    for (through::Rows<through::OperationRow> rows(profile); through::OperationRow const* row = rows.next();) {
      if (row->operation != "Recv-unfinished") continue;
      CHECK(row->communicator == "W_d1");
      CHECK(row->calls == 1);
      mpi_s += double{row->time_s};
    }
    CHECK(mpi_s == Approx(run.unfinished->in_calls_s));
    for (through::Rows<through::RegionRow> rows(profile); through::RegionRow const* row = rows.next();)
      if (row->region == "solve") in_solve_s += double{row->wall_s};
    CHECK(in_solve_s == Approx(2 * (1e-3 - 4000e-9)));
  }
}

TEST_CASE("what the system counted until MPI_Abort is known, however long the launcher takes to end the others") {
  Left const left(1);
  std::string file = contents(left.file(0));
  put(file, sizeof(spool::SegmentHead) + offsetof(spool::SpoolHead, abort), spool::Abort{{8000}, 4});
  put(file, sizeof(spool::SegmentHead) + offsetof(spool::SpoolHead, use),
      spool::UseSoFar{.at = {8000}, .cpu_ns = 5000});
  std::ofstream(left.file(0), std::ios::binary) << file;
  through::write_command_end(left.directory.path() / "spool", {.day_s = 1e-3, .signal = 0, .exit_code = 4});
  through::recover_profile(left.directory.path());
  through::Profile const profile(left.directory.path());
  through::RankRows rows(profile);
  through::RankRow const* const row = rows.next();
  REQUIRE(row != nullptr);
  CHECK(row->cpu_s == Approx(5e-6));
}

TEST_CASE("processes that are still there when their job has ended are over") {
  Left const left(0);
  fs::path const spool = left.directory.path() / "spool";
  spool::Owner owner = owner_of(0, 1);
  owner.pid = getpid();
  REQUIRE(gethostname(owner.host, sizeof owner.host - 1) == 0);
  leave_spool_file(spool, owner);
  int const opened = open(left.file(0).c_str(), O_RDONLY | O_CLOEXEC);
  void* const mapped = mmap(nullptr, spool::page_bytes, PROT_READ, MAP_SHARED, opened, 0);
  REQUIRE(mapped != MAP_FAILED);
  auto const life = [&] { return through::SpoolLook(spool, nullptr).look.job.processes.at(0).life; };
  CHECK(life() == through::Life::running);
  through::write_command_end(spool, {.day_s = 1e-3, .signal = 9, .exit_code = 137});
  CHECK(life() == through::Life::ended);
  munmap(mapped, spool::page_bytes);
  close(opened);
}

TEST_CASE("a file that is cut off anywhere gives what is before the cut") {
  Left const left(1);
  std::string const whole = contents(left.file(0));
  std::size_t const end = whole.find_last_not_of('\0') + 1;  // of the used part; the rest is room to grow
  std::size_t records_before = 0;
  std::size_t const step = is_long_run() ? 509 : 7 * 509;
  for (std::size_t length = 0; length <= end + step; length += step) {
    std::ofstream(left.file(0), std::ios::binary) << whole.substr(0, length);
    try {
      through::SpoolFile const file({left.file(0), left.file(0)});
      CHECK(file.records.size() >= records_before);
      records_before = file.records.size();
    } catch (through::ProfileError const& error) {
      CHECK(records_before == 0);
      CHECK(std::string(error.what()).find("0.spool: ") != std::string::npos);
    }
  }
  CHECK(records_before > 0);
}

TEST_CASE("a damaged file gives what can be had, and never anything but that") {
  Left const left(1);
  std::string const whole = contents(left.file(0));
  std::mt19937 random(1);
  auto const below = [&](std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
  };
  int readable = 0;
  int const rounds = is_long_run() ? 400 : 60;
  for (int round = 0; round < rounds; ++round) {
    std::string damaged = whole;
    for (std::size_t n = 1 + below(round % 4 == 0 ? 400 : 8); n > 0; --n) {
      // Most of the file is empty; damage matters in the other parts.
      std::size_t place = below(damaged.size());
      for (int tries = 0; tries < 200 && damaged[place] == 0; ++tries) place = below(damaged.size());
      damaged[place] = static_cast<char>(below(3) == 0 ? 0xff : below(256));
    }
    if (round % 5 == 0) damaged.resize(below(damaged.size()));
    std::ofstream(left.file(0), std::ios::binary) << damaged;
    try {
      read_everything(through::Profile(left.directory.path()));
      ++readable;
    } catch (through::ProfileError const&) {
    }
  }
  CHECK(readable > rounds / 4);
}
