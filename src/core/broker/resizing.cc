#include "core/broker/resizing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "core/framework/transaction.h"
#include "core/requests/elastic.h"
#include "model/topology.h"

namespace tutti::core {
namespace {

// Beyond the longest grace period of pods that are to go: then the whole request does.
constexpr Millis kObeysWithin = std::chrono::minutes(2);

constexpr std::string_view kIndex = "batch.kubernetes.io/job-completion-index";

std::vector<std::string> values_at(const Cluster& cluster, NodeId node,
                                   std::span<const std::string> levels) {
  std::vector<std::string> values;
  for (const std::string& level : levels) {
    const std::string* value = model::find(cluster.node(node).meta.labels, level);
    values.push_back(value != nullptr ? *value : std::string());
  }
  return values;
}

bool is_waiting_for_room(const Request& request, const ShapeRefusal* shared) {
  if (request.not_before || request.parked_alone) return false;
  const PendingReason* why = shared != nullptr ? &shared->why
                             : request.refusal ? &*request.refusal
                                               : nullptr;
  return why == nullptr ||
         (why->reason != Waits::exceeds_max_quota && why->reason != Waits::no_matching_flavor);
}

}  // namespace

std::vector<PodId> pods_beyond(const Request& request, std::int64_t kept, const Cluster& cluster,
                               const Phantoms& phantoms) {
  std::vector<PodId> pods(request.pods.begin(), request.pods.end());
  const auto gang = phantoms.all().find(request.name);
  if (gang != phantoms.all().end()) {
    for (const PhantomGang::Set& set : gang->second.sets) {
      pods.insert(pods.end(), set.pods.begin(), set.pods.end());
    }
  }
  // Who is leaving, or has not come yet, goes before all others.
  std::ranges::sort(pods, std::ranges::greater{}, [&](PodId pod) {
    const model::Pod& object = *cluster.pod(pod).object;
    const std::string* index = model::find(object.meta.annotations, kIndex);
    return std::tuple(object.meta.deletion.has_value(), is_phantom(object),
                      index != nullptr ? index->size() : 0,
                      index != nullptr ? std::string_view(*index) : std::string_view(),
                      std::string_view(object.meta.name));
  });
  pods.resize(pods.size() - std::min(pods.size(), static_cast<std::size_t>(kept)));
  return pods;
}

void Resizing::change_domains(PodSetPromise& promise, std::span<const PodId> pods,
                              int change) const {
  TUTTI_CHECK(change == 1 || change == -1, "a pod comes, or goes");
  if (!promise.topology) return;
  auto& domains = promise.topology->domains;
  for (const PodId pod : pods) {
    const NodeId node = state_.cluster.pod(pod).node;
    if (!node.valid()) continue;
    auto values = values_at(state_.cluster, node, promise.topology->levels);
    const auto at = std::ranges::find(domains, values, &model::AssignedDomain::values);
    if (at != domains.end()) {
      at->pods += change;
    } else if (change > 0) {
      domains.push_back({std::move(values), change});
    }
  }
  std::erase_if(domains, [](const auto& domain) { return domain.pods <= 0; });
}

void Resizing::shrink(Request& request, std::int64_t pods, const EvictionWords& words,
                      Instant now) {
  TUTTI_CHECK(pods > 0 && pods <= surplus_of(request), "only surplus pods are taken away");
  PodSetPromise& promise = request.promise[*elastic_set(*request.object)];
  const model::PodSet& asked = request.object->spec.pod_sets[*elastic_set(*request.object)];
  const std::int64_t before = elastic_pods(request);
  const auto gone = pods_beyond(request, before - pods, state_.cluster, phantoms_);
  change_domains(promise, gone, -1);
  resize(promise, before - pods);
  table_.resized(request);
  Millis grace(0);
  for (const PodId pod : gone) {
    const model::Pod& object = *state_.cluster.pod(pod).object;
    grace = std::max<Millis>(
        grace, std::chrono::seconds(object.spec->termination_grace_seconds.value_or(30)));
  }
  eviction_.drop_places(gone, now);
  request.shrinks_by = later(now, grace + kObeysWithin);
  writer_.write(request, status_resized(request));
  const std::string text =
      fmt::format("Runs with {} of {} pods: {}", promise.count, asked.count, words.message);
  writer_.event(request, "Normal", "Shrunk", text);
  writer_.decided(request, Decision::Kind::admitted, text, now);
  settle(request);
}

void Resizing::adopt(Request& request, Instant now) {
  const auto set = elastic_set(*request.object);
  if (!set || std::ssize(request.pods) <= request.promise[*set].count) return;
  request.shrinks_by = later(now, kObeysWithin);
  settle(request);
}

void Resizing::settle(Request& request) {
  if (!request.shrinks_by || !request.holds()) return;
  const PodSetPromise& promise = request.promise[*elastic_set(*request.object)];
  const auto live = static_cast<std::int64_t>(request.pods.size());
  const std::array<std::int64_t, 1> here = {live};
  table_.recharge(request, charges_of(table_.objects().tree(), request, request.promise, here));
  if (live <= promise.count) request.shrinks_by.reset();
}

// Whether somebody of its tree waits for room, who goes first.
bool Resizing::has_rival(const Request& request) const {
  const QuotaObjects& objects = table_.objects();
  const quota::QuotaNodeId root = objects.root_of(request.charged_to);
  for (const std::string& name : table_.preempting()) {
    if (objects.root_of(table_.all().find(name)->second->charged_to) == root) return true;
  }
  for (const auto& [name, line] : table_.lines()) {
    const QuotaQueue* queue = objects.queue(name);
    if (queue == nullptr || objects.root_of(queue->node) != root) continue;
    for (const auto& [shape, alike] : line.shapes()) {
      const Request& first = **alike.requests.begin();
      const bool counts = first.tenure != quota::Tenure::opportunistic;
      if (counts && is_waiting_for_room(first, line.refusal_of(first))) return true;
    }
  }
  return false;
}

std::int64_t Resizing::room_by_quota(const Request& request) {
  std::int64_t room = wanted_more(request);
  if (request.tenure == quota::Tenure::opportunistic) return room;
  quota::Tree& tree = table_.objects().tree();
  const PodSetPromise& promise = request.promise[*elastic_set(*request.object)];
  for (const quota::Charge& charge : charges_of_pod(tree, promise)) {
    if (charge.amount == 0) continue;
    const quota::Amount available =
        quota::at_least_zero(tree.available(request.charged_to, charge.of));
    room = std::min(room, quota::to_int64(available / charge.amount));
  }
  return room;
}

bool Resizing::grow(Instant now) {
  std::vector<Request*> small;
  for (const std::string& name : table_.small()) {
    Request* request = table_.find(name);
    const bool runs = request->stage == RequestStage::admitted && !request->shrinks_by;
    if (runs && wanted_more(*request) > 0) small.push_back(request);
  }
  std::ranges::sort(small, {}, [](const Request* each) {
    return std::tuple(each->reserved_at, std::string_view(each->name));
  });
  for (Request* request : small) {
    // While pods of its own are on their way, nobody knows where more of them have room.
    if (phantoms_.find(request->name) != nullptr) continue;
    if (has_rival(*request)) continue;
    const std::pair seen(table_.usage_version(request->charged_to), state_.queue.news());
    if (std::exchange(request->could_not_grow, seen) == seen) continue;
    // As many as have quota and places: whatever is fewer has places, too.
    std::int64_t fewest = 0;
    std::int64_t most = room_by_quota(*request);
    while (fewest < most) {
      const std::int64_t middle = most - (most - fewest) / 2;
      if (have_places(*request, middle, now)) {
        fewest = middle;
      } else {
        most = middle - 1;
      }
    }
    if (fewest > 0 && grow(*request, fewest, now)) return true;
  }
  return false;
}

PhantomGang* Resizing::more_pods(const Request& request, std::int64_t pods, Instant now) {
  TUTTI_CHECK(pods > 0, "nobody grows by nothing");
  const std::size_t index = *elastic_set(*request.object);
  PhantomForm form{.set = &request.object->spec.pod_sets[index], .count = pods, .flavors = {}};
  for (const auto& [resource, name] : request.promise[index].flavors) {
    const model::ResourceFlavor* flavor = table_.objects().flavor(name);
    if (flavor != nullptr && std::ranges::find(form.flavors, flavor) == form.flavors.end()) {
      form.flavors.push_back(flavor);
    }
  }
  return phantoms_.shape(request, {&form, 1}, now);
}

bool Resizing::have_places(const Request& request, std::int64_t pods, Instant now) {
  PhantomGang* gang = more_pods(request, pods, now);
  if (gang == nullptr) return false;
  const Entity entity = phantoms_.entity_of(request, *gang, now);
  const Subtree tree = cycle_.tree_of(entity, state_.leaf_of);
  bool placed = false;
  {
    Transaction transaction(state_.cluster);
    placed = cycle_.solve(transaction, entity, tree).success();
  }
  phantoms_.remove_all(request.name);
  return placed;
}

bool Resizing::grow(Request& request, std::int64_t pods, Instant now) {
  const std::size_t index = *elastic_set(*request.object);
  PodSetPromise& promise = request.promise[index];
  PhantomGang* gang = more_pods(request, pods, now);
  const Entity entity = phantoms_.entity_of(request, *gang, now);
  const CycleResult result = cycle_.run(entity, state_.leaf_of, now);
  if (result.attempt.code != Code::success) {
    phantoms_.remove_all(request.name);
    return false;
  }
  phantoms_.count_as_assumed(result.placed);
  change_domains(promise, gang->sets[0].pods, 1);
  resize(promise, promise.count + pods);
  table_.resized(request);
  table_.recharge(request, charges_of(table_.objects().tree(), request, request.promise));
  state_.queue.others_placed();
  writer_.write(request, status_resized(request));
  const std::string text = fmt::format("Runs with {} of {} pods: nobody waits for the room",
                                       promise.count, request.object->spec.pod_sets[index].count);
  writer_.event(request, "Normal", "Grown", text);
  writer_.decided(request, Decision::Kind::admitted, text, now);
  return true;
}

}  // namespace tutti::core
