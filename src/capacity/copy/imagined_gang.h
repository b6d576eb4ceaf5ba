// ImaginedGang: a gang that does not exist, of pods of one shape, in a twin. It is tried with the
// scheduler's own solver, and leaves with the object.
#pragma once

#include "base/bitset.h"
#include "base/std.h"
#include "capacity/copy/cluster_copy.h"
#include "capacity/copy/shape.h"
#include "core/framework/attempt.h"
#include "core/framework/transaction.h"
#include "core/shapes/ids.h"
#include "devices/inventory/ids.h"

namespace tutti::capacity {

// Steps of the exact search for one trial: a report must not take as long as a decision may.
inline constexpr std::size_t kTrialBudget = 200'000;

class ImaginedGang {
 public:
  // `number` tells troupes of one twin apart. `twin` and `shape` must outlive it.
  ImaginedGang(ClusterCopy& twin, const Shape& shape, std::size_t number);
  ~ImaginedGang();
  ImaginedGang(const ImaginedGang&) = delete;
  ImaginedGang& operator=(const ImaginedGang&) = delete;

  const Shape& shape() const { return shape_; }
  const core::Profile& profile() const { return profile_; }
  core::PodClass pod_class() const { return twin_.cluster().class_of(pods_.front()); }
  const core::PodShape& pod_shape() const { return twin_.cluster().shape(pod_class().shape); }
  // Whether how many of it fit is a matter of counting.
  bool counts() const;

  // What trying to place a gang of `size` on these nodes (null: all) came to, with devices of the
  // domain that the nodes are if they are of others, too.
  struct Trial {
    bool placed = false;
    std::size_t fitted = 0;  // members that found a node one after another
    bool proven = true;      // "no" is certain: the search did not run out of budget
  };
  Trial try_gang(std::size_t size, const Bitset* within, devices::ConfinementId confinement = {});
  // Tries as above, and on success leaves what was placed in the transaction.
  Trial try_gang(core::Transaction& transaction, std::size_t size, const Bitset* within,
                 devices::ConfinementId confinement = {});

 private:
  void grow(std::size_t size);
  core::PodId make_pod(std::size_t number);
  void make_claim(const ShapeClaim& claim, const std::string& name,
                  const model::OwnerReference& owner);
  void set_minimum(std::size_t size);

  ClusterCopy& twin_;
  const Shape& shape_;
  const core::Profile& profile_;
  std::string group_name_;
  std::shared_ptr<const model::PodSpec> spec_;  // the shape's, as a member of the group
  core::GroupId group_;
  std::vector<core::PodId> pods_;
  std::vector<std::string> claims_;  // made for it
};

}  // namespace tutti::capacity
