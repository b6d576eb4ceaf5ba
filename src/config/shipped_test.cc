#include "config/shipped.h"

#include <gtest/gtest.h>

#include "config/scheduler_config.h"

namespace tutti::config {
namespace {

TEST(ShippedConfig, canBeReadAsAnyOther) {
  for (const std::string& name : shipped_names()) {
    const auto parsed = parse_daemon_config(*shipped_config(name));
    ASSERT_TRUE(parsed.ok()) << name << ": " << parsed.error().message;
    EXPECT_EQ(parsed->scheduler.profiles.size(), 1U);
  }
  EXPECT_FALSE(shipped_config("no-such-profile"));
}

}  // namespace
}  // namespace tutti::config
