// RequestWrites: what the scheduler says of requests (Kueue's Workloads), on its way to the API
// server.
//
//   write ──> status patch, of the version that was read ──409──> read it, lay ours over it, again
//                     │ stored
//   scheduler <── seen() <── what the server shows, until our own write comes back
//
// A status has several writers: the patch names the version it was made from, and of what others
// wrote meanwhile nothing is lost. One write of a request is under way at a time; of what was
// wanted meanwhile the last counts.
#pragma once

#include <functional>
#include <map>

#include "base/std.h"
#include "core/framework/ports.h"
#include "daemon/writes/call_queue.h"
#include "kube/client/api_client.h"
#include "model/admission_request.h"

namespace tutti::daemon {

class RequestWrites {
 public:
  struct Outside {
    std::function<void(kube::Call, kube::AnswerHandler)> call;
    std::function<net::Timer(Millis, std::function<void()>)> after;
    std::function<void(const std::string& what, const kube::Answer&)> complain;
  };
  using RequestPtr = std::shared_ptr<const model::AdmissionRequest>;

  explicit RequestWrites(Outside outside);

  // The broker's part of the status (core/framework/request_merge.h), and whether it is active.
  void write(const RequestPtr& request);
  // One check of a request whose status is Kueue's.
  void answer(const RequestPtr& request, const model::AdmissionCheckState& answer);

  // The request as the scheduler is to see it when the server shows `object`: never older than what
  // was stored for it, and with what is about to be.
  model::ObjectPtr seen(const model::ObjectPtr& object);
  void forget(const model::Object& object);

  bool idle() const { return lane_.idle(); }

 private:
  using Checks = std::vector<model::AdmissionCheckState>;
  struct Entry {
    RequestPtr base;    // as the server has it, as far as we know
    RequestPtr wanted;  // not stored yet; null: all is
    Checks own;         // checks that the scheduler has changed, not stored yet
    Checks answers;     // likewise, of a request whose status is Kueue's
    bool under_way = false;
    bool dropped = false;  // the object is gone, or another one
    net::Timer again;
    bool open() const { return wanted != nullptr || !answers.empty(); }
  };
  using EntryPtr = std::shared_ptr<Entry>;
  using Done = CallQueue::Done;

  const EntryPtr& entry_of(const RequestPtr& request);
  void note_own_checks(const std::string& name, const model::AdmissionRequest& request,
                       Checks& own);
  static std::shared_ptr<model::AdmissionRequest> with_ours(const Entry& entry);
  void go(const EntryPtr& entry);
  void send(const EntryPtr& entry, const Done& done);
  void deactivate(const EntryPtr& entry, const Done& done);
  void send_status(const EntryPtr& entry, const Done& done);
  void stored(const EntryPtr& entry, const RequestPtr& sent, const Done& done);
  void refused(const EntryPtr& entry, const kube::Answer& answer, const Done& done);
  void read_again(const EntryPtr& entry, const Done& done);
  void finish(const EntryPtr& entry, const Done& done);
  void drop(const std::string& name);

  Outside outside_;
  CallQueue lane_;
  std::map<std::string, EntryPtr> entries_;  // by "ns/name"
  // Checks as the scheduler knows them, of requests that have any.
  std::map<std::string, Checks> told_;
};

}  // namespace tutti::daemon
