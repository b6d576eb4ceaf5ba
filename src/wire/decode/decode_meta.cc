// Metadata, conditions and selectors: what most kinds are made of.
#include <charconv>

#include "wire/decode/decode_parts.h"

namespace tutti::wire {

static void read(const Field& at, model::OwnerReference& out) {
  at("apiVersion", out.api_version);
  at("kind", out.kind);
  at("name", out.name);
  at("uid", out.uid);
  at("controller", out.controller);
  at("blockOwnerDeletion", out.block_owner_deletion);
}

// Clients treat the version as opaque text; Tutti stores it as the number it always is.
static void read_resource_version(const Field& at, std::uint64_t& out) {
  std::string text;
  read(at, text);
  if (text.empty()) return;
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, out);
  if (problem != std::errc{} || stop != end) {
    at.fail("resource version '" + text + "' is not a number");
  }
}

void read(const Field& at, model::ObjectMeta& out) {
  at("name", out.name);
  at("namespace", out.ns);
  at("uid", out.uid);
  at.member("resourceVersion",
            [&](const Field& version) { read_resource_version(version, out.resource_version); });
  at("generation", out.generation);
  at("creationTimestamp", out.created);
  at("deletionTimestamp", out.deletion);
  at("deletionGracePeriodSeconds", out.deletion_grace_seconds);
  at("labels", out.labels);
  at("annotations", out.annotations);
  at("finalizers", out.finalizers);
  at("ownerReferences", out.owners);
}

void read(const Field& at, model::Condition& out) {
  at("type", out.type);
  at("status", out.status);
  at("reason", out.reason);
  at("message", out.message);
  at("lastTransitionTime", out.last_transition);
  at("observedGeneration", out.observed_generation);
}

void read(const Field& at, model::Requirement& out) {
  using Operator = model::Requirement::Operator;
  static constexpr EnumTable<Operator, 6> kOperators = {{
      {"In", Operator::in},
      {"NotIn", Operator::not_in},
      {"Exists", Operator::exists},
      {"DoesNotExist", Operator::does_not_exist},
      {"Gt", Operator::gt},
      {"Lt", Operator::lt},
  }};
  at("key", out.key);
  at.required("operator", out.op, kOperators);
  at("values", out.values);
}

void read(const Field& at, model::LabelSelector& out) {
  at("matchLabels", out.match_labels);
  at("matchExpressions", out.match_expressions);
}

void read(const Field& at, model::NodeSelectorTerm& out) {
  at("matchExpressions", out.match_expressions);
  at("matchFields", out.match_fields);
}

void read(const Field& at, model::ClaimReference& out) {
  at("name", out.name);
  at("resourceClaimName", out.claim_name);
  at("resourceClaimTemplateName", out.template_name);
}

void read(const Field& at, model::ClaimStatus& out) {
  at("name", out.name);
  at("resourceClaimName", out.claim_name);
}

}  // namespace tutti::wire
