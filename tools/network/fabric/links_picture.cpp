#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "fabric/links_view.hpp"
#include "text/svg.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

constexpr double margin = 80, head_height = 70, foot_height = 60, tier_height = 190, node_height = 16;
constexpr double least_width = 900, most_width = 4000, least_step = 9;
constexpr double thinnest = 0.6, thickest = 6, least_thickest = 1.3;  // the last one for many cables
constexpr std::size_t most_single_hosts = 96;                         // more hosts: one box for all hosts of a leaf

constexpr std::string_view unused_colour = "#dddddd";

// Compares digits as a number: "leaf2" before "leaf10".
bool is_before(std::string const& left, std::string const& right) {
  std::size_t const digits_left = left.find_first_of("0123456789"), digits_right = right.find_first_of("0123456789");
  if (left.substr(0, digits_left) == right.substr(0, digits_right) && left.size() != right.size())
    return left.size() < right.size();
  return left < right;
}

struct Point {
  double x = 0, y = 0;
};

// The positions of the nodes.
class Layout {
 public:
  explicit Layout(Fabric const& fabric) : fabric_(fabric), points_(fabric.nodes.size()) {
    sort_tiers();
    width_ = std::clamp(least_step * static_cast<double>(widest_tier()) + 2 * margin, least_width, most_width);
    place_leaves_and_above();
    place_hosts();
  }

  [[nodiscard]] double width() const { return width_; }
  [[nodiscard]] double height() const {
    return head_height + tier_height * static_cast<double>(tiers_.size() - 1) + foot_height;
  }
  [[nodiscard]] double y_of(unsigned level) const {
    return head_height + tier_height * static_cast<double>(tiers_.size() - 1 - level);
  }
  [[nodiscard]] Point const& of(NodeIndex node) const { return points_[static_cast<std::size_t>(node)]; }
  [[nodiscard]] std::vector<NodeIndex> const& tier(unsigned level) const { return tiers_[level]; }
  [[nodiscard]] bool has_single_hosts() const { return tiers_[0].size() <= most_single_hosts; }
  [[nodiscard]] double step(unsigned level) const {
    return (width_ - 2 * margin) / static_cast<double>(std::max<std::size_t>(tiers_[level].size(), 1));
  }

 private:
  void sort_tiers() {
    tiers_.resize(std::max(fabric_.levels(), 1U) + 1);
    for (std::size_t i = 0; i < fabric_.nodes.size(); ++i) {
      FabricNode const& node = fabric_.nodes[i];
      if (!node.is_switch || node.level > 0) tiers_[node.level].push_back(NodeIndex{static_cast<std::uint32_t>(i)});
    }
    for (auto& tier : tiers_) {
      std::ranges::sort(tier, [this](NodeIndex left, NodeIndex right) {
        return is_before(fabric_.node(left).name, fabric_.node(right).name);
      });
    }
  }

  [[nodiscard]] std::size_t widest_tier() const {
    std::size_t widest = has_single_hosts() ? tiers_[0].size() : 0;
    for (std::size_t i = 1; i < tiers_.size(); ++i) widest = std::max(widest, tiers_[i].size());
    return widest;
  }

  // Sorts the nodes of a level by the mean position of their neighbours below.
  void place_leaves_and_above() {
    for (unsigned level = 1; level < tiers_.size(); ++level) {
      if (level > 1)
        std::ranges::stable_sort(tiers_[level], {}, [this](NodeIndex node) { return std::round(middle_below(node)); });
      for (std::size_t i = 0; i < tiers_[level].size(); ++i) {
        double const x = margin + (static_cast<double>(i) + 0.5) * step(level);
        points_[static_cast<std::size_t>(tiers_[level][i])] = {x, y_of(level)};
      }
    }
  }

  [[nodiscard]] double middle_below(NodeIndex index) const {
    FabricNode const& node = fabric_.node(index);
    double sum = 0, count = 0;
    for (std::uint32_t k = 0; k < node.ports; ++k) {
      LinkIndex const back = fabric_.links[node.first_link + k].back;
      if (back == no_link || fabric_.node_of(back).level + 1 != node.level) continue;
      sum += of(fabric_.link(back).node).x;
      ++count;
    }
    return count == 0 ? 0 : sum / count;
  }

  // Places hosts below the switch of their first cable; many hosts as one box in the middle below it.
  void place_hosts() {
    std::map<double, std::vector<NodeIndex>> below;
    for (NodeIndex const host : tiers_[0]) {
      FabricNode const& node = fabric_.node(host);
      for (std::uint32_t k = 0; k < node.ports; ++k) {
        LinkIndex const back = fabric_.links[node.first_link + k].back;
        if (back == no_link) continue;
        below[of(fabric_.link(back).node).x].push_back(host);
        break;
      }
    }
    for (auto const& [x, hosts] : below) {
      double const between = 0.9 * step(1) / static_cast<double>(hosts.size());
      for (std::size_t i = 0; i < hosts.size(); ++i) {
        double const shift =
            has_single_hosts() ? (static_cast<double>(i) - static_cast<double>(hosts.size() - 1) / 2) * between : 0;
        points_[static_cast<std::size_t>(hosts[i])] = {x + shift, y_of(0)};
      }
    }
  }

