// LeaderElector: an Election that lives on the loop and asks a real API server.
#pragma once

#include <functional>

#include "base/std.h"
#include "kube/client/api_client.h"
#include "kube/lease/election.h"
#include "net/loop.h"

namespace tutti::kube {

// The kernel's clock that goes on while the machine sleeps and never jumps.
Moment since_boot();

// Everything runs on the loop. The handlers may call the elector, and must not destroy it.
class LeaderElector {
 public:
  struct Handlers {
    std::function<void()> started{};  // may act from now on
    std::function<void()> stopped{};  // must not act any more; it stands for election again
    // One line for the log, when something began to go wrong or goes wrong in another way.
    std::function<void(const std::string&)> trouble{};
  };
  using Send = std::function<void(Call, AnswerHandler)>;
  using Clock = std::function<Moment()>;

  // `client` must outlive the elector. `seed` should differ between replicas.
  LeaderElector(net::Loop& loop, ApiClient& client, ElectionConfig config, std::uint64_t seed,
                Handlers handlers);
  LeaderElector(net::Loop& loop, Send send, ElectionConfig config, std::uint64_t seed,
                Handlers handlers, Clock clock);
  ~LeaderElector();
  LeaderElector(const LeaderElector&) = delete;
  LeaderElector& operator=(const LeaderElector&) = delete;

  void start();
  // Stops leading, then clears the lease if it is ours, so that the next need not wait for it to
  // expire. Requires that nothing that was begun as leader is still under way. `done` is called
  // once, after at most the renew deadline.
  void release(std::function<void()> done);

  // To be asked right before everything that only a leader may do: the clock is looked at, since a
  // process may have stalled anywhere.
  bool may_act() const { return election_.may_act(clock_()); }
  // For health and messages.
  const Election& election() const { return election_; }
  // How long ago the last successful renewal was sent; empty before the first.
  std::optional<Millis> since_renewal() const;

 private:
  void step(const std::function<void(Moment)>& input);
  void send_due();
  void arm();
  // Tells the handlers what has changed since they were last told.
  void announce();

  net::Loop& loop_;
  Send send_;
  Handlers handlers_;
  Clock clock_;
  Election election_;
  net::Timer timer_;
  bool leads_ = false;  // as announced
  std::string trouble_;
  std::function<void()> released_;
  // Gone with the elector: an answer that comes later finds nobody.
  std::shared_ptr<LeaderElector*> self_;
};

}  // namespace tutti::kube
