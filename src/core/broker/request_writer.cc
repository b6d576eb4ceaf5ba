#include "core/broker/request_writer.h"

#include <utility>

namespace tutti::core {
namespace {

std::shared_ptr<model::AdmissionRequest> with_status(const Request& request, RequestStatus status) {
  auto next = std::make_shared<model::AdmissionRequest>(*request.object);
  next->status = std::move(status);
  return next;
}

}  // namespace

void RequestWriter::write(Request& request, RequestStatus status) {
  if (request.object->status == status) return;
  request.object = with_status(request, std::move(status));
  port_.update_request(request.object);
}

void RequestWriter::deactivate(Request& request, RequestStatus status) {
  auto next = with_status(request, std::move(status));
  next->spec.active = false;
  request.object = std::move(next);
  port_.update_request(request.object);
}

void RequestWriter::event(const Request& request, std::string_view type, std::string_view reason,
                          std::string message) {
  port_.record({.about = request.object,
                .type = std::string(type),
                .reason = std::string(reason),
                .action = "Admission",
                .message = std::move(message),
                .scheduler = "tutti-admission"});
}

void RequestWriter::warn(const model::ObjectPtr& about, std::string_view reason,
                         std::string message) {
  port_.record({.about = about,
                .type = "Warning",
                .reason = std::string(reason),
                .action = "Admission",
                .message = std::move(message),
                .scheduler = "tutti-admission"});
}

void RequestWriter::decided(const Request& request, Decision::Kind kind, std::string message,
                            Instant now,
                            std::vector<std::pair<std::string, std::string>> bindings) {
  decisions_.add({.at = now,
                  .kind = kind,
                  .entity = "Workload " + request.name,
                  .bindings = std::move(bindings),
                  .message = std::move(message),
                  .attempt = request.attempts});
}

void RequestWriter::evicted(const Request& request, const EvictionWords& words, Instant now) {
  decisions_.add({.at = now,
                  .kind = Decision::Kind::evicted,
                  .entity = "Workload " + request.name,
                  .bindings = {},
                  .message = words.message,
                  .attempt = request.attempts,
                  .rule = words.cause.empty() ? words.reason : words.cause,
                  .by = words.by});
}

}  // namespace tutti::core
