// The command line that shows a profile: mpisee-through [OPTIONS] PROFILE ….
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "commands/command_options.hpp"
#include "commands/shared_options.hpp"
#include "summary/arrangement.hpp"
#include "summary/selection.hpp"
#include "summary/summary.hpp"
#include "summary/time_range.hpp"
#include "views/matrix_files.hpp"
#include "views/views.hpp"

namespace mpisee_through {

struct ShownView;

struct Request {
  std::vector<std::filesystem::path> profiles;
  Selection selection;
  Arrangement arrangement;
  std::optional<TimeRange> times{};  // only with --operations
  Detail detail = Detail::operations;
  ShownView const* view = nullptr;  // nullptr: the first page
  Format format = Format::text;
  std::optional<std::size_t> width{};  // width of text
  ColorWhen color = ColorWhen::automatic;
  WaitLines wait_lines = WaitLines::operations;
  RegionTimes region_times = RegionTimes::inclusive;
  // Only with --matrix.
  Measure measure = Measure::bytes;
  bool by_host = false;
  MatrixFiles matrix_files{};
  RunPart part{};           // only with --when
  bool only_files = false;  // prints nothing
  bool recover = false;     // writes the files of an unfinished profile, and nothing else
};

class ShowOptions : public CommandOptions {
 public:
  ShowOptions();
  // Valid once the command line is parsed.
  [[nodiscard]] Request request() const;

 private:
  void check() override;
  void add_views();
  void add_messages();
  void add_order_and_output();
  void add_pages();
  [[nodiscard]] bool given(std::string const& name) const { return app_.count(name) > 0; }

  std::vector<std::string> profiles_;
  SelectionOptions selection_;
  MessageOptions messages_;
  ColorOption color_;
  std::string times_, sort_key_ = "time", top_, width_;
  FormatOptions form_;
  std::string matrix_csv_, treematch_, scotch_, metis_, matrix_image_;
};

}  // namespace mpisee_through
