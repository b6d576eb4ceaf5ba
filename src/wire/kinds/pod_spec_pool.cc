// Two pods share a spec if the compact JSON of what was written agrees. Text is compared, not a
// hash of it, so sharing can never give a pod the spec of another.
//
// matchLabelKeys and mismatchLabelKeys of affinity terms turn into selector requirements with the
// pod's own label values, as the API server does when the pod is created. Only these specs depend
// on the pod, and only through the values of those labels.
#include "wire/kinds/pod_spec_pool.h"

#include <algorithm>

#include "wire/json_writer.h"
#include "wire/kinds/decode_parts.h"

namespace tutti::wire {
namespace {

// Some hundred megabytes of template text at the worst.
constexpr std::size_t kMaxTemplates = std::size_t{1} << 16;

bool lives_on_pod(std::string_view member) {
  return member == "nodeName" || member == "priority" || member == "preemptionPolicy";
}

// With its length, so that no two sequences of texts run together to the same key.
void append_text(std::string_view text, std::string& key) {
  key.append(std::to_string(text.size())).append(":").append(text);
}

void append_key(const Value& spec, std::string& key) {
  for (const Member& member : spec.members()) {
    if (lives_on_pod(member.key)) continue;
    append_text(member.key, key);
    key += to_json(member.value);
  }
}

// Calls `body` with every affinity and anti-affinity term.
template <typename Spec, typename Body>
void for_each_term(Spec& spec, Body&& body) {
  for (auto* affinity : {&spec.affinity, &spec.anti_affinity}) {
    for (auto& term : affinity->required) body(term);
    for (auto& weighted : affinity->preferred) body(weighted.term);
  }
}

std::vector<std::string> keys_taken_from_labels(const model::PodSpec& spec) {
  std::vector<std::string> keys;
  for_each_term(spec, [&](const model::PodAffinityTerm& term) {
    keys.insert(keys.end(), term.match_label_keys.begin(), term.match_label_keys.end());
    keys.insert(keys.end(), term.mismatch_label_keys.begin(), term.mismatch_label_keys.end());
  });
  std::ranges::sort(keys);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

// A pod that was read back from a cluster has these requirements in its selector already.
void require(model::LabelSelector& selector, model::Requirement requirement) {
  std::vector<model::Requirement>& all = selector.match_expressions;
  if (std::ranges::find(all, requirement) == all.end()) all.push_back(std::move(requirement));
}

void merge_labels(model::PodAffinityTerm& term, const model::Labels& labels) {
  using Operator = model::Requirement::Operator;
  if (!term.selector) return;
  const auto merge = [&](const std::vector<std::string>& keys, Operator op) {
    for (const std::string& key : keys) {
      const std::string* value = model::find(labels, key);
      if (value != nullptr) require(*term.selector, {key, op, {*value}});
    }
  };
  merge(term.match_label_keys, Operator::in);
  merge(term.mismatch_label_keys, Operator::not_in);
}

}  // namespace

const PodSpecPool::Template* PodSpecPool::find_or_decode(const Field& at) {
  if (const auto known = templates_.find(key_); known != templates_.end()) return &known->second;
  auto spec = std::make_shared<model::PodSpec>();
  read(at, *spec);
  if (at.failed()) return nullptr;
  if (templates_.size() >= kMaxTemplates) {
    templates_.clear();
    merged_.clear();
  }
  std::vector<std::string> label_keys = keys_taken_from_labels(*spec);
  return &templates_.emplace(key_, Template{std::move(spec), std::move(label_keys)}).first->second;
}

std::shared_ptr<const model::PodSpec> PodSpecPool::merged(const Template& written,
                                                          const model::Labels& labels) {
  for (const std::string& key : written.label_keys) {
    const std::string* value = model::find(labels, key);
    key_ += value != nullptr ? '=' : '-';
    if (value != nullptr) append_text(*value, key_);
  }
  std::shared_ptr<const model::PodSpec>& slot = merged_[key_];
  if (slot == nullptr) {
    auto spec = std::make_shared<model::PodSpec>(*written.spec);
    for_each_term(*spec, [&](model::PodAffinityTerm& term) { merge_labels(term, labels); });
    slot = std::move(spec);
  }
  return slot;
}

std::shared_ptr<const model::PodSpec> PodSpecPool::intern(const Field& at,
                                                          const model::Labels& labels) {
  if (!at.expect_object()) return nullptr;
  key_.clear();
  append_key(at.value(), key_);
  const Template* written = find_or_decode(at);
  if (written == nullptr) return nullptr;
  return written->label_keys.empty() ? written->spec : merged(*written, labels);
}

}  // namespace tutti::wire
