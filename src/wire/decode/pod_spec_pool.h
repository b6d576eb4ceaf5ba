// PodSpecPool: pods stamped from one template share one decoded PodSpec.
#pragma once

#include <map>
#include <unordered_map>

#include "base/std.h"
#include "model/pod.h"
#include "wire/decode/field_reader.h"
#include "wire/value.h"

namespace tutti::wire {

class PodSpecPool {
 public:
  // The decoded form of the pod spec `at`, for a pod with these labels. Specs whose documents agree
  // in all but nodeName, priority and preemptionPolicy are one object, unless they take label
  // values from pods that differ in those labels. Null if the spec is wrong, which `at` was told.
  //
  // Templates whose pods are all gone are forgotten now and then, and all of them when there are
  // very many; specs handed out live on.
  std::shared_ptr<const model::PodSpec> intern(const Field& at, const model::Labels& labels);

  std::size_t size() const { return templates_.size(); }

 private:
  using SpecPointer = std::shared_ptr<const model::PodSpec>;
  struct Template {
    Value written;     // lives in arena_; without the members that live on Pod
    SpecPointer spec;  // decoded as written
    // Labels that affinity terms take from the pod; empty: `spec` serves every pod.
    std::vector<std::string> label_keys;
    // With label values merged in, by those values.
    std::map<std::vector<std::string>, SpecPointer> merged;

    bool in_use() const { return spec.use_count() > 1 || !merged.empty(); }
  };

  Template* find(std::size_t hash, const Value& spec);
  Template* add(std::size_t hash, const Field& at);
  void forget_unused();

  std::unique_ptr<Arena> arena_ = std::make_unique<Arena>();
  std::unordered_multimap<std::size_t, Template> templates_;  // by hash of `written`
  std::size_t forget_at_ = 0;                                 // this many templates
};

}  // namespace tutti::wire
