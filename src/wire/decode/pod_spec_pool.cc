// Two pods share a spec if what was written agrees. A hash finds the candidate and the trees are
// then compared, so sharing can never give a pod the spec of another.
//
// matchLabelKeys and mismatchLabelKeys of affinity terms turn into selector requirements with the
// pod's own label values, as the API server does when the pod is created. Only these specs depend
// on the pod, and only through the values of those labels.
#include "wire/decode/pod_spec_pool.h"

#include <algorithm>
#include <functional>

#include "wire/decode/decode_parts.h"

namespace tutti::wire {
namespace {

// Some hundred megabytes of templates at the worst.
constexpr std::size_t kMaxTemplates = std::size_t{1} << 16;
// Not worth looking for unused ones among.
constexpr std::size_t kFewTemplates = 256;

constexpr std::string_view kOnPod[] = {"nodeName", "priority", "preemptionPolicy"};

bool lives_on_pod(std::string_view member) {
  return std::ranges::find(kOnPod, member) != std::end(kOnPod);
}

std::size_t mixed(std::size_t hash, std::size_t more) {
  return (hash ^ more) * 0x9E3779B97F4A7C15U + (hash >> 29U);
}

std::size_t hash_of(const Value& value) {
  const auto kind = static_cast<std::size_t>(value.kind());
  std::size_t hash = kind;
  if (value.is_boolean()) return mixed(kind, value.as_boolean() ? 1 : 0);
  if (value.is_integer()) return mixed(kind, static_cast<std::size_t>(value.as_integer()));
  if (value.is_string() || value.is_number()) {
    return mixed(kind, std::hash<std::string_view>{}(value.text()));
  }
  if (value.is_array()) {
    for (const Value& item : value.items()) hash = mixed(hash, hash_of(item));
  }
  if (value.is_object()) {
    for (const Member& member : value.members()) {
      hash = mixed(hash, std::hash<std::string_view>{}(member.key));
      hash = mixed(hash, hash_of(member.value));
    }
  }
  return hash;
}

std::size_t hash_of_template(const Value& spec) {
  std::size_t hash = 0;
  for (const Member& member : spec.members()) {
    if (lives_on_pod(member.key)) continue;
    hash = mixed(hash, std::hash<std::string_view>{}(member.key));
    hash = mixed(hash, hash_of(member.value));
  }
  return hash;
}

// Members in another order count as another template: pods of one template agree in that too.
bool same_template(const Value& spec, const Value& written) {
  auto next = written.members().begin();
  const auto end = written.members().end();
  for (const Member& member : spec.members()) {
    if (lives_on_pod(member.key)) continue;
    if (next == end || next->key != member.key || !(next->value == member.value)) return false;
    ++next;
  }
  return next == end;
}

Value template_of(const Value& spec, Arena& arena) {
  Value written = spec.clone(arena);
  for (const std::string_view name : kOnPod) written.remove_member(name);
  return written;
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

// The value of each key, told apart from a label that is missing.
std::vector<std::string> values_of(const std::vector<std::string>& keys,
                                   const model::Labels& labels) {
  std::vector<std::string> values;
  for (const std::string& key : keys) {
    const std::string* value = model::find(labels, key);
    values.push_back(value != nullptr ? "=" + *value : "");
  }
  return values;
}

}  // namespace

PodSpecPool::Template* PodSpecPool::find(std::size_t hash, const Value& spec) {
  const auto [first, last] = templates_.equal_range(hash);
  const auto found = std::find_if(
      first, last, [&](const auto& entry) { return same_template(spec, entry.second.written); });
  return found != last ? &found->second : nullptr;
}

PodSpecPool::Template* PodSpecPool::add(std::size_t hash, const Field& at) {
  auto spec = std::make_shared<model::PodSpec>();
  read(at, *spec);
  if (at.failed()) return nullptr;
  if (templates_.size() >= forget_at_) forget_unused();
  std::vector<std::string> label_keys = keys_taken_from_labels(*spec);
  return &templates_
              .emplace(
                  hash,
                  Template{
                      template_of(at.value(), *arena_), std::move(spec), std::move(label_keys), {}})
              ->second;
}

// Pods of a cluster often have a volume name of their own, and with it a template of their own:
// over time there are as many as pods have ever been, of which few still are.
void PodSpecPool::forget_unused() {
  for (auto& [hash, one] : templates_) {
    std::erase_if(one.merged, [](const auto& entry) { return entry.second.use_count() == 1; });
  }
  std::erase_if(templates_, [](const auto& entry) { return !entry.second.in_use(); });
  if (templates_.size() >= kMaxTemplates) templates_.clear();
  auto arena = std::make_unique<Arena>();
  for (auto& [hash, one] : templates_) one.written = one.written.clone(*arena);
  arena_ = std::move(arena);
  forget_at_ = std::max(kFewTemplates, 2 * templates_.size());
}

std::shared_ptr<const model::PodSpec> PodSpecPool::intern(const Field& at,
                                                          const model::Labels& labels) {
  if (!at.expect_object()) return nullptr;
  const std::size_t hash = hash_of_template(at.value());
  Template* shared = find(hash, at.value());
  if (shared == nullptr) shared = add(hash, at);
  if (shared == nullptr) return nullptr;
  if (shared->label_keys.empty()) return shared->spec;

  if (shared->merged.size() >= kMaxTemplates) shared->merged.clear();
  SpecPointer& slot = shared->merged[values_of(shared->label_keys, labels)];
  if (slot == nullptr) {
    auto spec = std::make_shared<model::PodSpec>(*shared->spec);
    for_each_term(*spec, [&](model::PodAffinityTerm& term) { merge_labels(term, labels); });
    slot = std::move(spec);
  }
  return slot;
}

}  // namespace tutti::wire
