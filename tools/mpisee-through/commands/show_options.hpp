// The command line that shows a profile: mpisee-through [OPTIONS] PROFILE ….
#pragma once

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/command_options.hpp"
#include "commands/shared_options.hpp"
#include "summary/arrangement.hpp"
#include "summary/selection.hpp"
#include "summary/summary.hpp"
#include "text/terminal.hpp"
#include "views/views.hpp"

namespace mpisee_through {

struct ShownView;

struct Request {
  std::vector<std::filesystem::path> profiles;
  Selection selection;
  Arrangement arrangement;
  ShownView const* view = nullptr;
  std::vector<std::string> by{};  // words of --by that the view has
  FormatOptions form{};
  ColorWhen color = ColorWhen::automatic;
  RegionTimes region_times = RegionTimes::inclusive;
  // Only with --matrix.
  Measure measure = Measure::bytes;
  std::string treematch{};  // a file to write; empty for none
  RunPart part{};           // only with --when

  [[nodiscard]] Format format() const { return form.format(); }
  [[nodiscard]] bool is_by(std::string_view word) const { return std::ranges::count(by, word) > 0; }
};

class ShowOptions : public CommandOptions {
 public:
  ShowOptions();
  // Valid once the command line is parsed.
  [[nodiscard]] Request request() const;

 private:
  void check() override;
  void check_options(ShownView const& view) const;
  void add_views();
  void add_messages();
  void add_order_and_output();
  void add_pages();
  [[nodiscard]] bool given(std::string const& name) const { return app_.count(name) > 0; }
  [[nodiscard]] bool is_by(std::string_view word) const { return std::ranges::count(by_, word) > 0; }

  std::vector<std::string> profiles_;
  SelectionOptions selection_;
  MessageOptions messages_;
  std::vector<std::string> by_;
  std::string during_, sort_key_ = "time", top_, color_ = "auto";
  FormatOptions form_;
  std::string treematch_;
};

}  // namespace mpisee_through
