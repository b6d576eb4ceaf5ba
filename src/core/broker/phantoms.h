// Phantoms: pods of requests that do not exist yet, in the picture of the cluster. The solvers
// place them as they place pods; once placed they keep the room until the real pods come and take
// it. No one outside the scheduler ever sees them.
//
//   request ─ root group ─ one PodGroup per pod set ─ `count` pods of its template
//
// Their names have a '#', which no name in a cluster can have.
#pragma once

#include <map>

#include "base/std.h"
#include "core/cycle/state.h"
#include "core/requests/request.h"
#include "model/quota.h"

namespace tutti::core {

// Whether the pod is one of ours that stands for a pod to come.
bool is_phantom(const model::Pod& pod);

// What the pods of one set are to be like.
struct PhantomForm {
  const model::PodSet* set = nullptr;
  std::int64_t count = 0;
  std::vector<const model::ResourceFlavor*> flavors{};  // whose labels and tolerations they get
};

// The phantoms of one request.
struct PhantomGang {
  struct Set {
    GroupId leaf;
    std::vector<PodId> pods;  // that are left
  };
  GroupId root;
  std::vector<Set> sets;   // by pod set; those of nobody have no leaf
  std::string form;        // what they were made for
  std::uint64_t made = 0;  // differs from that of every gang made before
  const Profile* profile = nullptr;
};

class Phantoms {
 public:
  explicit Phantoms(SchedulerState& state) : state_(state) {}

  // Makes the request's phantoms what is asked; those that are so already stay as they are.
  // Requires that none of them is placed. Null: they are another scheduler's, or nobody.
  PhantomGang* shape(const Request& request, std::span<const PhantomForm> forms, Instant now);
  PhantomGang* find(const std::string& request);
  // Whether they are so already.
  bool have(const std::string& request, std::span<const PhantomForm> forms);
  const std::map<std::string, PhantomGang>& all() const { return gangs_; }
  // The waiting ones as an entity that can be tried.
  Entity entity_of(const Request& request, const PhantomGang& gang, Instant now) const;

  // They are placed from now on.
  void count_as_assumed(std::span<const ProposedPod> placed);
  // The request that a phantom stands for; null: the pod is none.
  const std::string* request_of(PodId pod) const;
  // Takes one off its node, and puts it back there.
  void lift(PodId phantom);
  void put_back(PodId phantom, NodeId node);
  // Its pod has come, or nobody comes any more: it is gone, and its room free.
  void remove(PodId phantom);
  // All of the request are gone. Whether any held room.
  bool remove_all(const std::string& request);
  // Phantoms on the node, by request.
  std::vector<std::pair<std::string, PodId>> on_node(NodeId node) const;

 private:
  PodId add(const Request& request, const PhantomForm& form, const std::string& leaf,
            const std::shared_ptr<const model::PodSpec>& spec, std::int64_t index);
  GroupId add_group(const Request& request, const std::string& name, const std::string& parent,
                    const PhantomForm& form);
  void drop(PodId phantom);

  SchedulerState& state_;
  std::map<std::string, PhantomGang> gangs_;  // by request
  std::unordered_map<PodId, std::string> request_of_;
  std::uint64_t made_ = 0;
};

}  // namespace tutti::core
