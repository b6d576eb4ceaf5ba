// Pairs claims with volumes, as the volume controllers of a cluster do.
//
//   claim                                      what happens
//   names a volume that is free or its own     paired
//   named by a volume's claimRef               paired (the scheduler writes claimRef when it chose)
//   class binds at once, or no class           smallest matching free volume; else provisioned
//   class waits for the first consumer         provisioned once the annotation
//                                              volume.kubernetes.io/selected-node names a node
//
// A volume made for a claim goes with it; any other is Released.
#pragma once

#include <map>
#include <set>

#include "base/std.h"
#include "model/storage.h"
#include "sim/plane/plane.h"

namespace tutti::sim {

inline constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";

class VolumeBinder : public Controller {
 public:
  // The plane must outlive it.
  explicit VolumeBinder(Plane& plane) : plane_(plane) {}

  void observe(const store::WatchEvent& event) override;
  void settle() override;

 private:
  using Claim = model::PersistentVolumeClaim;
  using Volume = model::PersistentVolume;

  void observe_claim(const store::WatchEvent& event);
  void observe_volume(const store::WatchEvent& event);
  void try_claim(const Claim& claim);
  std::shared_ptr<const Volume> reserved_for(const Claim& claim) const;
  std::shared_ptr<const Volume> smallest_match(const Claim& claim) const;
  std::shared_ptr<const Volume> provision(const Claim& claim, const model::StorageClass& cls,
                                          const std::string& node);
  void pair(const Claim& claim, const Volume& volume);
  void release(const Claim& claim);

  Plane& plane_;
  std::set<model::ObjectKey> open_;   // claims without a volume
  std::set<model::ObjectKey> dirty_;  // those that something happened to
  // Something happened that any open claim may wait for.
  bool all_dirty_ = false;
  std::map<model::ObjectKey, std::string> volume_for_;  // by claimRef
};

}  // namespace tutti::sim
