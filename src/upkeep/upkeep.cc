#include "upkeep/upkeep.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <utility>

#include "controllers/queues/queue_controller.h"
#include "controllers/queues/work/queue_words.h"
#include "controllers/workloads/group_protection.h"
#include "controllers/workloads/stamping.h"
#include "daemon/health.h"
#include "daemon/kueue_inquiry.h"
#include "daemon/watch/queue_sources.h"
#include "kube/client/api_client.h"
#include "kube/client/discovery.h"
#include "kube/client/feature_gates.h"
#include "kube/client/served_resources.h"
#include "kube/lease/leader_election.h"
#include "kube/watch/reflector.h"
#include "model/pod.h"
#include "net/http_server.h"
#include "net/loop.h"
#include "upkeep/parts.h"
#include "upkeep/remote_cluster.h"

namespace tutti::upkeep {
namespace {

constexpr Millis kDiscoveryRetry = std::chrono::seconds(2);
constexpr Millis kNothingToDo = std::chrono::minutes(1);
constexpr Millis kLeasePeriod = std::chrono::seconds(5);
constexpr Millis kPatience = std::chrono::seconds(30);
constexpr Millis kLookAgain = std::chrono::seconds(10);
constexpr Millis kFarewell = std::chrono::seconds(10);
constexpr Millis kFarewellStep = std::chrono::milliseconds(50);

kube::Resource resource(model::Kind kind, std::string group_version) {
  kube::Resource made;
  made.kind = kind;
  made.group_version = std::move(group_version);
  made.plural = std::string(model::facts(kind).plural);
  return made;
}

// Other kinds whose work is suspended while it waits in a queue.
std::vector<kube::ResourceName> suspended_kinds() {
  return {{"kueue.x-k8s.io", "workloadpriorityclasses"},
          {"jobset.x-k8s.io", "jobsets"},
          {"ray.io", "rayclusters"},
          {"ray.io", "rayjobs"},
          {"kubeflow.org", "pytorchjobs"},
          {"kubeflow.org", "tfjobs"},
          {"kubeflow.org", "mpijobs"},
          {"kubeflow.org", "xgboostjobs"},
          {"kubeflow.org", "paddlejobs"}};
}

// What is read for queues beside their own kinds. `offers` in the order of suspended_kinds().
std::vector<kube::Resource> watched_for_queues(std::vector<kube::Resource> queues,
                                               const std::vector<kube::Offer>& offers) {
  std::vector<kube::Resource> all = {resource(model::Kind::priority_class, "scheduling.k8s.io/v1"),
                                     resource(model::Kind::ns, "v1")};
  for (kube::Resource& each : queues) {
    each.keep_documents = each.kind == model::Kind::admission_request;
    all.push_back(std::move(each));
  }
  const auto kinds = suspended_kinds();
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (!offers[i].readable) continue;
    const bool of_priority = i == 0;
    kube::Resource made =
        resource(of_priority ? model::Kind::workload_priority_class : model::Kind::other,
                 offers[i].group_version);
    made.plural = kinds[i].plural;
    made.keep_documents = !of_priority;
    all.push_back(std::move(made));
  }
  kube::Resource jobs = resource(model::Kind::job, "batch/v1");
  jobs.keep_documents = true;
  jobs.read_templates = true;
  all.push_back(std::move(jobs));
  return all;
}

controllers::QueueRules queue_rules(const core::QuotaConfig& config) {
  return {.holds_work_without_queue = config.manages_jobs_without_queue,
          .namespaces = config.managed_namespaces,
          .frameworks = config.frameworks,
          .reports_readiness = config.pods_ready.has_value()};
}

// What others refer to comes first.
std::vector<kube::Resource> watched(const kube::Served& served) {
  std::vector<kube::Resource> all;
  const auto add = [&](model::Kind kind, const std::string& version) {
    if (!version.empty()) all.push_back(resource(kind, version));
  };
  add(model::Kind::composite_pod_group, served.composite_pod_groups);
  add(model::Kind::pod_group, served.pod_groups);
  add(model::Kind::pod, "v1");
  all.back().field_selector = "status.phase!=Succeeded,status.phase!=Failed";
  // Groups that are there already are known when the first pods are looked at for a Workload.
  add(model::Kind::workload, served.workloads);
  return all;
}

// Pods that name no group, and are of no work that waited in a queue, say nothing here.
bool matters(const model::Object& object) {
  const auto* pod = model::try_as<model::Pod>(object);
  return pod == nullptr || !pod->spec->scheduling_group.empty() ||
         model::find(pod->meta.labels, controllers::kPodSetOfPod) != nullptr;
}

class Upkeep {
 public:
  Upkeep(UpkeepOptions options, telemetry::Log& log)
      : log_(log),
        options_(std::move(options)),
        client_(loop_, options_.access,
                {fmt::format("tutti-controllers/{}", options_.version), options_.seed, {}, {}}) {}

