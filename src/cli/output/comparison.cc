#include "cli/output/comparison.h"

#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "cli/output/report.h"
#include "cli/output/workload_name.h"
#include "cli/output/write_value.h"
#include "model/pod.h"
#include "terminal/table.h"
#include "wire/document.h"

namespace tutti::cli {
namespace {

using Stands = std::map<std::string, Stand>;

Stands stands_of(const expect::Scene& scene) {
  Stands stands;
  for (const WorkloadLine& line : make_report(scene).workloads) {
    if (line.part) continue;
    stands[line.name] = {line.standing.state, line.standing.blocker, line.placed, line.total};
  }
  for (const auto& object : scene.objects.objects(model::Kind::pod)) {
    const auto& pod = model::as<model::Pod>(*object);
    if (!pod.spec->scheduling_group.empty() || workload_of(scene.objects, pod)) continue;
    const expect::Standing standing = scene.standing(model::key_of(pod));
    stands[name_of(pod).text()] = {standing.state, standing.blocker,
                                   pod.node_name.empty() ? std::size_t{0} : 1, 1};
  }
  return stands;
}

terminal::Cell cell_of(const Stand& stand) {
  if (stand.state.empty()) return {"-"};
  return {fmt::format("{} {}/{}{}{}", stand.state, stand.placed, stand.total,
                      stand.blocker.empty() ? "" : " ", stand.blocker),
          stand.runs() ? terminal::Tint::good : terminal::Tint::waiting};
}

Stand stand_in(const Stands& stands, const std::string& work) {
  const auto at = stands.find(work);
  return at == stands.end() ? Stand{} : at->second;
}

wire::Value stand_value(const Stand& stand, wire::Document& document) {
  if (stand.state.empty()) return {};  // null
  wire::Arena& arena = document.arena();
  wire::Value value = wire::Value::object();
  value.set_member(arena, "state", wire::Value::string(arena, stand.state));
  value.set_member(arena, "blocker", wire::Value::string(arena, stand.blocker));
  value.set_member(arena, "placed", wire::Value::integer(static_cast<std::int64_t>(stand.placed)));
  value.set_member(arena, "total", wire::Value::integer(static_cast<std::int64_t>(stand.total)));
  return value;
}

}  // namespace

Comparison compare(const expect::Scene& before, const expect::Scene& after,
                   std::string_view before_name, std::string_view after_name) {
  Comparison made{.before = std::string(before_name), .after = std::string(after_name)};
  const Stands first = stands_of(before);
  const Stands second = stands_of(after);
  Stands all = first;
  all.insert(second.begin(), second.end());
  for (const auto& [work, either] : all) {
    Stand now = stand_in(first, work);
    Stand later = stand_in(second, work);
    if (now == later) continue;
    made.won += !now.runs() && later.runs() ? 1 : 0;
    made.lost += now.runs() && !later.runs() ? 1 : 0;
    made.differences.push_back({work, std::move(now), std::move(later)});
  }
  return made;
}

std::string comparison_text(const Comparison& comparison, const terminal::Layout& layout) {
  const auto names = fmt::format("{}, then {}", comparison.before, comparison.after);
  if (comparison.differences.empty()) {
    return terminal::wrapped(fmt::format("{}: everything stands alike", names), 0, layout.columns);
  }
  terminal::Table table({"WORK", comparison.before, comparison.after});
  for (const Comparison::Difference& difference : comparison.differences) {
    table.add({{difference.work}, cell_of(difference.before), cell_of(difference.after)});
  }
  const auto totals = fmt::format("{}: {} more run{}, {} no longer", names, comparison.won,
                                  comparison.won == 1 ? "s" : "", comparison.lost);
  return terminal::wrapped(totals, 0, layout.columns) + table.text(layout);
}

void write_comparison(const Comparison& comparison, session::Format format, std::ostream& out) {
  wire::Document document;
  wire::Arena& arena = document.arena();
  const auto text = [&](const std::string& words) { return wire::Value::string(arena, words); };
  const auto number = [](std::size_t count) {
    return wire::Value::integer(static_cast<std::int64_t>(count));
  };
  wire::Value differences = wire::Value::array();
  for (const Comparison::Difference& difference : comparison.differences) {
    wire::Value value = wire::Value::object();
    value.set_member(arena, "work", text(difference.work));
    value.set_member(arena, "before", stand_value(difference.before, document));
    value.set_member(arena, "after", stand_value(difference.after, document));
    differences.push_back(arena, std::move(value));
  }
  wire::Value made = wire::Value::object();
  made.set_member(arena, "before", text(comparison.before));
  made.set_member(arena, "after", text(comparison.after));
  made.set_member(arena, "moreRun", number(comparison.won));
  made.set_member(arena, "noLongerRun", number(comparison.lost));
  made.set_member(arena, "differences", std::move(differences));
  write_value(made, format, out);
}

}  // namespace tutti::cli
