// Rules of the claims that a pod or a group names, and of what containers use of them.
#include <fmt/ranges.h>

#include <algorithm>

#include "admission/checks/checks.h"
#include "admission/rules/kind_rules.h"

namespace tutti::admission {
namespace {

using model::ClaimReference;
using model::Container;
using model::ContainerClaim;

bool overlap(const ContainerClaim& a, const ContainerClaim& b) {
  if (a.name != b.name) return false;
  return a.request.empty() || b.request.empty() || a.request == b.request;
}

std::string known_names(const std::vector<ClaimReference>& claims) {
  if (claims.empty()) return "it has none";
  std::vector<std::string> names;
  for (const ClaimReference& claim : claims) names.push_back(claim.name);
  return fmt::format("it has {}", fmt::join(names, ", "));
}

void check_uses(const Container& container, const std::vector<ClaimReference>& claims,
                const Path& path, Findings& findings) {
  const Path resources = path.field("resources");
  for (std::size_t i = 0; i < container.claims.size(); ++i) {
    const ContainerClaim& use = container.claims[i];
    const Path place = resources.item("claims", i);
    if (use.name.empty()) {
      findings.add(place.field("name"), "is required");
      continue;
    }
    if (std::ranges::find(claims, use.name, &ClaimReference::name) == claims.end()) {
      findings.add(place.field("name"),
                   "must name an entry of the pod's resourceClaims ({}), is '{}'",
                   known_names(claims), use.name);
    }
    if (!use.request.empty()) check_dns_label(use.request, place.field("request"), findings);
    const auto here = container.claims.begin() + static_cast<std::ptrdiff_t>(i);
    const auto earlier = std::find_if(container.claims.begin(), here,
                                      [&](const auto& other) { return overlap(other, use); });
    if (earlier != here) {
      findings.add(place, "must not use what claims[{}] uses already: claim '{}'{}",
                   earlier - container.claims.begin(), use.name,
                   earlier->request.empty() ? "" : fmt::format(", request '{}'", earlier->request));
    }
  }
}

}  // namespace

void check_claims(const std::vector<ClaimReference>& claims, const Path& path, Findings& findings) {
  Unique names;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const ClaimReference& claim = claims[i];
    const Path place = path.item("resourceClaims", i);
    check_dns_label(claim.name, place.field("name"), findings);
    names.see(claim.name, place.field("name"), findings);
    if (claim.claim_name.empty() == claim.template_name.empty()) {
      findings.add(
          place, "must have exactly one of resourceClaimName and resourceClaimTemplateName, has {}",
          claim.claim_name.empty() ? "none" : "both");
    }
    check_optional_name(claim.claim_name, place.field("resourceClaimName"), findings);
    check_optional_name(claim.template_name, place.field("resourceClaimTemplateName"), findings);
  }
}

void check_container_claims(const model::PodSpec& spec, const Path& path, Findings& findings) {
  for (std::size_t i = 0; i < spec.init_containers.size(); ++i) {
    check_uses(spec.init_containers[i], spec.resource_claims, path.item("initContainers", i),
               findings);
  }
  for (std::size_t i = 0; i < spec.containers.size(); ++i) {
    check_uses(spec.containers[i], spec.resource_claims, path.item("containers", i), findings);
  }
}

}  // namespace tutti::admission
