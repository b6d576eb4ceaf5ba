#include "kube/lease/election.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "kube/lease/lease_text.h"

namespace tutti::kube {
namespace {

using Role = Election::Role;

const Instant kWall = *parse_rfc3339("2026-11-16T12:00:00.250Z");
constexpr const char* kPath = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";

Moment at(int seconds) { return Moment(std::chrono::seconds(seconds)); }

ElectionConfig config() { return {.ns = "kube-system", .name = "tutti", .identity = "me"}; }

Answer good(const std::string& body) {
  Answer answer;
  answer.status = 200;
  answer.body = body;
  return answer;
}
Answer status(int code) {
  Answer answer;
  answer.status = code;
  answer.message = "because";
  return answer;
}

std::string lease_of(const std::string& holder, int version, int seconds = 15) {
  return R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"tutti",)"
         R"("namespace":"kube-system","resourceVersion":")" +
         std::to_string(version) + R"(","labels":{"a":"b"}},"spec":{"holderIdentity":")" + holder +
         R"(","leaseDurationSeconds":)" + std::to_string(seconds) +
         R"(,"acquireTime":"2026-11-16T11:00:00.123456Z","renewTime":"2026-11-16T11:59:59.000001Z",)"
         R"("leaseTransitions":3,"strategy":"OldestEmulationVersion"}})";
}

// The lease that a written body says, with the version the server would give it.
std::string stored(const Call& call, int version) {
  auto lease = std::make_shared<model::Lease>(*read_lease(call.body).value());
  lease->meta.resource_version = static_cast<std::uint64_t>(version);
  return write_lease(*lease);
}

Call must_send(Election& election, Moment now) {
  auto call = election.next_request(now, kWall);
  EXPECT_TRUE(call.has_value());
  return call.value_or(Call{});
}

// Leads since second 0, the lease at version 2.
std::unique_ptr<Election> leader() {
  auto election = std::make_unique<Election>(config(), 1);
  must_send(*election, at(0));
  election->answered(good(lease_of("", 1)), at(0));
  const Call write = must_send(*election, at(0));
  election->answered(good(stored(write, 2)), at(0));
  EXPECT_EQ(election->role(), Role::leader);
  return election;
}

TEST(Election, createsAMissingLease) {
  Election election(config(), 1);
  const Call look = must_send(election, at(0));
  EXPECT_EQ(look.method, "GET");
  EXPECT_EQ(look.path, std::string(kPath) + "/tutti");
  election.answered(status(404), at(0));

  const Call create = must_send(election, at(0));
  EXPECT_EQ(create.method, "POST");
  EXPECT_EQ(create.path, kPath);
  EXPECT_EQ(create.retries_max, 0);
  EXPECT_EQ(create.body,
            R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"tutti",)"
            R"("namespace":"kube-system"},"spec":{"acquireTime":"2026-11-16T12:00:00.250000Z",)"
            R"("holderIdentity":"me","leaseDurationSeconds":15,)"
            R"("renewTime":"2026-11-16T12:00:00.250000Z"}})");
  EXPECT_FALSE(election.may_act(at(0)));
  election.answered(good(stored(create, 1)), at(1));
  EXPECT_TRUE(election.may_act(at(1)));
  EXPECT_EQ(election.holder(), "me");
}

TEST(Election, waitsForAHeldLeaseAndTakesItWhenItWasStillForItsDuration) {
  Election election(config(), 1);
  int looks = 0;
  Moment now = at(0);
  while (now < at(15)) {
    const Call look = must_send(election, now);
    ASSERT_EQ(look.method, "GET") << now.time_since_epoch().count();
    election.answered(good(lease_of("other", 7)), now);
    ++looks;
    const Moment next = *election.next_wakeup();
    ASSERT_GE(next, now + Millis(2000));
    ASSERT_LE(next, now + Millis(4400));
    EXPECT_FALSE(election.next_request(next - Millis(1), kWall).has_value());
    now = next;
  }
  EXPECT_GT(looks, 3);
  must_send(election, now);
  election.answered(good(lease_of("other", 7)), now);
  const Call write = must_send(election, now);
  EXPECT_EQ(write.method, "PUT");
  const auto lease = *read_lease(write.body);
  EXPECT_EQ(lease->holder, "me");
  EXPECT_EQ(lease->transitions, 4);
  EXPECT_EQ(lease->acquired, kWall);
  EXPECT_EQ(lease->meta.resource_version, 7U);
}

