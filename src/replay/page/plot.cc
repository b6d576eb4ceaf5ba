#include "replay/page/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"

namespace tutti::replay {
namespace {

constexpr double kWidth = 720;
constexpr double kHeight = 260;
constexpr double kLeft = 56;
constexpr double kRight = 12;
constexpr double kTop = 10;
constexpr double kBottom = 34;
constexpr double kMinute = 60;
constexpr double kHour = 3600;
constexpr double kDay = 86'400;

struct Tick {
  double at = 0;  // 0 to 1
  std::string text;
};

// 1, 2 or 5 times a power of ten, so that there are about `count` up to `most`.
double round_step(double most, int count) {
  const double rough = most / count;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough) return factor * power;
  }
  return 10 * power;
}

class Scale {
 public:
  Scale(Plot::XAxis x, const std::vector<PlotLine>& lines) : x_(x) {
    for (const PlotLine& line : lines) {
      for (const auto& [at, value] : line.points) {
        most_x_ = std::max(most_x_, at);
        most_y_ = std::max(most_y_, value);
      }
    }
    if (x_ == Plot::XAxis::seconds_log) most_x_ = std::max(most_x_, 10.0);
    most_x_ = std::max(most_x_, 1.0);
    if (most_y_ <= 0) most_y_ = 1;
  }

  double x(double value) const {
    if (x_ == Plot::XAxis::time) return value / most_x_;
    return std::log10(std::max(value, 1.0)) / std::log10(most_x_);
  }
  double y(double value) const { return value / most_y_; }
  void set_most_y(double most) { most_y_ = most; }

  std::vector<Tick> x_ticks() const {
    std::vector<Tick> ticks;
    if (x_ == Plot::XAxis::seconds_log) {
      constexpr std::array<double, 10> kTimes = {1,          10,         kMinute, 10 * kMinute,
                                                 kHour,      10 * kHour, kDay,    10 * kDay,
                                                 100 * kDay, 1000 * kDay};
      for (const double time : kTimes) {
        if (time <= most_x_) ticks.push_back({x(time), span_text(time)});
      }
      return ticks;
    }
    const double unit = most_x_ > 4 * kDay ? kDay : most_x_ > 4 * kHour ? kHour : kMinute;
    constexpr int kCount = 8;
    const double step = round_step(most_x_ / unit, kCount) * unit;
    for (double time = 0; time <= most_x_; time += step) {
      ticks.push_back({time / most_x_, span_text(time)});
    }
    return ticks;
  }
  std::vector<Tick> y_ticks(bool percent) const {
    std::vector<Tick> ticks;
    constexpr int kCount = 5;
    const double step = round_step(most_y_, kCount);
    constexpr double kRounding = 1e-9;
    for (double value = 0; value <= most_y_ * (1 + kRounding); value += step) {
      ticks.push_back(
          {y(value), percent ? fmt::format("{:.0f} %", 100 * value) : fmt::format("{:g}", value)});
    }
    return ticks;
  }

 private:
  Plot::XAxis x_;
  double most_x_ = 0;
  double most_y_ = 0;
};

double to_x(double share) { return kLeft + share * (kWidth - kLeft - kRight); }
double to_y(double share) { return kHeight - kBottom - share * (kHeight - kTop - kBottom); }

std::string axes_of(const Scale& scale, const Plot& plot) {
  std::string out;
  for (const Tick& tick : scale.x_ticks()) {
    out += fmt::format(
        "<path class=grid d=\"M{0:.1f} {1:.1f}V{2:.1f}\"/><text x={0:.1f} y={3:.1f} "
        "text-anchor=middle>{4}</text>",
        to_x(tick.at), to_y(1), to_y(0), kHeight - kBottom + 16, tick.text);
  }
  for (const Tick& tick : scale.y_ticks(plot.y_percent)) {
    out += fmt::format(
        "<path class=grid d=\"M{0:.1f} {1:.1f}H{2:.1f}\"/><text x={3:.1f} y={4:.1f} "
        "text-anchor=end>{5}</text>",
        to_x(0), to_y(tick.at), to_x(1), kLeft - 6, to_y(tick.at) + 4, tick.text);
  }
  return out + fmt::format("<text x={:.1f} y={:.1f} text-anchor=end>{}</text>", kWidth - kRight,
                           kHeight - 4, markup_text(plot.y_label));
}

std::string path_of(const PlotLine& line, const Scale& scale) {
  std::string path;
  for (const auto& [x, y] : line.points) {
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", to_x(scale.x(x)),
                        to_y(scale.y(y)));
  }
  constexpr std::size_t kColours = 8;
  return fmt::format("<path class=\"line c{}{}\" d=\"{}\"><title>{}</title></path>",
                     line.colour % kColours, line.dashed ? " dashed" : "", path,
                     markup_text(line.name));
}

}  // namespace

std::string span_text(double seconds) {
  const auto in = [&](double unit, std::string_view name) {
    return fmt::format("{:.3g} {}", seconds / unit, name);
  };
  if (seconds < 2 * kMinute && seconds != kMinute) return in(1, "s");
  if (seconds < kHour) return in(kMinute, "min");
  return seconds < 2 * kDay && seconds != kDay ? in(kHour, "h") : in(kDay, "d");
}

std::vector<std::pair<double, double>> share_up_to(std::span<const double> values) {
  constexpr std::size_t kPoints = 1000;
  std::vector<std::pair<double, double>> points;
  const std::size_t n = values.size();
  for (std::size_t i = 0; i < std::min(n, kPoints); ++i) {
    const std::size_t at = n <= kPoints ? i : i * (n - 1) / (kPoints - 1);
    const double share = static_cast<double>(at + 1) / static_cast<double>(n);
    // A step: the share rises at the value.
    points.emplace_back(values[at], points.empty() ? 0 : points.back().second);
    points.emplace_back(values[at], share);
  }
  return points;
}

std::string svg_of(const Plot& plot) {
  const bool none =
      std::ranges::all_of(plot.lines, [](const PlotLine& line) { return line.points.empty(); });
  std::string out = fmt::format("<figure><figcaption>{}</figcaption>", markup_text(plot.title));
  if (none) return out + "<p>Nothing to draw.</p></figure>";
  Scale scale(plot.x, plot.lines);
  if (plot.y_percent) scale.set_most_y(1);
  out += fmt::format("<svg viewBox=\"0 0 {} {}\" role=img aria-label=\"{}\">", kWidth, kHeight,
                     markup_text(plot.title));
  out += axes_of(scale, plot);
  for (const PlotLine& line : plot.lines) {
    if (!line.points.empty()) out += path_of(line, scale);
  }
  out += "</svg><p class=key>";
  for (const PlotLine& line : plot.lines) {
    out += fmt::format("<span class=\"c{}\"><i></i>{}{}</span>", line.colour % 8,
                       markup_text(line.name), line.dashed ? " (dashed)" : "");
  }
  return out + "</p></figure>";
}

}  // namespace tutti::replay
