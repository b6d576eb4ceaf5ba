// Quotas: the ResourceQuotas of namespaces, and what pods use of them. As in a cluster, they are
// asked when a pod comes to be: nobody is evicted for one.
//
// ResourceQuotas are not decoded: their document says all that is needed.
#pragma once

#include <map>
#include <set>
#include <unordered_map>

#include "base/interner.h"
#include "base/quantity.h"
#include "base/std.h"
#include "model/object.h"
#include "model/pod.h"
#include "store/store.h"
#include "store/watch.h"
#include "wire/value.h"

namespace tutti::sim {

bool is_resource_quota(const model::Object& object);

class Quotas {
 public:
  Quotas();

  // `objects` are those of the store that changed.
  void observe(const store::WatchEvent& event, const store::Store& objects);
  // Whoever creates a pod says so at once: the next one is asked before the change is observed.
  void add(const model::Pod& pod);

  // Why the pod may not come to be, in the words of an API server; empty: it may.
  std::string refusal(const model::Pod& pod);

 private:
  using Amounts = std::map<std::string, Quantity>;  // "pods", "requests.cpu", "limits.memory"

  // Which pods a quota is about.
  struct Scope {
    std::string name;  // Terminating, BestEffort …
    std::string op;    // Exists, DoesNotExist, In, NotIn
    std::set<std::string> values;
  };
  // One ResourceQuota, and what the pods of its namespace use of it.
  struct Quota {
    std::string name;
    Amounts hard;
    std::vector<Scope> scopes;
    Amounts used;
  };
  // What one pod uses, and what scopes ask of it.
  struct Use {
    Amounts amounts;
    bool terminating = false;
    bool best_effort = false;
    std::string priority_class;
  };
  struct Space {
    std::map<model::ObjectKey, Quota> quotas;
    std::unordered_map<std::string, Use> pods;  // by uid, those that have not ended
  };

  void set_quota(const model::Object& object, const store::Store& objects);
  void remove_quota(const model::ObjectKey& key);
  void remove(const model::Pod& pod);
  Use use_of(const model::Pod& pod);
  static Quota read(const wire::Value& document);
  static bool counts(const Quota& quota, const Use& use);
  static void count(Quota& quota, const Use& use, bool more);

  std::map<std::string, Space> spaces_;  // of namespaces with quotas
  Interner resources_;
};

}  // namespace tutti::sim