TEST(Election, startsTheWaitAgainWhenTheHolderRenews) {
  Election election(config(), 1);
  for (int second = 0; second < 60; second += 5) {
    EXPECT_EQ(must_send(election, at(second)).method, "GET");
    election.answered(good(lease_of("other", 100 + second / 10)), at(second));
    EXPECT_EQ(election.role(), Role::candidate);
  }
}

TEST(Election, takesTheDurationFromTheLeaseWhateverItsTimesSay) {
  Election election(config(), 1);
  must_send(election, at(0));
  election.answered(good(lease_of("other", 7, 60)), at(0));
  must_send(election, at(59));
  election.answered(good(lease_of("other", 7, 60)), at(59));
  must_send(election, at(64));
  election.answered(good(lease_of("other", 7, 60)), at(64));
  EXPECT_EQ(must_send(election, at(64)).method, "PUT");
}

TEST(Election, takesAReleasedLeaseAtOnce) {
  Election election(config(), 1);
  must_send(election, at(0));
  election.answered(good(lease_of("", 7, 1)), at(0));
  EXPECT_EQ(must_send(election, at(0)).method, "PUT");
}

TEST(Election, keepsWhatItDoesNotKnowOfTheLease) {
  Election election(config(), 1);
  must_send(election, at(0));
  election.answered(good(lease_of("", 7)), at(0));
  const Call write = must_send(election, at(0));
  EXPECT_NE(write.body.find(R"("strategy":"OldestEmulationVersion")"), std::string::npos);
  EXPECT_NE(write.body.find(R"("labels":{"a":"b"})"), std::string::npos);
  EXPECT_NE(write.body.find(R"("resourceVersion":"7")"), std::string::npos);
}

TEST(Election, renewsEveryRetryPeriodWithoutLooking) {
  const auto election = leader();
  EXPECT_FALSE(election->next_request(at(1), kWall).has_value());
  EXPECT_EQ(election->next_wakeup(), at(2));
  const Call renew = must_send(*election, at(2));
  EXPECT_EQ(renew.method, "PUT");
  const auto lease = *read_lease(renew.body);
  EXPECT_EQ(lease->transitions, 4) << "ours already: no further transition";
  EXPECT_EQ(lease->meta.resource_version, 2U);
  election->answered(good(stored(renew, 3)), at(3));
  EXPECT_EQ(election->renewed(), at(2));
  EXPECT_EQ(election->next_wakeup(), at(4));
}

TEST(Election, mayActUntilTheDeadlineSinceItsLastWriteWasSent) {
  const auto election = leader();
  const Call renew = must_send(*election, at(2));
  election->answered(good(stored(renew, 3)), at(6));
  EXPECT_TRUE(election->may_act(at(12) - Millis(1)));
  EXPECT_FALSE(election->may_act(at(12)));
  election->expire(at(12));
  EXPECT_EQ(election->role(), Role::candidate);
}

TEST(Election, doesNotActOnAnAnswerThatComesTooLate) {
  Election election(config(), 1);
  must_send(election, at(0));
  election.answered(good(lease_of("", 1)), at(0));
  const Call write = must_send(election, at(0));
  election.answered(good(stored(write, 2)), at(10));
  EXPECT_EQ(election.role(), Role::candidate);
  EXPECT_FALSE(election.may_act(at(10)));
  // The lease is ours all the same, and the next write makes it useful.
  const Call again = must_send(election, at(10));
  EXPECT_EQ(again.method, "PUT");
  election.answered(good(stored(again, 3)), at(10));
  EXPECT_TRUE(election.may_act(at(10)));
}