  Status run() {
    TUTTI_ASSIGN(server_, net::HttpServer::listen(loop_, options_.bind_address, options_.port,
                                                  [this](const net::ServerRequest& request) {
                                                    return daemon::answer(
                                                        request, health(),
                                                        [this] { return metrics_text(); });
                                                  }));
    log_.info("listening",
              {{"address", fmt::format("{}:{}", options_.bind_address, server_->port())},
               {"server", options_.access.endpoint.url}});
    loop_.on_stop_signal([this] { say_goodbye(); });
    discover();
    loop_.run();
    return std::move(ending_);
  }

 private:
  // --- beginning ---------------------------------------------------------------------------------

  void discover() {
    kube::discover(client_, [this](const Result<kube::Served>& served) {
      if (stopping_) return;
      if (!served.ok()) {
        if (std::exchange(trouble_, served.error().message) != trouble_) {
          log_.error("cannot talk to the API server; trying on", {{"why", trouble_}});
        }
        return discover_after(kDiscoveryRetry);
      }
      trouble_.clear();
      find_queues([this, found = *served](const QueueFacts& queues) {
        kube::read_feature_gates(client_, [this, found, queues](auto gates) {
          if (!stopping_) begin(found, choose_parts(found, gates, queues, options_.parts));
        });
      });
    });
  }

  // Kinds of queues and of work that waits in them, and whether Kueue's manager is at work.
  void find_queues(const std::function<void(const QueueFacts&)>& then) {
    std::vector<kube::ResourceName> wanted = daemon::queue_resources();
    const auto own = static_cast<std::ptrdiff_t>(wanted.size());
    for (kube::ResourceName& each : suspended_kinds()) wanted.push_back(std::move(each));
    kube::find_offers(client_, std::move(wanted),
                      [this, own, then](const Result<std::vector<kube::Offer>>& offers) {
                        if (stopping_) return;
                        if (!offers.ok()) return discover_after(kDiscoveryRetry);
                        const auto others = offers->begin() + own;
                        auto sources = daemon::queue_sources({offers->begin(), others});
                        if (sources.resources.empty()) return then({});
                        queue_watches_ = watched_for_queues(std::move(sources.resources),
                                                            {others, offers->end()});
                        learn_of_kueue(then);
                      });
  }

  void learn_of_kueue(const std::function<void(const QueueFacts&)>& then) {
    daemon::ask_kueue_config(client_, [this, then](const auto& found) {
      if (!found.ok()) {
        log_.error("Kueue's configuration in the cluster is not heeded",
                   {{"why", found.error().message}});
      } else if (*found) {
        queue_rules_ = queue_rules((*found)->quota);
      }
      look_for_kueue(
          [this, then](bool at_work) { then({.served = true, .kueue_at_work = at_work}); });
    });
  }

  // Whoever was to start and stop work when we began goes on doing it; when that changes we begin
  // anew.
  void look_for_kueue(const std::function<void(bool)>& then) {
    daemon::ask_kueue_lease(client_, [this, then](const auto& lease) {
      if (stopping_) return;
      lease.ok() ? kueue_.saw(*lease, loop_.now()) : kueue_.failed();
      const bool at_work = kueue_.at_work(loop_.now());
      if (then) {
        kueue_at_work_ = at_work;
        then(at_work);
      } else if (at_work != kueue_at_work_) {
        return end(Error{Error::Code::unavailable,
                         at_work ? "Kueue's manager has come: it starts and stops work from now on"
                                 : "Kueue's manager is gone: begin anew"});
      }
      lease_timer_ = loop_.after(kLeasePeriod, [this] { look_for_kueue({}); });
    });
  }

