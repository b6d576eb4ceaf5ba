#include "net/transfer_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace tutti::net {
namespace {

using SteadyClock = std::chrono::steady_clock;

// With HTTP/2 a connection carries a hundred calls or more, and a second is opened only beyond
// that. With HTTP/1.1 this is how many calls go on at once; the others wait their turn inside curl.
constexpr long kCallConnectionsMax = 16;
// Handles beyond this are given back to curl when a burst is over.
constexpr std::size_t kIdleHandlesMax = 256;

// Each stream occupies a connection of HTTP/1.1 for good, so their number has no other limit than
// the number of streams.
CurlMulti::Limits limits(Transfer::Kind kind) {
  return {.connections_max = kind == Transfer::Kind::call ? kCallConnectionsMax : 0,
          .idle_connections_max = kCallConnectionsMax};
}

}  // namespace

TransferPool::TransferPool(Loop& loop, std::shared_ptr<const Target> target, Transfer::Kind kind,
                           Millis silence_max)
    : loop_(loop), target_(std::move(target)), kind_(kind), silence_max_(silence_max) {}

std::shared_ptr<TransferPool> TransferPool::open(Loop& loop, std::shared_ptr<const Target> target,
                                                 Transfer::Kind kind, Millis silence_max) {
  const std::shared_ptr<TransferPool> pool(
      new TransferPool(loop, std::move(target), kind, silence_max));
  pool->multi_ = std::make_shared<CurlMulti>(
      loop, limits(kind), [weak = std::weak_ptr(pool)](CURL* easy, CURLcode code) {
        const auto self = weak.lock();  // kept while a handler may end the client
        if (!self) return;
        Transfer& transfer = Transfer::of(easy);
        self->finish(transfer, transfer.outcome(code));
      });
  return pool;
}

TransferPool::Ticket TransferPool::send(Request request, ResponseHandler handler) {
  Transfer& transfer = take_idle();
  transfer.on_response = std::move(handler);
  return start(transfer, std::move(request));
}

TransferPool::Ticket TransferPool::stream(Request request, StreamHandler handler) {
  Transfer& transfer = take_idle();
  transfer.on_stream = std::move(handler);
  transfer.last_byte = SteadyClock::now();
  const Ticket ticket = start(transfer, std::move(request));
  if (!silence_.pending()) watch_for_silence();
  return ticket;
}

Transfer& TransferPool::take_idle() {
  if (idle_.empty()) {
    idle_.push_back(transfers_.size());
    transfers_.emplace_back();
  }
  const std::size_t slot = idle_.back();
  idle_.pop_back();
  if (!transfers_[slot]) {
    transfers_[slot] = std::make_unique<Transfer>(*target_, kind_);
    transfers_[slot]->slot = slot;
  }
  return *transfers_[slot];
}

TransferPool::Ticket TransferPool::start(Transfer& transfer, Request request) {
  transfer.prepare(std::move(request));
  transfer.serial = ++last_serial_;
  transfer.state = Transfer::State::waiting_to_start;
  ++in_flight_;
  multi_->outside_curl([this, &transfer] {
    if (transfer.state == Transfer::State::cancelled) return recycle(transfer);
    transfer.state = Transfer::State::running;
    multi_->add(transfer.easy());
  });
  return {.slot = transfer.slot, .serial = transfer.serial};
}

Transfer* TransferPool::find(Ticket ticket) {
  if (ticket.slot >= transfers_.size()) return nullptr;
  Transfer* transfer = transfers_[ticket.slot].get();
  return transfer != nullptr && transfer->serial == ticket.serial ? transfer : nullptr;
}

void TransferPool::cancel(Ticket ticket) {
  if (Transfer* transfer = find(ticket)) abandon(*transfer);
}

// The handlers may be running at this moment, as curl hands over data: they are destroyed with the
// removal, not here.
void TransferPool::abandon(Transfer& transfer) {
  transfer.serial = 0;
  --in_flight_;
  const bool added = transfer.state == Transfer::State::running;
  transfer.state = Transfer::State::cancelled;
  if (!added) return;
  multi_->outside_curl([this, &transfer] {
    multi_->remove(transfer.easy());
    recycle(transfer);
  });
}

void TransferPool::recycle(Transfer& transfer) {
  const std::size_t slot = transfer.slot;
  transfer.clear();
  if (idle_.size() >= kIdleHandlesMax) transfers_[slot].reset();
  idle_.push_back(slot);
  if (in_flight_ == 0) silence_.cancel();
}

void TransferPool::finish(Transfer& transfer, Result<Response> result) {
  const ResponseHandler handler =
      std::move(kind_ == Transfer::Kind::call ? transfer.on_response : transfer.on_stream.ended);
  --in_flight_;
  recycle(transfer);
  handler(std::move(result));
}

void TransferPool::close() {
  silence_.cancel();
  for (const auto& transfer : transfers_) {
    if (transfer && transfer->serial != 0) abandon(*transfer);
  }
  // Postponed behind the removals that the loop above may have postponed.
  multi_->outside_curl([self = shared_from_this()] {
    self->transfers_.clear();
    self->multi_->close();
  });
}

// One timer for all streams: it looks when the one that was silent longest would be due.
void TransferPool::watch_for_silence() {
  auto oldest = SteadyClock::time_point::max();
  for (const auto& transfer : transfers_) {
    if (transfer && transfer->serial != 0) oldest = std::min(oldest, transfer->last_byte);
  }
  if (oldest == SteadyClock::time_point::max()) return;
  const auto left = std::chrono::ceil<Millis>(oldest + silence_max_ - SteadyClock::now());
  silence_ = loop_.after(std::max(left, Millis{0}), [this] { end_silent_streams(); });
}

void TransferPool::end_silent_streams() {
  const auto self = shared_from_this();
  const auto silent_since = SteadyClock::now() - silence_max_;
  std::vector<Ticket> silent;
  for (const auto& transfer : transfers_) {
    if (transfer && transfer->serial != 0 && transfer->last_byte <= silent_since) {
      silent.push_back({.slot = transfer->slot, .serial = transfer->serial});
    }
  }
  for (const Ticket& ticket : silent) {
    Transfer* transfer = find(ticket);
    if (transfer == nullptr) continue;  // a handler cancelled it
    multi_->remove(transfer->easy());
    finish(*transfer, Error{Error::Code::unavailable,
                            fmt::format("{}: the stream brought nothing for {}", target_->shown,
                                        format_duration(silence_max_))});
  }
  if (!silence_.pending()) watch_for_silence();
}

}  // namespace tutti::net