  Fabric const& fabric_;
  std::vector<std::vector<NodeIndex>> tiers_;  // by level
  std::vector<Point> points_;
  double width_ = 0;
};

// A cable, or a bundle of the cables between a leaf and its hosts if they are one box; the amounts are then those of
// the busiest cable.
struct Cable {
  Point from, to;
  std::uint64_t there = 0, back = 0;  // amounts in the two directions
  std::string text;
  bool within_level = false;

  [[nodiscard]] std::uint64_t most() const { return std::max(there, back); }
};

class Picture {
 public:
  Picture(std::ostream& out, LinkTraffic const& traffic)
      : out_(out), traffic_(traffic), fabric_(traffic.fabric()), layout_(fabric_) {}

  void draw(std::string const& selection) {
    std::vector<Cable> cables = collect_cables();
    for (Cable const& one : cables) most_ = std::max(most_, one.most());
    std::ranges::stable_sort(cables, {}, &Cable::most);  // draws busy cables last, on top
    thickest_ = std::clamp(layout_.width() / static_cast<double>(cables.size() + 1), least_thickest, thickest);
    out_ << fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" "
        "font-size=\"11\" fill=\"#222222\">\n<rect width=\"{0:.0f}\" height=\"{1:.0f}\" rx=\"6\" "
        "fill=\"#ffffff\"/>\n",
        layout_.width(), layout_.height());
    draw_title(selection);
    out_ << "<g fill=\"none\">\n";
    for (Cable const& one : cables) draw(one);
    out_ << "</g>\n";
    draw_nodes();
    draw_legend();
    out_ << "</svg>\n";
  }

 private:
  [[nodiscard]] std::uint64_t amount(LinkIndex link) const { return traffic_.loads.of(link).bytes; }

  [[nodiscard]] std::string describe(LinkIndex link) const {
    LinkIndex const back = fabric_.link(link).back;
    return fmt::format("{} port {} to {} port {}: {}", fabric_.node_of(link).name, fabric_.link(link).port,
                       fabric_.node_of(back).name, fabric_.link(back).port, format_bytes(amount(link)));
  }

  std::vector<Cable> collect_cables() {
    std::map<std::pair<NodeIndex, NodeIndex>, std::vector<LinkIndex>> bundles;  // the lower node first
    for (std::size_t i = 0; i < fabric_.links.size(); ++i) {
      LinkIndex const link{static_cast<std::uint32_t>(i)};
      LinkIndex const back = fabric_.link(link).back;
      if (back == no_link) continue;
      FabricNode const &here = fabric_.node_of(link), &there = fabric_.node_of(back);
      if (here.level < there.level || (here.level == there.level && link < back))
        bundles[{fabric_.link(link).node, fabric_.link(back).node}].push_back(link);
    }
    std::vector<Cable> cables;
    std::map<NodeIndex, Cable> folded;  // by leaf
    for (auto const& [ends, links] : bundles) {
      if (!layout_.has_single_hosts() && fabric_.node(ends.first).level == 0) {
        for (LinkIndex const link : links) fold(folded[ends.second], link);
      } else {
        for (std::size_t i = 0; i < links.size(); ++i) cables.push_back(make_cable(links[i], i, links.size()));
      }
    }
    for (auto& [leaf, cable] : folded) cables.push_back(std::move(cable));
    return cables;
  }

  [[nodiscard]] Cable make_cable(LinkIndex link, std::size_t place, std::size_t parallel) const {
    LinkIndex const back = fabric_.link(link).back;
    double const shift = 7 * (static_cast<double>(place) - static_cast<double>(parallel - 1) / 2);
    Point from = layout_.of(fabric_.link(link).node), to = layout_.of(fabric_.link(back).node);
    from.x += shift;
    to.x += shift;
    return {from,
            to,
            amount(link),
            amount(back),
            describe(link) + "\n" + describe(back),
            fabric_.node_of(link).level == fabric_.node_of(back).level};
  }

  void fold(Cable& cable, LinkIndex link) const {
    LinkIndex const back = fabric_.link(link).back;
    cable.from = {layout_.of(fabric_.link(back).node).x, layout_.y_of(0)};
    cable.to = layout_.of(fabric_.link(back).node);
    cable.there = std::max(cable.there, amount(link));
    cable.back = std::max(cable.back, amount(back));
    cable.text = fmt::format("hosts of {}: at most {} up, {} down, on one cable", fabric_.node_of(back).name,
                             format_bytes(cable.there), format_bytes(cable.back));
  }

  void draw(Cable const& cable) {
    Point const middle{(cable.from.x + cable.to.x) / 2, (cable.from.y + cable.to.y) / 2};
    out_ << "<g><title>" << escape_markup(cable.text) << "</title>";
    if (cable.within_level) {
      double const height = 12 + 0.25 * std::abs(cable.from.x - cable.to.x);
      Point const top{middle.x, middle.y - std::min(height, tier_height / 2) / 2};
      draw_half(cable.from, {(cable.from.x + middle.x) / 2, top.y}, top, cable.there);
      draw_half(cable.to, {(cable.to.x + middle.x) / 2, top.y}, top, cable.back);
    } else {
      draw_half(cable.from, cable.from, middle, cable.there);
      draw_half(cable.to, cable.to, middle, cable.back);
    }
    out_ << "</g>\n";
  }

  // Draws the half of a cable at its sending end.
  void draw_half(Point from, Point bend, Point to, std::uint64_t sent) {
    double const part = most_ == 0 ? 0 : static_cast<double>(sent) / static_cast<double>(most_);
    out_ << fmt::format(
        "<path d=\"M{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}\" stroke=\"{}\" stroke-width=\"{:.1f}\"/>", from.x,
        from.y, bend.x, bend.y, to.x, to.y, sent == 0 ? std::string(unused_colour) : colour_of_part(part).hex(),
        sent == 0 ? thinnest : thinnest + (thickest_ - thinnest) * (1 + 4 * part) / 5);
  }

  void draw_nodes() {
    for (unsigned level = 1; level <= fabric_.levels(); ++level) {
      double const width = std::clamp(layout_.step(level) * 0.8, 3.0, 90.0);
      for (NodeIndex const node : layout_.tier(level)) draw_box(layout_.of(node), width, fabric_.node(node).name);
    }
    for (unsigned level = 0; level <= fabric_.levels(); ++level)
      out_ << svg_text(8, layout_.y_of(level) + 4,
                       fmt::format("{}: {}", name_of_level(level), format_count(layout_.tier(level).size())),
                       "fill=\"#666666\"")
           << '\n';
    if (layout_.has_single_hosts()) {
      for (NodeIndex const node : layout_.tier(0)) draw_host(node);
      return;
    }
    std::map<double, std::size_t> hosts;
    for (NodeIndex const node : layout_.tier(0)) ++hosts[layout_.of(node).x];
    for (auto const& [x, count] : hosts)
      draw_box({x, layout_.y_of(0)}, std::clamp(layout_.step(1) * 0.8, 3.0, 90.0), format_number_of(count, "host"));
  }

  void draw_box(Point const& at, double width, std::string const& name) {
    out_ << fmt::format(
        "<g><title>{}</title><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.0f}\" rx=\"2\" "
        "fill=\"#f4f4f4\" stroke=\"#555555\"/>",
        escape_markup(name), at.x - width / 2, at.y - node_height / 2, width, node_height);
    if (static_cast<double>(name.size()) * 6.5 < width)
      out_ << svg_text(at.x, at.y + 4, name, "text-anchor=\"middle\"");
    out_ << "</g>\n";
  }

  void draw_host(NodeIndex node) {
    Point const& at = layout_.of(node);
    std::string const& name = fabric_.node(node).name;
    out_ << fmt::format(
        "<g><title>{0}</title><circle cx=\"{1:.1f}\" cy=\"{2:.1f}\" r=\"3.5\" fill=\"#555555\"/><text "
        "font-size=\"9\" transform=\"translate({3:.1f} {4:.1f}) rotate(60)\">{5}</text></g>\n",
        escape_markup(name), at.x, at.y, at.x - 2, at.y + 10,
        escape_markup(name.substr(0, name.find(' ')).substr(0, 9)));
  }

  void draw_title(std::string const& selection) {
    std::string const of = selection.empty() ? "" : " (" + selection + ")";
    std::string const amount = format_bytes(traffic_.messages.on_links.bytes);
    out_ << svg_text(margin, 24, fmt::format("{}{}: {} on links", traffic_.overview.run.program, of, amount),
                     "font-size=\"15\"")
         << '\n';
    if (traffic_.is_of_transport) out_ << svg_text(margin, 42, traffic_of_transport) << '\n';
  }

  void draw_legend() {
    constexpr double width = 160;
    double const x = layout_.width() - margin - width;
    out_ << fmt::format(
        "<defs>{}</defs>\n<rect x=\"{:.0f}\" y=\"14\" width=\"{:.0f}\" height=\"10\" fill=\"url(#load)\"/>\n"
        "{}{}\n",
        gradient_of_parts("load", false), x, width, svg_text(x, 36, "0"),
        svg_text(x + width, 36, format_bytes(most_), "text-anchor=\"end\""));
  }

  std::ostream& out_;
  LinkTraffic const& traffic_;
  Fabric const& fabric_;
  Layout layout_;
  std::uint64_t most_ = 0;
  double thickest_ = thickest;
};

}  // namespace

void draw_links(std::ostream& out, LinkTraffic const& traffic, std::string const& selection) {
  Picture(out, traffic).draw(selection);
}

}  // namespace mpisee_through
