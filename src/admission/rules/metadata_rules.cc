#include <fmt/format.h>

#include <algorithm>

#include "admission/checks/checks.h"
#include "admission/rules/kind_rules.h"
#include "base/time.h"

namespace tutti::admission {
namespace {

using model::Kind;

// Annotations may be long, but together they are bounded, as the API server bounds them.
constexpr std::size_t kAnnotationBytesMax = 256 * 1024;

void check_object_name(const model::Object& object, const Path& path, Findings& findings) {
  switch (object.kind) {
    case Kind::ns:
    case Kind::service:
      return check_dns_label(object.meta.name, path, findings);
    // Kinds we do not interpret have rules we do not know; RBAC names carry ':' for one.
    case Kind::other:
      return check_path_segment(object.meta.name, path, findings);
    default:
      return check_dns_subdomain(object.meta.name, path, findings);
  }
}

void check_namespace(const model::Object& object, const Path& path, Findings& findings) {
  const std::string& ns = object.meta.ns;
  if (object.kind == Kind::other) {
    if (!ns.empty()) check_dns_label(ns, path, findings);
  } else if (facts(object.kind).namespaced) {
    check_dns_label(ns, path, findings);
  } else if (!ns.empty()) {
    findings.add(path, "must be empty for a {}, is '{}'", facts(object.kind).name, ns);
  }
}

void check_annotations(const model::Labels& annotations, const Path& meta, Findings& findings) {
  std::size_t bytes = 0;
  for (const auto& [key, value] : annotations) {
    // Annotation keys may have capital letters in their prefix; the length rules are the same.
    std::string folded = key;
    std::ranges::transform(folded, folded.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    check_qualified_name(folded, meta.entry("annotations", key), findings);
    bytes += key.size() + value.size();
  }
  if (bytes > kAnnotationBytesMax) {
    findings.add(meta.field("annotations"), "must have at most {} bytes together, has {}",
                 kAnnotationBytesMax, bytes);
  }
}

// What work says of its time; nobody else has words of this name.
void check_time_words(const model::Labels& annotations, const Path& meta, Findings& findings) {
  constexpr std::string_view kExpected = "tutti.dev/expected-runtime";
  constexpr std::string_view kYield = "tutti.dev/yield";
  if (const std::string* text = model::find(annotations, kExpected)) {
    const auto length = parse_duration(*text);
    if (!length.ok() || *length <= Millis(0)) {
      findings.add(meta.entry("annotations", kExpected),
                   "must be a duration above 0 such as 40m, is '{}'", *text);
    }
  }
  if (const std::string* word = model::find(annotations, kYield)) {
    check_one_of(*word, {"true", "false"}, meta.entry("annotations", kYield), findings);
  }
}

void check_owners(const std::vector<model::OwnerReference>& owners, const Path& meta,
                  Findings& findings) {
  const auto require = [&](const std::string& value, const Path& path) {
    if (value.empty()) findings.add(path, "is required");
  };
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const Path place = meta.item("ownerReferences", i);
    require(owners[i].api_version, place.field("apiVersion"));
    require(owners[i].kind, place.field("kind"));
    require(owners[i].name, place.field("name"));
    require(owners[i].uid, place.field("uid"));
  }
  const auto controllers = std::ranges::count_if(owners, &model::OwnerReference::controller);
  if (controllers > 1) {
    findings.add(meta.field("ownerReferences"), "must name at most one controller, names {}",
                 controllers);
  }
}

}  // namespace

void check_metadata(const model::Object& object, Findings& findings) {
  const Path meta("metadata");
  check_object_name(object, meta.field("name"), findings);
  check_namespace(object, meta.field("namespace"), findings);
  check_labels(object.meta.labels, "labels", meta, findings);
  check_annotations(object.meta.annotations, meta, findings);
  check_time_words(object.meta.annotations, meta, findings);
  for (std::size_t i = 0; i < object.meta.finalizers.size(); ++i) {
    check_qualified_name(object.meta.finalizers[i], meta.item("finalizers", i), findings);
  }
  check_owners(object.meta.owners, meta, findings);
}

}  // namespace tutti::admission
