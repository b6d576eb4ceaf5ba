// ResourceClaim: what the scheduler and the claim controller write is its status. The spec is as
// its document says; a claim made from a template gets the template's as its document.
#include <optional>

#include "base/check.h"
#include "wire/decode/decode_device.h"
#include "wire/encode/encode_kinds.h"
#include "wire/json_reader.h"

namespace tutti::wire {
namespace {

constexpr EnumTable<model::Requirement::Operator, 6> kOperators = {{
    {"In", model::Requirement::Operator::in},
    {"NotIn", model::Requirement::Operator::not_in},
    {"Exists", model::Requirement::Operator::exists},
    {"DoesNotExist", model::Requirement::Operator::does_not_exist},
    {"Gt", model::Requirement::Operator::gt},
    {"Lt", model::Requirement::Operator::lt},
}};

constexpr EnumTable<model::Toleration::Operator, 4> kTolerationOperators = {{
    {"Equal", model::Toleration::Operator::equal},
    {"Exists", model::Toleration::Operator::exists},
    {"Lt", model::Toleration::Operator::lt},
    {"Gt", model::Toleration::Operator::gt},
}};

// For lists that are written from nothing.
template <typename T>
bool never_same(const Value&, const T&) {
  return false;
}

void write_requirement(Overlay& at, const model::Requirement& requirement) {
  at.text_always("key", requirement.key);
  at.text_always("operator", word_for(requirement.op, kOperators));
  at.texts("values", requirement.values);
}

void write_term(Overlay& at, const model::NodeSelectorTerm& term) {
  at.list("matchExpressions", term.match_expressions, never_same<model::Requirement>,
          write_requirement);
  at.list("matchFields", term.match_fields, never_same<model::Requirement>, write_requirement);
}

void write_result(Overlay& at, const model::DeviceResult& result) {
  at.flag("adminAccess", result.admin_access);
  at.texts("bindingConditions", result.binding_conditions);
  at.texts("bindingFailureConditions", result.binding_failure_conditions);
  at.member("consumedCapacity", [&](Overlay& capacity) {
    for (const auto& [name, amount] : result.consumed_capacity) {
      capacity.text_always(name, amount.text());
    }
  });
  at.text_always("device", result.device);
  at.text_always("driver", result.driver);
  at.text_always("pool", result.pool);
  at.text_always("request", result.request);
  at.text("shareID", result.share_id);
  at.list("tolerations", result.tolerations, never_same<model::Toleration>, write_toleration);
}

void write_config(Overlay& at, const model::AllocatedConfig& config) {
  at.member("opaque", [&](Overlay& opaque) {
    opaque.text_always("driver", config.opaque.driver);
    opaque.json("parameters", config.opaque.parameters);
  });
  at.texts("requests", config.requests);
  at.text_always("source", config.source);
}

void write_allocation(Overlay& at, const model::Allocation& allocation) {
  at.time("allocationTimestamp", allocation.timestamp);
  at.member("devices", [&](Overlay& devices) {
    devices.list("config", allocation.config, never_same<model::AllocatedConfig>, write_config);
    devices.list("results", allocation.results, never_same<model::DeviceResult>, write_result);
  });
  if (!allocation.node_selector) return;
  at.member("nodeSelector", [&](Overlay& selector) {
    selector.list("nodeSelectorTerms", *allocation.node_selector,
                  never_same<model::NodeSelectorTerm>, write_term);
  });
}

// An allocation is made or taken away as a whole, never edited: what the document says is either
// it, word for word, or of no more use.
bool document_says(const Value* written, const model::Allocation& allocation) {
  if (written == nullptr || !written->is_object()) return false;
  FieldErrors errors;
  model::Allocation present;
  read(Field(*written, errors), present);
  return errors.empty() && present == allocation;
}

bool same_consumer(const Value& item, const model::ConsumerReference& consumer) {
  return says(item, "uid", consumer.uid);
}

void write_consumer(Overlay& at, const model::ConsumerReference& consumer) {
  at.text("apiGroup", consumer.api_group);
  at.text_always("name", consumer.name);
  at.text_always("resource", consumer.resource);
  at.text_always("uid", consumer.uid);
}

bool same_device(const Value& item, const model::AllocatedDeviceStatus& status) {
  return says(item, "driver", status.driver) && says(item, "pool", status.pool) &&
         says(item, "device", status.device) && says(item, "shareID", status.share_id);
}

void write_device_status(Overlay& at, const model::AllocatedDeviceStatus& status) {
  write_conditions(at, status.conditions, {});
  at.text_always("device", status.device);
  at.text_always("driver", status.driver);
  at.text_always("pool", status.pool);
  at.text("shareID", status.share_id);
}

// What admission filled in.
void write_defaults(Overlay& at, const model::DeviceWish& wish) {
  if (!wish.mode.empty()) at.text_always("allocationMode", wish.mode);
  if (wish.count != 0) at.number("count", wish.count);
}

void write_request(Overlay& at, const model::DeviceRequest& request) {
  at.text("name", request.name);
  if (request.wishes.empty()) return;
  if (request.prioritized) {
    const auto same = [](const Value& item, const model::DeviceWish& wish) {
      return says(item, "name", wish.name);
    };
    return at.list("firstAvailable", request.wishes, same, write_defaults);
  }
  // The first beta has the fields in the request itself.
  if (at.find("deviceClassName") != nullptr) return write_defaults(at, request.wishes.front());
  at.member("exactly", [&](Overlay& wish) { write_defaults(wish, request.wishes.front()); });
}

}  // namespace

void write_toleration(Overlay& at, const model::Toleration& toleration) {
  at.text("effect", toleration.effect);
  at.text("key", toleration.key);
  at.text_always("operator", word_for(toleration.op, kTolerationOperators));
  at.number("tolerationSeconds", toleration.toleration_seconds);
  at.text("value", toleration.value);
}

void write_kind(Overlay& at, const model::ResourceClaim& claim) {
  at.member("spec", [&](Overlay& spec) {
    spec.member("devices", [&](Overlay& devices) {
      const auto same = [](const Value& item, const model::DeviceRequest& request) {
        return says(item, "name", request.name);
      };
      devices.list("requests", claim.spec.requests, same, write_request);
    });
  });
  at.member("status", [&](Overlay& status) {
    if (!claim.allocation) {
      if (const Value* old = status.find("allocation"); old != nullptr && !old->is_null()) {
        status.remove("allocation");
      }
    } else if (!document_says(status.find("allocation"), *claim.allocation)) {
      status.remove("allocation");
      status.member("allocation",
                    [&](Overlay& made) { write_allocation(made, *claim.allocation); });
    }
    status.list("devices", claim.device_statuses, same_device, write_device_status);
    status.list("reservedFor", claim.reserved_for, same_consumer, write_consumer);
  });
}

void write_kind(Overlay& at, const model::DeviceTaintRule& rule) {
  if (rule.conditions.empty()) return;
  at.member("status", [&](Overlay& status) { write_conditions(status, rule.conditions, {}); });
}

}  // namespace tutti::wire