TEST(Election, looksAgainWhenARenewalConflictsAndLeadsOnIfTheLeaseIsStillIts) {
  const auto election = leader();
  must_send(*election, at(2));
  election->answered(status(409), at(2));
  EXPECT_TRUE(election->may_act(at(2)));
  EXPECT_EQ(must_send(*election, at(2)).method, "GET");
  election->answered(good(lease_of("me", 9)), at(2));
  const Call renew = must_send(*election, at(2));
  EXPECT_EQ(read_lease(renew.body).value()->meta.resource_version, 9U);
}

TEST(Election, stopsAtOnceWhenTheLeaseHasAnotherHolder) {
  const auto election = leader();
  must_send(*election, at(2));
  election->answered(status(409), at(2));
  must_send(*election, at(2));
  election->answered(good(lease_of("other", 9)), at(2));
  EXPECT_EQ(election->role(), Role::candidate);
  EXPECT_FALSE(election->may_act(at(2)));
  EXPECT_EQ(election->holder(), "other");
  EXPECT_GT(*election->next_wakeup(), at(3));
}

TEST(Election, doesNotSpinOnAServerThatRefusesEveryWrite) {
  Election election(config(), 1);
  int requests = 0;
  for (int second = 0; second < 60; ++second) {
    while (const auto call = election.next_request(at(second), kWall)) {
      ++requests;
      election.answered(call->method == "GET" ? good(lease_of("me", second)) : status(409),
                        at(second));
    }
  }
  EXPECT_LT(requests, 61);
}

struct FailureCase {
  std::string name;
  Answer answer;
};

TEST(Election, survivesFailedRenewalsUntilTheDeadline) {
  const FailureCase cases[] = {{"no answer", status(0)},
                               {"overloaded", status(429)},
                               {"broken", status(503)},
                               {"forbidden", status(403)},
                               {"nonsense", good("{]")}};
  for (const FailureCase& c : cases) {
    SCOPED_TRACE(c.name);
    const auto election = leader();
    must_send(*election, at(2));
    election->answered(status(0), at(2));
    EXPECT_NE(election->trouble().find("lease kube-system/tutti: writing it: because"),
              std::string::npos);
    for (const int second : {4, 6, 8}) {
      EXPECT_EQ(must_send(*election, at(second)).method, "GET");
      election->answered(c.answer, at(second));
      EXPECT_TRUE(election->may_act(at(second)));
      EXPECT_FALSE(election->trouble().empty());
    }
    must_send(*election, at(10));
    EXPECT_FALSE(election->may_act(at(10)));
    election->answered(good(lease_of("me", 5)), at(10));
    EXPECT_EQ(election->trouble(), "");
  }
}

TEST(Election, retriesAtOnceAfterATimeoutThatTookTheRetryPeriod) {
  const auto election = leader();
  must_send(*election, at(2));
  election->answered(status(0), at(7));
  EXPECT_EQ(must_send(*election, at(7)).method, "GET");
}

TEST(Election, givesADeletedLeaseTheTimeItsHolderHad) {
  Election election(config(), 1);
  must_send(election, at(0));
  election.answered(good(lease_of("other", 7)), at(0));
  must_send(election, at(10));
  election.answered(status(404), at(10));
  EXPECT_GT(*election.next_wakeup(), at(10));
  must_send(election, at(15));
  election.answered(status(404), at(15));
  EXPECT_EQ(must_send(election, at(15)).method, "POST");
}

