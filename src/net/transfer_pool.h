// TransferPool: the requests of one kind (calls or streams) that are under way, on connections of
// their own, and the idle handles that the next ones will use.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "net/curl_multi.h"
#include "net/transfer.h"

namespace tutti::net {

class TransferPool : public std::enable_shared_from_this<TransferPool> {
 public:
  struct Ticket {
    std::size_t slot = 0;
    std::uint64_t serial = 0;  // never 0
  };

  // `silence_max` is for streams only.
  static std::shared_ptr<TransferPool> open(Loop& loop, std::shared_ptr<const Target> target,
                                            Transfer::Kind kind, Millis silence_max);

  Ticket send(Request request, ResponseHandler handler);
  Ticket stream(Request request, StreamHandler handler);
  void cancel(Ticket ticket);
  // Cancels everything; nothing may be asked of the pool afterwards.
  void close();
  std::size_t in_flight() const { return in_flight_; }

 private:
  TransferPool(Loop& loop, std::shared_ptr<const Target> target, Transfer::Kind kind,
               Millis silence_max);
  Transfer& take_idle();
  Ticket start(Transfer& transfer, Request request);
  void abandon(Transfer& transfer);
  void recycle(Transfer& transfer);
  void finish(Transfer& transfer, Result<Response> result);
  Transfer* find(Ticket ticket);
  void watch_for_silence();
  void end_silent_streams();

  Loop& loop_;
  std::shared_ptr<const Target> target_;
  Transfer::Kind kind_;
  Millis silence_max_;
  std::shared_ptr<CurlMulti> multi_;
  std::vector<std::unique_ptr<Transfer>> transfers_;  // by slot; null: handle given back to curl
  std::vector<std::size_t> idle_;                     // slots
  std::size_t in_flight_ = 0;
  std::uint64_t last_serial_ = 0;
  Timer silence_;
};

}  // namespace tutti::net
