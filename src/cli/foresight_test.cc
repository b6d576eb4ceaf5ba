#include "cli/foresight.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/device.h"
#include "support/build.h"

namespace tutti::cli {
namespace {

const Instant kNow{};

store::WatchEvent changed(model::ObjectPtr before, model::ObjectPtr after) {
  store::WatchEvent event;
  event.before = std::move(before);
  event.after = std::move(after);
  return event;
}

store::WatchEvent created(model::ObjectPtr object) { return changed(nullptr, std::move(object)); }

std::shared_ptr<model::ResourceClaim> claim(const std::string& name) {
  auto made = std::make_shared<model::ResourceClaim>();
  made->meta.ns = "t";
  made->meta.name = name;
  return made;
}

TEST(Omens, nameWhatHappenedLastTogether) {
  Omens omens({model::Kind::pod, "t", "p", {}});
  omens.observe(created(claim("early")), kNow);
  omens.observe(created(claim("a")), kNow + Millis(1));
  omens.observe(created(claim("b")), kNow + Millis(1));
  EXPECT_EQ(omens.latest(), (std::vector<std::string>{"ResourceClaim t/a is created",
                                                      "ResourceClaim t/b is created"}));
}

TEST(Omens, areNotWhatTheSchedulerDoesItself) {
  Omens omens({model::Kind::pod, "t", "p", {}});
  auto own = claim("a-extended-resources-x");
  own->meta.annotations = {{std::string(model::kExtendedClaim), "true"}};
  model::OwnerReference pod;
  pod.kind = "Pod";
  pod.controller = true;
  own->meta.owners = {pod};
  omens.observe(created(own), kNow);
  EXPECT_TRUE(omens.latest().empty());
}

TEST(Omens, nameMembersThatComeAndGatesThatOpen) {
  Omens omens({model::Kind::pod_group, "t", "g", {}});
  const auto stranger = test::pod("x").build();
  const auto gated = test::pod("g-0").group("g").gate("example.com/quota").build();
  const auto open = test::pod("g-0").group("g").build();
  omens.observe(created(stranger), kNow);
  EXPECT_TRUE(omens.latest().empty());
  omens.observe(created(gated), kNow);
  EXPECT_EQ(omens.latest(), std::vector<std::string>{"Pod t/g-0 is created"});
  omens.observe(changed(gated, open), kNow + Millis(1));
  EXPECT_EQ(omens.latest(), std::vector<std::string>{"Pod t/g-0 has no scheduling gate left"});
}

}  // namespace
}  // namespace tutti::cli
