#include "sim/script/selector_rules.h"

#include <gtest/gtest.h>

#include "model/device.h"
#include "support/scene.h"
#include "wire/decode/decode.h"
#include "wire/reader.h"

namespace tutti::sim {
namespace {

// The error of a script of these documents, or "".
std::string refusal(std::string_view yaml, std::optional<Instant> taken_at = {}) {
  Input input;
  input.taken_at = taken_at;
  wire::Decoder decoder;
  const Status status = wire::read_documents(yaml, [&](wire::Document&& document) -> Status {
    TUTTI_ASSIGN(auto object, wire::decode(document.root(), decoder));
    input.objects.push_back({std::move(object), "x.yaml", 1});
    return ok_status();
  });
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message);
  const auto script = build_script(input);
  return script.ok() ? "" : script.error().message;
}

constexpr std::string_view kClass =
    "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: c}, spec: {selectors: "
    "[{cel: {expression: 'true'}}, {cel: {expression: 'device.driver == '}}]}}";

TEST(SelectorRules, areForClassesThatNobodyUses) {
  const std::string text = refusal(kClass);
  EXPECT_TRUE(text.starts_with("x.yaml:1: DeviceClass c: spec.selectors[1].cel.expression: "))
      << text;
  EXPECT_NE(text.find("line 1, column 1"), std::string::npos) << text;
}

TEST(SelectorRules, nameThePlaceInClaimsAndTheirTemplates) {
  EXPECT_NE(refusal(R"(
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c, namespace: t}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: x,
  selectors: [{cel: {expression: device.drivr == 'a'}}]}}]}}
)")
                .find("spec.devices.requests[0].exactly.selectors[0].cel.expression: "),
            std::string::npos);
  EXPECT_NE(
      refusal(R"(
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: c, namespace: t}
spec: {spec: {devices: {requests: [{name: r, firstAvailable: [{name: a, deviceClassName: x},
  {name: b, deviceClassName: x, selectors: [{cel: {expression: '1 + 1'}}]}]}]}}}
)")
          .find("spec.spec.devices.requests[0].firstAvailable[1].selectors[0].cel.expression"),
      std::string::npos);
  EXPECT_NE(refusal(R"(
apiVersion: resource.k8s.io/v1beta1
kind: ResourceClaim
metadata: {name: c, namespace: t}
spec: {devices: {requests: [{name: r, deviceClassName: x, selectors: [{cel: {expression: ')'}}]}]}}
)")
                .find("spec.devices.requests[0].selectors[0].cel.expression: "),
            std::string::npos);
}

TEST(SelectorRules, letWhatWasCopiedFromLifeBe) { EXPECT_EQ(refusal(kClass, kEpoch), ""); }

}  // namespace
}  // namespace tutti::sim
