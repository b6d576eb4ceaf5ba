// ClusterWriter: the scheduler's writes on their way to the API server.
//
//   bind ──> (its group's patch is stored) ──> pods/binding ──409, no answer──> look at the pod ──>
//   outcome
//
// Each kind of write has a lane of its own with a bounded number of calls under way. Bindings come
// first: while any is open, events only trickle, until many wait, and so does the news that gangs
// are no longer being bound: a successor that never reads it finds out by itself. What waits is
// bounded too: status patches by the number of objects (a newer patch replaces an older one that
// waits), events by a limit beyond which they are dropped and counted, bindings by whoever decides
// (see congested()).
//
// Of groups that exist only in memory one thing is written, that they are being bound: as a
// condition of one of their pods.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <unordered_map>

#include "base/std.h"
#include "core/framework/ports.h"
#include "daemon/writes/call_queue.h"
#include "daemon/writes/claim_writer.h"
#include "daemon/writes/queue_status_writes.h"
#include "daemon/writes/request_writes.h"
#include "kube/client/api_client.h"

namespace tutti::daemon {

class ClusterWriter final : public core::ClusterPort {
 public:
  struct Options {
    std::string instance;            // of this process, in events
    std::string pod_groups_version;  // "scheduling.k8s.io/v1beta1"; empty: not served
    std::string composite_pod_groups_version;
    std::string resource_claims_version;
    // The pod that carries the conditions of a group that the cluster does not have (grouping/);
    // empty: the group has gone meanwhile.
    std::function<std::optional<core::PodReference>(const model::ObjectKey&)> carrier = {};
    std::size_t events_waiting_max = 20'000;  // some 10 MiB
    // Calls under way while bindings are open. A pod that starts sooner is worth more than being
    // told of it sooner, as long as it will be told.
    std::size_t events_beside_bindings = 1;
  };
  struct Handlers {
    // The outcome of a bind(), on the loop, with how long it took.
    std::function<void(const core::PodReference&, const Status&, Millis)> bound;
    // Asked before every single call: a scheduler that lost its lease must not write.
    std::function<bool()> may_write;
    std::function<void(const std::string&)> trouble;  // one line for the log
    std::function<void()> event_dropped;
    std::function<void()> drained;  // congested() may have ended
  };

  // Calls under way may call back as long as `client` lives: the loop must not run once this object
  // is gone.
  ClusterWriter(net::Loop& loop, kube::ApiClient& client, Options options, Handlers handlers);

  // The server is behind by so many bindings or events that who decides should pause.
  bool congested() const;
  std::size_t bindings_open() const { return bindings_open_; }
  // Everything was written.
  bool idle() const;
  // What the server shows, as the scheduler is to see it: requests with what is to be written.
  model::ObjectPtr seen(const model::ObjectPtr& object);
  void forget(const model::Object& object);

  // --- ClusterPort -------------------------------------------------------------------------------
  void bind(const core::BindRequest& request) override;
  void evict(const core::PodReference& pod, const model::Condition& reason) override;
  void patch_pod(const core::PodStatusPatch& patch) override;
  void patch_group(const core::GroupConditionPatch& patch) override;
  void record(const core::EventRecord& event) override;
  void update(const model::ObjectPtr& object) override;
  void patch_claim(const core::ClaimPatch& patch) override;
  void create_claim(const std::shared_ptr<const model::ResourceClaim>& claim) override;
  void update_request(const std::shared_ptr<const model::AdmissionRequest>& request) override {
    requests_.write(request);
  }
  void answer_check(const std::shared_ptr<const model::AdmissionRequest>& request,
                    const model::AdmissionCheckState& answer) override {
    requests_.answer(request, answer);
  }
  void update_queue_status(const model::ObjectPtr& queue) override { queues_.write(queue); }

 private:
  struct PendingBind {
    core::BindRequest request;
    std::chrono::steady_clock::time_point since;  // the wall clock may be set back meanwhile
  };
  // Conditions of a group that are not stored yet, and the bindings that wait for that.
  struct GroupWrite {
    std::vector<model::Condition> conditions;  // not sent yet
    bool under_way = false;
    net::Timer again;
    std::vector<PendingBind> waiting;
  };

  void call(kube::Call call, kube::AnswerHandler handler);
  void send_binding(PendingBind bind);
  void judge_binding(const PendingBind& bind, const kube::Answer& answer,
                     const CallQueue::Done& done);
  // Asks the cluster what became of a binding, until it answers.
  void look_at_pod(const PendingBind& bind, std::string why, const CallQueue::Done& done);
  void finish_binding(const PendingBind& bind, const Status& outcome, const CallQueue::Done& done);
  void count_open_bindings(std::size_t open);
  std::size_t events_width() const;
  std::size_t settlements_width() const;
  void settle_group(const model::ObjectKey& key, const model::Condition& settled);
  void send_group(const model::ObjectKey& key);
  void write_group(const model::ObjectKey& key, const CallQueue::Done& done);
  // Empty: there is nothing to be written to any more.
  std::optional<kube::Call> group_call(const model::ObjectKey& key,
                                       const std::vector<model::Condition>& conditions) const;
  void group_answered(const model::ObjectKey& key, const std::vector<model::Condition>& sent,
                      const kube::Answer& answer);
  void send_group_again(const model::ObjectKey& key, const std::vector<model::Condition>& sent);
  void delete_pod(const core::PodReference& pod, const CallQueue::Done& done);
  // A conflict says that the pod was replaced, or that the call lost a race inside the server.
  void delete_pod_unless_replaced(const core::PodReference& pod, const CallQueue::Done& done);
  void delete_pod_after(Millis pause, const core::PodReference& pod, const CallQueue::Done& done);
  void complain(const std::string& what, const kube::Answer& answer);

  net::Loop& loop_;
  kube::ApiClient& client_;
  Options options_;
  Handlers handlers_;
  std::size_t bindings_open_ = 0;
  std::uint64_t events_recorded_ = 0;
  CallQueue bindings_;
  CallQueue events_;
  CallQueue settlements_;
  CallQueue patches_;
  CallQueue evictions_;
  ClaimWriter claims_;
  RequestWrites requests_;
  QueueStatusWrites queues_;
  std::unordered_map<std::string, core::PodStatusPatch> pod_patches_;  // waiting, by uid
  std::map<model::ObjectKey, GroupWrite> group_writes_;
  // Groups that are no longer being bound and were not told yet; none of them is in group_writes_.
  std::map<model::ObjectKey, model::Condition> settled_;
  std::unordered_map<std::string, net::Timer> deletions_;  // to be tried again, by uid
};

}  // namespace tutti::daemon
