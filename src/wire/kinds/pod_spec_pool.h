// PodSpecPool: pods stamped from one template share one decoded PodSpec.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/pod.h"
#include "wire/kinds/field_reader.h"

namespace tutti::wire {

class PodSpecPool {
 public:
  // The decoded form of the pod spec `at`, for a pod with these labels. Specs whose documents agree
  // in all but nodeName, priority and preemptionPolicy are one object, unless they take label
  // values from pods that differ in those labels. Null if the spec is wrong, which `at` was told.
  //
  // A pool that has seen very many templates forgets them and starts again; specs handed out live
  // on.
  std::shared_ptr<const model::PodSpec> intern(const Field& at, const model::Labels& labels);

  std::size_t size() const { return templates_.size(); }

 private:
  struct Template {
    std::shared_ptr<const model::PodSpec> spec;  // as written
    // Labels that affinity terms take from the pod; empty: `spec` serves every pod.
    std::vector<std::string> label_keys;
  };

  const Template* find_or_decode(const Field& at);
  std::shared_ptr<const model::PodSpec> merged(const Template& written,
                                               const model::Labels& labels);

  std::unordered_map<std::string, Template> templates_;  // by text
  // By text and the values of the template's label_keys.
  std::unordered_map<std::string, std::shared_ptr<const model::PodSpec>> merged_;
  std::string key_;  // reused from pod to pod
};

}  // namespace tutti::wire
