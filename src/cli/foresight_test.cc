#include "cli/foresight.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/device.h"

namespace tutti::cli {
namespace {

const Instant kNow{};

store::WatchEvent created(model::ObjectPtr object) {
  store::WatchEvent event;
  event.after = std::move(object);
  return event;
}

std::shared_ptr<model::ResourceClaim> claim(const std::string& name) {
  auto made = std::make_shared<model::ResourceClaim>();
  made->meta.ns = "t";
  made->meta.name = name;
  return made;
}

TEST(Omens, nameWhatHappenedLastTogether) {
  Omens omens;
  omens.observe(created(claim("early")), kNow);
  omens.observe(created(claim("a")), kNow + Millis(1));
  omens.observe(created(claim("b")), kNow + Millis(1));
  EXPECT_EQ(omens.latest(), (std::vector<std::string>{"ResourceClaim t/a is created",
                                                      "ResourceClaim t/b is created"}));
}

TEST(Omens, areNotWhatTheSchedulerDoesItself) {
  Omens omens;
  auto own = claim("a-extended-resources-x");
  own->meta.annotations = {{std::string(model::kExtendedClaim), "true"}};
  model::OwnerReference pod;
  pod.kind = "Pod";
  pod.controller = true;
  own->meta.owners = {pod};
  omens.observe(created(own), kNow);
  EXPECT_TRUE(omens.latest().empty());
}

}  // namespace
}  // namespace tutti::cli
