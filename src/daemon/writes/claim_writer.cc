#include "daemon/writes/claim_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/framework/claim_patch.h"
#include "daemon/writes/paths.h"
#include "daemon/writes/request_bodies.h"
#include "wire/decode/decode.h"
#include "wire/encode/encode.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace tutti::daemon {
namespace {

constexpr int kRetries = 4;
// How often a claim that others write at the same time is read again.
constexpr int kConflictsMax = 8;
constexpr Millis kTimeout = std::chrono::seconds(10);

std::shared_ptr<model::ResourceClaim> claim_in(const std::string& body) {
  std::shared_ptr<model::ResourceClaim> claim;
  // A body that cannot be read holds no claim.
  (void)wire::read_json(body, [&](wire::Document&& document) -> Status {
    wire::Decoder decoder;
    const auto object = wire::decode(document.root(), decoder);
    if (object.ok() && (*object)->kind == model::Kind::resource_claim) {
      claim = std::static_pointer_cast<model::ResourceClaim>(*object);
    }
    return ok_status();
  });
  return claim;
}

}  // namespace

struct ClaimWriter::Job {
  core::ClaimPatch patch;
  std::string version;
  CallQueue::Done done;
  int conflicts = 0;
  std::shared_ptr<model::ResourceClaim> claim;  // as it is to be written

  std::string path(std::string_view subresource) const {
    return object_path(version, "resourceclaims", patch.ns, patch.name, subresource);
  }
};

void ClaimWriter::write(const core::ClaimPatch& patch, const std::string& version,
                        const CallQueue::Done& done) {
  read(std::make_shared<Job>(Job{patch, version, done, 0, nullptr}));
}

void ClaimWriter::read(const JobPtr& job) {
  kube::Call call;
  call.path = job->path({});
  call.timeout = kTimeout;
  call.retries_max = kRetries;
  outside_.call(std::move(call), [this, job](const kube::Answer& answer) {
    if (answer.ok()) return decide(job, answer.body);
    if (answer.status != 404) outside_.complain("read resource claim " + job->patch.name, answer);
    job->done();
  });
}

void ClaimWriter::decide(const JobPtr& job, const std::string& body) {
  job->claim = claim_in(body);
  const bool same = job->claim != nullptr && job->claim->meta.uid == job->patch.uid;
  if (!same || !core::allows(*job->claim, job->patch)) return job->done();
  const bool holds = job->claim->allocation.has_value() || !job->claim->reserved_for.empty();
  if (job->patch.remove && !holds) return finish(job);
  const auto finalizers = job->claim->meta.finalizers;
  core::apply(*job->claim, job->patch, outside_.now());
  // A finalizer is put before there is something to protect, and taken after there is nothing.
  const bool added = job->claim->meta.finalizers.size() > finalizers.size();
  added ? write_metadata(job) : write_status(job);
}

void ClaimWriter::put(const JobPtr& job, std::string_view subresource,
                      const std::function<void(const std::string& body)>& then) {
  wire::Document document;
  kube::Call call;
  call.method = "PUT";
  call.path = job->path(subresource);
  call.body = wire::to_json(wire::encode(*job->claim, document));
  call.timeout = kTimeout;
  call.retries_max = kRetries;
  outside_.call(std::move(call), [this, job, then](const kube::Answer& answer) {
    if (answer.ok()) return then(answer.body);
    if (answer.status == 409 && ++job->conflicts <= kConflictsMax) return read(job);
    if (answer.status != 404) outside_.complain("write resource claim " + job->patch.name, answer);
    job->done();
  });
}

void ClaimWriter::write_metadata(const JobPtr& job) {
  put(job, {}, [this, job](const std::string& body) {
    const auto stored = claim_in(body);
    if (stored == nullptr) return job->done();
    job->claim->meta.resource_version = stored->meta.resource_version;
    write_status(job);
  });
}

void ClaimWriter::write_status(const JobPtr& job) {
  const bool freed = !job->claim->allocation.has_value();
  put(job, "status", [this, job, freed](const std::string& body) {
    const auto stored = claim_in(body);
    if (!freed || stored == nullptr) return finish(job);
    auto& finalizers = stored->meta.finalizers;
    if (std::ranges::find(finalizers, model::kClaimFinalizer) == finalizers.end()) {
      return finish(job);
    }
    std::erase(finalizers.edit(), model::kClaimFinalizer);
    job->claim = stored;
    put(job, {}, [this, job](const std::string&) { finish(job); });
  });
}

// What is to go goes last, when it holds nothing any more.
void ClaimWriter::finish(const JobPtr& job) {
  if (!job->patch.remove) return job->done();
  kube::Call call;
  call.method = "DELETE";
  call.path = job->path({});
  call.body = delete_body(job->patch.uid);
  call.timeout = kTimeout;
  call.retries_max = kRetries;
  outside_.call(std::move(call), [this, job](const kube::Answer& answer) {
    const bool gone = answer.status == 404 || answer.status == 409;
    if (!answer.ok() && !gone) {
      outside_.complain("delete resource claim " + job->patch.name, answer);
    }
    job->done();
  });
}

}  // namespace tutti::daemon
