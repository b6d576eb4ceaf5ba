#include "core/preemption/pod_interference.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/build.h"

namespace tutti::core {
namespace {

using test::pod;

struct CompanyCase {
  const char* what;
  test::PodBuilder member;
  test::PodBuilder other;
  bool minds;
};

bool may_interfere(const CompanyCase& from, const Profile& profile = {}) {
  Cluster cluster;
  cluster.set_node(test::node("n1"));
  const std::vector<PodId> members = {cluster.set_pod(from.member)};
  PodInterference company(cluster, profile, members);
  const PodId other = cluster.set_pod(from.other);
  const bool first = company.may_interfere(other);
  EXPECT_EQ(company.may_interfere(other), first) << "asked again";
  return first;
}

TEST(PodInterference, mindsOnlyWhatFiltersOfPodsLookAt) {
  const auto spread = [](const char* app) {
    return pod("m").label("app", "w").with([app](model::PodSpec& spec) {
      model::TopologySpreadConstraint& constraint = spec.spread.emplace_back();
      constraint.topology_key = "zone";
      constraint.selector = model::LabelSelector{{{"app", app}}, {}};
    });
  };
  const auto labelled = [] { return pod("o").label("app", "w"); };
  const std::vector<CompanyCase> cases = {
      {"plain pods", pod("m").cpu("1"), labelled(), false},
      {"a spread that counts it", spread("w"), labelled(), true},
      {"a spread of others", spread("x"), labelled(), false},
      {"affinity to it", pod("m").affinity("zone", "app", "w"), labelled(), true},
      {"anti-affinity to it", pod("m").anti_affinity("zone", "app", "w"), labelled(), true},
      {"its own anti-affinity", pod("m"), pod("o").anti_affinity("zone", "app", "m"), true},
      {"ports of both", pod("m").host_port(80), pod("o").host_port(81), true},
      {"ports of one", pod("m"), pod("o").host_port(80), false},
      {"volumes of both", pod("m").claim("a"), pod("o").claim("b"), true},
      {"volumes of one", pod("m").claim("a"), pod("o"), false},
  };
  for (const CompanyCase& each : cases) {
    SCOPED_TRACE(each.what);
    EXPECT_EQ(may_interfere(each), each.minds);
  }
}

TEST(PodInterference, mindsEveryoneWhereAPluginOfTheUserReadsLabels) {
  Profile profile;
  profile.has_user_filters = true;
  EXPECT_TRUE(may_interfere({"plain pods", pod("m"), pod("o"), true}, profile));
}

}  // namespace
}  // namespace tutti::core
