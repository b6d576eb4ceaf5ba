// Several elections against one simulated lease, with requests that are slow, lost, or arrive long
// after their sender gave up; with processes that stall, crash and stop in order. Their clocks run
// equally fast and agree on nothing else.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/random.h"
#include "kube/lease/election.h"
#include "kube/testing/fake_lease.h"

namespace tutti::kube {
namespace {

constexpr Millis kChaos = std::chrono::seconds(240);
// Enough for a request still under way, an expiry after it, and a look at the expired lease.
constexpr Millis kCalm = std::chrono::seconds(90);
constexpr Millis kSlowest = std::chrono::seconds(30);

struct Replica {
  std::unique_ptr<Election> election;
  Millis clock_offset{0};
  Millis stalled_until{0};
  std::uint64_t life = 0;    // which run of the process
  std::uint64_t flight = 0;  // which of its requests
  std::uint64_t wakeup = 0;  // which of its wakeups; only the last one counts
};

class Simulation {
 public:
  Simulation(std::uint64_t seed, std::size_t replicas) : random_(seed), replicas_(replicas) {
    for (Replica& replica : replicas_) {
      replica.clock_offset = up_to(Millis(1'000'000'000));
      begin(replica);
    }
    at(up_to(Millis(20'000)), [this] { disturb(); });
  }

  void run() {
    while (!events_.empty() && events_.top().when <= kChaos + kCalm) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.when;
      event.run();
      check_safety();
    }
    now_ = kChaos + kCalm;
  }

  std::size_t acting() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        replicas_, [this](const Replica& r) { return r.election->may_act(moment(r)); }));
  }
  bool ever_two() const { return ever_two_; }
  std::size_t terms() const { return terms_; }

 private:
  struct Event {
    Millis when;
    std::uint64_t order;
    std::function<void()> run;
    bool operator<(const Event& other) const {
      return std::tie(other.when, other.order) < std::tie(when, order);
    }
  };

  bool chaos() const { return now_ < kChaos; }
  bool chance(std::uint64_t percent) { return random_.below(100) < percent; }
  Millis up_to(Millis most) {
    return Millis(
        static_cast<Millis::rep>(random_.below(static_cast<std::uint64_t>(most.count()) + 1)));
  }
  Millis delay() { return chaos() && chance(15) ? up_to(kSlowest) : up_to(Millis(40)); }
  Moment moment(const Replica& replica) const { return Moment(now_ + replica.clock_offset); }

  void at(Millis when, std::function<void()> run) {
    events_.push({when, order_++, std::move(run)});
  }

  void begin(Replica& replica) {
    ++replica.life;
    ElectionConfig config{.ns = "ns", .name = "lease", .identity = {}};
    config.identity = "replica-" + std::to_string(identities_++);
    replica.election = std::make_unique<Election>(config, random_.next());
    pump(replica);
  }

  // Gives a replica an input, later if it stalls now, never if it crashed before.
  void input(Replica& replica, std::uint64_t life, const std::function<void(Replica&)>& give) {
    if (replica.life != life) return;
    if (now_ < replica.stalled_until) {
      return at(replica.stalled_until,
                [this, &replica, life, give] { input(replica, life, give); });
    }
    const bool led = replica.election->may_act(moment(replica));
    give(replica);
    if (!led && replica.election->may_act(moment(replica))) ++terms_;
    pump(replica);
  }

  void pump(Replica& replica) {
    if (const auto call = replica.election->next_request(moment(replica), Instant(now_))) {
      send(replica, *call);
    }
    if (replica.election->role() == Election::Role::released) {
      const std::uint64_t life = ++replica.life;
      return at(now_ + up_to(Millis(5000)), [this, &replica, life] {
        if (replica.life == life) begin(replica);
      });
    }
    if (const auto wakeup = replica.election->next_wakeup()) {
      const Millis when =
          std::max(now_ + Millis(1), wakeup->time_since_epoch() - replica.clock_offset);
      at(when, [this, &replica, life = replica.life, wakeup_id = ++replica.wakeup] {
        if (replica.wakeup != wakeup_id) return;
        input(replica, life, [this](Replica& r) { r.election->expire(moment(r)); });
      });
    }
  }

  void send(Replica& replica, const Call& call) {
    const std::uint64_t life = replica.life;
    const std::uint64_t flight = ++replica.flight;
    at(now_ + call.timeout,
       [this, &replica, life, flight] { answer(replica, life, flight, Answer{}); });
    // The worst time to stall: what comes back is old when it is read.
    if (chaos() && chance(5)) replica.stalled_until = now_ + up_to(Millis(40'000));
    if (chaos() && chance(8)) return;  // never arrives
    at(now_ + delay(), [this, &replica, life, flight, call] {
      const Answer reply =
          chaos() && chance(5) ? unavailable() : lease_.apply(call.method, call.body);
      if (chaos() && chance(8)) return;  // the answer is lost
      at(now_ + delay(),
         [this, &replica, life, flight, reply] { answer(replica, life, flight, reply); });
    });
  }

  static Answer unavailable() {
    Answer answer;
    answer.status = 503;
    return answer;
  }

  void answer(Replica& replica, std::uint64_t life, std::uint64_t flight, const Answer& answer) {
    input(replica, life, [this, flight, answer](Replica& r) {
      if (r.flight != flight) return;  // answered or given up before
      ++r.flight;
      r.election->answered(answer, moment(r));
    });
  }

  void disturb() {
    if (!chaos()) return;
    Replica& replica = replicas_[random_.below(replicas_.size())];
    const std::uint64_t what = random_.below(4);
    if (what <= 1) replica.stalled_until = now_ + up_to(Millis(40'000));
    if (what == 2) begin(replica);
    if (what == 3) {
      input(replica, replica.life, [this](Replica& r) { r.election->release(moment(r)); });
    }
    at(now_ + up_to(Millis(20'000)), [this] { disturb(); });
  }

  void check_safety() { ever_two_ = ever_two_ || acting() > 1; }

  Random random_;
  FakeLease lease_;
  std::vector<Replica> replicas_;
  std::priority_queue<Event> events_;
  Millis now_{0};
  std::uint64_t order_ = 0;
  std::uint64_t identities_ = 0;
  bool ever_two_ = false;
  std::size_t terms_ = 0;
};

TEST(ElectionProperty, neverLetsTwoActAndAlwaysFindsALeaderInTheEnd) {
  std::size_t terms = 0;
  std::size_t runs = 0;
  const bool held = rc::check([&](std::uint64_t seed) {
    Simulation simulation(seed, 2 + seed % 2);
    simulation.run();
    RC_ASSERT(!simulation.ever_two());
    RC_ASSERT(simulation.acting() == 1U);
    terms += simulation.terms();
    ++runs;
  });
  EXPECT_TRUE(held);
  EXPECT_GT(terms, 4 * runs) << "the disturbances must make leadership change";
}

}  // namespace
}  // namespace tutti::kube
