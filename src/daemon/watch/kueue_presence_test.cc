#include "daemon/watch/kueue_presence.h"

#include <gtest/gtest.h>

#include <string>

namespace tutti::daemon {
namespace {

using namespace std::chrono_literals;
using core::BrokerMode;

constexpr Instant kMidday{Millis{43'200'000}};

KueueLease lease(std::string version, Instant renewed) { return {std::move(version), renewed}; }

TEST(KueuePresence, isWhatTheLeaseSaysAtFirst) {
  struct Case {
    std::optional<KueueLease> lease;
    bool at_work;
  };
  const Case cases[] = {
      {std::nullopt, false},
      {lease("1", kMidday - 10s), true},
      {lease("1", kMidday - 4min), true},
      {lease("1", kMidday - 6min), false},
      {lease("1", kMidday + 1h), true},
      {KueueLease{.version = "1"}, false},
  };
  for (const Case& each : cases) {
    KueuePresence presence;
    EXPECT_FALSE(presence.known());
    presence.saw(each.lease, kMidday);
    EXPECT_TRUE(presence.known());
    EXPECT_EQ(presence.at_work(kMidday), each.at_work);
  }
}

TEST(KueuePresence, laterHeedsChangesAndNotTimes) {
  KueuePresence presence;
  presence.saw(lease("1", kMidday - 1h), kMidday);
  EXPECT_FALSE(presence.at_work(kMidday));
  presence.saw(lease("2", kMidday - 1h), kMidday + 5s);
  EXPECT_TRUE(presence.at_work(kMidday + 5s));
  presence.saw(lease("2", kMidday), kMidday + 4min);
  EXPECT_TRUE(presence.at_work(kMidday + 4min));
  EXPECT_FALSE(presence.at_work(kMidday + 5min + 5s));
  presence.saw(std::nullopt, kMidday + 6min);
  EXPECT_FALSE(presence.at_work(kMidday + 6min));
}

TEST(KueuePresence, takesAnUnreadableLeaseForAManagerAtWork) {
  KueuePresence presence;
  presence.failed();
  EXPECT_TRUE(presence.known());
  EXPECT_TRUE(presence.at_work(kMidday));
  presence.saw(std::nullopt, kMidday);
  EXPECT_FALSE(presence.at_work(kMidday));
  presence.failed();
  EXPECT_FALSE(presence.at_work(kMidday));
}

TEST(KueuePresence, leavesUnmarkedTreesToAManagerThatWasThere) {
  KueuePresence presence;
  presence.saw(std::nullopt, kMidday);
  EXPECT_EQ(presence.authority({}, kMidday), (core::Authority{BrokerMode::own, false}));
  presence.saw(lease("1", kMidday), kMidday);
  EXPECT_EQ(presence.authority({}, kMidday), (core::Authority{BrokerMode::observe, true}));
  const Instant later = kMidday + 1h;
  EXPECT_EQ(presence.authority({}, later), (core::Authority{BrokerMode::observe, false}));
  EXPECT_EQ(presence.authority(BrokerMode::own, later), (core::Authority{BrokerMode::own, false}));
  EXPECT_EQ(presence.authority(BrokerMode::check, later),
            (core::Authority{BrokerMode::check, false}));
}

TEST(KueuePresence, readsTheLatestOfTheLeases) {
  const auto none = kueue_lease_in(R"({"items":[]})");
  ASSERT_TRUE(none.ok());
  EXPECT_FALSE(none->has_value());
  const auto two = kueue_lease_in(
      R"({"items":[{"metadata":{"resourceVersion":"7"},"spec":)"
      R"({"renewTime":"2026-01-02T00:00:00.123456Z"}},{"metadata":{"resourceVersion":"5"},)"
      R"("spec":{"renewTime":"2026-01-01T00:00:00.000000Z"}}]})");
  ASSERT_TRUE(two.ok() && two->has_value());
  EXPECT_EQ((*two)->version, "7");
  EXPECT_TRUE((*two)->renewed.has_value());
  EXPECT_FALSE(kueue_lease_in("no list").ok());
}

}  // namespace
}  // namespace tutti::daemon
