// RemoteCluster: a real cluster as the loops of src/controllers see it.
//
//   API server ──watch──> observe() ──> copy ──changes──> controllers
//        ^──────────── writes <── create, patch_meta … ──────┘
//
// Controllers expect to see what they wrote at once. So a write is done to the copy first and sent
// then; what the server shows later replaces it, be it the same or not. A write that the server
// refuses is undone in the copy by what the server last showed, after a pause: the controller sees
// that as a change, looks again and decides anew.
#pragma once

#include <functional>
#include <map>
#include <unordered_map>

#include "base/std.h"
#include "controllers/cluster.h"
#include "controllers/dependents.h"
#include "kube/client/api_client.h"
#include "kube/watch/reflector.h"
#include "net/loop.h"
#include "store/store.h"

namespace tutti::upkeep {

class RemoteCluster final : public controllers::Cluster {
 public:
  struct Outside {
    std::function<void(kube::Call, kube::AnswerHandler)> call;
    // Asked before every call: who lost its lease must not write.
    std::function<bool()> may_write;
    std::function<void(const std::string&)> trouble;  // one line for the log
    std::function<void()> changed;                    // take_changes() has something
  };
  // `pause`: how long a refused write stays in the copy. The loop must not run once this object is
  // gone.
  RemoteCluster(net::Loop& loop, std::string instance, Outside outside,
                Millis pause = std::chrono::seconds(5));

  // What the server shows.
  void observe(const kube::Change& change);
  // What changed in the copy since the last call, oldest first.
  std::vector<store::WatchEvent> take_changes();
  std::size_t writes_open() const { return open_; }
  std::size_t writes_made() const { return made_; }
  std::size_t writes_failed() const { return failed_; }

  // --- Cluster -----------------------------------------------------------------------------------
  Instant now() const override { return loop_.now(); }
  const store::Store& objects() const override { return copy_; }
  const controllers::Dependents& dependents() const override { return dependents_; }
  Result<model::ObjectPtr> create(const model::Object& object) override;
  Result<model::ObjectPtr> update(const model::Object& object) override;
  Result<model::ObjectPtr> update_status(const model::Object& object) override;
  Result<model::ObjectPtr> patch_meta(const model::ObjectKey& key,
                                      const std::function<void(model::ObjectMeta&)>& edit) override;
  void remove(const model::ObjectKey& key) override;
  void record(const controllers::Note& note) override;

 private:
  // Whole objects are sent with the version that the server last showed.
  Result<model::ObjectPtr> put(Result<model::ObjectPtr> written, std::string_view subresource);
  void send(const model::ObjectKey& key, kube::Call call, const std::string& what);
  // A Job is suspended, and its start forgotten, before its template may be changed; then `last`.
  void send_job(const model::ObjectKey& key, const std::shared_ptr<model::Object>& last);
  // One after the other, as long as the server agrees; `then` with the version after the last.
  void send_steps(const model::ObjectKey& key, std::vector<kube::Call> steps,
                  std::function<void(std::uint64_t version)> then);
  void answered(const model::ObjectKey& key, const std::string& what, const kube::Answer& answer);
  // The copy says again what the server says.
  void show(const model::ObjectKey& key);
  void erase(const model::ObjectKey& key);
  void tell();
  store::Write write() const { return {now()}; }

  net::Loop& loop_;
  std::string instance_;
  Outside outside_;
  Millis pause_;
  store::Store copy_;
  store::Watch watch_{copy_, 0};
  controllers::Dependents dependents_;
  std::map<model::ObjectKey, model::ObjectPtr> shown_;  // by the server
  std::map<model::ObjectKey, net::Timer> again_;        // what is to be shown after a pause
  std::size_t open_ = 0, made_ = 0, failed_ = 0, events_ = 0;
  bool told_ = false;
};

}  // namespace tutti::upkeep
