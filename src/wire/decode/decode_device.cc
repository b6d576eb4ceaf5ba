// resource.k8s.io. The versions differ in two places, both of them here:
//
//   v1beta1                                    v1beta2, v1
//   request: {name, deviceClassName, …}        request: {name, exactly: {deviceClassName, …}}
//   device: {name, basic: {attributes, …}}     device: {name, attributes, …}
#include "wire/decode/decode_device.h"

#include <fmt/format.h>

#include "wire/decode/decode_kinds.h"
#include "wire/decode/decode_parts.h"
#include "wire/json_writer.h"

namespace tutti::wire {
namespace {

enum class DeviceForm { v1beta1, later };
DeviceForm device_form_of(const model::Object& object) {
  return object.api_version == model::kResourceV1Beta1 ? DeviceForm::v1beta1 : DeviceForm::later;
}

template <typename T>
void sort_by_name(std::vector<T>& items) {
  std::ranges::sort(items, {}, &T::name);
}

// --- slices --------------------------------------------------------------------------------------

template <typename T>
bool read_attribute_as(const Field& at, std::string_view member, model::AttributeValue& out) {
  return at.member(member, [&](const Field& field) { read(field, out.emplace<T>()); });
}

void read_attribute_versions(const Field& at, model::AttributeValue& out) {
  at.member("version",
            [&](const Field& field) { read(field, out.emplace<model::VersionText>().text); });
  at.member("versions", [&](const Field& field) {
    std::vector<std::string> texts;
    read(field, texts);
    auto& versions = out.emplace<std::vector<model::VersionText>>();
    for (auto& text : texts) versions.push_back({std::move(text)});
  });
}

// What the model cannot say is refused here: of two values it would keep one.
void refuse_second_value(const Field& at) {
  std::size_t values = 0;
  for (const char* member :
       {"int", "bool", "string", "version", "ints", "bools", "strings", "versions"}) {
    if (at.member(member, [](const Field&) {})) ++values;
  }
  if (values > 1) at.fail(fmt::format("must have exactly one value, has {}", values));
}

void read_attribute(const Field& at, model::AttributeValue& out) {
  refuse_second_value(at);
  read_attribute_as<std::int64_t>(at, "int", out);
  read_attribute_as<bool>(at, "bool", out);
  read_attribute_as<std::string>(at, "string", out);
  read_attribute_as<std::vector<std::int64_t>>(at, "ints", out);
  read_attribute_as<std::vector<std::string>>(at, "strings", out);
  at.list("bools", [&](const Field& item) {
    bool value = false;
    read(item, value);
    if (!std::holds_alternative<std::vector<bool>>(out)) out.emplace<std::vector<bool>>();
    std::get<std::vector<bool>>(out).push_back(value);
  });
  read_attribute_versions(at, out);
}

void read_range(const Field& at, model::CapacityPolicy::Range& out) {
  at.required("min", out.min);
  at("max", out.max);
  at("step", out.step);
}

void read_capacity(const Field& at, model::DeviceCapacity& out) {
  at.required("value", out.value);
  at.member("requestPolicy", [&](const Field& policy) {
    auto& read_policy = out.policy.emplace();
    policy("default", read_policy.standard);
    policy("validValues", read_policy.valid_values);
    policy.member("validRange",
                  [&](const Field& range) { read_range(range, read_policy.range.emplace()); });
  });
}

void read_counters(const Field& at, std::string_view name_member, model::CounterSet& out) {
  at(name_member, out.name);
  at.member("counters", [&](const Field& counters) {
    counters.each_entry([&](std::string_view name, const Field& counter) {
      counter.required("value", out.counters.emplace_back(std::string(name), Quantity{}).second);
    });
  });
  std::ranges::sort(out.counters, {}, &std::pair<std::string, Quantity>::first);
}

void read_selector_terms(const Field& at, std::vector<model::NodeSelectorTerm>& out) {
  at("nodeSelectorTerms", out);
}

void read_reach(const Field& at, model::DeviceReach& out) {
  using Reach = model::DeviceReach::Kind;
  bool all = false;
  bool per_device = false;
  at("nodeName", out.node);
  at("allNodes", all);
  at("perDeviceNodeSelection", per_device);
  if (!out.node.empty()) out.kind = Reach::node;
  if (all) out.kind = Reach::all;
  if (per_device) out.kind = Reach::per_device;
  const bool selects = at.member("nodeSelector", [&](const Field& selector) {
    out.kind = Reach::selector;
    read_selector_terms(selector, out.selector);
  });
  const int said = !out.node.empty() + all + per_device + selects;
  if (said > 1) {
    at.fail(
        fmt::format("must have exactly one of nodeName, nodeSelector, allNodes, "
                    "perDeviceNodeSelection, has {}",
                    said));
  }
}

void read_properties(const Field& at, model::Device& out) {
  at.member("attributes", [&](const Field& attributes) {
    attributes.each_entry([&](std::string_view name, const Field& value) {
      model::DeviceAttribute& attribute = out.attributes.emplace_back();
      attribute.name = name;
      read_attribute(value, attribute.value);
    });
  });
  at.member("capacity", [&](const Field& capacity) {
    capacity.each_entry([&](std::string_view name, const Field& value) {
      auto& entry = out.capacity.emplace_back();
      entry.name = name;
      read_capacity(value, entry);
    });
  });
  at.list("consumesCounters",
          [&](const Field& set) { read_counters(set, "counterSet", out.consumes.emplace_back()); });
  sort_by_name(out.attributes);
  sort_by_name(out.capacity);
}

void read_device(const Field& at, DeviceForm form, model::Device& out) {
  at("name", out.name);
  const auto read_rest = [&](const Field& body) {
    read_properties(body, out);
    read_reach(body, out.reach);
    body("taints", out.taints);
    body("bindsToNode", out.binds_to_node);
    body("bindingConditions", out.binding_conditions);
    body("bindingFailureConditions", out.binding_failure_conditions);
    body("allowMultipleAllocations", out.allow_multiple);
  };
  if (form == DeviceForm::later) return read_rest(at);
  at.member("basic", read_rest);
}

// --- claims --------------------------------------------------------------------------------------

void read_selectors(const Field& at, std::vector<std::string>& out) {
  at.list("selectors", [&](const Field& selector) {
    std::string& expression = out.emplace_back();
    selector.member("cel", [&](const Field& cel) { cel.required("expression", expression); });
  });
}

void read_wish(const Field& at, model::DeviceWish& out) {
  at("name", out.name);
  at("deviceClassName", out.device_class);
  read_selectors(at, out.selectors);
  at("allocationMode", out.mode);
  at("count", out.count);
  at("adminAccess", out.admin_access);
  at("tolerations", out.tolerations);
  at.member("capacity", [&](const Field& capacity) { capacity("requests", out.capacity); });
}

void read_request(const Field& at, DeviceForm form, model::DeviceRequest& out) {
  at("name", out.name);
  at.member("exactly", [&](const Field& wish) { read_wish(wish, out.wishes.emplace_back()); });
  if (form == DeviceForm::v1beta1 && at.value().find("deviceClassName") != nullptr) {
    read_wish(at, out.wishes.emplace_back());
    out.wishes.back().name.clear();
  }
  const bool exact = !out.wishes.empty();
  at.list("firstAvailable", [&](const Field& wish) {
    out.prioritized = true;
    read_wish(wish, out.wishes.emplace_back());
  });
  if (exact && out.prioritized) {
    at.fail(fmt::format("must have exactly one of {} and firstAvailable, has both",
                        form == DeviceForm::v1beta1 ? "deviceClassName" : "exactly"));
  }
}

void read_constraint(const Field& at, model::DeviceConstraint& out) {
  using Constraint = model::DeviceConstraint::Kind;
  at("requests", out.requests);
  if (at.value().find("distinctAttribute") != nullptr) {
    out.kind = Constraint::distinct;
    at("distinctAttribute", out.attribute);
  }
  if (at.value().find("matchAttribute") != nullptr) {
    out.kind = Constraint::match;
    at("matchAttribute", out.attribute);
  }
}

void read_opaque(const Field& at, model::OpaqueConfig& out) {
  at.member("opaque", [&](const Field& opaque) {
    opaque("driver", out.driver);
    opaque.member("parameters",
                  [&](const Field& parameters) { out.parameters = to_json(parameters.value()); });
  });
}

void read_claim_spec(const Field& at, DeviceForm form, model::ClaimSpec& out) {
  at.member("devices", [&](const Field& devices) {
    devices.list("requests", [&](const Field& request) {
      read_request(request, form, out.requests.emplace_back());
    });
    devices.list("constraints", [&](const Field& constraint) {
      read_constraint(constraint, out.constraints.emplace_back());
    });
    devices.list("config", [&](const Field& config) {
      auto& entry = out.config.emplace_back();
      config("requests", entry.requests);
      read_opaque(config, entry.opaque);
    });
  });
}

void read_result(const Field& at, model::DeviceResult& out) {
  at("request", out.request);
  at("driver", out.driver);
  at("pool", out.pool);
  at("device", out.device);
  at("adminAccess", out.admin_access);
  at("tolerations", out.tolerations);
  at("bindingConditions", out.binding_conditions);
  at("bindingFailureConditions", out.binding_failure_conditions);
  at("shareID", out.share_id);
  at("consumedCapacity", out.consumed_capacity);
}

void read_device_status(const Field& at, model::AllocatedDeviceStatus& out) {
  at("driver", out.driver);
  at("pool", out.pool);
  at("device", out.device);
  at("shareID", out.share_id);
  at("conditions", out.conditions);
}

}  // namespace

static void read(const Field& at, model::DeviceTaint& out) {
  at("key", out.key);
  at("value", out.value);
  at("effect", out.effect);
  at("timeAdded", out.added);
}

static void read(const Field& at, model::ConsumerReference& out) {
  at("apiGroup", out.api_group);
  at("resource", out.resource);
  at("name", out.name);
  at("uid", out.uid);
}

void read(const Field& at, model::Allocation& out) {
  at.member("devices", [&](const Field& devices) {
    devices.list("results",
                 [&](const Field& result) { read_result(result, out.results.emplace_back()); });
    devices.list("config", [&](const Field& config) {
      auto& entry = out.config.emplace_back();
      config("source", entry.source);
      config("requests", entry.requests);
      read_opaque(config, entry.opaque);
    });
  });
  at.member("nodeSelector", [&](const Field& selector) {
    read_selector_terms(selector, out.node_selector.emplace());
  });
  at("allocationTimestamp", out.timestamp);
}

void read_kind(const Field& at, model::DeviceClass& out) {
  at.required_member("spec", [&](const Field& spec) {
    read_selectors(spec, out.selectors);
    spec.list("config", [&](const Field& entry) { read_opaque(entry, out.config.emplace_back()); });
    spec("extendedResourceName", out.extended_resource_name);
  });
}

void read_kind(const Field& at, model::ResourceClaim& out) {
  at.required_member(
      "spec", [&](const Field& spec) { read_claim_spec(spec, device_form_of(out), out.spec); });
  at.member("status", [&](const Field& status) {
    status("allocation", out.allocation);
    status("reservedFor", out.reserved_for);
    status.list("devices", [&](const Field& device) {
      read_device_status(device, out.device_statuses.emplace_back());
    });
  });
}

void read_kind(const Field& at, model::ResourceClaimTemplate& out) {
  at.required_member("spec", [&](const Field& spec) {
    spec.member("metadata", [&](const Field& meta) {
      meta("labels", out.claim_labels);
      meta("annotations", out.claim_annotations);
    });
    spec.required_member(
        "spec", [&](const Field& claim) { read_claim_spec(claim, device_form_of(out), out.spec); });
  });
}

void read_kind(const Field& at, model::ResourceSlice& out) {
  at.required_member("spec", [&](const Field& spec) {
    spec("driver", out.driver);
    spec.required_member("pool", [&](const Field& pool) {
      pool("name", out.pool);
      pool("generation", out.generation);
      pool("resourceSliceCount", out.slice_count);
    });
    read_reach(spec, out.reach);
    spec.list("devices", [&](const Field& device) {
      read_device(device, device_form_of(out), out.devices.emplace_back());
    });
    spec.list("sharedCounters", [&](const Field& set) {
      read_counters(set, "name", out.shared_counters.emplace_back());
    });
  });
}

void read_kind(const Field& at, model::DeviceTaintRule& out) {
  at.required_member("spec", [&](const Field& spec) {
    spec.member("deviceSelector", [&](const Field& selector) {
      auto& parts = out.selector.emplace();
      selector("driver", parts.driver);
      selector("pool", parts.pool);
      selector("device", parts.device);
    });
    spec.required_member("taint", [&](const Field& taint) { read(taint, out.taint); });
  });
  at.member("status", [&](const Field& status) { status("conditions", out.conditions); });
}

}  // namespace tutti::wire
