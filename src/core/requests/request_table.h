// RequestTable: all requests, by name; who waits in which queue, in order; who holds quota; and
// whose pods are whose. It alone charges the quota tree.
#pragma once

#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/std.h"
#include "core/framework/quota_config.h"
#include "core/requests/quota_objects.h"
#include "core/requests/request.h"
#include "core/requests/waiting_line.h"
#include "model/pod.h"

namespace tutti::core {

class RequestTable {
 public:
  explicit RequestTable(const QuotaConfig& config) : config_(config) {}

  QuotaObjects& objects() { return objects_; }
  const QuotaObjects& objects() const { return objects_; }
  const QuotaConfig& config() const { return config_; }

  // --- requests ---

  Request* find(std::string_view ns, std::string_view name);
  const Request* find(std::string_view ns, std::string_view name) const;
  Request* find(std::string_view full_name);
  // In order of their names.
  const std::map<std::string, std::unique_ptr<Request>, std::less<>>& all() const { return all_; }
  bool empty() const { return all_.empty(); }

  // Makes or updates what is known of a request; its stage stays as it is.
  Request& put(std::shared_ptr<const model::AdmissionRequest> object);
  // Forgets it. Requires that it holds nothing.
  void erase(Request& request);
  // A request has gone on to another stage with its charge.
  void advance(Request& request, RequestStage stage);
  // Finds the queue of everyone who waits anew: LocalQueues have changed.
  void resolve_all();

  // Requests that wait in the ClusterQueue, in order; nobody for an unknown one. Without a
  // LocalQueue they wait in that of no name.
  const WaitingLine::Order& waiting(std::string_view queue) const { return line(queue).all(); }
  const WaitingLine& line(std::string_view queue) const;
  // Lines once made stay, empty ones too.
  const std::map<std::string, WaitingLine, std::less<>>& lines() const { return lines_; }
  // Keeps the request from its turn until an object changes.
  void park_alone(Request& request);
  // What refuses the request refuses everybody of its shape who waits beside it.
  void park_shape(const Request& request, ShapeRefusal refusal);
  // Objects have changed: whoever was parked alone may be tried again.
  void unpark();
  // WaitingLine::take_untold of every line.
  std::vector<Request*> take_untold();
  // Requests that hold quota of a queue, in order of their names.
  const std::set<std::string>& holding(quota::QuotaNodeId queue) const;

  // Changes what a waiting request is ordered by.
  template <typename Change>
  void reorder(Request& request, const Change& change) {
    leave_line(request);
    change();
    join_line(request);
  }

  // --- quota ---

  // Charges the request, which waits, to a queue; it goes on to `stage`.
  void charge(Request& request, const QuotaQueue& queue, std::vector<quota::Charge> charges,
              std::vector<PodSetPromise> promise, RequestStage stage, Instant now);
  // Changes what a request is charged to what it needs now.
  void recharge(Request& request, std::vector<quota::Charge> charges);
  // From now on a request that waits keeps so much free without being charged; nothing: it does
  // not. The first of a StrictFIFO queue does while it has a right to quota and may evict nobody
  // for it: otherwise those who come after it would take whatever comes free for ever.
  void keep(Request& request, std::vector<quota::Charge> charges, std::uint32_t borrow_level);
  // The request is the first of its queue now: nobody else there keeps anything.
  void keep_nothing_for_others(const Request& request);
  // Requests that keep something, by name.
  const std::set<std::string>& keeping() const { return keeping_; }
  // Others may evict the request again: they have to be tried.
  void end_protection(Request& request);
  // Gives everything back; the request waits again, unless it has finished.
  void release(Request& request);
  // Rises with every release below the root of the queue, and with every change of an object.
  std::uint64_t quota_version(quota::QuotaNodeId queue);
  // Rises when anything is charged or given back below the root of the queue, too.
  std::uint64_t usage_version(quota::QuotaNodeId queue);
  // Rises when anything is charged to this very queue, or given back.
  std::uint64_t charges_version(quota::QuotaNodeId queue);

  // Whoever was refused in the tree of the queue is to be tried again.
  void reconsider(quota::QuotaNodeId queue) { note_release(queue); }

  // --- time ---

  // From now on it matters how long requests run: those that differ in it are not alike, and it is
  // noted who begins or ends to hold something.
  void heed_run_times();
  // Requests that hold something now and did not before, or otherwise, or differently, by name.
  std::set<std::string> take_changed_holders() { return std::exchange(changed_holders_, {}); }
  bool has_changed_holders() const { return !changed_holders_.empty(); }
  void note_holder(const Request& request) {
    if (heeds_run_times_) changed_holders_.insert(request.name);
  }

  // ClusterQueues whose status may have changed since the last call, by name.
  std::set<std::string> take_touched() { return std::exchange(touched_, {}); }
  // Whether somebody has come, gone on or left since then, who may have to be told something, too.
  bool has_touched() const { return !touched_.empty(); }

  // An admitted request whose controller has not made all its pods ready yet; null: there is
  // none.
  const Request* first_unready() const;
  // Requests whose victims are leaving, by name.
  const std::set<std::string>& preempting() const { return preempting_; }

  // --- pods ---

  // The request that the pod names, if there is one; null otherwise.
  Request* request_of(const model::Pod& pod);
  void add_pod(Request& request, PodId pod);
  // The pod is gone; returns the request it belonged to, or null.
  Request* remove_pod(PodId pod);
  Request* request_of(PodId pod) const;

  // Rebuilds charges from requests, and lines from stages; empty when all agree.
  std::string check_consistency() const;

 private:
  void resolve(Request& request);
  void take_shape(Request& request);
  void join_line(Request& request);
  void leave_line(Request& request);
  void touch(const std::string& queue) { touched_.insert(queue); }

  const QuotaConfig& config_;
  QuotaObjects objects_;
  std::map<std::string, std::unique_ptr<Request>, std::less<>> all_;
  RequestShapes shapes_;
  std::map<std::string, WaitingLine, std::less<>> lines_;
  std::set<std::string> parked_alone_;
  std::map<quota::QuotaNodeId, std::set<std::string>> holding_;
  std::unordered_map<PodId, Request*> by_pod_;
  std::set<std::string> preempting_;
  std::set<std::string> keeping_;
  std::set<std::string> touched_;
  bool heeds_run_times_ = false;
  std::set<std::string> changed_holders_;
  struct Counts {
    std::uint64_t releases = 0;
    std::uint64_t changes = 0;
  };
  Counts& counts_of(quota::QuotaNodeId node);
  void note_charge(quota::QuotaNodeId queue);
  void note_release(quota::QuotaNodeId queue);
  std::vector<Counts> counts_;  // by node: of roots, of all below; `changes` of queues, their own
};

// The podset that a pod says it is of; empty: it does not say.
std::string_view pod_set_of(const model::Pod& pod);
// When the request counts as waiting since: its creation, or a late eviction.
std::int64_t queue_timestamp(const model::AdmissionRequest& request, const QuotaConfig& config);

}  // namespace tutti::core
