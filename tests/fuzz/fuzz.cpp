// What reads files that somebody may have damaged, with bytes that libFuzzer chooses, or that corpus.cpp reads from a
// file. An answer or a ProfileError is right; all else is a fault. FUZZ_TARGET names one of the targets below.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "commands/show.hpp"
#include "fabric/links.hpp"
#include "files/profile_error.hpp"
#include "files/temporary_directory.hpp"
#include "reader/profile_reader.hpp"
#include "recovery/look.hpp"
#include "support/left_spool.hpp"
#include "waiting/situation.hpp"

namespace {

namespace fs = std::filesystem;
using namespace mpisee_through;

fs::path const samples = FUZZ_SAMPLES;

fs::path const& directory() {
  static TemporaryDirectory const made;
  return made.path();
}

void write(fs::path const& path, std::string_view bytes) { std::ofstream(path, std::ios::binary) << bytes; }

// All tables of a profile, and one of the views.
void read(fs::path const& path, std::size_t view) {
  Profile const profile(path);
  for (Section const& section : page_of(profile, {}).sections) static_cast<void>(page_json(section.document));
  Request request;
  request.view = &shown_views()[view % shown_views().size()];
  Format const format = view % 2 == 0 ? Format::text : Format::json;
  Document const document = request.view->answer(profile, request);
  std::ostringstream out;
  write(out, format, std::span(&document, 1), {});
}

// The first line names the file of a sample in whose place the others are.
void read_table(std::string_view input) {
  static fs::path const profile = directory() / "profile";
  std::size_t const end = input.find('\n');
  fs::path const name(input.substr(0, end));
  if (end == input.npos || name.parent_path().parent_path() != fs::path() || !fs::is_regular_file(samples / name))
    return;
  fs::create_directory(profile);
  for (auto const& file : fs::directory_iterator(samples / name.parent_path()))
    fs::create_symlink(file.path(), profile / file.path().filename());
  fs::remove(profile / name.filename());
  write(profile / name.filename(), input.substr(end + 1));
  std::shared_ptr<void> const removed(nullptr, [](void*) { fs::remove_all(profile); });
  read(profile, input.size());
}

// Changes a right file: where (4 bytes, among those that are not 0), how many bytes, and these; as often as there is
// input.
void read_spool(std::string_view input) {
  static fs::path const spool = directory() / "spool", file = spool / "0.spool";
  static std::string const right = [] {
    fs::create_directory(spool);
    commprof::spool::Owner owner;
    owner.ranks = 1;
    owner.pid = 1 << 30;  // no process has it
    leave_spool_file(spool, owner);
    std::ifstream in(file, std::ios::binary);
    std::string bytes(std::istreambuf_iterator<char>(in), {});
    bytes.resize((bytes.find_last_not_of('\0') | 4095U) + 1);  // without the hole at the end
    return bytes;
  }();
  static std::vector<std::size_t> const places = [] {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < right.size(); ++i)
      if (right[i] != 0) found.push_back(i);
    return found;
  }();
  std::string bytes = right;
  while (input.size() > 5) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < 4; ++i) at = at << 8U | static_cast<unsigned char>(input[i]);
    std::string_view const changed = input.substr(5, static_cast<unsigned char>(input[4]));
    bytes.replace(places[at % places.size()], changed.size(), changed);
    input.remove_prefix(5 + changed.size());
  }
  write(file, bytes);
  static_cast<void>(understand(SpoolLook(spool, nullptr).look.job, nullptr));
  read(spool, bytes.size());
}

// The files of a network, with a line %% between them.
void read_fabric(std::string_view input) {
  static fs::path const network = directory() / "network";
  fs::create_directory(network);
  std::shared_ptr<void> const removed(nullptr, [](void*) { fs::remove_all(network); });
  constexpr std::string_view between = "%%\n";
  for (char name = 'a'; name < 'e'; ++name) {
    std::size_t const end = std::min(input.find(between), input.size());
    write(network / std::string(1, name), input.substr(0, end));
    input.remove_prefix(std::min(end + between.size(), input.size()));
    if (input.empty()) break;
  }
  Document const document = read_links(Profile(samples / "sample"), {}, network, {.has_picture = true});
  static_cast<void>(page_json(document));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static std::map<std::string, void (*)(std::string_view)> const targets = {
      {"csv", read_table}, {"run_json", read_table}, {"spool", read_spool}, {"fabric", read_fabric}};
  static auto* const target = targets.at(std::getenv("FUZZ_TARGET"));
  try {
    target({reinterpret_cast<char const*>(data), size});
  } catch (ProfileError const&) {
  } catch (SelectionError const&) {  // a view of what the profile lacks
  }
  return 0;
}
