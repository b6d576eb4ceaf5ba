#include "daemon/queue_metrics.h"

#include <fmt/format.h>

#include <algorithm>

#include "quota/share.h"

namespace tutti::daemon {
namespace {

using core::Request;
using core::RequestStage;
using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

constexpr std::string_view kOfRequest = "Workload ";

std::string labels_text(Labels labels) {
  std::string text;
  for (const auto& [name, value] : labels) {
    text += fmt::format(R"({}{}="{}")", text.empty() ? "" : ",", name, value);
  }
  return text;
}

std::string with_bound(const std::string& labels, std::string_view bound) {
  return fmt::format(R"({}{}le="{}")", labels, labels.empty() ? "" : ",", bound);
}

// Values of one metric, in the order in which they were added.
class Gauges {
 public:
  Gauges(std::string_view name, std::string_view help)
      : text_(fmt::format("# HELP {} {}\n# TYPE {} gauge\n", name, help, name)), name_(name) {}

  void add(Labels labels, double value) {
    text_ += fmt::format("{}{{{}}} {}\n", name_, labels_text(labels), value);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::string_view name_;
};

// cpu is counted in milli.
double in_units(std::string_view resource, quota::Amount amount) {
  const auto value = static_cast<double>(amount);
  return resource == "cpu" ? value / 1000 : value;
}

std::optional<quota::FlavorResourceId> flavor_resource(const quota::Tree& tree,
                                                       quota::QuotaNodeId node,
                                                       std::string_view flavor,
                                                       std::string_view resource) {
  const quota::FlavorResources& names = tree.flavor_resources();
  for (const quota::FlavorResourceId of : tree.flavor_resources_of(tree.root(node))) {
    if (names.name(names.flavor(of)) == flavor && names.name(names.resource(of)) == resource) {
      return of;
    }
  }
  return std::nullopt;
}

struct Tally {
  std::size_t active = 0, parked = 0, reserving = 0, admitted = 0, releasing = 0, unplaceable = 0;
  std::map<quota::FlavorResourceId, quota::Amount> used;  // by admitted ones
};

std::map<std::string, Tally> tallies_of(const core::RequestTable& table,
                                        const std::function<bool(const Request&)>& lacks_place) {
  std::map<std::string, Tally> all;
  for (const auto& [name, queue] : table.objects().queues()) all[name];
  for (const auto& [name, request] : table.all()) {
    const auto at = all.find(request->queue);
    if (at == all.end() || request->finished) continue;
    Tally& tally = at->second;
    if (!request->holds()) {
      const bool parked = request->parked_alone || request->not_before || request->refusal;
      ++(parked ? tally.parked : tally.active);
      continue;
    }
    ++tally.reserving;
    tally.releasing += request->stage == RequestStage::releasing ? 1 : 0;
    tally.unplaceable += lacks_place(*request) ? 1 : 0;
    if (request->stage != RequestStage::admitted) continue;
    ++tally.admitted;
    for (const quota::Charge& charge : request->charges) tally.used[charge.of] += charge.amount;
  }
  return all;
}

void write_tallies(std::string& out, const std::map<std::string, Tally>& tallies, bool as_kueue) {
  Gauges pending("kueue_pending_workloads", "Workloads that wait.");
  Gauges reserving("kueue_reserving_active_workloads", "Workloads that hold quota.");
  Gauges admitted("kueue_admitted_active_workloads", "Workloads that are admitted.");
  Gauges unplaceable("tutti_quota_unplaceable_requests",
                     "Admitted Workloads of which a pod has no place.");
  Gauges releasing("tutti_quota_releasing", "Workloads that leave and hold quota until then.");
  for (const auto& [queue, tally] : tallies) {
    const auto count = [](std::size_t number) { return static_cast<double>(number); };
    pending.add({{"cluster_queue", queue}, {"status", "active"}}, count(tally.active));
    pending.add({{"cluster_queue", queue}, {"status", "inadmissible"}}, count(tally.parked));
    reserving.add({{"cluster_queue", queue}}, count(tally.reserving));
    admitted.add({{"cluster_queue", queue}}, count(tally.admitted));
    unplaceable.add({{"cluster_queue", queue}}, count(tally.unplaceable));
    releasing.add({{"cluster_queue", queue}}, count(tally.releasing));
  }
  for (const Gauges* each : {&pending, &reserving, &admitted}) {
    if (as_kueue) out += each->text();
  }
  out += unplaceable.text() + releasing.text();
}

void write_queues(std::string& out, const core::RequestTable& table,
                  const std::map<std::string, Tally>& tallies) {
  Gauges status("kueue_cluster_queue_status", "1 for the status that the queue is in.");
  Gauges reservation("kueue_cluster_queue_resource_reservation", "Quota that is held.");
  Gauges usage("kueue_cluster_queue_resource_usage", "Quota that admitted Workloads hold.");
  Gauges nominal("kueue_cluster_queue_nominal_quota", "Quota that the queue owns.");
  Gauges borrowing("kueue_cluster_queue_borrowing_limit", "What the queue may borrow.");
  Gauges lending("kueue_cluster_queue_lending_limit", "What the queue may lend.");
  Gauges share("kueue_cluster_queue_weighted_share", "Weighted share of what is lent.");
  const quota::Tree& tree = table.objects().tree();
  for (const auto& [name, queue] : table.objects().queues()) {
    const model::ClusterQueueSpec& spec = queue.object->spec;
    const bool leaving = queue.object->meta.deletion.has_value();
    const auto* active = model::find(queue.object->status.conditions, "Active");
    const bool works = active != nullptr && active->status == "True" && !leaving;
    status.add({{"cluster_queue", name}, {"status", "pending"}}, !works && !leaving ? 1 : 0);
    status.add({{"cluster_queue", name}, {"status", "active"}}, works ? 1 : 0);
    status.add({{"cluster_queue", name}, {"status", "terminating"}}, leaving ? 1 : 0);
    for (const model::ResourceGroup& group : spec.groups) {
      for (const model::FlavorQuotas& flavor : group.flavors) {
        for (const model::QuotaAmount& amount : flavor.amounts) {
          const Labels labels = {{"cohort", spec.cohort},
                                 {"cluster_queue", name},
                                 {"flavor", flavor.flavor},
                                 {"resource", amount.resource}};
          const auto of = flavor_resource(tree, queue.node, flavor.flavor, amount.resource);
          const auto used = of ? tree.usage(queue.node, *of) : quota::Amount{0};
          const auto& by_admitted = tallies.at(name).used;
          const auto at = of ? by_admitted.find(*of) : by_admitted.end();
          reservation.add(labels, in_units(amount.resource, used));
          usage.add(labels, in_units(amount.resource,
                                     at != by_admitted.end() ? at->second : quota::Amount{0}));
          nominal.add(labels, amount.nominal.approximate());
          if (amount.borrowing_limit) borrowing.add(labels, amount.borrowing_limit->approximate());
          if (amount.lending_limit) lending.add(labels, amount.lending_limit->approximate());
        }
      }
    }
    if (!table.config().fair_sharing.empty()) {
      share.add({{"cluster_queue", name}, {"cohort", spec.cohort}},
                static_cast<double>(quota::weighted_share(quota::share_of(tree, queue.node))));
    }
  }
  for (const Gauges* each :
       {&status, &reservation, &usage, &nominal, &borrowing, &lending, &share}) {
    out += each->text();
  }
}

void write_cohorts(std::string& out, const core::RequestTable& table) {
  Gauges quota_of("kueue_cohort_subtree_quota", "Quota of the cohort and of all below it.");
  Gauges share("kueue_cohort_weighted_share", "Weighted share of what is lent.");
  const quota::Tree& tree = table.objects().tree();
  for (const quota::QuotaNodeId node : tree.nodes()) {
    if (tree.kind(node) != quota::Tree::Kind::cohort) continue;
    for (const quota::FlavorResourceId of : tree.flavor_resources_of(tree.root(node))) {
      const quota::FlavorResources& names = tree.flavor_resources();
      const std::string_view resource = names.name(names.resource(of));
      quota_of.add({{"cohort", tree.name(node)},
                    {"flavor", names.name(names.flavor(of))},
                    {"resource", resource}},
                   in_units(resource, tree.subtree_quota(node, of)));
    }
    if (!table.config().fair_sharing.empty()) {
      share.add({{"cohort", tree.name(node)}},
                static_cast<double>(quota::weighted_share(quota::share_of(tree, node))));
    }
  }
  out += quota_of.text() + share.text();
}

}  // namespace

void QueueMetrics::Histogram::add(double value) {
  const auto at = std::ranges::lower_bound(kBounds, value);
  ++counts[static_cast<std::size_t>(at - kBounds.begin())];
  sum += value;
}

void QueueMetrics::decided(const core::Decision& decision, const core::RequestTable& table,
                           Seconds took) {
  using Kind = core::Decision::Kind;
  if (!decision.entity.starts_with(kOfRequest)) return;
  const auto found = table.all().find(std::string_view(decision.entity).substr(kOfRequest.size()));
  if (found == table.all().end()) return;
  const Request& request = *found->second;
  const std::string queue = labels_text({{"cluster_queue", request.queue}});
  if (decision.kind == Kind::evicted) {
    const auto& causes = request.object->status.conditions;
    const auto* evicted = model::find(causes, "Evicted");
    const std::string reason = evicted != nullptr ? evicted->reason : decision.rule;
    ++evicted_[labels_text({{"cluster_queue", request.queue},
                            {"reason", reason},
                            {"underlying_cause", reason == decision.rule ? "" : decision.rule}})];
    const auto by = table.all().find(decision.by);
    if (by != table.all().end()) {
      ++preempted_[labels_text(
          {{"preempting_cluster_queue", by->second->queue}, {"reason", decision.rule}})];
    }
    return;
  }
  const bool success = decision.kind == Kind::admitted;
  const std::string result = labels_text({{"result", success ? "success" : "inadmissible"}});
  ++attempts_[result];
  attempt_times_[result].add(took.count());
  if (!success) return;
  const double waited =
      static_cast<double>(decision.at.time_since_epoch().count() - request.timestamp) / 1000;
  ++reserved_[queue];
  reserved_waits_[queue].add(std::max(0.0, waited));
  if (request.stage != RequestStage::admitted) return;
  ++admitted_[queue];
  admitted_waits_[queue].add(std::max(0.0, waited));
}

void QueueMetrics::write(std::string& out, std::string_view name, std::string_view help,
                         const Counters& counters) {
  out += fmt::format("# HELP {} {}\n# TYPE {} counter\n", name, help, name);
  for (const auto& [labels, count] : counters) {
    out += fmt::format("{}{{{}}} {}\n", name, labels, count);
  }
}

void QueueMetrics::write(std::string& out, std::string_view name, std::string_view help,
                         const Histograms& histograms) {
  out += fmt::format("# HELP {} {}\n# TYPE {} histogram\n", name, help, name);
  for (const auto& [labels, histogram] : histograms) {
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
      below += histogram.counts[i];
      const std::string bound =
          i < Histogram::kBounds.size() ? fmt::format("{}", Histogram::kBounds[i]) : "+Inf";
      out += fmt::format("{}_bucket{{{}}} {}\n", name, with_bound(labels, bound), below);
    }
    out += fmt::format("{0}_sum{{{1}}} {2}\n{0}_count{{{1}}} {3}\n", name, labels, histogram.sum,
                       below);
  }
}

std::string QueueMetrics::text(const core::RequestTable& table,
                               const std::function<bool(const core::Request&)>& lacks_place) const {
  std::string out;
  if (!table.objects().has_queues()) return out;
  const auto tallies = tallies_of(table, lacks_place);
  const bool as_kueue = !table.objects().authority().kueue_at_work;
  write_tallies(out, tallies, as_kueue);
  if (!as_kueue) return out;
  write(out, "kueue_admission_attempts_total", "Attempts at Workloads.", attempts_);
  write(out, "kueue_admission_attempt_duration_seconds", "How long they took.", attempt_times_);
  write(out, "kueue_quota_reserved_workloads_total", "Workloads that got quota.", reserved_);
  write(out, "kueue_quota_reserved_wait_time_seconds", "From their creation or requeueing.",
        reserved_waits_);
  write(out, "kueue_admitted_workloads_total", "Workloads that were admitted.", admitted_);
  write(out, "kueue_admission_wait_time_seconds", "From their creation or requeueing.",
        admitted_waits_);
  write(out, "kueue_evicted_workloads_total", "Workloads that had to leave.", evicted_);
  write(out, "kueue_preempted_workloads_total", "Workloads that left for another.", preempted_);
  write_queues(out, table, tallies);
  write_cohorts(out, table);
  return out;
}

}  // namespace tutti::daemon
