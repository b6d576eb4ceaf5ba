#include "queues/queue_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "queues/lending.h"

namespace tutti::queues {
namespace {

using core::Request;
using core::RequestStage;
using quota::FlavorResourceId;
using quota::QuotaNodeId;

std::string object_of(const model::AdmissionRequest& request) {
  for (const model::OwnerReference& owner : request.meta.owners) {
    if (owner.controller) return fmt::format("{} {}/{}", owner.kind, request.meta.ns, owner.name);
  }
  return fmt::format("Workload {}/{}", request.meta.ns, request.meta.name);
}

bool is_admitted(const Request& request) {
  return request.stage == RequestStage::admitted ||
         (request.stage == RequestStage::releasing &&
          core::true_condition(*request.object, "Admitted") != nullptr);
}

FlavorFigures& figures_of(std::vector<FlavorFigures>& list, std::string_view flavor,
                          std::string_view resource) {
  const auto at = std::ranges::find_if(list, [&](const FlavorFigures& each) {
    return each.flavor == flavor && each.resource == resource;
  });
  if (at != list.end()) return *at;
  list.push_back({.flavor = std::string(flavor), .resource = std::string(resource)});
  return list.back();
}

class Reporter {
 public:
  Reporter(const core::RequestTable& table, Instant now)
      : table_(table),
        tree_(table.objects().tree()),
        names_(tree_.flavor_resources()),
        lent_(lent_by_all(tree_)),
        now_(now) {}

  QueueReport make() {
    add_requests();
    for (const QuotaNodeId node : tree_.nodes()) {
      if (!tree_.has_parent(node)) add_node(node, {}, 0);
    }
    for (const auto& [key, local] : table_.objects().local_queues()) {
      if (table_.objects().queue(local->spec.cluster_queue) == nullptr) add_local(*local, 0);
    }
    return std::move(report_);
  }

 private:
  void add_requests();
  RequestLine line_of(const Request& request) const;
  void say_why(const Request& request, RequestLine& line) const;
  const core::PendingReason* refusal_of(const Request& request) const;
  void bring_up_to_date(const Request& request, std::vector<core::Shortage>& shortages) const;
  void add_node(QuotaNodeId node, const std::string& parent, std::size_t depth);
  void fill_queue(const core::QuotaQueue& queue, QueueLine& line) const;
  void fill_cohort(QuotaNodeId node, std::size_t first_below);
  void add_local(const model::LocalQueue& local, std::size_t depth);
  void add_holder(const Request& request, QueueLine& line) const;
  std::optional<std::size_t> head_of(const core::WaitingLine::Order& line,
                                     const std::string& local_queue) const;

  std::string_view flavor(FlavorResourceId of) const { return names_.name(names_.flavor(of)); }
  std::string_view resource(FlavorResourceId of) const { return names_.name(names_.resource(of)); }
  std::int64_t lent(QuotaNodeId node, FlavorResourceId of) const {
    const auto at = lent_.find({node, of});
    return at != lent_.end() ? quota::to_int64(at->second) : 0;
  }

