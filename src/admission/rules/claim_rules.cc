// Rules of what is asked for: ResourceClaim, ResourceClaimTemplate, DeviceClass, DeviceTaintRule.
//
// Whether a selector compiles is not checked here: its claim waits and says what is wrong with it,
// and everything else goes on.
#include <algorithm>
#include <set>

#include "admission/checks/checks.h"
#include "admission/rules/kind_rules.h"

namespace tutti::admission {
namespace {

using model::ClaimSpec;
using model::DeviceRequest;
using model::DeviceWish;

constexpr std::size_t kRequestsMax = 32;
constexpr std::size_t kSelectorsMax = 32;
constexpr std::size_t kAlternativesMax = 8;
constexpr std::size_t kTolerationsMax = 16;
constexpr std::size_t kConsumersMax = 256;
constexpr std::int64_t kClaimDevicesMax = 32;
constexpr std::size_t kExpressionMax = 10 * 1024;

void check_selectors(const std::vector<std::string>& selectors, const Path& path,
                     Findings& findings) {
  check_at_most_items(selectors.size(), kSelectorsMax, path.field("selectors"), findings);
  for (std::size_t i = 0; i < selectors.size(); ++i) {
    const Path selector = path.item("selectors", i);
    if (selectors[i].empty()) {
      findings.add(selector.field("cel.expression"), "is required");
    } else if (selectors[i].size() > kExpressionMax) {
      findings.add(selector.field("cel.expression"), "must have at most {} bytes, has {}",
                   kExpressionMax, selectors[i].size());
    }
  }
}

void check_device_toleration(const model::Toleration& toleration, const Path& path,
                             Findings& findings) {
  using Operator = model::Toleration::Operator;
  if (toleration.key.empty()) {
    if (toleration.op != Operator::exists) {
      findings.add(path.field("operator"), "must be Exists when the key is empty");
    }
  } else {
    check_qualified_name(toleration.key, path.field("key"), findings);
  }
  if (toleration.op == Operator::lt || toleration.op == Operator::gt) {
    findings.add(path.field("operator"), "must be Equal or Exists");
  }
  if (toleration.op == Operator::exists && !toleration.value.empty()) {
    findings.add(path.field("value"), "must be empty with Exists, is '{}'", toleration.value);
  }
  if (!toleration.effect.empty()) {
    check_one_of(toleration.effect, {"NoSchedule", "NoExecute", "None"}, path.field("effect"),
                 findings);
  }
}

void check_amount(const DeviceWish& wish, const Path& path, Findings& findings) {
  check_one_of(wish.mode, {"ExactCount", "All"}, path.field("allocationMode"), findings);
  if (wish.mode == "ExactCount") {
    check_between(wish.count, 1, kClaimDevicesMax, path.field("count"), findings);
  } else if (wish.mode == "All" && wish.count != 0) {
    findings.add(path.field("count"), "must be absent with All, is {}", wish.count);
  }
  for (const auto& [name, amount] : wish.capacity) {
    const Path requests = path.field("capacity");
    check_qualified_name(name, requests.entry("requests", name), findings);
    if (amount.negative()) {
      findings.add(requests.entry("requests", name), "must be at least 0, is {}", amount.text());
    }
  }
}

void check_wish(const DeviceWish& wish, const Path& path, Findings& findings) {
  check_dns_subdomain(wish.device_class, path.field("deviceClassName"), findings);
  check_selectors(wish.selectors, path, findings);
  check_amount(wish, path, findings);
  check_at_most_items(wish.tolerations.size(), kTolerationsMax, path.field("tolerations"),
                      findings);
  for (std::size_t i = 0; i < wish.tolerations.size(); ++i) {
    check_device_toleration(wish.tolerations[i], path.item("tolerations", i), findings);
  }
}

void check_alternatives(const DeviceRequest& request, const Path& path, Findings& findings) {
  check_at_most_items(request.wishes.size(), kAlternativesMax, path.field("firstAvailable"),
                      findings);
  Unique names;
  for (std::size_t i = 0; i < request.wishes.size(); ++i) {
    const Path wish = path.item("firstAvailable", i);
    check_dns_label(request.wishes[i].name, wish.field("name"), findings);
    names.see(request.wishes[i].name, wish.field("name"), findings);
    if (request.wishes[i].admin_access) {
      findings.add(wish.field("adminAccess"), "is not allowed in an alternative");
    }
    check_wish(request.wishes[i], wish, findings);
  }
}

void check_request(const DeviceRequest& request, const Path& path, Findings& findings) {
  check_dns_label(request.name, path.field("name"), findings);
  if (request.wishes.empty()) {
    findings.add(path, "must have exactly one of exactly and firstAvailable, has none");
  } else if (request.prioritized) {
    check_alternatives(request, path, findings);
  } else {
    check_wish(request.wishes.front(), path.field("exactly"), findings);
  }
}

// "request" and "request/alternative".
std::set<std::string> request_names(const ClaimSpec& spec) {
  std::set<std::string> names;
  for (const auto& request : spec.requests) {
    names.insert(request.name);
    if (!request.prioritized) continue;
    for (const auto& wish : request.wishes) names.insert(request.name + "/" + wish.name);
  }
  return names;
}

void check_named_requests(const std::vector<std::string>& named, const std::set<std::string>& known,
                          const Path& path, Findings& findings) {
  check_at_most_items(named.size(), kRequestsMax, path.field("requests"), findings);
  for (std::size_t i = 0; i < named.size(); ++i) {
    if (known.contains(named[i])) continue;
    findings.add(path.item("requests", i), "must name a request of the claim, is '{}'", named[i]);
  }
}

void check_constraint(const model::DeviceConstraint& constraint, const Path& path,
                      Findings& findings) {
  using Kind = model::DeviceConstraint::Kind;
  if (constraint.kind == Kind::unknown) {
    findings.add(path, "must have exactly one of matchAttribute, distinctAttribute");
    return;
  }
  const Path field =
      path.field(constraint.kind == Kind::match ? "matchAttribute" : "distinctAttribute");
  check_qualified_name(constraint.attribute, field, findings);
  if (constraint.attribute.find('/') == std::string::npos) {
    findings.add(field, "must be a full name with a domain, is '{}'", constraint.attribute);
  }
}

void check_spec(const ClaimSpec& spec, const Path& path, Findings& findings) {
  const Path devices = path.field("devices");
  check_at_most_items(spec.requests.size(), kRequestsMax, devices.field("requests"), findings);
  check_at_most_items(spec.constraints.size(), kRequestsMax, devices.field("constraints"),
                      findings);
  check_at_most_items(spec.config.size(), kRequestsMax, devices.field("config"), findings);
  Unique names;
  for (std::size_t i = 0; i < spec.requests.size(); ++i) {
    const Path request = devices.item("requests", i);
    names.see(spec.requests[i].name, request.field("name"), findings);
    check_request(spec.requests[i], request, findings);
  }
  const auto known = request_names(spec);
  for (std::size_t i = 0; i < spec.constraints.size(); ++i) {
    const Path constraint = devices.item("constraints", i);
    check_named_requests(spec.constraints[i].requests, known, constraint, findings);
    check_constraint(spec.constraints[i], constraint, findings);
  }
  for (std::size_t i = 0; i < spec.config.size(); ++i) {
    const Path config = devices.item("config", i);
    check_named_requests(spec.config[i].requests, known, config, findings);
    check_dns_subdomain(spec.config[i].opaque.driver, config.field("opaque.driver"), findings);
  }
}

void check_status(const model::ResourceClaim& claim, Findings& findings) {
  const Path status("status");
  if (!claim.reserved_for.empty() && !claim.allocation) {
    findings.add(status.field("reservedFor"), "must be empty while there is no allocation");
  }
  check_at_most_items(claim.reserved_for.size(), kConsumersMax, status.field("reservedFor"),
                      findings);
  if (!claim.allocation) return;
  const auto known = request_names(claim.spec);
  const Path devices = status.field("allocation.devices");
  const auto& results = claim.allocation->results;
  check_at_most_items(results.size(), kClaimDevicesMax, devices.field("results"), findings);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Path result = devices.item("results", i);
    if (!known.contains(results[i].request)) {
      findings.add(result.field("request"), "must name a request of the claim, is '{}'",
                   results[i].request);
    }
    check_dns_subdomain(results[i].driver, result.field("driver"), findings);
    check_dns_label(results[i].device, result.field("device"), findings);
  }
}

}  // namespace

