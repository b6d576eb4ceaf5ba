#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "model/device.h"
#include "support/wire_text.h"
#include "wire/reader.h"

namespace tutti::wire {
namespace {

using model::DeviceClass;
using model::DeviceReach;
using model::DeviceTaintRule;
using model::ResourceClaim;
using model::ResourceClaimTemplate;
using model::ResourceSlice;

TEST(DecodeClaim, refusesARequestOfTwoTypes) {
  const auto claim = [](std::string_view version, std::string_view request) {
    return R"({"apiVersion": "resource.k8s.io/)" + std::string(version) +
           R"(", "kind": "ResourceClaim", "metadata": {"name": "c"},)"
           R"( "spec": {"devices": {"requests": [{"name": "r", )" +
           std::string(request) +
           R"(, "firstAvailable": [{"name": "x", "deviceClassName": "a"}]}]}}})";
  };
  EXPECT_EQ(decode_error(claim("v1", R"("exactly": {"deviceClassName": "a"})")),
            "line 1: ResourceClaim c: spec.devices.requests[0]: must have exactly one of exactly "
            "and firstAvailable, has both");
  EXPECT_EQ(decode_error(claim("v1beta1", R"("deviceClassName": "a")")),
            "line 1: ResourceClaim c: spec.devices.requests[0]: must have exactly one of "
            "deviceClassName and firstAvailable, has both");
}

TEST(DecodeClaim, readsRequestsOfAllTypes) {
  const auto claim = decode_as<ResourceClaim>(R"(
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c, namespace: t}
spec:
  devices:
    requests:
      - name: gpu
        exactly:
          deviceClassName: gpu.example.com
          count: 2
          adminAccess: true
          selectors: [{cel: {expression: "true"}}]
          tolerations: [{key: k, operator: Exists}]
          capacity: {requests: {memory: 6Gi}}
      - name: any
        firstAvailable:
          - {name: big, deviceClassName: a}
          - {name: small, deviceClassName: b, allocationMode: All}
    constraints:
      - {requests: [gpu], matchAttribute: example.com/root}
      - distinctAttribute: example.com/numa
    config:
      - requests: [gpu]
        opaque: {driver: d, parameters: {kind: X}}
)");
  ASSERT_EQ(claim->spec.requests.size(), 2U);
  const auto& exactly = claim->spec.requests[0].wishes.at(0);
  EXPECT_EQ(exactly.device_class, "gpu.example.com");
  EXPECT_EQ(exactly.count, 2);
  EXPECT_TRUE(exactly.admin_access);
  EXPECT_EQ(exactly.selectors, std::vector<std::string>{"true"});
  EXPECT_EQ(exactly.tolerations.at(0).key, "k");
  EXPECT_EQ(exactly.capacity.at(0).second, *Quantity::parse("6Gi"));
  EXPECT_TRUE(claim->spec.requests[1].prioritized);
  EXPECT_EQ(claim->spec.requests[1].wishes.at(1).mode, "All");
  EXPECT_EQ(claim->spec.constraints.at(0).kind, model::DeviceConstraint::Kind::match);
  EXPECT_EQ(claim->spec.constraints.at(1).kind, model::DeviceConstraint::Kind::distinct);
  EXPECT_EQ(claim->spec.config.at(0).opaque.parameters, R"({"kind":"X"})");
}

TEST(DecodeClaim, theFirstBetaSaysExactlyWithoutTheWord) {
  const auto claim = decode_as<ResourceClaim>(R"(
apiVersion: resource.k8s.io/v1beta1
kind: ResourceClaim
metadata: {name: c}
spec: {devices: {requests: [{name: gpu, deviceClassName: x, count: 3}]}}
)");
  EXPECT_EQ(claim->spec.requests.at(0).wishes.at(0).device_class, "x");
  EXPECT_EQ(claim->spec.requests.at(0).wishes.at(0).count, 3);
}

TEST(DecodeSlice, refusesWhatTheModelWouldLose) {
  const auto slice = [](std::string_view spec) {
    return R"({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice",)"
           R"( "metadata": {"name": "s"}, "spec": {"driver": "d",)"
           R"( "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1}, )" +
           std::string(spec) + "}}";
  };
  EXPECT_EQ(decode_error(slice(R"("nodeName": "n1", "allNodes": true)")),
            "line 1: ResourceSlice s: spec: must have exactly one of nodeName, nodeSelector, "
            "allNodes, perDeviceNodeSelection, has 2");
  EXPECT_EQ(decode_error(slice(R"("allNodes": true, "devices": [{"name": "g", "attributes": )"
                               R"({"a": {"int": 1, "string": "x"}}}])")),
            "line 1: ResourceSlice s: spec.devices[0].attributes.a: must have exactly one value, "
            "has 2");
}