  const core::RequestTable& table_;
  const quota::Tree& tree_;
  const quota::FlavorResources& names_;
  Lent lent_;
  Instant now_;
  QueueReport report_;
  std::map<std::string, std::size_t> index_;  // of requests, by name
};

// --- requests ------------------------------------------------------------------------------------

void Reporter::add_requests() {
  for (const auto& [queue, line] : table_.lines()) {
    std::size_t position = 0;
    for (const Request* request : line.all()) {
      RequestLine made = line_of(*request);
      made.position = ++position;
      made.waited =
          Millis(std::max<std::int64_t>(0, now_.time_since_epoch().count() - request->timestamp));
      index_[request->name] = report_.requests.size();
      report_.requests.push_back(std::move(made));
    }
  }
  for (const auto& [name, request] : table_.all()) {
    if (!index_.contains(name)) report_.requests.push_back(line_of(*request));
  }
}

RequestLine Reporter::line_of(const Request& request) const {
  const model::AdmissionRequest& object = *request.object;
  RequestLine line;
  line.name = request.name;
  line.object = object_of(object);
  line.local_queue = object.meta.ns + "/" + object.spec.queue;
  line.cluster_queue = request.queue;
  line.priority = request.priority;
  line.tenure = request.tenure;
  for (std::size_t i = 0; i < object.spec.pod_sets.size(); ++i) {
    SetLine set{.name = object.spec.pod_sets[i].name, .count = object.spec.pod_sets[i].count};
    if (i < request.promise.size()) {
      set.count = request.promise[i].count;
      set.flavors = request.promise[i].flavors;
    }
    if (i < request.asks.size()) {
      for (const auto& [resource, amount] : core::times(request.asks[i], set.count)) {
        set.asks[resource] = amount;
      }
    }
    line.sets.push_back(std::move(set));
  }
  for (const model::EvictionCount& eviction : object.status.evictions) {
    line.evictions.push_back({eviction.reason, eviction.cause, eviction.count});
  }
  if (const model::Condition* evicted = core::true_condition(object, "Evicted")) {
    line.evicted = evicted->message;
  }
  say_why(request, line);
  return line;
}

void Reporter::say_why(const Request& request, RequestLine& line) const {
  const model::AdmissionRequest& object = *request.object;
  line.state = "Pending";
  switch (request.stage) {
    case RequestStage::waiting:
      if (request.finished) {
        line.state = "Finished";
      } else if (const core::PendingReason* why = refusal_of(request)) {
        line.reason = core::word(why->reason);
        line.message = why->message;
        line.shortages = why->shortages;
        bring_up_to_date(request, line.shortages);
      } else {
        line.reason = core::word(core::Waits::pending_evaluation);
      }
      break;
    case RequestStage::preempting:
      line.reason = core::word(core::Waits::for_preempted);
      if (const auto* said = model::find(object.status.conditions, "QuotaReserved")) {
        line.message = said->message;
      }
      break;
    case RequestStage::reserved: {
      line.reason = "WaitingForAdmissionChecks";
      std::vector<std::string> checks;
      for (const model::AdmissionCheckState& check : object.status.checks) {
        if (check.state != model::CheckState::ready) checks.push_back(check.check);
      }
      line.message = fmt::format("quota is reserved; admission checks are to agree: {}",
                                 fmt::join(checks, ", "));
      break;
    }
    case RequestStage::admitted:
      line.state = "Admitted";
      break;
    case RequestStage::releasing:
      line.state = request.finished ? "Finished" : "Releasing";
      line.message = fmt::format("{} of its pods still terminate", request.pods.size());
      break;
  }
}

// What it alone is held for, or else what everybody of its shape was refused for last; null: it was
// not tried.
const core::PendingReason* Reporter::refusal_of(const Request& request) const {
  const core::PendingReason* own = request.refusal ? &*request.refusal : nullptr;
  if (own != nullptr && own->reason >= core::Waits::admission_gated) return own;
  const core::ShapeRefusal* shared = table_.line(request.queue).refusal_of(request);
  return shared != nullptr ? &shared->why : own;
}

// What is left now: the attempt that found the numbers may be long ago.
void Reporter::bring_up_to_date(const Request& request,
                                std::vector<core::Shortage>& shortages) const {
  const core::QuotaQueue* queue = table_.objects().queue(request.queue);
  if (queue == nullptr) return;
  for (const FlavorResourceId of : tree_.flavor_resources_of(tree_.root(queue->node))) {
    for (core::Shortage& shortage : shortages) {
      const bool same = flavor(of) == shortage.flavor && resource(of) == shortage.resource;
      if (!same || shortage.never || !tree_.lists(queue->node, of)) continue;
      const std::int64_t left =
          quota::to_int64(quota::at_least_zero(tree_.available(queue->node, of)));
      if (left < shortage.need) shortage.have = left;
    }
  }
}

// --- queues --------------------------------------------------------------------------------------

void Reporter::add_node(QuotaNodeId node, const std::string& parent, std::size_t depth) {
  const std::string name(tree_.name(node));
  const std::size_t index = report_.queues.size();
  const bool cohort = tree_.kind(node) == quota::Tree::Kind::cohort;
  report_.queues.push_back(
      {.kind = cohort ? QueueLine::Kind::cohort : QueueLine::Kind::cluster_queue,
       .name = name,
       .parent = parent,
       .depth = depth});
  if (cohort) {
    for (const QuotaNodeId child : tree_.children(node)) add_node(child, name, depth + 1);
    return fill_cohort(node, index);
  }
  const core::QuotaQueue* queue = table_.objects().queue(name);
  if (queue == nullptr) return;
  fill_queue(*queue, report_.queues[index]);
  for (const auto& [key, local] : table_.objects().local_queues()) {
    if (local->spec.cluster_queue == name) add_local(*local, depth + 1);
  }
}

void Reporter::fill_queue(const core::QuotaQueue& queue, QueueLine& line) const {
  for (const model::ResourceGroup& group : queue.object->spec.groups) {
    for (const model::FlavorQuotas& quotas : group.flavors) {
      for (const model::QuotaAmount& amount : quotas.amounts) {
        figures_of(line.resources, quotas.flavor, amount.resource);
      }
    }
  }
  for (const FlavorResourceId of : tree_.flavor_resources_of(tree_.root(queue.node))) {
    if (!tree_.lists(queue.node, of) && tree_.usage(queue.node, of) == 0) continue;
    FlavorFigures& figures = figures_of(line.resources, flavor(of), resource(of));
    figures.nominal = quota::to_int64(tree_.nominal(queue.node, of));
    figures.used = quota::to_int64(tree_.usage(queue.node, of));
    if (tree_.has_parent(queue.node)) {
      figures.borrowed = quota::to_int64(tree_.borrowed(queue.node, of));
    }
    figures.lent = lent(queue.node, of);
  }
  for (const std::string& name : table_.holding(queue.node)) {
    const Request& request = *table_.all().at(name);
    line.admitted += is_admitted(request) ? 1 : 0;
    add_holder(request, line);
  }
  const auto& waiting = table_.waiting(queue.name());
  line.waiting = waiting.size();
  line.head = head_of(waiting, {});
  const auto* active = model::find(queue.object->status.conditions, "Active");
  if (active != nullptr && active->status == "False") {
    line.closed = fmt::format("{}: {}", active->reason, active->message);
  }
}

void Reporter::add_holder(const Request& request, QueueLine& line) const {
  for (const quota::Charge& charge : request.charges) {
    FlavorFigures& figures = figures_of(line.resources, flavor(charge.of), resource(charge.of));
    if (request.stage == RequestStage::releasing) figures.releasing += charge.amount;
    if (request.tenure == quota::Tenure::guaranteed) figures.guaranteed += charge.amount;
    if (request.tenure == quota::Tenure::burst) figures.burst += charge.amount;
  }
  if (request.tenure != quota::Tenure::opportunistic) return;
  for (std::size_t i = 0; i < request.promise.size(); ++i) {
    const core::PodSetPromise& promise = request.promise[i];
    for (const auto& [name, of] : promise.flavors) {
      const auto asked = request.asks[i].find(name);
      const std::int64_t of_pod = asked != request.asks[i].end() ? asked->second : 1;  // pods
      figures_of(line.resources, of, name).opportunistic += of_pod * promise.count;
    }
  }
}

// Sums up what lies below, and adds what the cohort itself has.
void Reporter::fill_cohort(QuotaNodeId node, std::size_t index) {
  QueueLine& line = report_.queues[index];
  for (std::size_t i = index + 1; i < report_.queues.size(); ++i) {
    const QueueLine& below = report_.queues[i];
    if (below.depth != line.depth + 1) continue;
    line.waiting += below.waiting;
    line.admitted += below.admitted;
    for (const FlavorFigures& each : below.resources) {
      FlavorFigures& figures = figures_of(line.resources, each.flavor, each.resource);
      figures.nominal += each.nominal;
      figures.used += each.used;
      figures.releasing += each.releasing;
      figures.guaranteed += each.guaranteed;
      figures.burst += each.burst;
      figures.opportunistic += each.opportunistic;
    }
  }
  for (const FlavorResourceId of : tree_.flavor_resources_of(tree_.root(node))) {
    const std::int64_t own = quota::to_int64(tree_.nominal(node, of));
    const bool shown = own > 0 || std::ranges::any_of(line.resources, [&](const auto& each) {
                         return each.flavor == flavor(of) && each.resource == resource(of);
                       });
    if (!shown) continue;
    FlavorFigures& figures = figures_of(line.resources, flavor(of), resource(of));
    figures.nominal += own;
    if (tree_.has_parent(node)) figures.borrowed = quota::to_int64(tree_.borrowed(node, of));
    figures.lent = lent(node, of);
  }
}

void Reporter::add_local(const model::LocalQueue& local, std::size_t depth) {
  QueueLine line{.kind = QueueLine::Kind::local_queue,
                 .name = local.meta.ns + "/" + local.meta.name,
                 .parent = local.spec.cluster_queue,
                 .depth = depth};
  if (const core::QuotaQueue* queue = table_.objects().queue(local.spec.cluster_queue)) {
    for (const std::string& name : table_.holding(queue->node)) {
      const Request& request = *table_.all().at(name);
      if (request.object->meta.ns + "/" + request.object->spec.queue != line.name) continue;
      line.admitted += is_admitted(request) ? 1 : 0;
      for (const quota::Charge& charge : request.charges) {
        FlavorFigures& figures = figures_of(line.resources, flavor(charge.of), resource(charge.of));
        figures.used += charge.amount;
        if (request.stage == RequestStage::releasing) figures.releasing += charge.amount;
      }
    }
  } else {
    line.closed = fmt::format("ClusterQueue {} does not exist", local.spec.cluster_queue);
  }
  const auto& waiting = table_.waiting(local.spec.cluster_queue);
  line.waiting = static_cast<std::size_t>(std::ranges::count_if(waiting, [&](const Request* each) {
    return report_.requests[index_.at(each->name)].local_queue == line.name;
  }));
  line.head = head_of(waiting, line.name);
  const auto* active = model::find(local.status.conditions, "Active");
  if (line.closed.empty() && active != nullptr && active->status == "False") {
    line.closed = fmt::format("{}: {}", active->reason, active->message);
  }
  report_.queues.push_back(std::move(line));
}

std::optional<std::size_t> Reporter::head_of(const core::WaitingLine::Order& line,
                                             const std::string& local_queue) const {
  for (const Request* request : line) {
    const std::size_t index = index_.at(request->name);
    if (local_queue.empty() || report_.requests[index].local_queue == local_queue) return index;
  }
  return std::nullopt;
}

std::string shortage_text(const core::Shortage& shortage, bool names_set) {
  const auto amount = [&](std::int64_t units) {
    return core::amount_text(shortage.resource, units);
  };
  const std::string set = names_set ? shortage.pod_set + ": " : std::string();
  if (shortage.never) {
    return fmt::format("{}needs {} {} of {}, more than {} it can never have", set,
                       amount(shortage.need), shortage.resource, shortage.flavor,
                       amount(shortage.have));
  }
  return fmt::format("{}needs {} {} of {}, {} left", set, amount(shortage.need), shortage.resource,
                     shortage.flavor, amount(shortage.have));
}

}  // namespace

std::string_view word(Start::Kind kind) {
  switch (kind) {
    case Start::Kind::certain:
      return "certain";
    case Start::Kind::reserved:
      return "reserved";
    case Start::Kind::estimate:
      return "estimate";
    case Start::Kind::not_known:
      return "not known";
    case Start::Kind::never:
      return "never";
  }
  return {};
}

std::string text_of(const Start& start) {
  if (!start.at) return std::string(word(start.kind));
  const std::string at = "at " + format_duration(*start.at);
  return start.kind == Start::Kind::certain ? at : fmt::format("{} ({})", at, word(start.kind));
}

std::string sentence_of(const Start& start) {
  if (start.at) return "it starts " + text_of(start);
  switch (start.kind) {
    case Start::Kind::never:
      return "it never starts";
    case Start::Kind::reserved:
      return "its places are kept";
    default:
      return "when it starts is not known";
  }
}

std::string_view word(QueueLine::Kind kind) {
  switch (kind) {
    case QueueLine::Kind::cohort:
      return "Cohort";
    case QueueLine::Kind::cluster_queue:
      return "ClusterQueue";
    case QueueLine::Kind::local_queue:
      return "LocalQueue";
    case QueueLine::Kind::ns:
      return "Namespace";
  }
  return {};
}

std::int64_t RequestLine::times_evicted() const {
  std::int64_t times = 0;
  for (const EvictionLine& eviction : evictions) times += eviction.count;
  return times;
}

std::string wait_text(const RequestLine& request) {
  if (request.shortages.empty()) return request.message;
  std::vector<std::string> parts;
  for (const core::Shortage& shortage : request.shortages) {
    parts.push_back(shortage_text(shortage, request.sets.size() > 1));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string_view blocker_of(const RequestLine& request) {
  if (request.state != "Pending") return {};
  if (request.reason == "PlacementFailed") return "capacity";
  if (request.reason == "TopologyPlacementFailed") return "topology";
  if (request.reason == "Misconfigured") return "badRequest";
  const bool gated = request.reason == "AdmissionGated" || request.reason == "Suspended" ||
                     request.reason == "OnHold" || request.reason == "WaitingForAdmissionChecks";
  return gated ? "gated" : "quota";
}

const QueueLine* QueueReport::find(std::string_view name) const {
  const QueueLine* found = nullptr;
  for (const QueueLine& queue : queues) {
    if (queue.name != name) continue;
    if (found == nullptr || queue.kind == QueueLine::Kind::cluster_queue) found = &queue;
  }
  return found;
}

const RequestLine* QueueReport::find_request(std::string_view name) const {
  const auto is_named = [&](const RequestLine& line) { return line.name == name; };
  const auto own = std::ranges::find_if(requests, is_named);
  if (own != requests.end()) return &*own;
  const auto made_of = std::ranges::find_if(requests, [&](const RequestLine& line) {
    return std::string_view(line.object).substr(line.object.find(' ') + 1) == name;
  });
  return made_of != requests.end() ? &*made_of : nullptr;
}

QueueReport make_report(const core::RequestTable& table, Instant now) {
  return Reporter(table, now).make();
}

QueueReport part_of(const QueueReport& report, std::string_view name) {
  const QueueLine* asked = report.find(name);
  if (asked == nullptr) return {};
  QueueReport part;
  const auto first = static_cast<std::size_t>(asked - report.queues.data());
  std::vector<QueueLine> above;
  std::size_t depth = asked->depth;
  for (std::size_t i = first; i-- > 0 && depth > 0;) {
    if (report.queues[i].depth >= depth) continue;
    above.push_back(report.queues[i]);
    depth = report.queues[i].depth;
  }
  part.queues.assign(above.rbegin(), above.rend());
  std::set<std::string> own;  // LocalQueues and ClusterQueues that are asked for
  std::size_t i = first;
  do {
    part.queues.push_back(report.queues[i]);
    if (report.queues[i].kind != QueueLine::Kind::cohort) own.insert(report.queues[i].name);
  } while (++i < report.queues.size() && report.queues[i].depth > asked->depth);
  std::map<std::size_t, std::size_t> moved;
  for (std::size_t at = 0; at < report.requests.size(); ++at) {
    const RequestLine& request = report.requests[at];
    if (!own.contains(request.cluster_queue) && !own.contains(request.local_queue)) continue;
    moved[at] = part.requests.size();
    part.requests.push_back(request);
  }
  for (QueueLine& queue : part.queues) {
    if (!queue.head) continue;
    const auto at = moved.find(*queue.head);
    queue.head = at != moved.end() ? std::optional(at->second) : std::nullopt;
  }
  return part;
}

}  // namespace tutti::queues
