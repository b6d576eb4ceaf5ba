#include "kube/lease/leader_election.h"

#include <algorithm>
#include <ctime>
#include <utility>

#include "base/check.h"

namespace tutti::kube {

Moment since_boot() {
  timespec time{};
  TUTTI_CHECK(clock_gettime(CLOCK_BOOTTIME, &time) == 0);
  const auto span = std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  return Moment(std::chrono::duration_cast<Millis>(span));
}

LeaderElector::LeaderElector(net::Loop& loop, ApiClient& client, ElectionConfig config,
                             std::uint64_t seed, Handlers handlers)
    : LeaderElector(
          loop,
          [&client](Call call, AnswerHandler handler) {
            client.call(std::move(call), std::move(handler));
          },
          std::move(config), seed, std::move(handlers), since_boot) {}

LeaderElector::LeaderElector(net::Loop& loop, Send send, ElectionConfig config, std::uint64_t seed,
                             Handlers handlers, Clock clock)
    : loop_(loop),
      send_(std::move(send)),
      handlers_(std::move(handlers)),
      clock_(std::move(clock)),
      election_(std::move(config), seed),
      self_(std::make_shared<LeaderElector*>(this)) {}

LeaderElector::~LeaderElector() = default;

void LeaderElector::start() {
  step([](Moment) {});
}

void LeaderElector::release(std::function<void()> done) {
  released_ = std::move(done);
  step([this](Moment now) { election_.release(now); });
}

std::optional<Millis> LeaderElector::since_renewal() const {
  if (!election_.renewed()) return std::nullopt;
  return clock_() - *election_.renewed();
}

void LeaderElector::step(const std::function<void(Moment)>& input) {
  // Leadership that ran out unnoticed is announced as such even if the input brings it back.
  election_.expire(clock_());
  announce();
  input(clock_());
  send_due();
  arm();
  announce();
}

void LeaderElector::send_due() {
  auto call = election_.next_request(clock_(), loop_.now());
  if (!call) return;
  send_(*std::move(call), [self = std::weak_ptr(self_)](const Answer& answer) {
    if (const auto alive = self.lock()) {
      LeaderElector& elector = **alive;
      elector.step([&](Moment now) { elector.election_.answered(answer, now); });
    }
  });
}

void LeaderElector::arm() {
  const auto wakeup = election_.next_wakeup();
  if (!wakeup) return timer_.cancel();
  const Millis delay = std::max(Millis(0), *wakeup - clock_());
  timer_ = loop_.after(delay, [this] { step([](Moment) {}); });
}

void LeaderElector::announce() {
  if (trouble_ != election_.trouble()) {
    trouble_ = election_.trouble();
    if (!trouble_.empty() && handlers_.trouble) handlers_.trouble(trouble_);
  }
  const bool leads = election_.role() == Election::Role::leader;
  if (leads != std::exchange(leads_, leads)) {
    const auto& handler = leads ? handlers_.started : handlers_.stopped;
    if (handler) handler();
  }
  if (election_.role() == Election::Role::released && released_) std::exchange(released_, {})();
}

}  // namespace tutti::kube