  void discover_after(Millis pause) {
    timer_ = loop_.after(pause, [this] { discover(); });
  }

  void begin(const kube::Served& served, const std::vector<Part>& parts) {
    say(served, parts);
    known_ = true;
    const bool idle = std::ranges::none_of(parts, &Part::done);
    if (idle) return discover_after(kNothingToDo);
    cluster_ = std::make_unique<RemoteCluster>(loop_, options_.instance, outside());
    for (const Part& part : parts) {
      if (part.done) controllers_.push_back(controller_for(part.name));
    }
    for (kube::Resource& each : watched(served)) watch(std::move(each));
    if (std::ranges::any_of(parts,
                            [](const Part& part) { return part.done && part.name == "queues"; })) {
      for (kube::Resource& each : queue_watches_) watch(std::move(each));
    }
    if (!options_.election) return;
    elector_ = std::make_unique<kube::LeaderElector>(loop_, client_, *options_.election,
                                                     options_.seed, elector_handlers());
    elector_->start();
  }

  // Once, and again when it has changed.
  void say(const kube::Served& served, const std::vector<Part>& parts) {
    std::string all;
    for (const Part& part : parts) all += fmt::format("{} {} {}\n", part.name, part.done, part.why);
    if (std::exchange(said_, all) == all) return;
    log_.info("found the API server", {{"version", served.git_version}});
    for (const Part& part : parts) {
      log_.info(fmt::format("{}: {}", part.name, part.done ? "done here" : "left alone"),
                {{"why", part.why}});
    }
  }

  std::unique_ptr<controllers::Controller> controller_for(const std::string& part) {
    if (part == "stamping") return std::make_unique<controllers::StampingController>(*cluster_);
    if (part == "queues") {
      return std::make_unique<controllers::QueueController>(*cluster_, queue_rules_);
    }
    return std::make_unique<controllers::GroupProtection>(*cluster_, kPatience);
  }

  RemoteCluster::Outside outside() {
    return {[this](kube::Call call, kube::AnswerHandler handler) {
              client_.call(std::move(call), std::move(handler));
            },
            [this] { return may_act(); },
            [this](const std::string& line) {
              log_.warning(line);
              look_again_later();
            },
            [this] { work(); }};
  }

  kube::LeaderElector::Handlers elector_handlers() {
    kube::LeaderElector::Handlers handlers;
    handlers.started = [this] {
      log_.info("leading", {{"identity", options_.election->identity}});
      look_again();
    };
    handlers.stopped = [this] {
      if (stopping_) return end(ok_status());
      end(Error{Error::Code::unavailable, "lost the lease: another replica may lead now"});
    };
    handlers.trouble = [this](const std::string& line) { log_.warning(line); };
    return handlers;
  }

  void watch(kube::Resource wanted) {
    const std::string plural = wanted.plural;
    kube::Reflector::Handlers handlers;
    handlers.changed = [this](const kube::Change& change) {
      if (matters(*change.object)) cluster_->observe(change);
    };
    handlers.synced = [this, plural] {
      log_.debug("synced", {{"resource", plural}});
      if (synced()) log_.info("keeping up", {{"parts", std::to_string(controllers_.size())}});
      work();
    };
    handlers.trouble = [this, plural](const std::string& line) {
      log_.warning(line, {{"resource", plural}});
    };
    reflectors_.push_back({plural, std::make_unique<kube::Reflector>(
                                       loop_, client_, std::move(wanted), std::move(handlers))});
    reflectors_.back().reflector->start();
  }

  // --- in the middle -----------------------------------------------------------------------------

  bool synced() const {
    return !reflectors_.empty() && std::ranges::all_of(reflectors_, [](const Watched& each) {
      return each.reflector->synced();
    });
  }
  bool may_act() const { return !options_.election || (elector_ && elector_->may_act()); }

  // Controllers that may not act are told of changes all the same, and look when they may.
  void work() {
    if (cluster_ == nullptr) return;
    for (const auto& change : cluster_->take_changes()) {
      for (const auto& each : controllers_) each->observe(change);
    }
    if (stopping_ || !synced() || !may_act()) return;
    std::optional<Instant> next;
    for (const auto& each : controllers_) {
      each->work();
      if (const auto due = each->next_due(); due && (!next || *due < *next)) next = due;
    }
    if (!next) return alarm_.cancel();
    alarm_ =
        loop_.after(std::clamp(*next - loop_.now(), Millis{1}, kNothingToDo), [this] { work(); });
  }

