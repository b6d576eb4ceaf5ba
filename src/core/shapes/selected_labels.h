// SelectedLabels: which labels of a pod a set of selectors can tell apart.
//
// A label whose key no selector names is invisible to all of them; of one that is named, values
// that none of them lists look alike. What is left of a pod's labels decides what every selector of
// the set says about the pod.
#pragma once

#include <functional>
#include <map>
#include <set>

#include "base/std.h"
#include "model/selector.h"

namespace tutti::core {

struct PodShape;

class SelectedLabels {
 public:
  using Pairs = std::vector<std::pair<std::string, std::string>>;

  bool empty() const { return values_.empty(); }

  void add(const model::LabelSelector& selector);
  void add(const Pairs& wanted);
  // Every value of the label counts by itself.
  void add_whole(const std::string& key);
  void add(const SelectedLabels& other);

  // What the selectors see of these labels: a value that none of them lists is kOther.
  Pairs seen_of(const Pairs& labels) const;

 private:
  static constexpr const char* kOther = "*";  // no label can have this value

  struct Values {
    std::set<std::string, std::less<>> listed;
    bool whole = false;
  };
  std::map<std::string, Values, std::less<>> values_;
};

// What the shape's own terms select: affinity and anti-affinity, required and preferred.
SelectedLabels selected_by_affinity(const PodShape& shape);
// Returns what the shape's own terms and its spread select.
SelectedLabels selected_by(const PodShape& shape);

}  // namespace tutti::core
