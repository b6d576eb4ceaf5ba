#include "net/transfer_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace tutti::net {
namespace {

using SteadyClock = std::chrono::steady_clock;

// A connection of HTTP/2 carries a hundred calls at once or more, and a burst must not open another
// for each call that finds the first one full.
constexpr long kCallConnectionsMax = 2;
// With HTTP/1.1 this is how many calls go on at once; the others wait their turn inside curl.
constexpr long kHttp1CallConnectionsMax = 16;
// As many as two connections of a kube-apiserver take. A handle costs memory, and one that waits
// inside curl costs time whenever another finishes.
constexpr std::size_t kRunningCallsMax = 200;

}  // namespace

TransferPool::TransferPool(Loop& loop, std::shared_ptr<const Target> target, Transfer::Kind kind,
                           Millis silence_max)
    : loop_(loop),
      target_(std::move(target)),
      kind_(kind),
      silence_max_(silence_max),
      // A stream occupies a connection of HTTP/1.1 for good.
      connections_max_(kind == Transfer::Kind::call ? kCallConnectionsMax : CurlMulti::kNoLimit) {}

std::shared_ptr<TransferPool> TransferPool::open(Loop& loop, std::shared_ptr<const Target> target,
                                                 Transfer::Kind kind, Millis silence_max) {
  std::shared_ptr<TransferPool> pool(new TransferPool(loop, std::move(target), kind, silence_max));
  pool->multi_ = std::make_shared<CurlMulti>(
      loop, pool->connections_max_, [weak = std::weak_ptr(pool)](CURL* easy, CURLcode code) {
        const auto self = weak.lock();  // kept while a handler may end the client
        if (!self) return;
        Transfer& transfer = Transfer::of(easy);
        self->learn_version(transfer);
        self->finish(transfer, transfer.outcome(code));
      });
  return pool;
}

TransferPool::Serial TransferPool::start(Request request, StreamHandler handlers) {
  const Serial serial = ++last_serial_;
  waiting_.emplace_hint(waiting_.end(), serial, Waiting{std::move(request), std::move(handlers)});
  start_waiting();
  return serial;
}

void TransferPool::start_waiting() {
  while (!waiting_.empty() && (kind_ == Transfer::Kind::stream || running_ < kRunningCallsMax)) {
    auto next = waiting_.extract(waiting_.begin());
    run(next.key(), std::move(next.mapped()));
  }
}

void TransferPool::run(Serial serial, Waiting waiting) {
  Transfer& transfer = take_idle();
  transfer.prepare(std::move(waiting.request));
  transfer.handlers = std::move(waiting.handlers);
  transfer.serial = serial;
  transfer.state = Transfer::State::waiting_for_curl;
  transfer.last_byte = SteadyClock::now();
  ++running_;
  multi_->outside_curl([this, &transfer] {
    if (transfer.state == Transfer::State::cancelled) return recycle(transfer);
    transfer.state = Transfer::State::running;
    multi_->add(transfer.easy());
  });
  if (kind_ == Transfer::Kind::stream && !silence_.pending()) watch_for_silence();
}

Transfer& TransferPool::take_idle() {
  if (idle_.empty()) {
    transfers_.push_back(std::make_unique<Transfer>(*target_, kind_, *multi_));
    return *transfers_.back();
  }
  Transfer& transfer = *idle_.back();
  idle_.pop_back();
  return transfer;
}

Transfer* TransferPool::find(Serial serial) {
  const auto found = std::find_if(transfers_.begin(), transfers_.end(),
                                  [&](const auto& transfer) { return transfer->serial == serial; });
  return found == transfers_.end() ? nullptr : found->get();
}

void TransferPool::cancel(Serial serial) {
  if (waiting_.erase(serial) > 0) return;
  Transfer* const transfer = serial == Transfer::kNone ? nullptr : find(serial);
  if (transfer == nullptr) return;
  abandon(*transfer);
  start_waiting();
}

// The handlers may be running at this moment, as curl hands over data: they are destroyed with the
// removal, not here.
void TransferPool::abandon(Transfer& transfer) {
  transfer.serial = Transfer::kNone;
  --running_;
  const bool added = transfer.state == Transfer::State::running;
  transfer.state = Transfer::State::cancelled;
  if (!added) return;
  multi_->outside_curl([this, &transfer] {
    multi_->remove(transfer.easy());
    recycle(transfer);
  });
}

void TransferPool::recycle(Transfer& transfer) {
  transfer.clear();
  idle_.push_back(&transfer);
  if (running_ == 0) silence_.cancel();
}

// Which version the server speaks is known only from its first answer.
void TransferPool::learn_version(const Transfer& transfer) {
  if (connections_max_ != kCallConnectionsMax || !transfer.spoke_http1()) return;
  connections_max_ = kHttp1CallConnectionsMax;
  multi_->set_connections_max(connections_max_);
}

void TransferPool::finish(Transfer& transfer, Result<Response> result) {
  const auto handler = std::move(transfer.handlers.ended);
  --running_;
  recycle(transfer);
  start_waiting();
  handler(std::move(result));
}

void TransferPool::close() {
  silence_.cancel();
  waiting_.clear();
  for (const auto& transfer : transfers_) {
    if (transfer->serial != Transfer::kNone) abandon(*transfer);
  }
  // Postponed behind the removals that the loop above may have postponed.
  multi_->outside_curl([self = shared_from_this()] {
    self->idle_.clear();
    self->transfers_.clear();
    self->multi_->close();
  });
}

// One timer for all streams: it looks when the one that was silent longest would be due.
void TransferPool::watch_for_silence() {
  auto oldest = SteadyClock::time_point::max();
  for (const auto& transfer : transfers_) {
    if (transfer->serial != Transfer::kNone) oldest = std::min(oldest, transfer->last_byte);
  }
  if (oldest == SteadyClock::time_point::max()) return;
  const auto left = std::chrono::ceil<Millis>(oldest + silence_max_ - SteadyClock::now());
  silence_ = loop_.after(std::max(left, Millis{0}), [this] { end_silent_streams(); });
}

void TransferPool::end_silent_streams() {
  const auto self = shared_from_this();
  const auto silent_since = SteadyClock::now() - silence_max_;
  std::vector<Serial> silent;
  for (const auto& transfer : transfers_) {
    if (transfer->serial != Transfer::kNone && transfer->last_byte <= silent_since) {
      silent.push_back(transfer->serial);
    }
  }
  for (const Serial serial : silent) {
    Transfer* transfer = find(serial);
    if (transfer == nullptr) continue;  // a handler cancelled it
    multi_->remove(transfer->easy());
    finish(*transfer, Error{Error::Code::unavailable,
                            fmt::format("{}: the stream brought nothing for {}", target_->shown,
                                        format_duration(silence_max_))});
  }
  if (!silence_.pending()) watch_for_silence();
}

}  // namespace tutti::net
