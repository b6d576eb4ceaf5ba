// VerdictWriter: makes what the cluster is told about waiting work enough to act on.
//
//   Scheduler ──refusals──> VerdictWriter ──with the verdict's sentence──> ClusterWriter
//             ──everything else, unchanged and at once──────────────>
//
// A refusal reaches the scheduler's port as counted reasons, the form that kubectl users know:
// "0/4 nodes are available: 4 Insufficient cpu." The narrator keeps it for a moment and adds the
// verdict: "Blocked by capacity: needs …". A verdict costs more than a decision, so it is worked
// out between decisions and for what is still true by then: of refusals of one pod or group that
// come close together only the last is written, one that says what was said before is not written
// at all, and one that differs from the last in numbers only waits for ten seconds.
//
// Work that is held before it is ever tried (members or groups missing) gets no condition, as in
// kube-scheduler, but an event that says what it waits for.
#pragma once

#include <functional>
#include <map>
#include <set>

#include "answers/lookup.h"
#include "base/std.h"
#include "core/framework/ports.h"
#include "daemon/writes/event_limit.h"
#include "explain/explain.h"

namespace tutti::daemon {

class VerdictWriter final : public core::ClusterPort {
 public:
  struct Handlers {
    std::function<explain::Sources()> sources;
    std::function<Instant()> now;
    std::function<void()> has_news;  // next_due() came into being or became earlier
  };
  // `writer` must outlive it.
  VerdictWriter(core::ClusterPort& writer, Handlers handlers);

  // Tells of one pod or group that is due. False: none is.
  bool tell_next();
  // When there is something to tell; empty: nothing waits to be told.
  std::optional<Instant> next_due() const;
  // Looks for work that is held for longer than a few seconds. To be called now and then.
  void tell_of_held();

  // --- ClusterPort -------------------------------------------------------------------------------
  void bind(const core::BindRequest& request) override { writer_.bind(request); }
  void evict(const core::PodReference& pod, const model::Condition& reason) override {
    writer_.evict(pod, reason);
  }
  void update(const model::ObjectPtr& object) override { writer_.update(object); }
  void patch_claim(const core::ClaimPatch& patch) override { writer_.patch_claim(patch); }
  void create_claim(const std::shared_ptr<const model::ResourceClaim>& claim) override {
    writer_.create_claim(claim);
  }
  void update_request(const std::shared_ptr<const model::AdmissionRequest>& request) override {
    writer_.update_request(request);
  }
  void answer_check(const std::shared_ptr<const model::AdmissionRequest>& request,
                    const model::AdmissionCheckState& answer) override {
    writer_.answer_check(request, answer);
  }
  void update_queue_status(const model::ObjectPtr& queue) override {
    writer_.update_queue_status(queue);
  }
  void patch_pod(const core::PodStatusPatch& patch) override;
  void patch_group(const core::GroupConditionPatch& patch) override;
  void record(const core::EventRecord& event) override;

 private:
  // What the scheduler said of one pod, and the event that goes with it.
  struct Refusal {
    core::PodStatusPatch patch;
    std::optional<core::EventRecord> event{};
  };
  // What is to be told of one subject: a PodGroup with its pods, a composite, or a pod of no group.
  struct News {
    std::map<std::string, Refusal> pods{};  // by uid
    std::optional<core::GroupConditionPatch> condition{};
    Instant due{};
  };
  struct Told {
    std::string text;  // without numbers
    Instant at;
  };
  using Subject = model::ObjectKey;

  // Returns the subject of a pod that the scheduler knows.
  std::optional<Subject> subject_of(const std::string& uid) const;
  // The pod's refusal that waits to be told; null: none does.
  Refusal* waiting(const std::string& uid);
  // That refusal is not worth telling any more.
  void drop(const std::string& uid);
  // To be added to; due at once, for it may be another thing to tell.
  News& news_of(const Subject& subject);
  News& enqueue(const Subject& subject, News news, Instant due);
  // The news with verdicts, without what is not true any more.
  static News told_in_full(const Subject& subject, const News& news,
                           const explain::Sources& sources);
  // When it may be told; later than now if the same, but for numbers, was told just now.
  Instant due_of(const Subject& subject, const std::string& text, Instant now) const;
  void tell(const Subject& subject, News news, Instant now);
  // `first`: what the cluster shows may be a predecessor's word, and need not be repeated.
  void write(const News& story, bool first, const explain::Sources& sources, Instant now);
  void note_held(const explain::Sources& sources, const answers::Waiter& waiter,
                 const std::vector<core::PodId>& pods, const std::string& why);

  core::ClusterPort& writer_;
  Handlers handlers_;
  std::map<Subject, News> news_;
  std::set<std::pair<Instant, Subject>> due_;  // of news_
  std::map<Subject, Told> told_;
  std::map<std::string, Instant> held_since_;  // by kind and name
  EventLimit events_;
};

}  // namespace tutti::daemon
