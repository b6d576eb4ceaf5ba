// The map: a box per domain, a tile per node, filled from the left by those who hold it.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "base/text.h"
#include "capacity/page/page.h"

namespace tutti::capacity {
namespace {

constexpr std::int64_t kTileWidth = 26;
constexpr std::int64_t kTileHeight = 14;
constexpr std::int64_t kGap = 2;
constexpr std::size_t kColumns = 8;

// Hues a golden angle apart: neighbours in rank never look alike.
std::string colour(std::size_t holder) {
  if (holder >= kColours) return "var(--other)";
  return fmt::format("hsl({} 62% {}%)", (holder * 137 + 210) % 360, holder % 2 == 0 ? 52 : 64);
}

std::string amount_text(const MapNode& node, std::int64_t amount) {
  return node.in_devices ? fmt::to_string(amount)
                         : fmt::format("{:.3g}", static_cast<double>(amount) / 1000.0);
}

std::string tip(const Map& map, const MapNode& node) {
  std::string text = fmt::format("{}: {} {}", node.name, amount_text(node, node.total),
                                 node.in_devices ? "devices" : "cpu");
  std::int64_t held = 0;
  for (const auto& [holder, amount] : node.parts) {
    text += fmt::format("\n{} {}", amount_text(node, amount), map.holders[holder].name);
    held += amount;
  }
  text += fmt::format("\n{} idle", amount_text(node, std::max<std::int64_t>(0, node.total - held)));
  if (node.unusable > 0) {
    text += fmt::format(", {} of no use: {}", amount_text(node, node.unusable), node.why);
  }
  return text;
}

// Titles may have lines; everything else in a name is kept on one.
std::string escaped_lines(const std::string& text) {
  std::string out;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    if (from > 0) out += '\n';
    out += markup_text(std::string_view(text).substr(from, end - from));
    from = end + 1;
  }
  return out;
}

void draw_part(std::string& out, std::int64_t x, std::int64_t y, std::int64_t width,
               std::string_view look) {
  if (width <= 0) return;
  fmt::format_to(std::back_inserter(out), "<rect x={} y={} width={} height={} {} />", x, y, width,
                 kTileHeight, look);
}

void draw_tile(std::string& out, const Map& map, const MapNode& node, std::size_t place) {
  const auto column = static_cast<std::int64_t>(place % kColumns);
  const auto row = static_cast<std::int64_t>(place / kColumns);
  const std::int64_t left = column * (kTileWidth + kGap);
  const std::int64_t top = row * (kTileHeight + kGap);
  const auto width_of = [&](std::int64_t amount) {
    return node.total == 0 ? 0 : std::min(amount, node.total) * kTileWidth / node.total;
  };
  fmt::format_to(std::back_inserter(out), "<g><title>{}</title>", escaped_lines(tip(map, node)));
  draw_part(out, left, top, kTileWidth, "class=tile");
  std::int64_t held = 0;
  for (const auto& [holder, amount] : node.parts) {
    const std::int64_t from = width_of(held);
    held += amount;
    draw_part(
        out, left + from, top, width_of(held) - from,
        fmt::format("class=\"h h{}\" fill=\"{}\"", std::min(holder, kColours), colour(holder)));
  }
  const std::int64_t hatched = width_of(node.unusable);
  draw_part(out, left + kTileWidth - hatched, top, hatched, "class=idle");
  out += "</g>\n";
}

std::size_t nodes_in(const MapDomain& domain) {
  std::size_t nodes = domain.nodes.size();
  for (const MapDomain& inner : domain.inside) nodes += nodes_in(inner);
  return nodes;
}

// How large tiles are drawn: a few nodes fill a screen, and thousands fit on a few.
double scale_of(const Map& map) {
  constexpr std::size_t kFew = 80;
  constexpr std::size_t kMany = 1000;
  const std::size_t nodes = nodes_in(map.whole);
  if (nodes <= kFew) return 1.8;
  return nodes <= kMany ? 1.0 : 0.5;
}

std::string tiles(const Map& map, const MapDomain& domain) {
  const std::size_t rows = (domain.nodes.size() + kColumns - 1) / kColumns;
  const std::size_t columns = std::min(kColumns, domain.nodes.size());
  const std::int64_t width = static_cast<std::int64_t>(columns) * (kTileWidth + kGap);
  const std::int64_t height = static_cast<std::int64_t>(rows) * (kTileHeight + kGap);
  const double scale = scale_of(map);
  std::string out = fmt::format("<svg width={:.0f} height={:.0f} viewBox=\"0 0 {} {}\">",
                                static_cast<double>(width) * scale,
                                static_cast<double>(height) * scale, width, height);
  for (std::size_t i = 0; i < domain.nodes.size(); ++i) draw_tile(out, map, domain.nodes[i], i);
  return out + "</svg>";
}

std::string label(const std::string& value) {
  return value.empty() ? "without the label" : markup_text(value);
}

// A domain whose parts are tiles.
std::string rack(const Map& map, const MapDomain& domain) {
  return fmt::format("<div class=rack><div class=name>{} · {}</div>{}</div>", label(domain.value),
                     domain.nodes.size(), tiles(map, domain));
}

std::string outer(const Map& map, const MapDomain& domain) {
  std::string out = fmt::format("<div class=outer><div class=name>{}</div><div class=racks>",
                                label(domain.value));
  for (const MapDomain& inner : domain.inside) out += rack(map, inner);
  return out + "</div></div>\n";
}

std::string holder_item(std::size_t number, const std::string& name, std::string_view figure) {
  return fmt::format(
      "<li data-holder={}><span class=swatch style=\"background:{}\"></span>{} {}</li>", number,
      colour(number), markup_text(name), figure);
}

std::string legend(const Map& map) {
  std::string out = "<ul class=holders>";
  for (std::size_t i = 0; i < std::min(kColours, map.holders.size()); ++i) {
    const MapHolder& holder = map.holders[i];
    out += holder_item(i, holder.name,
                       holder.devices > 0 ? fmt::format("({} devices)", holder.devices)
                                          : fmt::format("({} pods)", holder.pods));
  }
  if (map.holders.size() > kColours) {
    out += holder_item(kColours, fmt::format("{} others", map.holders.size() - kColours), "");
  }
  return out +
         "<li><span class=swatch></span>idle</li><li><span class=\"swatch unusable\"></span>idle, "
         "of no use</li></ul>";
}

}  // namespace