void check_device_taint(const model::DeviceTaint& taint, const Path& path, Findings& findings) {
  check_qualified_name(taint.key, path.field("key"), findings);
  check_label_value(taint.value, path.field("value"), findings);
  check_one_of(taint.effect, {"None", "NoSchedule", "NoExecute"}, path.field("effect"), findings);
}

void check_kind(const model::ResourceClaim& claim, Findings& findings) {
  check_spec(claim.spec, Path("spec"), findings);
  check_status(claim, findings);
}

void check_kind(const model::ResourceClaimTemplate& claim_template, Findings& findings) {
  check_spec(claim_template.spec, Path("spec.spec"), findings);
}

void check_kind(const model::DeviceClass& device_class, Findings& findings) {
  const Path spec("spec");
  check_selectors(device_class.selectors, spec, findings);
  for (std::size_t i = 0; i < device_class.config.size(); ++i) {
    const Path config = spec.item("config", i);
    check_dns_subdomain(device_class.config[i].driver, config.field("opaque.driver"), findings);
  }
  const std::string& resource = device_class.extended_resource_name;
  if (resource.empty()) return;
  const Path path = spec.field("extendedResourceName");
  check_qualified_name(resource, path, findings);
  // Names of Kubernetes itself, which those that follow from classes are among, cannot be chosen.
  if (!is_extended_resource(resource)) {
    findings.add(path, "must be the name of an extended resource, is '{}'", resource);
  }
}

void check_kind(const model::DeviceTaintRule& rule, Findings& findings) {
  check_device_taint(rule.taint, Path("spec.taint"), findings);
}

}  // namespace tutti::admission
