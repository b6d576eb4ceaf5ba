// LimitRanges: what a namespace gives to containers that ask for nothing, and the least and most
// that containers and pods may ask for.
//
// LimitRanges are not decoded: their document says all that is needed.
#pragma once

#include <map>

#include "admission/checks/field_problem.h"
#include "admission/checks/spec_rewrites.h"
#include "base/quantity.h"
#include "base/std.h"
#include "model/object.h"
#include "model/pod.h"
#include "wire/value.h"

namespace tutti::sim {

bool is_limit_range(const model::Object& object);

class LimitRanges {
 public:
  // The object came, or changed. Others than LimitRanges do not matter.
  void set(const model::Object& object);
  void remove(const model::ObjectKey& key);

  // Requires a pod whose defaults are filled in.
  void fill_in(model::Pod& pod, admission::SpecRewrites& rewrites) const;
  admission::FieldProblems check(const model::Pod& pod) const;

 private:
  using Amounts = std::map<std::string, Quantity>;
  struct Item {
    bool of_pod = false;  // else of each container
    Amounts limit;        // of containers that have none
    Amounts request;
    Amounts max;
    Amounts min;
  };
  struct Range {
    std::string name;
    std::vector<Item> items;
  };
  class Check;

  static Item read_item(const wire::Value& item);
  const std::map<model::ObjectKey, Range>* of(const std::string& ns) const;

  std::map<std::string, std::map<model::ObjectKey, Range>> ranges_;  // by namespace
  std::uint64_t changes_ = 0;
};

}  // namespace tutti::sim
