// BareCluster: a store and controllers, with nothing else in it: no admission, no scheduler, no
// kubelet. Time is what the test sets.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "controllers/cluster.h"
#include "controllers/controller.h"
#include "model/pod.h"
#include "store/store.h"

namespace tutti::test {

class BareCluster final : public controllers::Cluster {
 public:
  template <typename T, typename... Options>
  void add(Options... options) {
    controllers_.push_back(std::make_unique<T>(*this, options...));
  }

  // Lets the controllers work until nothing moves, at the present instant.
  void settle() {
    while (watch_.behind() || is_due()) {
      const auto events = watch_.poll(100);
      for (const auto& event : *events) {
        dependents_.observe(event);
        for (const auto& controller : controllers_) controller->observe(event);
      }
      for (const auto& controller : controllers_) controller->work();
    }
  }
  void advance(std::chrono::seconds by) {
    now_ += by;
    settle();
  }
  // The earliest time at which a controller wants to look again.
  std::optional<Instant> next_due() const {
    std::optional<Instant> next;
    for (const auto& controller : controllers_) {
      const auto due = controller->next_due();
      if (due && (!next || *due < *next)) next = due;
    }
    return next;
  }

  template <typename T>
  void put(const T& object) {
    TUTTI_CHECK(store_.create(object, {now_}).ok());
    settle();
  }
  template <typename T, typename Edit>
  void change(const std::string& ns, const std::string& name, Edit edit) {
    T next = *store_.find<T>(ns, name);
    edit(next);
    TUTTI_CHECK(store_.update(next, {now_}).ok());
    settle();
  }
  void set_phase(const model::Pod& pod, model::PodPhase phase) {
    model::Pod next = pod;
    next.meta.resource_version = 0;
    next.status.phase = phase;
    const bool ready = phase == model::PodPhase::running;
    next.status.conditions = {{"Ready", ready ? "True" : "False", "", "", now_, 0}};
    TUTTI_CHECK(store_.update_status(next, {now_}).ok());
    settle();
  }
  void drop(model::ObjectKey key) {
    (void)store_.remove(key, {now_});
    settle();
  }

  template <typename T>
  std::vector<std::shared_ptr<const T>> all() const {
    std::vector<std::shared_ptr<const T>> out;
    for (const auto& object : store_.objects(T::kKind)) {
      out.push_back(std::static_pointer_cast<const T>(object));
    }
    return out;
  }
  const std::vector<controllers::Note>& notes() const { return notes_; }
  // Makes create() refuse objects of this kind.
  void refuse(std::optional<model::Kind> kind) { refused_ = kind; }

  // --- Cluster -----------------------------------------------------------------------------------
  Instant now() const override { return now_; }
  const store::Store& objects() const override { return store_; }
  const controllers::Dependents& dependents() const override { return dependents_; }
  Result<model::ObjectPtr> create(const model::Object& object) override {
    if (refused_ == object.kind) return Error{Error::Code::invalid, "refused by the test"};
    auto made = store_.create(object, {now_});
    if (made.ok()) dependents_.add(**made);
    return made;
  }
  Result<model::ObjectPtr> update(const model::Object& object) override {
    return store_.update(object, {now_});
  }
  Result<model::ObjectPtr> update_status(const model::Object& object) override {
    return store_.update_status(object, {now_});
  }
  Result<model::ObjectPtr> patch_meta(
      const model::ObjectKey& key, const std::function<void(model::ObjectMeta&)>& edit) override {
    auto changed = store_.patch(key, [&](model::Object& object) { edit(object.meta); }, {now_});
    if (changed.ok()) dependents_.add(**changed);
    return changed;
  }
  void remove(const model::ObjectKey& key) override { (void)store_.remove(key, {now_}); }
  void record(const controllers::Note& note) override { notes_.push_back(note); }

 private:
  bool is_due() const {
    const auto next = next_due();
    return next && *next <= now_;
  }

  Instant now_ = std::chrono::sys_days{std::chrono::year{2026} / 1 / 1};
  store::Store store_;
  controllers::Dependents dependents_;
  std::vector<std::unique_ptr<controllers::Controller>> controllers_;
  store::Watch watch_{store_, 0};
  std::vector<controllers::Note> notes_;
  std::optional<model::Kind> refused_;
};

}  // namespace tutti::test