  // What was refused may be possible now, though nothing that a controller looks at has changed.
  void look_again_later() {
    if (!again_.pending()) again_ = loop_.after(kLookAgain, [this] { look_again(); });
  }
  void look_again() {
    for (const model::Kind kind :
         {model::Kind::workload, model::Kind::job, model::Kind::admission_request}) {
      for (const auto& object : cluster_->objects().objects(kind)) {
        const store::WatchEvent seen{store::WatchEvent::Type::added, 0, nullptr, object, false};
        for (const auto& each : controllers_) each->observe(seen);
      }
    }
    work();
  }

  // --- the end -----------------------------------------------------------------------------------

  void say_goodbye() {
    if (stopping_) return loop_.stop();  // told twice: now
    stopping_ = true;
    log_.info("stopping", {{"writes", std::to_string(cluster_ ? cluster_->writes_open() : 0)}});
    farewell_until_ = loop_.now() + kFarewell;
    finish_writing();
  }

  void finish_writing() {
    if (cluster_ && cluster_->writes_open() > 0 && loop_.now() < farewell_until_) {
      timer_ = loop_.after(kFarewellStep, [this] { finish_writing(); });
      return;
    }
    if (!elector_) return end(ok_status());
    elector_->release([this] { end(ok_status()); });
  }

  void end(Status how) {
    ending_ = std::move(how);
    loop_.stop();
  }

  // --- questions ---------------------------------------------------------------------------------

  daemon::Health health() const {
    daemon::Health now;
    for (const Watched& each : reflectors_) {
      now.watches.push_back({each.plural, each.reflector->synced(),
                             each.reflector->healthy(loop_.now()), each.reflector->trouble()});
    }
    // With nothing to do it is ready for when there is.
    if (reflectors_.empty()) now.watches.push_back({"discovery", known_, known_, trouble_});
    now.leading = elector_ && elector_->election().role() == kube::Election::Role::leader;
    if (elector_) now.since_renewal = elector_->since_renewal();
    if (options_.election) now.lease_duration = options_.election->lease_duration;
    now.stopping = stopping_;
    return now;
  }

  std::string metrics_text() const {
    const std::size_t made = cluster_ ? cluster_->writes_made() : 0;
    const std::size_t failed = cluster_ ? cluster_->writes_failed() : 0;
    return fmt::format(
        "# HELP tutti_controllers_writes_total Writes that the API server has answered.\n"
        "# TYPE tutti_controllers_writes_total counter\n"
        "tutti_controllers_writes_total{{result=\"done\"}} {}\n"
        "tutti_controllers_writes_total{{result=\"refused\"}} {}\n"
        "# HELP tutti_controllers_leading Whether this replica acts.\n"
        "# TYPE tutti_controllers_leading gauge\n"
        "tutti_controllers_leading {}\n",
        made - failed, failed, may_act() ? 1 : 0);
  }

  struct Watched {
    std::string plural;
    std::unique_ptr<kube::Reflector> reflector;
  };

  telemetry::Log& log_;
  net::Loop loop_;
  UpkeepOptions options_;
  kube::ApiClient client_;
  std::unique_ptr<net::HttpServer> server_;
  std::vector<kube::Resource> queue_watches_;
  controllers::QueueRules queue_rules_;
  daemon::KueuePresence kueue_;
  bool kueue_at_work_ = false;  // when we began
  net::Timer lease_timer_;
  std::unique_ptr<RemoteCluster> cluster_;
  std::vector<std::unique_ptr<controllers::Controller>> controllers_;
  std::vector<Watched> reflectors_;
  std::unique_ptr<kube::LeaderElector> elector_;
  net::Timer timer_;  // of the beginning or the end
  net::Timer alarm_;  // of controllers
  net::Timer again_;
  std::string trouble_;
  std::string said_;
  bool known_ = false;
  bool stopping_ = false;
  Instant farewell_until_;
  Status ending_ = ok_status();
};

}  // namespace

Status run_upkeep(UpkeepOptions options, telemetry::Log& log) {
  return Upkeep(std::move(options), log).run();
}

}  // namespace tutti::upkeep
