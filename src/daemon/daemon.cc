#include "daemon/daemon.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "answers/origins.h"
#include "daemon/decision_meter.h"
#include "daemon/health.h"
#include "daemon/scheduling_loop.h"
#include "daemon/verdict_answers.h"
#include "daemon/watch/filled_in.h"
#include "daemon/watch/watched_resources.h"
#include "daemon/writes/cluster_writer.h"
#include "daemon/writes/verdict_writer.h"
#include "explain/findings/verdict_cache.h"
#include "explain/untracked_members.h"
#include "grouping/memory_groups.h"
#include "kube/client/api_client.h"
#include "kube/client/discovery.h"
#include "kube/client/feature_gates.h"
#include "kube/client/served_resources.h"
#include "kube/lease/leader_election.h"
#include "kube/watch/reflector.h"
#include "net/http_server.h"
#include "net/loop.h"
#include "telemetry/metrics.h"
#include "telemetry/process_figures.h"
#include "whatif/ways.h"

namespace tutti::daemon {
namespace {

// How long bindings under way may take to end when we are told to stop.
constexpr Millis kFarewell = std::chrono::seconds(20);
constexpr Millis kFarewellStep = std::chrono::milliseconds(50);
constexpr Millis kDiscoveryRetry = std::chrono::seconds(2);
constexpr Millis kLagPeriod = std::chrono::seconds(1);
// Refusals are put into words for about so long at a time, and while there is more to decide for a
// twentieth of the time.
constexpr auto kTelling = std::chrono::milliseconds(2);
constexpr int kDecidingShare = 20;
constexpr Millis kHeldPeriod = std::chrono::seconds(5);
// Pods are looked at when their owners are known, or after so long: pods of an owner that cannot be
// read are held, others must not wait for it.
constexpr Millis kOwnersPatience = std::chrono::seconds(15);

// Somebody waits for the answer at a terminal.
constexpr Millis kInquiryPatience{5'000};

// The wall clock of the start, moved on by a clock that never jumps: the scheduler compares times.
class SteadyWallClock {
 public:
  explicit SteadyWallClock(Instant wall) : wall_(wall) {}
  Instant now() const {
    return wall_ + std::chrono::duration_cast<Millis>(std::chrono::steady_clock::now() - steady_);
  }

 private:
  Instant wall_;
  std::chrono::steady_clock::time_point steady_ = std::chrono::steady_clock::now();
};

core::SchedulerOptions scheduler_options(core::SchedulerConfig config) {
  core::SchedulerOptions options;
  options.config = std::move(config);
  options.sole_scheduler = false;
  options.record_intents = true;
  return options;
}

core::Observation observation(const kube::Change& change) {
  using Type = core::Observation::Type;
  switch (change.type) {
    case kube::Change::Type::added:
      return {Type::added, as_written(change.object), false};
    case kube::Change::Type::modified:
      return {Type::modified, as_written(change.object), false};
    case kube::Change::Type::deleted:
      break;
  }
  return {Type::deleted, change.object, false};
}

std::string host_of(const std::string& url) {
  const std::size_t scheme = url.find("://");
  const std::size_t begin = scheme == std::string::npos ? 0 : scheme + 3;
  return url.substr(begin, url.find('/', begin) - begin);
}

telemetry::PendingPods pending_pods(const core::Scheduler& scheduler) {
  const core::Queue::Census census = scheduler.waiting();
  return {.active = census.active,
          .backoff = census.backing_off,
          .unschedulable = census.parked,
          .gated = census.gated,
          .incomplete = census.incomplete};
}

telemetry::CacheSize cache_size(const core::Cluster& cluster) {
  telemetry::CacheSize size;
  size.nodes = cluster.nodes().count();
  for (std::uint32_t slot = 0; slot < cluster.pods().slots(); ++slot) {
    const core::PodEntry& pod = cluster.pod(core::PodId{slot});
    if (pod.object == nullptr || !pod.node.valid()) continue;
    ++size.pods;
    size.assumed_pods += pod.assumed ? 1 : 0;
  }
  return size;
}

// The parts of one daemon, wired. See daemon.h for the picture.
class Daemon {
 public:
  Daemon(DaemonOptions options, telemetry::Log& log)
      : log_(log),
        clock_(loop_.now()),
        server_url_(options.access.endpoint.url),
        bind_address_(options.bind_address),
        port_(options.port),
        explain_to_all_(options.explain_to_all),
        group_in_memory_(options.group_in_memory),
        instance_(options.instance),
        election_config_(options.election),
        metrics_({options.version, options.election ? options.election->name : std::string(),
                  host_of(server_url_)}),
        meter_(metrics_, log),
        client_(loop_, std::move(options.access),
                {fmt::format("tutti/{}", options.version), options.seed, options.pace,
                 [this](std::string_view method, int status, Millis took) {
                   metrics_.request_finished(method, status, took);
                 }}),
        seed_(options.seed),
        config_(std::move(options.config)),
        profiles_(std::move(options.profiles)) {}

  Status run() {
    TUTTI_ASSIGN(server_,
                 net::HttpServer::listen_patiently(
                     loop_, bind_address_, port_,
                     [this](const net::ServerRequest& request, net::HttpServer::Reply reply) {
                       answer(request, std::move(reply));
                     }));
    log_.info("listening", {{"address", fmt::format("{}:{}", bind_address_, server_->port())},
                            {"server", server_url_}});
    loop_.on_stop_signal([this] { say_goodbye(); });
    measure_lag(clock_.now());
    discover();
    loop_.run();
    return std::move(ending_);
  }

 private:
  // --- beginning ---------------------------------------------------------------------------------

  void discover() {
    kube::discover(client_, [this](const Result<kube::Served>& served) {
      if (!served.ok()) return discover_again(served.error());
      if (group_in_memory_ == GroupInMemory::never) return begin(*served, {}, {});
      find_owners(*served);
    });
  }

  void find_owners(const kube::Served& served) {
    kube::find_offers(
        client_, owner_resources(), [this, served](const Result<std::vector<kube::Offer>>& offers) {
          if (!offers.ok()) return discover_again(offers.error());
          if (served.pod_groups.empty()) return begin(served, {}, *offers);
          kube::read_feature_gates(client_, [this, served, found = *offers](auto gates) {
            begin(served, gates, found);
          });
        });
  }

  void discover_again(const Error& error) {
    discovery_trouble(error.message);
    timer_ = loop_.after(kDiscoveryRetry, [this] { discover(); });
  }

  void discovery_trouble(const std::string& message) {
    if (std::exchange(discovery_trouble_, message) == message) return;
    log_.error("cannot talk to the API server; trying on", {{"why", message}});
  }

  void begin(const kube::Served& served, const std::optional<kube::FeatureGates>& gates,
             const std::vector<kube::Offer>& offers) {
    discovery_trouble_.clear();
    group_versions_ = {served.pod_groups, served.composite_pod_groups};
    log_.info("found the API server",
              {{"version", served.git_version},
               {"podGroups", served.pod_groups.empty() ? "not served" : served.pod_groups},
               {"compositePodGroups",
                served.composite_pod_groups.empty() ? "not served" : served.composite_pod_groups}});
    writer_ = std::make_unique<ClusterWriter>(
        loop_, client_,
        ClusterWriter::Options{
            instance_, served.pod_groups, served.composite_pod_groups, served.resource_claims,
            [this](const model::ObjectKey& group) { return memory_groups_->carrier(group); }},
        writer_handlers());
    narrator_ = std::make_unique<VerdictWriter>(*writer_, narrator_handlers());
    scheduler_ = std::make_unique<core::Scheduler>(scheduler_options(std::move(config_)),
                                                   std::move(profiles_), *narrator_, &meter_);
    verdict_memory_ = std::make_unique<explain::VerdictCache>(scheduler_->cluster());
    pump_ = std::make_unique<SchedulingLoop>(loop_, *scheduler_, pump_handlers());
    GroupSources sources = group_sources(group_in_memory_, served, gates, offers);
    for (const auto& [what, why] : sources.lines) log_.info(what, {{"why", why}});
    start_grouping(sources);
    for (kube::Resource& resource : sources.resources) watch(std::move(resource), true);
    for (kube::Resource& resource : watched_resources(served)) watch(std::move(resource), false);
    owners_timer_ =
        loop_.after(kOwnersPatience, [this] { watch_pods("some owners cannot be read"); });
    watch_pods_when_owners_are_known();
    if (election_config_) {
      elector_ = std::make_unique<kube::LeaderElector>(loop_, client_, *election_config_, seed_,
                                                       elector_handlers());
      elector_->start();
    }
  }

  ClusterWriter::Handlers writer_handlers() {
    ClusterWriter::Handlers handlers;
    handlers.bound = [this](const core::PodReference& pod, const Status& outcome, Millis took) {
      bound(pod, outcome, took);
    };
    handlers.may_write = [this] { return may_act(); };
    handlers.trouble = [this](const std::string& line) { log_.warning(line); };
    handlers.event_dropped = [this] { metrics_.event_dropped(); };
    handlers.drained = [this] { pump_->wake(); };
    return handlers;
  }

  VerdictWriter::Handlers narrator_handlers() {
    VerdictWriter::Handlers handlers;
    handlers.sources = [this] { return sources(); };
    handlers.now = [this] { return clock_.now(); };
    handlers.has_news = [this] { tell_later(); };
    return handlers;
  }

  SchedulingLoop::Handlers pump_handlers() {
    SchedulingLoop::Handlers handlers;
    handlers.now = [this] { return clock_.now(); };
    handlers.about_to_decide = [this] { meter_.begin(); };
    handlers.congested = [this] { return writer_->congested(); };
    handlers.worked = [this](telemetry::Seconds busy) { metrics_.loop_ran(busy); };
    return handlers;
  }

  kube::LeaderElector::Handlers elector_handlers() {
    kube::LeaderElector::Handlers handlers;
    handlers.started = [this] {
      log_.info("leading", {{"identity", election_config_->identity}});
      metrics_.set_leading(true);
      start_when_ready();
    };
    handlers.stopped = [this] {
      metrics_.set_leading(false);
      if (stopping_) return end(ok_status());  // what is left is the next leader's
      end(Error{Error::Code::unavailable, "lost the lease: another replica may lead now"});
    };
    handlers.trouble = [this](const std::string& line) { log_.warning(line); };
    return handlers;
  }

  void start_grouping(const GroupSources& sources) {
    grouping::MemoryGroups::Options options;
    options.ours = [this](const model::Pod& pod) {
      return scheduler_->profile_for(pod) != nullptr;
    };
    options.watched = sources.watched;
    options.left_alone = sources.left_alone;
    memory_groups_ = std::make_unique<grouping::MemoryGroups>(
        std::move(options), [this](const core::Observation& shown) {
          scheduler_->observe(shown, clock_.now());
          count_absentee(shown);
        });
  }

  void observe(const core::Observation& seen) {
    if (group_in_memory_ != GroupInMemory::never) return memory_groups_->observe(seen);
    scheduler_->observe(seen, clock_.now());
    count_absentee(seen);
  }

  // Watches of pods are started last: see watch_pods_when_owners_are_known().
  void watch(kube::Resource resource, bool of_owners) {
    const std::string plural = resource.plural;
    const bool of_pods = resource.kind == model::Kind::pod;
    kube::Reflector::Handlers handlers;
    handlers.changed = [this](const kube::Change& change) {
      observe(observation(change));
      pump_->wake();
    };
    handlers.synced = [this, plural] {
      log_.debug("synced", {{"resource", plural}});
      watch_pods_when_owners_are_known();
      start_when_ready();
    };
    handlers.trouble = [this, plural](const std::string& line) {
      metrics_.watch_restarted(plural);
      log_.warning(line, {{"resource", plural}});
    };
    reflectors_.push_back({plural,
                           std::make_unique<kube::Reflector>(loop_, client_, std::move(resource),
                                                             std::move(handlers)),
                           of_owners});
    if (!of_pods) return reflectors_.back().reflector->start();
    pods_ = reflectors_.back().reflector.get();
  }

  void watch_pods_when_owners_are_known() {
    const bool known = std::ranges::all_of(reflectors_, [](const Watched& each) {
      return !each.of_owners || each.reflector->synced();
    });
    if (known && pods_ != nullptr) watch_pods({});
  }
  void watch_pods(std::string_view trouble) {
    owners_timer_.cancel();
    if (pods_ == nullptr) return;
    if (!trouble.empty()) log_.warning("their pods are held", {{"why", std::string(trouble)}});
    std::exchange(pods_, nullptr)->start();
  }

  // Owners are no part of it: what they say is of their own pods only.
  bool synced() const {
    return scheduler_ != nullptr && std::ranges::all_of(reflectors_, [](const Watched& each) {
             return each.of_owners || each.reflector->synced();
           });
  }
  bool may_act() const { return !election_config_ || (elector_ && elector_->may_act()); }

  void start_when_ready() {
    if (started_ || stopping_ || !synced() || !may_act()) return;
    started_ = true;
    log_.info("scheduling", {{"nodes", std::to_string(scheduler_->cluster().nodes().count())},
                             {"pods", std::to_string(scheduler_->cluster().pods().slots())}});
    scheduler_->take_over(clock_.now());
    pump_->start();
    tell_of_held();
  }

  // --- in the middle -----------------------------------------------------------------------------

  void count_absentee(const core::Observation& seen) {
    if (seen.object->kind != model::Kind::pod) return;
    const auto& pod = model::as<model::Pod>(*seen.object);
    seen.type == core::Observation::Type::deleted ? absentees_.forget(pod)
                                                  : absentees_.observe(pod);
  }

  void bound(const core::PodReference& pod, const Status& outcome, Millis took) {
    using telemetry::BindingResult;
    auto result = BindingResult::bound;
    if (!outcome.ok()) {
      result = outcome.error().code == Error::Code::conflict ? BindingResult::conflict
                                                             : BindingResult::failed;
    }
    metrics_.binding_finished(result, took);
    scheduler_->bind_finished(pod, outcome, clock_.now());
  }

  void tell_later() {
    const auto due = narrator_->next_due();
    if (!due) return;
    const Millis least = pump_->busy() ? told_for_ * kDecidingShare : Millis{1};
    const Instant at = std::max(*due, clock_.now() + least);
    if (tell_timer_.pending() && tell_at_ <= at) return;
    tell_at_ = at;
    tell_timer_ = loop_.after(at - clock_.now(), [this] { tell(); });
  }

  void tell() {
    if (stopping_) return;
    const auto begin = std::chrono::steady_clock::now();
    const auto spent = [&] { return std::chrono::steady_clock::now() - begin; };
    while (narrator_->tell_next() && spent() < kTelling) continue;
    told_for_ = std::chrono::ceil<Millis>(spent());
    tell_later();
  }

  void tell_of_held() {
    if (stopping_) return;
    narrator_->tell_of_held();
    held_timer_ = loop_.after(kHeldPeriod, [this] { tell_of_held(); });
  }

  // --- the end -----------------------------------------------------------------------------------

  // What was decided is carried out, so that nobody inherits half a gang.
  void say_goodbye() {
    if (stopping_) return loop_.stop();  // told twice: now
    stopping_ = true;
    log_.info("stopping", {{"bindings", std::to_string(writer_ ? writer_->bindings_open() : 0)}});
    if (pump_) pump_->stop();
    farewell_until_ = clock_.now() + kFarewell;
    finish_writing();
  }

  void finish_writing() {
    if (writer_ && started_ && !writer_->idle() && clock_.now() < farewell_until_) {
      timer_ = loop_.after(kFarewellStep, [this] { finish_writing(); });
      return;
    }
    // With a binding still under way the lease is left to expire: a successor that began at once
    // could decide before that binding is there to be seen.
    const bool settled = !writer_ || writer_->bindings_open() == 0;
    if (!elector_ || !settled) return end(ok_status());
    elector_->release([this] { end(ok_status()); });
  }

  void end(Status how) {
    ending_ = std::move(how);
    loop_.stop();
  }

  // --- questions ---------------------------------------------------------------------------------

  void answer(const net::ServerRequest& request, net::HttpServer::Reply reply) {
    if (!asks_for_verdicts(request)) {
      return reply(daemon::answer(request, health(), [this] { return metrics_text(); }));
    }
    net::ServerResponse response = answer_verdicts(request, {!explain_to_all_, why_no_verdicts()},
                                                   [this] { return knowledge(); });
    const auto job = unknown_job(request, response);
    if (!job) return reply(std::move(response));
    const auto get = [this](std::string path, kube::AnswerHandler handler) {
      client_.call({.path = std::move(path), .timeout = kInquiryPatience}, std::move(handler));
    };
    inquire_job(
        get, job->ns, job->name,
        [job = *job, response = std::move(response), reply = std::move(reply)](
            const JobFinding& finding) { reply(answer_unknown_job(job, finding, response)); });
  }

  explain::Sources sources() const {
    explain::Sources sources = explain::sources_of(*scheduler_);
    sources.absent = [this](const core::Group& group) {
      return absentees_.of(group.ns, group.name);
    };
    sources.memory = verdict_memory_.get();
    return sources;
  }

  whatif::Neighbours neighbours() const {
    whatif::Neighbours neighbours;
    // Sets of replicas are watched, of all that makes pods.
    neighbours.maker = [this](const model::ObjectKey& key) -> model::ObjectPtr {
      const auto& known = scheduler_->cluster().objects(key.kind);
      const auto at = known.find(key);
      return at != known.end() ? at->second : nullptr;
    };
    neighbours.origin = [this](const core::Group& group) {
      return answers::origin_of(*memory_groups_, group);
    };
    neighbours.versions = group_versions_;
    return neighbours;
  }

  Knowledge knowledge() {
    return {sources(),
            [this](const whatif::Asker& asker) {
              return whatif::find_ways(*scheduler_, clock_.now(), asker, neighbours());
            },
            [this](const whatif::Asker& asker) {
              return whatif::find_evictions(*scheduler_, clock_.now(), asker);
            }};
  }

  // Who has not tried anything cannot say why it waits.
  std::string why_no_verdicts() const {
    if (started_) return {};
    if (!synced()) return "the scheduler does not know the cluster yet: try again shortly";
    if (!elector_) return "the scheduler is not at work";
    const std::string& leader = elector_->election().holder();
    return fmt::format("this replica stands by; the one that leads is {}",
                       leader.empty() ? "not chosen yet" : leader);
  }

  Health health() const {
    Health now;
    for (const Watched& each : reflectors_) {
      if (each.of_owners) continue;
      now.watches.push_back({each.plural, each.reflector->synced(),
                             each.reflector->healthy(loop_.now()), each.reflector->trouble()});
    }
    if (reflectors_.empty()) now.watches.push_back({"discovery", false, false, discovery_trouble_});
    now.loop_lag = lag_;
    now.leading = elector_ && elector_->election().role() == kube::Election::Role::leader;
    if (elector_) now.since_renewal = elector_->since_renewal();
    if (election_config_) now.lease_duration = election_config_->lease_duration;
    now.stopping = stopping_;
    return now;
  }

  std::string metrics_text() {
    metrics_.set_bindings_in_flight(writer_ ? writer_->bindings_open() : 0);
    if (scheduler_) {
      metrics_.set_pending(pending_pods(*scheduler_));
      metrics_.set_cache_size(cache_size(scheduler_->cluster()));
    }
    const auto process = telemetry::read_process_figures();
    return metrics_.text(process.ok() ? std::optional(*process) : std::nullopt);
  }

  // How late the loop comes to what is due tells how long its turns are.
  void measure_lag(Instant due) {
    lag_ = std::max(Millis{0}, clock_.now() - due);
    lag_timer_ =
        loop_.after(kLagPeriod, [this, next = clock_.now() + kLagPeriod] { measure_lag(next); });
  }

  struct Watched {
    std::string plural;
    std::unique_ptr<kube::Reflector> reflector;
    bool of_owners = false;  // read for grouping only
  };

  telemetry::Log& log_;
  net::Loop loop_;
  SteadyWallClock clock_;
  std::string server_url_;
  std::string bind_address_;
  std::uint16_t port_;
  bool explain_to_all_;
  GroupInMemory group_in_memory_;
  std::string instance_;
  std::optional<kube::ElectionConfig> election_config_;
  telemetry::SchedulerMetrics metrics_;
  DecisionMeter meter_;
  kube::ApiClient client_;
  std::uint64_t seed_;
  core::SchedulerConfig config_;
  std::vector<core::Profile> profiles_;
  std::unique_ptr<net::HttpServer> server_;
  std::unique_ptr<ClusterWriter> writer_;
  std::unique_ptr<VerdictWriter> narrator_;
  std::unique_ptr<core::Scheduler> scheduler_;
  std::unique_ptr<explain::VerdictCache> verdict_memory_;  // of the scheduler's cluster
  explain::UntrackedMembers absentees_{[this](const model::Pod& pod) {
    return pod.node_name.empty() && scheduler_->profile_for(pod) == nullptr;
  }};
  std::unique_ptr<SchedulingLoop> pump_;
  std::unique_ptr<grouping::MemoryGroups> memory_groups_;
  whatif::GroupVersions group_versions_;  // that the API server serves
  std::vector<Watched> reflectors_;
  kube::Reflector* pods_ = nullptr;  // until it is started
  net::Timer owners_timer_;
  std::unique_ptr<kube::LeaderElector> elector_;
  net::Timer timer_;  // of the beginning or the end
  net::Timer lag_timer_;
  net::Timer tell_timer_;
  Instant tell_at_;     // of tell_timer_
  Millis told_for_{1};  // the last time
  net::Timer held_timer_;
  Millis lag_{0};
  std::string discovery_trouble_;
  bool started_ = false;
  bool stopping_ = false;
  Instant farewell_until_;
  Status ending_ = ok_status();
};

}  // namespace

Status run_daemon(DaemonOptions options, telemetry::Log& log) {
  return Daemon(std::move(options), log).run();
}

}  // namespace tutti::daemon
