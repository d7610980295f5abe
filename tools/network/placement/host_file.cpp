#include "placement/host_file.hpp"

#include <fmt/format.h>

#include <unordered_map>

#include "files/host_list.hpp"
#include "files/number_in.hpp"
#include "files/profile_error.hpp"
#include "files/text_lines.hpp"

namespace mpisee_through {
namespace {

constexpr std::size_t most_slots = 1'000'000;

class HostFileReader {
 public:
  explicit HostFileReader(std::filesystem::path const& file) : file_(file) {}

  std::vector<HostLine> run() {
    for (TextLine const& line : read_text_lines(file_)) {
      line_ = line.number;
      read(line.text);
    }
    if (hosts_.empty()) throw ProfileError(file_, std::nullopt, "names no host");
    return std::move(hosts_);
  }

 private:
  void read(std::string_view text) {
    auto const words = words_of(text);
    std::string_view names = words.front();
    HostLine line;
    auto const colon = names.rfind(':');
    if (colon != std::string_view::npos) {
      line.slots = number(names.substr(colon + 1), names);
      names = names.substr(0, colon);
    }
    for (std::size_t i = 1; i < words.size(); ++i) set(line, words[i]);
    auto const hosts = expand_host_list(names);
    if (!hosts) fail(fmt::format("\"{}\" is no name of a host, and no list like node[01-16]", names));
    for (std::string const& name : *hosts) add(name, line);
  }

  void set(HostLine& line, std::string_view word) {
    auto const equals = word.find('=');
    std::string_view const key = word.substr(0, equals);
    std::size_t const value = equals == std::string_view::npos ? 0 : number(word.substr(equals + 1), word);
    if (value > 0 && key == "slots") {
      line.slots = value;
    } else if (value > 0 && key == "packages") {
      line.packages = value;
    } else if (value > 0 && key == "numa") {
      line.numa = value;
    } else if (value > 0 && key == "cores") {
      line.cores = value;
    } else {
      fail(fmt::format("\"{}\" is not one of slots=N, packages=N, numa=N, cores=N", word));
    }
  }

  void add(std::string const& name, HostLine line) {
    slots_ += line.slots;
    auto const [known, is_new] = places_.emplace(name, hosts_.size());
    if (is_new) {
      line.name = name;
      hosts_.push_back(std::move(line));
    } else {
      hosts_[known->second].slots += line.slots;
    }
    if (slots_ > most_slots) fail("more than a million slots");
  }

  std::size_t number(std::string_view text, std::string_view word) const {
    auto const number = number_in<std::size_t>(text);
    if (!number || *number == 0 || *number > most_slots) fail(fmt::format("\"{}\" has no number from 1 on", word));
    return *number;
  }

  [[noreturn]] void fail(std::string_view problem) const { throw ProfileError(file_, line_, problem); }

  std::filesystem::path const& file_;
  std::size_t line_ = 0, slots_ = 0;
  std::vector<HostLine> hosts_;
  std::unordered_map<std::string, std::size_t> places_;
};

}  // namespace

std::vector<HostLine> read_host_file(std::filesystem::path const& file) { return HostFileReader(file).run(); }

}  // namespace mpisee_through
