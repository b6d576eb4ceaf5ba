// An exchange is one call from the moment it is made to its answer:
//
//   waiting ──a slot is free──> credentials ──> with the server ──> answered
//      ^                                              │
//      └────────── backoff timer, slot given back <───┘ transient failure, repeats left
//
// Every callback finds its exchange by id, so a cancelled one is simply not there any more.
#include "kube/client/api_client.h"

#include <chrono>
#include <deque>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kube/access/credentials.h"
#include "kube/client/backoff.h"
#include "kube/client/failure.h"

namespace tutti::kube {
namespace {

// Bookmarks come about once a minute, so a watch that is silent for this long has lost its server.
constexpr Millis kWatchSilenceMax{150'000};
// How often clients of an outdated endpoint are looked at.
constexpr Millis kRetiredCheck{5'000};

struct Exchange {
  Call call;
  AnswerHandler answered;
  std::function<void()> opened;
  std::function<void(std::string_view)> data;  // set: a watch
  int repeats = 0;
  bool renewed = false;     // the credentials, after a 401
  bool holds_slot = false;  // counts among the calls in flight
  net::HttpClient* via = nullptr;
  net::RequestId request = 0;  // valid while via is set
  std::chrono::steady_clock::time_point sent;
  net::Timer timer;

  bool is_watch() const { return static_cast<bool>(data); }
};

net::Request request_of(const Exchange& exchange, std::string authorization,
                        const std::string& user_agent) {
  net::Request request;
  request.method = exchange.call.method;
  request.path = exchange.call.path;
  request.body = exchange.call.body;
  request.timeout = exchange.is_watch() ? Millis{0} : exchange.call.timeout;
  request.headers.reserve(4);
  request.headers.emplace_back("Accept", "application/json");
  request.headers.emplace_back("User-Agent", user_agent);
  if (!request.body.empty()) {
    request.headers.emplace_back("Content-Type", exchange.call.content_type);
  }
  if (!authorization.empty()) {
    request.headers.emplace_back("Authorization", std::move(authorization));
  }
  return request;
}

}  // namespace

struct ApiClient::Impl {
  Impl(net::Loop& the_loop, Access access, Options the_options)
      : loop(the_loop),
        options(std::move(the_options)),
        random(options.seed),
        pace(options.pace),
        credentials(the_loop, std::move(access)) {}

  net::RequestId add(Exchange exchange) {
    const net::RequestId id = ++last_id;
    exchanges.emplace(id, std::move(exchange));
    enter(id);
    return id;
  }

  Exchange* find(net::RequestId id) {
    const auto entry = exchanges.find(id);
    return entry != exchanges.end() ? &entry->second : nullptr;
  }

  // Sends, or waits for a slot.
  void enter(net::RequestId id) {
    const Exchange& exchange = exchanges.at(id);
    if (exchange.is_watch() || exchange.call.urgent) return authorize(id);
    waiting.push_back(id);
    send_waiting();
  }

  void send_waiting() {
    while (in_flight < kCallsInFlightMax && !waiting.empty()) {
      const net::RequestId id = waiting.front();
      Exchange* exchange = find(id);
      if (exchange != nullptr && !keeps_pace()) return;
      waiting.pop_front();
      if (exchange == nullptr) continue;
      exchange->holds_slot = true;
      ++in_flight;
      authorize(id);
    }
  }

  // False: the next call may go later, and will.
  bool keeps_pace() {
    const auto wait = pace.take(RateLimiter::Clock::now());
    if (wait.count() == 0) return true;
    pace_timer = loop.after(std::chrono::ceil<Millis>(wait), [this] { send_waiting(); });
    return false;
  }

  void authorize(net::RequestId id) {
    credentials.header([this, id](Result<std::string> header) {
      Exchange* exchange = find(id);
      if (exchange == nullptr) return;
      if (header.ok()) return send(id, *exchange, *std::move(header));
      // The answer must not come from inside the call that asks for it.
      Answer answer = no_answer(std::move(header).error().within("credentials"));
      exchange->timer = loop.after(Millis{0}, [this, id, answer = std::move(answer)]() mutable {
        take(id, std::move(answer));
      });
    });
  }

  void send(net::RequestId id, Exchange& exchange, std::string authorization) {
    net::Request request = request_of(exchange, std::move(authorization), options.user_agent);
    exchange.via = &client();
    exchange.sent = std::chrono::steady_clock::now();
    const auto ended = [this, id](Result<net::Response> response) {
      take(id, response.ok() ? answer_of(*std::move(response))
                             : no_answer(std::move(response).error()));
    };
    if (!exchange.is_watch()) {
      exchange.request = exchange.via->send(std::move(request), ended);
      return;
    }
    exchange.request = exchange.via->stream(
        std::move(request), {.opened = exchange.opened, .data = exchange.data, .ended = ended});
  }

  // The HTTP client of the endpoint as it is now. One whose certificate was replaced serves what it
  // has begun and then goes.
  net::HttpClient& client() {
    const std::uint64_t revision = credentials.endpoint_revision();
    if (http != nullptr && http_revision == revision) return *http;
    if (http != nullptr) {
      retired.push_back(std::move(http));
      check_retired();
    }
    http = std::make_unique<net::HttpClient>(loop, credentials.endpoint(), kWatchSilenceMax);
    http_revision = revision;
    return *http;
  }

  // Never from inside a handler of the client that goes.
  void check_retired() {
    retired_timer = loop.after(kRetiredCheck, [this] {
      std::erase_if(retired, [](const auto& client) { return client->in_flight() == 0; });
      if (!retired.empty()) check_retired();
    });
  }

  // An answer came: it counts, or the exchange goes on.
  void take(net::RequestId id, Answer answer) {
    Exchange* exchange = find(id);
    if (exchange == nullptr) return;
    if (std::exchange(exchange->via, nullptr) != nullptr) count(*exchange, answer.status);
    if (answer.status == 401 && !exchange->renewed) {
      exchange->renewed = true;
      credentials.rejected();
      return authorize(id);
    }
    if (answer.transient() && exchange->repeats < exchange->call.retries_max) {
      return repeat_later(id, *exchange, answer.retry_after);
    }
    finish(id, std::move(answer));
  }

  void count(const Exchange& exchange, int status) const {
    if (!options.request_ended) return;
    const auto took = std::chrono::steady_clock::now() - exchange.sent;
    options.request_ended(exchange.call.method, status, std::chrono::duration_cast<Millis>(took));
  }

  void repeat_later(net::RequestId id, Exchange& exchange, std::optional<Millis> retry_after) {
    ++exchange.repeats;
    give_back_slot(exchange);
    exchange.timer =
        loop.after(backoff(random, exchange.repeats, retry_after), [this, id] { enter(id); });
    send_waiting();
  }

  void give_back_slot(Exchange& exchange) {
    if (exchange.holds_slot) --in_flight;
    exchange.holds_slot = false;
  }

  void finish(net::RequestId id, Answer answer) {
    auto node = exchanges.extract(id);
    give_back_slot(node.mapped());
    send_waiting();
    node.mapped().answered(std::move(answer));
  }

  void cancel(net::RequestId id) {
    auto node = exchanges.extract(id);
    if (node.empty()) return;
    Exchange& exchange = node.mapped();
    if (exchange.via != nullptr) exchange.via->cancel(exchange.request);
    give_back_slot(exchange);
    send_waiting();
  }

  net::Loop& loop;
  Options options;
  Random random;
  RateLimiter pace;
  net::Timer pace_timer;
  std::unordered_map<net::RequestId, Exchange> exchanges;
  std::deque<net::RequestId> waiting;  // for a slot; ids of cancelled ones are skipped
  std::size_t in_flight = 0;
  net::RequestId last_id = 0;

  std::uint64_t http_revision = 0;
  std::unique_ptr<net::HttpClient> http;
  std::vector<std::unique_ptr<net::HttpClient>> retired;
  net::Timer retired_timer;
  Credentials credentials;
};

ApiClient::ApiClient(net::Loop& loop, Access access, Options options)
    : impl_(std::make_unique<Impl>(loop, std::move(access), std::move(options))) {}
ApiClient::~ApiClient() = default;

net::RequestId ApiClient::call(Call call, AnswerHandler handler) {
  Exchange exchange;
  exchange.call = std::move(call);
  exchange.answered = std::move(handler);
  return impl_->add(std::move(exchange));
}

net::RequestId ApiClient::watch(std::string path, WatchHandlers handlers) {
  TUTTI_CHECK(handlers.data);
  Exchange exchange;
  exchange.call.path = std::move(path);
  exchange.answered = std::move(handlers.ended);
  exchange.opened = std::move(handlers.opened);
  exchange.data = std::move(handlers.data);
  return impl_->add(std::move(exchange));
}

void ApiClient::cancel(net::RequestId id) { impl_->cancel(id); }
std::size_t ApiClient::open_calls() const { return impl_->exchanges.size(); }
Random& ApiClient::random() { return impl_->random; }

}  // namespace tutti::kube