TEST(DecodeSlice, readsDevices) {
  const auto slice = decode_as<ResourceSlice>(R"(
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: gpu.example.com
  pool: {name: p, generation: 4, resourceSliceCount: 2}
  perDeviceNodeSelection: true
  devices:
    - name: g0
      nodeName: n1
      attributes: {z: {string: x}, a: {int: 5}, b: {bool: true}, v: {version: 1.2.3},
        l: {strings: [p, q]}}
      capacity:
        memory: {value: 24Gi, requestPolicy: {default: 1Gi, validRange: {min: 1Gi, step: 2Gi}}}
      consumesCounters: [{counterSet: s, counters: {x: {value: '2'}}}]
      taints: [{key: k, value: v, effect: NoExecute, timeAdded: "2026-01-01T00:00:00Z"}]
      allowMultipleAllocations: true
      bindsToNode: true
      bindingConditions: [Ready]
)");
  EXPECT_EQ(slice->generation, 4);
  EXPECT_EQ(slice->slice_count, 2);
  EXPECT_EQ(slice->reach.kind, DeviceReach::Kind::per_device);
  const auto& device = slice->devices.at(0);
  EXPECT_EQ(device.reach.node, "n1");
  EXPECT_EQ(device.attributes.front().name, "a") << "sorted by name";
  EXPECT_EQ(device.attributes.front().value, model::AttributeValue(std::int64_t{5}));
  EXPECT_EQ(device.attributes.at(3).value, model::AttributeValue(model::VersionText{"1.2.3"}));
  EXPECT_EQ(device.attributes.at(2).value,
            model::AttributeValue(std::vector<std::string>{"p", "q"}));
  EXPECT_EQ(device.capacity.at(0).policy->range->step, *Quantity::parse("2Gi"));
  EXPECT_EQ(device.consumes.at(0).counters.at(0).second, *Quantity::parse("2"));
  EXPECT_EQ(device.taints.at(0).effect, "NoExecute");
  EXPECT_TRUE(device.allow_multiple);
  EXPECT_TRUE(device.binds_to_node);
  EXPECT_EQ(device.binding_conditions, std::vector<std::string>{"Ready"});
}

TEST(DecodeSlice, theFirstBetaKeepsPropertiesUnderBasic) {
  const auto slice = decode_as<ResourceSlice>(R"(
apiVersion: resource.k8s.io/v1beta1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: d
  pool: {name: p}
  allNodes: true
  devices: [{name: g, basic: {attributes: {a: {int: 1}}}}]
)");
  EXPECT_EQ(slice->devices.at(0).attributes.at(0).name, "a");
}

TEST(EncodeClaim, writesTheStatusOverTheDocument) {
  const auto claim = decode_as<ResourceClaim>(R"(
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c, namespace: t}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: x, unknown: 1}}]}}
)");
  model::Allocation allocation;
  allocation.results.push_back({});
  auto& result = allocation.results.back();
  result.request = "r";
  result.driver = "d";
  result.pool = "p";
  result.device = "g";
  model::NodeSelectorTerm term;
  term.match_fields.push_back({"metadata.name", model::Requirement::Operator::in, {"n1"}});
  allocation.node_selector = std::vector{term};
  allocation.config.push_back({"FromClass", {}, {"d", R"({"a":1})"}});
  claim->allocation = allocation;
  claim->reserved_for.push_back({"scheduling.k8s.io", "podgroups", "g", "u"});
  const std::string text = encode_text(*claim);
  const auto again = decode_as<ResourceClaim>(text);
  EXPECT_EQ(again->allocation, claim->allocation);
  EXPECT_EQ(again->reserved_for, claim->reserved_for);
  EXPECT_NE(text.find("\"unknown\":1"), std::string::npos);
  again->allocation.reset();
  again->reserved_for.clear();
  EXPECT_EQ(encode_text(*again).find("allocation\""), std::string::npos);
}

TEST(DecodeRule, tellsAnEmptySelectorFromNone) {
  const auto rule = [](std::string_view selector) {
    return decode_as<DeviceTaintRule>(
        R"({"apiVersion":"resource.k8s.io/v1","kind":"DeviceTaintRule",
        "metadata":{"name":"r"},"spec":{)" +
        std::string(selector) + R"("taint":{"key":"k","effect":"NoSchedule"}}})");
  };
  EXPECT_FALSE(rule("")->selector.has_value());
  EXPECT_TRUE(rule(R"("deviceSelector":{},)")->selector.has_value());
  EXPECT_EQ(rule(R"("deviceSelector":{"pool":"p"},)")->selector->pool, "p");
}

// The fixtures of the specification, where they are at hand.
TEST(DecodeDevices, readsTheFixtures) {
  const std::filesystem::path folder = "../shared/data/dra";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not here";
  std::size_t objects = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() != ".yaml") continue;
    std::stringstream text;
    text << std::ifstream(file.path()).rdbuf();
    Decoder decoder;
    const Status status = read_documents(text.str(), [&](Document&& document) -> Status {
      return for_each_object(document, [&](const Value& item) -> Status {
        TUTTI_ASSIGN(const auto object, decode(item, decoder));
        EXPECT_NE(object->kind, model::Kind::other) << model::describe(*object);
        ++objects;
        return ok_status();
      });
    });
    EXPECT_TRUE(status.ok()) << file.path() << ": " << (status.ok() ? "" : status.error().message);
  }
  EXPECT_GT(objects, 50U);
}

}  // namespace
}  // namespace tutti::wire
