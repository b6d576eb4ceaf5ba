#include "core/requests/waiting_line.h"

#include <utility>

#include "base/check.h"

namespace tutti::core {
namespace {

// Held for a reason that lies in the request alone.
bool is_held_alone(const Request& request) {
  return request.not_before.has_value() || request.parked_alone;
}

}  // namespace

void WaitingLine::join(Request& request) {
  ++changes_;
  all_.insert(&request);
  if (!request.refusal) fresh_.insert(&request);
  if (!is_held_alone(request)) shapes_[request.shape].requests.insert(&request);
}

void WaitingLine::leave(Request& request) {
  if (all_.erase(&request) == 0) return;
  ++changes_;
  fresh_.erase(&request);
  const auto alike = shapes_.find(request.shape);
  if (alike == shapes_.end()) return;
  alike->second.requests.erase(&request);
  if (alike->second.requests.empty()) shapes_.erase(alike);
}

void WaitingLine::refuse(RequestShapeId shape, ShapeRefusal refusal) {
  const auto alike = shapes_.find(shape);
  TUTTI_CHECK(alike != shapes_.end(), "only who waits is refused");
  ++changes_;
  alike->second.refusal = std::move(refusal);
}

const ShapeRefusal* WaitingLine::refusal_of(const Request& request) const {
  const auto alike = shapes_.find(request.shape);
  if (alike == shapes_.end() || !alike->second.refusal) return nullptr;
  return &*alike->second.refusal;
}

std::vector<Request*> WaitingLine::take_untold() {
  std::vector<Request*> untold;
  if (std::exchange(told_at_, changes_) == changes_) return untold;
  for (auto at = fresh_.begin(); at != fresh_.end();) {
    Request* request = *at;
    const bool known = refusal_of(*request) != nullptr && !is_held_alone(*request);
    if (known) untold.push_back(request);
    at = known ? fresh_.erase(at) : std::next(at);
  }
  for (auto& [shape, alike] : shapes_) {
    if (!alike.refusal || alike.told == alike.refusal->why.reason) continue;
    alike.told = alike.refusal->why.reason;
    for (Request* request : alike.requests) {
      if (request->refusal && request->refusal->reason != *alike.told) untold.push_back(request);
    }
  }
  return untold;
}

}  // namespace tutti::core
