#include <fmt/format.h>

#include <charconv>

#include "wire/decode/decode_kinds.h"
#include "wire/decode/decode_parts.h"
#include "wire/decode/decode_template.h"

namespace tutti::wire {
namespace {

template <typename T>
void read_selector(const Field& at, T& out) {
  at.member("spec", [&](const Field& spec) { spec("selector", out.selector); });
}

// A set without a template is one that only selects.
void read_keeper(const Field& at, PodSpecPool* specs, model::ReplicaKeeper& out) {
  read_selector(at, out);
  at.member("spec", [&](const Field& spec) {
    spec("replicas", out.replicas);
    if (specs == nullptr) return;
    spec.member("template", [&](const Field& pods) { read_template(pods, *specs, out.pods); });
  });
  at.member("status", [&](const Field& status) {
    status("replicas", out.status.replicas);
    status("readyReplicas", out.status.ready);
  });
}

// 3, or "30%".
void read(const Field& at, model::CountOrPercent& out) {
  if (!at.value().is_string()) return wire::read(at, out.value);
  const std::string_view text = at.value().text();
  const std::string_view digits = text.substr(0, text.find('%'));
  const char* const end = digits.data() + digits.size();
  const auto [stop, problem] = std::from_chars(digits.data(), end, out.value);
  out.percent = true;
  if (digits.size() + 1 != text.size() || stop != end || problem != std::errc{} || out.value < 0) {
    at.fail(fmt::format("expected a number or a percentage such as 50%, found '{}'", text));
  }
}

}  // namespace

void read_kind(const Field& at, model::Service& out) { read_selector(at, out); }
void read_kind(const Field& at, model::ReplicationController& out) { read_selector(at, out); }

void read_kind(const Field& at, PodSpecPool* specs, model::Deployment& out) {
  read_keeper(at, specs, out);
}

void read_kind(const Field& at, PodSpecPool* specs, model::ReplicaSet& out) {
  read_keeper(at, specs, out);
}

void read_kind(const Field& at, PodSpecPool* specs, model::StatefulSet& out) {
  static constexpr EnumTable<bool, 2> kPolicies = {{{"OrderedReady", false}, {"Parallel", true}}};
  read_keeper(at, specs, out);
  at.member("spec", [&](const Field& spec) {
    spec("podManagementPolicy", out.parallel, kPolicies);
    spec.member("ordinals", [&](const Field& ordinals) { ordinals("start", out.first_ordinal); });
    spec.list("volumeClaimTemplates", [&](const Field& form) {
      auto& claim = out.claim_templates.emplace_back();
      form("metadata", claim.meta);
      read_kind(form, claim);
    });
  });
}

void read_kind(const Field& at, model::PodDisruptionBudget& out) {
  read_selector(at, out);
  at.member("spec", [&](const Field& spec) {
    const auto bound = [&](std::string_view name, std::optional<model::CountOrPercent>& into) {
      spec.member(name, [&](const Field& written) { read(written, into.emplace()); });
    };
    bound("minAvailable", out.min_available);
    bound("maxUnavailable", out.max_unavailable);
  });
  at.member("status", [&](const Field& status) {
    status("disruptionsAllowed", out.disruptions_allowed);
    status("currentHealthy", out.current_healthy);
    status("desiredHealthy", out.desired_healthy);
    status("expectedPods", out.expected_pods);
    status("observedGeneration", out.observed_generation);
    status.member("disruptedPods", [&](const Field& pods) {
      pods.each_entry([&](std::string_view pod, const Field& since) {
        Instant when;
        read(since, when);
        out.disrupted_pods.emplace_back(pod);
      });
    });
  });
}

}  // namespace tutti::wire
