// Store: the versioned objects of one cluster, in memory, with the write rules of the Kubernetes
// API: optimistic concurrency, generations, uids, graceful deletion and finalizers.
//
//   create ──> live ──update, update_status, patch──> live
//                │ remove
//                ├── nothing holds it ────────────────────────────> gone
//                └── grace period or finalizers ──> terminating ──> gone
//                                (remove with grace 0, last finalizer taken away)
//
// Every successful write makes exactly one new version and one change in the history. Objects are
// shared by pointer with readers and never changed in place. The store knows no clock: each write
// says when it happens. Not thread-safe.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/result.h"
#include "base/std.h"
#include "base/time.h"
#include "model/object.h"
#include "store/watch.h"

namespace tutti::store {

inline constexpr std::size_t kHistoryUnbounded = static_cast<std::size_t>(-1);
inline constexpr std::size_t kHistoryDefault = 100'000;

struct StoreOptions {
  // Another seed makes other uids. Beyond it, a uid depends on kind, namespace and name, on how
  // often an object of that name was made before, and on what is reserved.
  std::uint64_t seed = 0;
  std::size_t history_max = kHistoryDefault;  // how many changes are kept for watches
};

// The circumstances of a write.
struct Write {
  Instant now;
  bool quiet = false;  // handed on with the change
};

struct Removal {
  std::uint64_t resource_version = 0;         // 0: whatever is there
  std::optional<std::int64_t> grace_seconds;  // absent: the pod's own period
};

// The order of keys, among objects themselves: a table needs no keys beside them.
struct ByKey {
  using is_transparent = void;
  bool operator()(const model::ObjectPtr& a, const model::ObjectPtr& b) const;
  bool operator()(const model::ObjectPtr& object, const model::ObjectKey& key) const;
  bool operator()(const model::ObjectKey& key, const model::ObjectPtr& object) const;
};
using Objects = std::set<model::ObjectPtr, ByKey>;

class Store {
 public:
  explicit Store(StoreOptions options = {}) : options_(options) {}
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Keeps a uid for the object that will bring it: no other gets it.
  void reserve_uid(std::string_view uid) { reserved_uids_.emplace(uid); }

  // Adds a copy of the object with version, uid, generation and creation time of its own; a uid it
  // already has is kept, because others may refer to it, and so is a creation time: it was made in
  // the cluster that it was copied from. It starts alive: a deletion time is dropped. conflict: the
  // name is taken.
  Result<model::ObjectPtr> create(const model::Object& object, const Write& write);

  // Replaces everything but identity, deletion and status. The generation rises when the spec
  // differs. A resourceVersion other than 0 must be the present one, else conflict.
  Result<model::ObjectPtr> update(const model::Object& object, const Write& write);
  // Replaces the status only; the same rule for the resourceVersion.
  Result<model::ObjectPtr> update_status(const model::Object& object, const Write& write);

  // Changes the present object in place of a caller that read it just now, as subresources such as
  // binding do: any field but identity, and the generation stays. The edit must keep the kind.
  using Edit = std::function<void(model::Object&)>;
  Result<model::ObjectPtr> patch(const model::ObjectKey& key, const Edit& edit, const Write& write);

  // Asks for deletion. A pod that is on a node and has not ended gets its grace period; asking
  // again can only shorten it. Finalizers keep any object until they are gone. Returns the object
  // as it is now: terminating, or as it last was.
  Result<model::ObjectPtr> remove(const model::ObjectKey& key, const Write& write,
                                  const Removal& removal = {});

  // Null when there is none.
  model::ObjectPtr get(const model::ObjectKey& key) const;
  template <typename T>
  std::shared_ptr<const T> find(std::string_view ns, std::string_view name) const {
    return std::static_pointer_cast<const T>(
        get({T::kKind, std::string(ns), std::string(name), {}}));
  }
  // All objects of a kind in order of namespace and name. Valid until the next write.
  const Objects& objects(model::Kind kind) const;
  // Lists objects of one namespace (all when empty) that `matches` accepts (all when absent).
  using Predicate = std::function<bool(const model::Object&)>;
  std::vector<model::ObjectPtr> list(model::Kind kind, std::string_view ns = {},
                                     const Predicate& matches = {}) const;

  // Version of the latest change; 0 before the first.
  std::uint64_t version() const { return version_; }
  // At most `max` changes made after `version`, oldest first; gone when some were dropped.
  Result<std::vector<WatchEvent>> changes_after(std::uint64_t version, std::size_t max) const;
  // Drops changes up to `version` that no watch needs any more.
  void forget_changes(std::uint64_t version);

 private:
  using Slot = Objects::iterator;
  Objects& table(model::Kind kind) { return objects_[static_cast<std::size_t>(kind)]; }
  Result<Slot> find_slot(const model::ObjectKey& key, std::uint64_t expected_version);
  model::ObjectPtr replace(Slot slot, std::shared_ptr<model::Object> object, const Write& write);
  model::ObjectPtr erase(Slot slot, const Write& write);
  void append(WatchEvent::Type type, model::ObjectPtr before, model::ObjectPtr after,
              const Write& write);
  std::string fresh_uid(const model::ObjectKey& key);

  StoreOptions options_;
  std::array<Objects, model::kKindCount> objects_;
  std::uint64_t version_ = 0;
  std::unordered_set<std::string> reserved_uids_;  // those of objects that brought theirs, too
  // By the digest of a key of which there was an object before: how many uids it has used up. Keys
  // that share a digest skip some.
  std::unordered_map<std::uint64_t, std::uint64_t> uids_used_;
  std::deque<WatchEvent> history_;  // versions version_ - size() + 1 … version_
};

}  // namespace tutti::store
