// Plots as inline SVG: lines in a frame, with axes that people can read. Colours are classes c0 to
// c7 of the page's style, so that they follow it into the dark.
#pragma once

#include "base/std.h"

namespace tutti::replay {

struct PlotLine {
  std::string name;
  std::vector<std::pair<double, double>> points;  // by x
  bool dashed = false;
  std::size_t colour = 0;
};

struct Plot {
  enum class XAxis : std::uint8_t {
    seconds_log,  // from one second on; what is less is drawn there
    time          // seconds since the beginning
  };
  std::string title;
  XAxis x = XAxis::time;
  std::string y_label;
  bool y_percent = false;  // 0 to 1, written as 0 to 100 %
  std::vector<PlotLine> lines;
};

// Empty plots are a sentence.
std::string svg_of(const Plot& plot);

// The share of values up to each, in at most a thousand points with both ends among them. Requires
// that they are sorted.
std::vector<std::pair<double, double>> share_up_to(std::span<const double> values);

// "90 s", "2.5 h", "3 d".
std::string span_text(double seconds);

}  // namespace tutti::replay
