#include "sim/script/limit_ranges.h"

#include <fmt/format.h>

#include <algorithm>

#include "controllers/workloads/document.h"
#include "wire/json_reader.h"

namespace tutti::sim {
namespace {

using admission::FieldProblems;
using model::Container;
using model::ResourceList;
using wire::Value;

std::string namespace_of(const std::string& written) {
  return written.empty() ? "default" : written;
}

void read_amounts(const Value& item, std::string_view name, std::map<std::string, Quantity>& into) {
  for (const wire::Member& entry : controllers::members_at(item, {name})) {
    const Value& value = entry.value;
    const auto amount =
        Quantity::parse(value.is_integer() ? fmt::to_string(value.as_integer())
                        : value.is_string() || value.is_number() ? std::string(value.text())
                                                                 : std::string());
    if (amount.ok()) into.insert_or_assign(std::string(entry.key), *amount);
  }
}

// Adds what is not there yet.
void add_missing(std::map<std::string, Quantity>& into,
                 const std::map<std::string, Quantity>& more) {
  into.insert(more.begin(), more.end());
}

void add_missing(ResourceList& into, const std::map<std::string, Quantity>& more) {
  for (const auto& [name, amount] : more) {
    const auto at = std::ranges::lower_bound(
        into, name, {}, [](const auto& entry) -> const std::string& { return entry.first; });
    if (at == into.end() || at->first != name) into.emplace(at, name, amount);
  }
}

const Quantity* find_amount(const ResourceList& list, const std::string& name) {
  const auto at = std::ranges::find(list, name, &ResourceList::value_type::first);
  return at != list.end() ? &at->second : nullptr;
}

}  // namespace

bool is_limit_range(const model::Object& object) {
  return object.kind == model::Kind::other && object.api_version == "v1" &&
         static_cast<const model::OtherObject&>(object).kind_name == "LimitRange";
}

// As an API server completes it: the most is also what who asks for nothing may use, and what may
// be used is also what is asked for.
LimitRanges::Item LimitRanges::read_item(const Value& item) {
  Item out;
  out.of_pod = controllers::text_at(item, {"type"}) == "Pod";
  read_amounts(item, "max", out.max);
  read_amounts(item, "min", out.min);
  if (out.of_pod) return out;
  read_amounts(item, "default", out.limit);
  read_amounts(item, "defaultRequest", out.request);
  add_missing(out.limit, out.max);
  add_missing(out.request, out.limit);
  add_missing(out.request, out.min);
  return out;
}

void LimitRanges::set(const model::Object& object) {
  if (!is_limit_range(object) || !object.document) return;
  ++changes_;
  Range range{object.meta.name, {}};
  // What an object was written as can be read again.
  (void)wire::read_json(*object.document, [&](wire::Document&& document) {
    for (const Value& item : controllers::items_at(document.root(), {"spec", "limits"})) {
      const std::string type = controllers::text_at(item, {"type"});
      if (type == "Container" || type == "Pod") range.items.push_back(read_item(item));
    }
    return ok_status();
  });
  ranges_[namespace_of(object.meta.ns)].insert_or_assign(model::key_of(object), std::move(range));
}

void LimitRanges::remove(const model::ObjectKey& key) {
  const auto at = ranges_.find(namespace_of(key.ns));
  if (at != ranges_.end() && at->second.erase(key) > 0) ++changes_;
}

const std::map<model::ObjectKey, LimitRanges::Range>* LimitRanges::of(const std::string& ns) const {
  const auto at = ranges_.find(ns);
  return at != ranges_.end() && !at->second.empty() ? &at->second : nullptr;
}

void LimitRanges::fill_in(model::Pod& pod, admission::SpecRewrites& rewrites) const {
  const auto* ranges = of(pod.meta.ns);
  if (ranges == nullptr) return;
  const auto edit = [&](model::PodSpec& spec) {
    for (auto* list : {&spec.init_containers, &spec.containers}) {
      for (Container& container : *list) {
        for (const auto& [key, range] : *ranges) {
          for (const Item& item : range.items) {
            add_missing(container.limits, item.limit);
            add_missing(container.requests, item.request);
          }
        }
      }
    }
  };
  pod.spec =
      rewrites.rewritten(pod.spec, fmt::format("limits\n{}\n{}", pod.meta.ns, changes_), edit);
}

// One pod against one item of a range.
class LimitRanges::Check {
 public:
  Check(const std::string& range, const Item& item, FieldProblems& problems)
      : range_(range), item_(item), problems_(problems) {}

  void of(const ResourceList& requests, const ResourceList& limits, const std::string& path) {
    for (const auto& [name, least] : item_.min) {
      const Quantity* asked = find_amount(requests, name);
      if (asked != nullptr && *asked >= least) continue;
      report(path, "requests", name, asked, "at least", least);
    }
    for (const auto& [name, most] : item_.max) {
      const Quantity* allowed = find_amount(limits, name);
      if (allowed != nullptr && *allowed <= most) continue;
      report(path, "limits", name, allowed, "at most", most);
    }
  }

 private:
  void report(const std::string& path, std::string_view list, const std::string& name,
              const Quantity* given, std::string_view relation, const Quantity& bound) {
    problems_.push_back({fmt::format("{}.resources.{}[{}]", path, list, name),
                         fmt::format("is {}, and LimitRange {} wants {} {} per {}",
                                     given != nullptr ? given->text() : "not given", range_,
                                     relation, bound.text(), item_.of_pod ? "pod" : "container")});
  }

  const std::string& range_;
  const Item& item_;
  FieldProblems& problems_;
};

FieldProblems LimitRanges::check(const model::Pod& pod) const {
  FieldProblems problems;
  const auto* ranges = of(pod.meta.ns);
  if (ranges == nullptr) return problems;
  const auto& containers = pod.spec->containers;
  for (const auto& [key, range] : *ranges) {
    for (const Item& item : range.items) {
      Check check(range.name, item, problems);
      if (item.of_pod) {
        ResourceList requests;
        ResourceList limits;
        const auto add = [](ResourceList& sum, const ResourceList& more) {
          for (const auto& [name, amount] : more) {
            const auto at = std::ranges::find(sum, name, &ResourceList::value_type::first);
            if (at == sum.end()) {
              sum.emplace_back(name, amount);
            } else {
              at->second = at->second + amount;
            }
          }
        };
        for (const Container& container : containers) {
          add(requests, container.requests);
          add(limits, container.limits);
        }
        check.of(requests, limits, "spec");
        continue;
      }
      for (std::size_t i = 0; i < containers.size(); ++i) {
        check.of(containers[i].requests, containers[i].limits,
                 fmt::format("spec.containers[{}]", i));
      }
    }
  }
  return problems;
}

}  // namespace tutti::sim
