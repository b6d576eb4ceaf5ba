#include "sim/nodes/rule_condition.h"

#include <fmt/format.h>

#include "sim/plane/conditions.h"

namespace tutti::sim {
namespace {

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string pods_in(const RuleToll& toll) {
  return counted(toll.pods, "pod") + " in " + counted(toll.namespaces, "namespace");
}

}  // namespace

model::Condition eviction_condition(const model::DeviceTaintRule& rule, const RuleToll& toll) {
  const std::string type(kEvictionInProgress);
  if (rule.taint.effect == "None") {
    return condition(type, "False", "NoEffect",
                     fmt::format("selects {} on offer; with NoExecute, {} would have to go",
                                 counted(toll.published, "device"), pods_in(toll)));
  }
  if (rule.taint.effect != "NoExecute") {
    return condition(type, "False", "OtherEffect", "only NoExecute ends pods");
  }
  const std::string done = counted(toll.evicted, "pod") + " evicted";
  if (toll.pods > 0) {
    return condition(type, "True", "PodsPendingEviction",
                     fmt::format("{} to go, {}", pods_in(toll), done));
  }
  return condition(type, "False", toll.evicted > 0 ? "Completed" : "NotStarted", done);
}

}  // namespace tutti::sim