std::string map_section(const Map& map) {
  std::string out =
      "<h2>Who holds what</h2><p>A tile is a node, filled from the left by those who "
      "hold its devices, or its cpu where it has none.";
  if (!map.keys.empty()) {
    out += fmt::format(" Boxes are domains of <code>{}</code>", markup_text(map.keys.front()));
    if (map.keys.size() > 1) {
      out += fmt::format(", and of <code>{}</code> inside", markup_text(map.keys.back()));
    }
    out += ".";
  }
  out += " Point at a name to see where it is.</p>" + legend(map);
  out +=
      "<svg width=0 height=0><defs><pattern id=hatch width=6 height=6 "
      "patternUnits=userSpaceOnUse patternTransform=rotate(45)><rect width=2 height=6 "
      "fill=\"var(--warn)\"/></pattern></defs></svg><div class=map>";
  if (map.keys.empty()) {
    out += rack(map, {"all nodes", {}, map.whole.nodes});
  } else if (map.keys.size() == 1) {
    for (const MapDomain& domain : map.whole.inside) {
      out += "<div class=outer>" + rack(map, domain) + "</div>\n";
    }
  } else {
    for (const MapDomain& domain : map.whole.inside) out += outer(map, domain);
  }
  return out + "</div>\n";
}

}  // namespace tutti::capacity
