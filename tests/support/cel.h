// Host data for expressions in tests: a device as a selector sees one, and results as text.
#pragma once

#include <fmt/format.h>

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cel/cel.h"
#include "cel/value/semver.h"

namespace tutti::test {

// Strings to values; `find` answers for missing keys with `fallback`, if there is one.
class CelFields final : public cel::Map {
 public:
  explicit CelFields(std::string_view type_name = "map") : type_name_(type_name) {}
  void put(std::string key, cel::Value value) { entries_.emplace_back(std::move(key), value); }
  void fall_back_to(cel::Value value) { fallback_ = value; }

  cel::Value find(const cel::Value& key) const override {
    const cel::Value* found = entry(key);
    return found == nullptr ? fallback_ : *found;
  }
  bool contains(const cel::Value& key) const override { return entry(key) != nullptr; }
  std::size_t size() const override { return entries_.size(); }
  cel::Value key(std::size_t index) const override {
    return cel::Value::string(entries_[index].first);
  }
  cel::Value value(std::size_t index) const override { return entries_[index].second; }
  std::string_view type_name() const override { return type_name_; }

 private:
  const cel::Value* entry(const cel::Value& key) const {
    if (!key.is(cel::Kind::string)) return nullptr;
    for (const auto& [name, value] : entries_) {
      if (name == key.as_text()) return &value;
    }
    return nullptr;
  }

  std::string_view type_name_;
  std::deque<std::pair<std::string, cel::Value>> entries_;
  cel::Value fallback_;
};

class CelList final : public cel::List {
 public:
  explicit CelList(std::vector<cel::Value> elements) : elements_(std::move(elements)) {}
  std::size_t size() const override { return elements_.size(); }
  cel::Value at(std::size_t index) const override { return elements_[index]; }

 private:
  std::vector<cel::Value> elements_;
};

// A GPU with attributes of every type and 20 attributes in all.
class CelDevice {
 public:
  CelDevice() {
    attributes_.fall_back_to(cel::Value::map(nothing_));
    capacity_.fall_back_to(cel::Value::map(nothing_));
    own_.put("model", cel::Value::string("NVIDIA H100 80GB HBM3"));
    own_.put("architecture", cel::Value::string("Hopper"));
    own_.put("cores", cel::Value::integer(132));
    own_.put("healthy", cel::Value::boolean(true));
    own_.put("driverVersion", cel::Value::semver(version_));
    own_.put("links", cel::Value::list(links_));
    for (int i = 0; own_.size() < 18; ++i) {
      own_.put("extra" + std::to_string(i), cel::Value::integer(i));
    }
    pci_.put("root", cel::Value::string("pci0000:00"));
    pci_.put("numa", cel::Value::integer(1));
    attributes_.put("gpu.example.com", cel::Value::map(own_));
    attributes_.put("resource.kubernetes.io", cel::Value::map(pci_));
    own_capacity_.put("memory", cel::Value::quantity(memory_));
    capacity_.put("gpu.example.com", cel::Value::map(own_capacity_));
    fields_.put("driver", cel::Value::string("gpu.example.com"));
    fields_.put("attributes", cel::Value::map(attributes_));
    fields_.put("capacity", cel::Value::map(capacity_));
    fields_.put("allowMultipleAllocations", cel::Value::boolean(false));
  }
  CelDevice(const CelDevice&) = delete;
  CelDevice& operator=(const CelDevice&) = delete;

  cel::Value value() const { return cel::Value::object(fields_); }

  // `leaf`: the type of an attribute, dyn or any.
  static cel::Environment environment(const cel::Type& leaf = cel::Type::dyn()) {
    using cel::Type;
    const auto by_domain = [](const Type& inner) {
      return Type::map(Type::string(), Type::map(Type::string(), inner));
    };
    cel::Environment environment;
    environment.declare_object("kubernetes.DRADevice",
                               {{"driver", Type::string()},
                                {"attributes", by_domain(leaf)},
                                {"capacity", by_domain(Type::quantity())},
                                {"allowMultipleAllocations", Type::boolean()}});
    environment.declare("device", Type::object("kubernetes.DRADevice"));
    return environment;
  }

 private:
  const cel::Semver version_ = *cel::Semver::parse("550.54.15");
  const Quantity memory_ = *Quantity::parse("80Gi");
  const CelList links_{{cel::Value::string("nvlink0"), cel::Value::string("nvlink1")}};
  const CelFields nothing_;
  CelFields own_;
  CelFields pci_;
  CelFields own_capacity_;
  CelFields attributes_;
  CelFields capacity_;
  CelFields fields_{"kubernetes.DRADevice"};
};

// A value as CEL would write it; optionals as optional.of(…), other things by their type's name.
inline std::string cel_text(const cel::Value& value) {
  using cel::Kind;
  switch (value.kind()) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return value.as_boolean() ? "true" : "false";
    case Kind::integer:
      return fmt::to_string(value.as_integer());
    case Kind::unsigned_integer:
      return fmt::format("{}u", value.as_unsigned());
    case Kind::real:
      return fmt::format("{:#}", value.as_real());
    case Kind::string:
      return fmt::format("'{}'", value.as_text());
    case Kind::bytes:
      return fmt::format("b'{}'", value.as_text());
    case Kind::type:
      return fmt::format("type {}", value.as_text());
    case Kind::quantity:
      return fmt::format("quantity({})", value.as_quantity().text());
    case Kind::semver:
      return fmt::format("semver({})", value.as_semver().text());
    case Kind::optional:
      return value.as_optional() == nullptr
                 ? "optional.none()"
                 : fmt::format("optional.of({})", cel_text(*value.as_optional()));
    case Kind::list: {
      std::string text;
      for (std::size_t i = 0; i < value.as_list().size(); ++i) {
        text += (i > 0 ? ", " : "") + cel_text(value.as_list().at(i));
      }
      return "[" + text + "]";
    }
    case Kind::map: {
      std::map<std::string, std::string> sorted;
      for (std::size_t i = 0; i < value.as_map().size(); ++i) {
        sorted[cel_text(value.as_map().key(i))] = cel_text(value.as_map().value(i));
      }
      std::string text;
      for (const auto& [key, each] : sorted) text += (text.empty() ? "" : ", ") + key + ": " + each;
      return "{" + text + "}";
    }
    default:
      return std::string(cel::kind_name(value.kind()));
  }
}

// "true", "'a'", "error: no such key: x" or, if it does not compile, "line 1, column 3: …".
inline std::string cel_result(std::string_view expression, const cel::Environment& environment,
                              std::span<const cel::Value> activation = {},
                              const cel::Budget& budget = {}) {
  const cel::Compilation compiled = cel::compile(expression, environment);
  if (!compiled.ok()) return compiled.fault().text();
  cel::Scratch scratch;
  const cel::Outcome outcome = compiled.program().evaluate(activation, scratch, budget);
  return outcome.ok() ? cel_text(outcome.value) : "error: " + std::string(outcome.fault->message);
}

}  // namespace tutti::test
