#include "core/evaluation/class_capacity.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "core/evaluation/counting.h"
#include "core/evaluation/evaluation.h"
#include "core/framework/transaction.h"
#include "support/build.h"
#include "support/fake_plugins.h"

namespace tutti::core {
namespace {

using test::node;
using test::pod;

TEST(ClassCapacity, followsEveryPlacementAndItsUndoing) {
  Cluster cluster;
  Profile profile;
  test::enable(profile, std::make_unique<test::Fit>(), profile.filters);
  Random random(7);
  for (int n = 0; n < 12; ++n) {
    auto made = node("n" + std::to_string(n)).cpu(std::to_string(2 + random.below(6)));
    if (n % 5 != 0) made.label("rack", "r" + std::to_string(n % 3));
    cluster.set_node(made);
  }
  const PodId asked = cluster.set_pod(pod("asked").cpu("1"));
  const PodClass pods = cluster.class_of(asked);
  EvaluationCache evaluations(cluster);
  Transaction transaction(cluster);
  for (int step = 0; step < 200; ++step) {
    SCOPED_TRACE(step);
    const NodeId on{static_cast<std::uint32_t>(random.below(12))};
    const PodId other = cluster.set_pod(pod("p" + std::to_string(step)).cpu("1"));
    if (evaluations.get(profile, pods).accepts(on)) transaction.place(other, on, profile);
    if (random.below(4) == 0) transaction.roll_back(random.below(transaction.checkpoint() + 1));
    ClassCapacity& room = evaluations.room(profile, pods);
    const Bitset& accepted = evaluations.get(profile, pods).feasible();
    const DomainColumn& racks = cluster.labels().domains("rack");
    std::vector<std::size_t> sums(racks.values.size(), 0);
    std::size_t total = 0;
    for (std::size_t n = 0; n < 12; ++n) {
      const std::size_t here =
          accepted.test(n) ? room_on(cluster, cluster.shape(pods.shape), n) : 0;
      ASSERT_EQ(room.by_node()[n], here);
      total += here;
      if (racks.domain_of[n] != DomainColumn::kNone) sums[racks.domain_of[n]] += here;
    }
    ASSERT_EQ(room.total(), total);
    const auto by_rack = room.by_domain(cluster, "rack");
    ASSERT_EQ(std::vector<std::size_t>(by_rack.begin(), by_rack.end()), sums);
    const auto by_level = room.by_level(cluster, evaluations.topology().tree(cluster, {"rack"}),
                                        {.level = 1, .size = 1});
    for (std::uint32_t rack = 0; rack < sums.size(); ++rack) {
      ASSERT_EQ(by_level->pods(0, rack), sums[rack]);
    }
  }
}

}  // namespace
}  // namespace tutti::core