TEST(Election, clearsTheLeaseWhenReleased) {
  const auto election = leader();
  election->release(at(3));
  EXPECT_FALSE(election->may_act(at(3)));
  const Call write = must_send(*election, at(3));
  EXPECT_EQ(write.method, "PUT");
  const auto lease = *read_lease(write.body);
  EXPECT_EQ(lease->holder, "");
  EXPECT_EQ(lease->duration_seconds, 1);
  EXPECT_EQ(lease->transitions, 4);
  EXPECT_EQ(lease->meta.resource_version, 2U);
  election->answered(good(stored(write, 3)), at(3));
  EXPECT_EQ(election->role(), Role::released);
  EXPECT_EQ(election->next_wakeup(), std::nullopt);
  EXPECT_FALSE(election->next_request(at(100), kWall).has_value());
}

TEST(Election, releasesARenewalThatWasUnderWay) {
  const auto election = leader();
  const Call renew = must_send(*election, at(2));
  election->release(at(2));
  EXPECT_FALSE(election->next_request(at(2), kWall).has_value());
  election->answered(good(stored(renew, 3)), at(3));
  EXPECT_EQ(election->role(), Role::releasing);
  EXPECT_FALSE(election->may_act(at(3)));
  const Call clear = must_send(*election, at(3));
  EXPECT_EQ(read_lease(clear.body).value()->holder, "");
  EXPECT_EQ(read_lease(clear.body).value()->meta.resource_version, 3U);
}

TEST(Election, leavesAnothersLeaseAloneWhenReleased) {
  const auto election = leader();
  election->release(at(3));
  must_send(*election, at(3));
  election->answered(status(409), at(3));
  EXPECT_EQ(must_send(*election, at(3)).method, "GET");
  election->answered(good(lease_of("other", 9)), at(3));
  EXPECT_EQ(election->role(), Role::released);
}

TEST(Election, endsAtOnceWhenThereIsNothingToRelease) {
  Election election(config(), 1);
  must_send(election, at(0));
  election.release(at(0));
  EXPECT_EQ(election.role(), Role::released);
  election.answered(good(lease_of("", 1)), at(1));
  EXPECT_FALSE(election.next_request(at(1), kWall).has_value());
}

TEST(Election, givesUpReleasingAfterTheDeadline) {
  const auto election = leader();
  election->release(at(3));
  must_send(*election, at(3));
  EXPECT_EQ(election->next_wakeup(), at(13));
  election->expire(at(13));
  EXPECT_EQ(election->role(), Role::released);
}

struct RuleCase {
  std::string name;
  std::function<void(ElectionConfig&)> change;
  bool ok;
};

TEST(Election, hasRulesForItsTimes) {
  const RuleCase cases[] = {
      {"defaults", [](ElectionConfig&) {}, true},
      {"no identity", [](ElectionConfig& c) { c.identity = ""; }, false},
      {"no name", [](ElectionConfig& c) { c.name = ""; }, false},
      {"deadline as long as the lease", [](ElectionConfig& c) { c.renew_deadline = Millis(15000); },
       false},
      {"fraction of a second lost",
       [](ElectionConfig& c) {
         c.lease_duration = Millis(10900);
         c.renew_deadline = Millis(10500);
       },
       false},
      {"no second try", [](ElectionConfig& c) { c.retry_period = Millis(9000); }, false},
      {"no period", [](ElectionConfig& c) { c.retry_period = Millis(0); }, false},
      {"half a second", [](ElectionConfig& c) { c.lease_duration = Millis(500); }, false},
      {"quick",
       [](ElectionConfig& c) {
         c.lease_duration = Millis(3000);
         c.renew_deadline = Millis(2000);
         c.retry_period = Millis(500);
       },
       true},
  };
  for (const RuleCase& c : cases) {
    SCOPED_TRACE(c.name);
    ElectionConfig changed = config();
    c.change(changed);
    EXPECT_EQ(check(changed).ok(), c.ok);
  }
}

}  // namespace
}  // namespace tutti::kube
