// Two pools, calls and streams, so that a watch whose events are many never holds up a call:
// streams of one HTTP/2 connection share its flow control, and the server's limit on their number.
#include "net/http_client.h"

#include <utility>

#include "net/transfer_pool.h"

namespace tutti::net {
namespace {

// The lowest bit says which pool.
RequestId call_id(TransferPool::Serial serial) { return serial << 1U; }
RequestId stream_id(TransferPool::Serial serial) { return serial << 1U | 1U; }
bool is_stream(RequestId id) { return (id & 1U) != 0; }

}  // namespace

struct HttpClient::Impl {
  Impl(Loop& loop, const std::shared_ptr<const Target>& target, Millis silence_max)
      : calls(TransferPool::open(loop, target, Transfer::Kind::call, silence_max)),
        streams(TransferPool::open(loop, target, Transfer::Kind::stream, silence_max)) {}

  std::shared_ptr<TransferPool> calls;
  std::shared_ptr<TransferPool> streams;
};

HttpClient::HttpClient(Loop& loop, Endpoint endpoint, Millis stream_silence_max)
    : impl_(std::make_unique<Impl>(loop, std::make_shared<const Target>(std::move(endpoint)),
                                   stream_silence_max)) {}

HttpClient::~HttpClient() {
  impl_->calls->close();
  impl_->streams->close();
}

RequestId HttpClient::send(Request request, ResponseHandler handler) {
  return call_id(
      impl_->calls->start(std::move(request), {.data = nullptr, .ended = std::move(handler)}));
}

RequestId HttpClient::stream(Request request, StreamHandler handler) {
  return stream_id(impl_->streams->start(std::move(request), std::move(handler)));
}

void HttpClient::cancel(RequestId id) {
  (is_stream(id) ? impl_->streams : impl_->calls)->cancel(id >> 1U);
}

std::size_t HttpClient::in_flight() const {
  return impl_->calls->in_flight() + impl_->streams->in_flight();
}

}  // namespace tutti::net
