#include "core/evaluation/domain_reasons.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "core/evaluation/evaluation.h"
#include "core/framework/transaction.h"
#include "core/topology/domains.h"
#include "support/build.h"
#include "support/fake_plugins.h"

namespace tutti::core {
namespace {

using test::node;
using test::pod;

// Room in two resources, of which now the one and now the other runs out.
class DomainReasonsTest : public testing::Test {
 protected:
  DomainReasonsTest() {
    test::enable(profile_, std::make_unique<test::Fit>(), profile_.filters);
    Random random(3);
    for (int n = 0; n < 16; ++n) {
      auto made = node("n" + std::to_string(n));
      made.cpu(std::to_string(2 + random.below(6)));
      made.memory(std::to_string(2 + random.below(6)) + "Gi");
      if (n % 5 != 0) made.label("rack", "r" + std::to_string(n % 3));
      cluster_.set_node(made);
    }
    asked_ = cluster_.class_of(cluster_.set_pod(pod("asked").cpu("2").memory("1Gi")));
  }

  void expect_current() {
    for (const auto& rack : domains_within(cluster_, "rack", cluster_.nodes().live())) {
      const std::uint32_t domain = cluster_.labels().domains("rack").domain_ids.at(rack.value);
      const auto anew = reasons_when_full(cluster_, evaluations_.get(profile_, asked_),
                                          cluster_.shape(asked_.shape), rack.nodes);
      ASSERT_EQ(evaluations_.reasons(profile_, asked_, "rack", domain), anew);
    }
  }

  Cluster cluster_;
  Profile profile_;
  PodClass asked_;
  EvaluationCache evaluations_{cluster_};
};

TEST_F(DomainReasonsTest, areWhatAskingEveryNodeWouldGiveAfterEveryChange) {
  Random random(11);
  Transaction transaction(cluster_);
  for (int step = 0; step < 300; ++step) {
    SCOPED_TRACE(step);
    const NodeId on{static_cast<std::uint32_t>(random.below(16))};
    const PodId other = cluster_.set_pod(pod("p" + std::to_string(step)).cpu("1").memory("1Gi"));
    const auto pods = cluster_.class_of(other);
    if (evaluations_.get(profile_, pods).accepts(on)) transaction.place(other, on, profile_);
    if (random.below(4) == 0) transaction.roll_back(random.below(transaction.checkpoint() + 1));
    if (random.below(3) == 0) expect_current();
  }
}

TEST_F(DomainReasonsTest, followChangesOfNodes) {
  expect_current();
  cluster_.set_node(node("n1").cpu("1").label("rack", "r0"));
  expect_current();
  cluster_.remove_node("n2");
  expect_current();
}

}  // namespace
}  // namespace tutti::core
