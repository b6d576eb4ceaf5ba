#include "sim/script/quotas.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "controllers/workloads/document.h"
#include "core/shapes/shape.h"
#include "wire/json_reader.h"

namespace tutti::sim {
namespace {

using model::Pod;
using model::ResourceList;
using wire::Value;

std::string space_of(const std::string& written) { return written.empty() ? "default" : written; }

// The one name of an amount that has several; empty: not one of pods.
std::string usage_name(std::string_view hard) {
  if (hard == "pods" || hard == "count/pods") return "pods";
  if (hard == "cpu" || hard == "memory" || hard == "ephemeral-storage") {
    return fmt::format("requests.{}", hard);
  }
  const bool of_pods = hard.starts_with("requests.") || hard.starts_with("limits.");
  return of_pods && hard != "requests.storage" ? std::string(hard) : std::string();
}

Quantity amount_in(const Value& value) {
  if (value.is_integer()) return Quantity::from_units(value.as_integer());
  if (!value.is_string() && !value.is_number()) return {};
  const auto parsed = Quantity::parse(value.text());
  return parsed.ok() ? *parsed : Quantity{};
}

// Sums up all containers, or takes one that comes before them, whichever is more.
std::map<std::string, Quantity> limits_of(const model::PodSpec& spec) {
  std::map<std::string, Quantity> sum;
  for (const auto& container : spec.containers) {
    for (const auto& [name, limit] : container.limits) sum[name] = sum[name] + limit;
  }
  for (const auto& container : spec.init_containers) {
    for (const auto& [name, limit] : container.limits) sum[name] = std::max(sum[name], limit);
  }
  return sum;
}

bool has_amount(const ResourceList& list, std::string_view name) {
  return std::ranges::any_of(list, [&](const auto& entry) { return entry.first == name; });
}

// Whether every container says how much it wants of "requests.cpu" and the like.
bool says_all(const Pod& pod, std::string_view usage) {
  const std::size_t dot = usage.find('.');
  const std::string_view resource = usage.substr(dot + 1);
  if (dot == std::string_view::npos || (resource != "cpu" && resource != "memory")) return true;
  return std::ranges::all_of(pod.spec->containers, [&](const model::Container& container) {
    return has_amount(usage.starts_with("limits.") ? container.limits : container.requests,
                      resource);
  });
}

}  // namespace

bool is_resource_quota(const model::Object& object) {
  return object.kind == model::Kind::other && object.api_version == "v1" &&
         static_cast<const model::OtherObject&>(object).kind_name == "ResourceQuota";
}

// The resources that core/shapes/ids.h numbers come first, in its order.
Quotas::Quotas() {
  for (const auto* name : {"cpu", "memory", "ephemeral-storage", "pods"}) resources_.intern(name);
}

void Quotas::observe(const store::WatchEvent& event, const store::Store& objects) {
  const auto& object = event.object();
  if (is_resource_quota(object)) {
    if (event.after) return set_quota(object, objects);
    return remove_quota(model::key_of(object));
  }
  const auto* pod = model::try_as<Pod>(object);
  if (pod == nullptr) return;
  if (event.after && !pod->terminal()) {
    if (!event.before) add(*pod);
  } else {
    remove(*pod);
  }
}

Quotas::Quota Quotas::read(const Value& document) {
  Quota out;
  out.name = controllers::name_of(document);
  for (const wire::Member& entry : controllers::members_at(document, {"spec", "hard"})) {
    if (const std::string name = usage_name(entry.key); !name.empty()) {
      out.hard[name] = amount_in(entry.value);
    }
  }
  for (const Value& scope : controllers::items_at(document, {"spec", "scopes"})) {
    if (scope.is_string()) out.scopes.push_back({std::string(scope.text()), "Exists", {}});
  }
  for (const Value& term :
       controllers::items_at(document, {"spec", "scopeSelector", "matchExpressions"})) {
    Scope scope{
        controllers::text_at(term, {"scopeName"}), controllers::text_at(term, {"operator"}), {}};
    for (const Value& value : controllers::items_at(term, {"values"})) {
      if (value.is_string()) scope.values.insert(std::string(value.text()));
    }
    out.scopes.push_back(std::move(scope));
  }
  return out;
}

void Quotas::set_quota(const model::Object& object, const store::Store& objects) {
  if (!object.document) return;
  const std::string ns = space_of(object.meta.ns);
  const bool first = !spaces_.contains(ns);
  Space& space = spaces_[ns];
  if (first) {
    for (const auto& pod : objects.list(model::Kind::pod, ns)) {
      if (!model::as<Pod>(*pod).terminal()) add(model::as<Pod>(*pod));
    }
  }
  // What an object was written as can be read again.
  (void)wire::read_json(*object.document, [&](wire::Document&& document) {
    Quota quota = read(document.root());
    for (const auto& [uid, use] : space.pods) count(quota, use, true);
    space.quotas.insert_or_assign(model::key_of(object), std::move(quota));
    return ok_status();
  });
}

void Quotas::remove_quota(const model::ObjectKey& key) {
  const auto space = spaces_.find(space_of(key.ns));
  if (space == spaces_.end()) return;
  space->second.quotas.erase(key);
  if (space->second.quotas.empty()) spaces_.erase(space);
}

void Quotas::add(const Pod& pod) {
  const auto space = spaces_.find(pod.meta.ns);
  if (space == spaces_.end()) return;
  const auto [entry, fresh] = space->second.pods.try_emplace(pod.meta.uid);
  if (!fresh) return;
  entry->second = use_of(pod);
  for (auto& [key, quota] : space->second.quotas) count(quota, entry->second, true);
}

void Quotas::remove(const Pod& pod) {
  const auto space = spaces_.find(pod.meta.ns);
  if (space == spaces_.end()) return;
  const auto entry = space->second.pods.find(pod.meta.uid);
  if (entry == space->second.pods.end()) return;
  for (auto& [key, quota] : space->second.quotas) count(quota, entry->second, false);
  space->second.pods.erase(entry);
}

Quotas::Use Quotas::use_of(const Pod& pod) {
  Use use;
  use.terminating = pod.spec->active_deadline_seconds.has_value();
  use.priority_class = pod.spec->priority_class_name;
  use.amounts["pods"] = Quantity::from_units(1);
  const auto asked = core::effective_requests(
      pod, [this](std::string_view name) { return core::ResourceId{resources_.intern(name)}; });
  for (const auto& [resource, amount] : asked) {
    const std::string name(resources_.text(resource.index));
    if (name == "pods") continue;
    use.amounts["requests." + name] =
        resource == core::kCpu ? Quantity::from_milli(amount) : Quantity::from_units(amount);
  }
  for (const auto& [name, limit] : limits_of(*pod.spec)) use.amounts["limits." + name] = limit;
  use.best_effort = std::ranges::none_of(
      std::array{"requests.cpu", "requests.memory", "limits.cpu", "limits.memory"},
      [&](const char* name) {
        const auto at = use.amounts.find(name);
        return at != use.amounts.end() && !at->second.zero();
      });
  return use;
}

bool Quotas::counts(const Quota& quota, const Use& use) {
  return std::ranges::all_of(quota.scopes, [&](const Scope& scope) {
    if (scope.name == "Terminating") return use.terminating;
    if (scope.name == "NotTerminating") return !use.terminating;
    if (scope.name == "BestEffort") return use.best_effort;
    if (scope.name == "NotBestEffort") return !use.best_effort;
    if (scope.name != "PriorityClass") return false;
    if (scope.op == "In") return scope.values.contains(use.priority_class);
    if (scope.op == "NotIn") return !scope.values.contains(use.priority_class);
    return (scope.op == "Exists") == !use.priority_class.empty();
  });
}

void Quotas::count(Quota& quota, const Use& use, bool more) {
  if (!counts(quota, use)) return;
  for (const auto& [name, amount] : use.amounts) {
    if (!quota.hard.contains(name)) continue;
    Quantity& used = quota.used[name];
    used = more ? used + amount : used - amount;
  }
}

std::string Quotas::refusal(const Pod& pod) {
  const auto space = spaces_.find(pod.meta.ns);
  if (space == spaces_.end()) return {};
  const Use use = use_of(pod);
  for (const auto& [key, quota] : space->second.quotas) {
    if (!counts(quota, use)) continue;
    std::vector<std::string> unsaid;
    std::vector<std::string> asked;
    std::vector<std::string> used;
    std::vector<std::string> limited;
    for (const auto& [name, hard] : quota.hard) {
      if (!says_all(pod, name)) unsaid.push_back(name);
      const auto wanted = use.amounts.find(name);
      if (wanted == use.amounts.end()) continue;
      const auto present = quota.used.find(name);
      const Quantity before = present != quota.used.end() ? present->second : Quantity{};
      if (before + wanted->second <= hard) continue;
      asked.push_back(fmt::format("{}={}", name, wanted->second.text()));
      used.push_back(fmt::format("{}={}", name, before.text()));
      limited.push_back(fmt::format("{}={}", name, hard.text()));
    }
    if (!unsaid.empty()) {
      return fmt::format("failed quota: {}: must specify {}", quota.name, fmt::join(unsaid, ","));
    }
    if (asked.empty()) continue;
    return fmt::format("exceeded quota: {}, requested: {}, used: {}, limited: {}", quota.name,
                       fmt::join(asked, ","), fmt::join(used, ","), fmt::join(limited, ","));
  }
  return {};
}

}  // namespace tutti::sim
