#include "cli/output/comparison.h"

#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <vector>

#include "cli/output/report.h"
#include "cli/output/workload_name.h"
#include "model/pod.h"
#include "terminal/table.h"

namespace tutti::cli {
namespace {

// How one workload or lone pod stands.
struct Stand {
  std::string state;
  std::string blocker;
  std::size_t placed = 0;
  std::size_t total = 0;

  bool operator==(const Stand&) const = default;
  bool runs() const { return state == "Running" || state == "Finished" || state == "Succeeded"; }
  std::string text() const {
    if (state.empty()) return "-";
    return fmt::format("{} {}/{}{}{}", state, placed, total, blocker.empty() ? "" : " ", blocker);
  }
};
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
  return {stand.text(), stand.runs() ? terminal::Tint::good : terminal::Tint::waiting};
}

}  // namespace

std::string comparison_text(const expect::Scene& before, const expect::Scene& after,
                            std::string_view before_name, std::string_view after_name,
                            const terminal::Layout& layout) {
  const Stands first = stands_of(before);
  const Stands second = stands_of(after);
  terminal::Table table({"WORK", std::string(before_name), std::string(after_name)});
  std::size_t won = 0;
  std::size_t lost = 0;
  Stands all = first;
  all.insert(second.begin(), second.end());
  for (const auto& [name, either] : all) {
    const auto at = first.find(name);
    const auto then = second.find(name);
    const Stand now = at == first.end() ? Stand{} : at->second;
    const Stand later = then == second.end() ? Stand{} : then->second;
    if (now == later) continue;
    table.add({{name}, cell_of(now), cell_of(later)});
    won += !now.runs() && later.runs() ? 1 : 0;
    lost += now.runs() && !later.runs() ? 1 : 0;
  }
  const auto names = fmt::format("{}, then {}", before_name, after_name);
  if (table.empty()) {
    return terminal::wrapped(fmt::format("{}: everything stands alike", names), 0, layout.columns);
  }
  return terminal::wrapped(
             fmt::format("{}: {} more run{}, {} no longer", names, won, won == 1 ? "s" : "", lost),
             0, layout.columns) +
         table.text(layout);
}

}  // namespace tutti::cli
