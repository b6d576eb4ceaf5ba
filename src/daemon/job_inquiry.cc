#include "daemon/job_inquiry.h"

#include <fmt/format.h>

#include <utility>

#include "answers/kueue_word.h"
#include "controllers/workloads/document.h"
#include "daemon/writes/paths.h"
#include "wire/decode/decode.h"
#include "wire/json_reader.h"

namespace tutti::daemon {
namespace {

using controllers::items_at;
using controllers::text_at;

constexpr std::string_view kNoPods =
    "it has no pods at the moment; failed ones are replaced after a while";

std::shared_ptr<const model::Job> read_job(const std::string& body) {
  std::shared_ptr<const model::Job> job;
  const Status read = wire::read_json(body, [&](wire::Document&& document) -> Status {
    wire::Decoder decoder;
    TUTTI_ASSIGN(const auto object, wire::decode(document.root(), decoder));
    if (object->kind == model::Kind::job) job = std::static_pointer_cast<model::Job>(object);
    return ok_status();
  });
  return read.ok() ? job : nullptr;
}

// "kueue.x-k8s.io/v1beta2", of what the server says of the group.
std::string preferred_version(const std::string& body) {
  std::string version;
  const Status read = wire::read_json(body, [&](wire::Document&& document) {
    version = text_at(document.root(), {"preferredVersion", "groupVersion"});
    return ok_status();
  });
  return read.ok() ? version : std::string();
}

std::optional<answers::KueueWord> word_in(const std::string& list, const std::string& job) {
  std::optional<answers::KueueWord> word;
  const Status read = wire::read_json(list, [&](wire::Document&& document) {
    for (const wire::Value& workload : items_at(document.root(), {"items"})) {
      if (!word) word = answers::kueue_word(workload, "Job", job);
    }
    return ok_status();
  });
  return read.ok() ? word : std::nullopt;
}

// One Job's questions, one after the other; kept alive by whoever waits for an answer.
class Inquiry : public std::enable_shared_from_this<Inquiry> {
 public:
  Inquiry(GetFromServer get, std::string ns, std::string name, std::function<void(JobFinding)> done)
      : get_(std::move(get)), ns_(std::move(ns)), name_(std::move(name)), done_(std::move(done)) {}

  void ask_for_job() {
    get_(object_path("batch/v1", "jobs", ns_, name_),
         [self = shared_from_this()](const kube::Answer& answer) { self->take_job(answer); });
  }

 private:
  void take_job(const kube::Answer& answer) {
    if (answer.status == 404) return done_({});
    if (!answer.ok()) return done_({{}, "the Job could not be read: " + answer.message});
    job_ = read_job(answer.body);
    if (job_ == nullptr) return done_({{}, "the API server's answer is no Job"});
    const bool held = job_->suspend && !answers::kueue_queue_of(job_->meta).empty() &&
                      !answers::job_ending(*job_);
    if (!held) return finish({});
    get_(fmt::format("/apis/{}", answers::kKueueGroup),
         [self = shared_from_this()](const kube::Answer& group) { self->take_group(group); });
  }

  void take_group(const kube::Answer& answer) {
    if (answer.status == 404) {
      return finish({{}, "this cluster serves no kueue.x-k8s.io: nobody will resume it"});
    }
    const std::string version = answer.ok() ? preferred_version(answer.body) : std::string();
    if (version.empty()) {
      return finish({{}, "what Kueue offers could not be read: " + answer.message});
    }
    // Kueue labels its Workloads with the uid of the Job.
    get_(fmt::format("{}?labelSelector=kueue.x-k8s.io%2Fjob-uid%3D{}",
                     object_path(version, "workloads", ns_), job_->meta.uid),
         [self = shared_from_this()](const kube::Answer& list) { self->take_list(list); });
  }

  void take_list(const kube::Answer& answer) {
    if (!answer.ok()) return finish({{}, "Kueue's Workload could not be read: " + answer.message});
    finish({word_in(answer.body, name_), {}});
  }

  void finish(const answers::KueueView& kueue) {
    done_({answers::verdict_without_pods(*job_, kueue, std::string(kNoPods)), {}});
  }

  GetFromServer get_;
  std::string ns_;
  std::string name_;
  std::function<void(JobFinding)> done_;
  std::shared_ptr<const model::Job> job_;
};

}  // namespace

void inquire_job(const GetFromServer& get, const std::string& ns, const std::string& name,
                 std::function<void(JobFinding)> done) {
  std::make_shared<Inquiry>(get, ns, name, std::move(done))->ask_for_job();
}

}  // namespace tutti::daemon
