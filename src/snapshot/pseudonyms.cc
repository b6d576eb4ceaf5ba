#include "snapshot/pseudonyms.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace tutti::snapshot {
namespace {

using wire::Value;
using NameSet = std::set<std::string, std::less<>>;
using Names = std::map<std::string, std::string, std::less<>>;

// Part of Kubernetes rather than of somebody's house; "default" is also what a missing namespace
// means.
constexpr std::string_view kPublic[] = {"default",
                                        "kube-system",
                                        "kube-public",
                                        "kube-node-lease",
                                        "kube-root-ca.crt",
                                        "kubernetes",
                                        "system-cluster-critical",
                                        "system-node-critical"};

// Annotations that the scheduler reads; others are their tools' business.
constexpr std::string_view kKeptAnnotations[] = {
    "tutti.dev/",           "kueue.x-k8s.io/",           "volume.",           "pv.kubernetes.io/",
    "batch.kubernetes.io/", "controller.kubernetes.io/", "scheduling.k8s.io/"};

void collect_text(const Value* value, NameSet& names) {
  if (value != nullptr && value->is_string() && !value->text().empty()) {
    names.emplace(value->text());
  }
}

std::span<const Value> items_of(const Value* object, std::string_view list) {
  const Value* items = object != nullptr ? object->find(list) : nullptr;
  return items != nullptr && items->is_array() ? items->items() : std::span<const Value>();
}

// The images it runs, and its names in the network, which begin with that of its Job.
void collect_pod(const Value& spec, NameSet& names) {
  for (const auto* field : {"hostname", "subdomain"}) collect_text(spec.find(field), names);
  for (const auto* list : {"containers", "initContainers"}) {
    for (const Value& one : items_of(&spec, list)) collect_text(one.find("image"), names);
  }
}

// What the object and its owners are called, who need not be in the copy, and what it runs or has.
void collect(const Value& object, NameSet& names) {
  if (const Value* meta = object.find("metadata")) {
    for (const auto* field : {"name", "namespace", "generateName"}) {
      collect_text(meta->find(field), names);
    }
    for (const Value& owner : items_of(meta, "ownerReferences")) {
      collect_text(owner.find("name"), names);
    }
  }
  const Value* spec = object.find("spec");
  const Value* pods = spec != nullptr ? spec->find("template") : nullptr;
  for (const Value* pod : {spec, pods != nullptr ? pods->find("spec") : nullptr}) {
    if (pod != nullptr) collect_pod(*pod, names);
  }
  for (const Value& image : items_of(object.find("status"), "images")) {
    const Value* tags = image.find("names");
    if (tags == nullptr || !tags->is_array()) continue;
    for (const Value& tag : tags->items()) collect_text(&tag, names);
  }
}

Names numbered(const NameSet& names) {
  const auto digits = std::to_string(names.size()).size();
  Names pseudonyms;
  std::size_t number = 0;
  for (const std::string& name : names) {
    pseudonyms.emplace(name, fmt::format("x-{:0{}}", number++, digits));
  }
  for (const std::string_view name : kPublic) pseudonyms.erase(std::string(name));
  return pseudonyms;
}

bool kept_annotation(std::string_view key) {
  for (const std::string_view prefix : kKeptAnnotations) {
    if (key.starts_with(prefix)) return true;
  }
  return false;
}

void drop_words(Value& object, std::string_view key) {
  if (key == "annotations") {
    NameSet others;
    for (const wire::Member& member : object.members()) {
      if (!kept_annotation(member.key)) others.emplace(member.key);
    }
    for (const std::string& other : others) object.remove_member(other);
  }
  object.remove_member("message");
  // What a container runs is read by no decision.
  for (const auto* field : {"command", "args", "env", "envFrom"}) object.remove_member(field);
}

void rename(Value& value, std::string_view key, const Names& names, wire::Arena& arena) {
  if (value.is_string()) {
    const auto name = names.find(value.text());
    if (name != names.end()) value = Value::string(arena, name->second);
    return;
  }
  if (value.is_array()) {
    for (Value& item : value.items()) rename(item, {}, names, arena);
  }
  if (!value.is_object()) return;
  drop_words(value, key);
  for (wire::Member& member : value.members()) {
    if (member.key == "apiVersion" || member.key == "kind") continue;
    rename(member.value, member.key, names, arena);
  }
}

}  // namespace

void use_pseudonyms(std::span<wire::Document> pages) {
  NameSet names;
  for (const wire::Document& page : pages) {
    for (const Value& object : page.root().items()) collect(object, names);
  }
  const Names pseudonyms = numbered(names);
  for (wire::Document& page : pages) {
    for (Value& object : page.root().items()) rename(object, {}, pseudonyms, page.arena());
  }
}

}  // namespace tutti::snapshot
