#include <algorithm>

#include "admission/checks/checks.h"
#include "admission/rules/kind_rules.h"

namespace tutti::admission {
namespace {

constexpr std::size_t kLevelsMax = 16;
constexpr std::string_view kHost = "kubernetes.io/hostname";

}  // namespace

void check_kind(const model::Topology& topology, Findings& findings) {
  const Path spec("spec");
  const auto& levels = topology.levels;
  if (levels.empty() || levels.size() > kLevelsMax) {
    findings.add(spec.field("levels"), "must have 1 to {} entries, has {}", kLevelsMax,
                 levels.size());
  }
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const Path level = spec.item("levels", i);
    const Path label = level.field("nodeLabel");
    check_qualified_name(levels[i], label, findings);
    if (std::find(levels.begin(), levels.begin() + static_cast<std::ptrdiff_t>(i), levels[i]) !=
        levels.begin() + static_cast<std::ptrdiff_t>(i)) {
      findings.add(label, "is a level already: '{}'", levels[i]);
    }
    if (levels[i] == kHost && i + 1 < levels.size()) {
      findings.add(label, "{} can only be the last level", kHost);
    }
  }
}

}  // namespace tutti::admission
