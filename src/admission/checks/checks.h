// Rules that many fields share. Each adds a problem at `path` when `value` breaks the rule.
#pragma once

#include <initializer_list>
#include <set>

#include "admission/checks/findings.h"
#include "base/std.h"
#include "model/object.h"
#include "model/resources.h"

namespace tutti::admission {

// Names: an empty value is a problem, too ("is required").
void check_dns_label(std::string_view value, const Path& path, Findings& findings);
void check_dns_subdomain(std::string_view value, const Path& path, Findings& findings);
// Checks a DNS subdomain that may be left out: an empty value is fine.
void check_optional_name(std::string_view value, const Path& path, Findings& findings);
// "rack", "example.com/rack": keys of labels, taints, resources; names of gates and finalizers.
void check_qualified_name(std::string_view value, const Path& path, Findings& findings);
// A name that can stand in a URL path: no '/', no '%', neither "." nor "..".
void check_path_segment(std::string_view value, const Path& path, Findings& findings);

// An empty label value is fine.
void check_label_value(std::string_view value, const Path& path, Findings& findings);
// Keys and values of `labels`, reported as path.map[key].
void check_labels(const model::Labels& labels, std::string_view map, const Path& path,
                  Findings& findings);

void check_at_least(std::int64_t value, std::int64_t minimum, const Path& path, Findings& findings);
void check_between(std::int64_t value, std::int64_t minimum, std::int64_t maximum, const Path& path,
                   Findings& findings);
void check_one_of(std::string_view value, std::initializer_list<std::string_view> allowed,
                  const Path& path, Findings& findings);
void check_at_most_items(std::size_t count, std::size_t maximum, const Path& path,
                         Findings& findings);
// A whole decimal number that fits 64 bits.
void check_integer(std::string_view value, const Path& path, Findings& findings);

// Resource names, amounts of at least zero, whole numbers for extended resources; reported as
// path.map[name].
void check_amounts(const model::ResourceList& amounts, std::string_view map, const Path& path,
                   Findings& findings);
// A resource outside Kubernetes' own names: a device plugin offers it, in whole units.
bool is_extended_resource(std::string_view name);

// Sees values one by one and reports each that it saw before.
class Unique {
 public:
  void see(std::string value, const Path& path, Findings& findings);

 private:
  std::set<std::string, std::less<>> seen_;
};

}  // namespace tutti::admission
