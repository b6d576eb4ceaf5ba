#include "doctor/finding.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "base/text.h"

namespace tutti::doctor {
namespace {

constexpr std::array<std::string_view, 3> kWords = {"error", "warning", "info"};
constexpr std::array<std::string_view, 3> kCounts = {"errors", "warnings", "infos"};

bool comes_first(const Finding& a, const Finding& b) {
  const auto rank = [](const Finding& f) { return std::tie(f.severity, f.code); };
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  const explain::ObjectName& x = a.object;
  const explain::ObjectName& y = b.object;
  if (std::tie(x.kind, x.ns) != std::tie(y.kind, y.ns)) {
    return std::tie(x.kind, x.ns) < std::tie(y.kind, y.ns);
  }
  if (x.name != y.name) return comes_before(x.name, y.name);
  return std::tie(a.field, a.summary) < std::tie(b.field, b.summary);
}

}  // namespace

std::string_view word(Severity severity) { return kWords[static_cast<std::size_t>(severity)]; }

std::optional<Severity> severity_of(std::string_view word) {
  const auto* const found = std::ranges::find(kWords, word);
  if (found == kWords.end()) return std::nullopt;
  return static_cast<Severity>(found - kWords.begin());
}

void sort(std::vector<Finding>& findings) { std::ranges::stable_sort(findings, comes_first); }

std::size_t count(std::span<const Finding> findings, Severity severity) {
  return static_cast<std::size_t>(
      std::ranges::count(findings, severity, [](const Finding& each) { return each.severity; }));
}

void walk(std::span<const Finding> findings, explain::FieldSink& sink) {
  const auto put = [&](std::string_view field, std::string_view text) {
    sink.field(field);
    sink.text(text);
  };
  sink.open_object();
  sink.field("findings");
  sink.open_list();
  for (const Finding& finding : findings) {
    sink.open_object();
    put("code", finding.code);
    put("severity", word(finding.severity));
    sink.field("object");
    sink.open_object();
    put("kind", finding.object.kind);
    put("namespace", finding.object.ns);
    put("name", finding.object.name);
    sink.close_object();
    put("field", finding.field);
    put("summary", finding.summary);
    put("fix", finding.fix);
    sink.close_object();
  }
  sink.close_list();
  for (const Severity each : {Severity::error, Severity::warning, Severity::info}) {
    sink.field(kCounts[static_cast<std::size_t>(each)]);
    sink.number(static_cast<std::int64_t>(count(findings, each)));
  }
  sink.close_object();
}

}  // namespace tutti::doctor
