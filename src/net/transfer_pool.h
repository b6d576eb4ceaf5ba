// TransferPool: the requests of one kind (calls or streams), on connections of their own. Some are
// under way inside curl; the others wait their turn, which costs less here than there.
#pragma once

#include <map>

#include "base/std.h"
#include "net/curl_multi.h"
#include "net/transfer.h"

namespace tutti::net {

class TransferPool : public std::enable_shared_from_this<TransferPool> {
 public:
  // Counted from 1.
  using Serial = std::uint64_t;

  // `silence_max` is for streams only.
  static std::shared_ptr<TransferPool> open(Loop& loop, std::shared_ptr<const Target> target,
                                            Transfer::Kind kind, Millis silence_max);

  // `handlers` has what the pool's kind needs: a call `ended`, a stream both.
  Serial start(Request request, StreamHandler handlers);
  void cancel(Serial serial);
  // Cancels everything; nothing may be asked of the pool afterwards.
  void close();
  std::size_t in_flight() const { return running_ + waiting_.size(); }

 private:
  struct Waiting {
    Request request;
    StreamHandler handlers;
  };

  TransferPool(Loop& loop, std::shared_ptr<const Target> target, Transfer::Kind kind,
               Millis silence_max);
  void start_waiting();
  void run(Serial serial, Waiting waiting);
  Transfer& take_idle();
  void abandon(Transfer& transfer);
  void recycle(Transfer& transfer);
  void learn_version(const Transfer& transfer);
  void finish(Transfer& transfer, Result<Response> result);
  Transfer* find(Serial serial);
  void watch_for_silence();
  void end_silent_streams();

  Loop& loop_;
  std::shared_ptr<const Target> target_;
  Transfer::Kind kind_;
  Millis silence_max_;
  long connections_max_;
  std::shared_ptr<CurlMulti> multi_;
  std::map<Serial, Waiting> waiting_;                 // in the order of their coming
  std::vector<std::unique_ptr<Transfer>> transfers_;  // running, idle or being removed
  std::vector<Transfer*> idle_;
  std::size_t running_ = 0;
  Serial last_serial_ = 0;
  Timer silence_;
};

}  // namespace tutti::net
