#include "core/broker/start_search.h"

#include <algorithm>

#include "base/check.h"
#include "core/framework/transaction.h"

namespace tutti::core {
namespace {

// Assignments that quota allows and that are looked at for places, per instant.
constexpr int kAssignmentsMax = 64;
// How often other places are looked for because those found are promised to somebody.
constexpr int kRoundsMax = 64;

bool is_held_at(const PromisedStart& reservation, Instant at) {
  return !reservation.collects && reservation.start <= at &&
         (!reservation.end || *reservation.end > at);
}

// Whether its places depend on who else is there.
bool depends_on_others(const Cluster& cluster, const PhantomGang* gang) {
  if (gang == nullptr) return false;
  return std::ranges::any_of(gang->sets, [&](const PhantomGang::Set& set) {
    return !set.pods.empty() && cluster.shape(cluster.pod(set.pods.front()).shape).special();
  });
}

}  // namespace

std::vector<PhantomForm> forms_of(const RequestTable& table, const Request& request,
                                  std::span<const PodSetPromise> promise) {
  std::vector<PhantomForm> forms;
  const auto& sets = request.object->spec.pod_sets;
  for (std::size_t i = 0; i < std::min(sets.size(), promise.size()); ++i) {
    PhantomForm& form = forms.emplace_back(PhantomForm{&sets[i], promise[i].count, {}});
    for (const auto& [resource, name] : promise[i].flavors) {
      const model::ResourceFlavor* flavor = table.objects().flavor(name);
      if (flavor != nullptr && std::ranges::find(form.flavors, flavor) == form.flavors.end()) {
        form.flavors.push_back(flavor);
      }
    }
  }
  return forms;
}

// --- places --------------------------------------------------------------------------------------

std::optional<SetPlaces> StartSearch::places_for(const Request& request,
                                                 std::span<const PhantomForm> forms, Instant now) {
  const PhantomGang* gang = phantoms_.shape(request, forms, now);
  if (gang == nullptr || !gang->root.valid()) return SetPlaces{};
  const Entity entity = phantoms_.entity_of(request, *gang, now);
  const Subtree tree = cycle_.tree_of(entity, state_.leaf_of);
  Transaction transaction(state_.cluster);
  if (!cycle_.solve(transaction, entity, tree).success()) return std::nullopt;
  std::map<PodId, NodeId> by_pod;
  for (const auto& [pod, node] : transaction.placed()) by_pod[pod] = node;
  SetPlaces places;
  for (const PhantomGang::Set& set : gang->sets) {
    auto& nodes = places.emplace_back();
    for (const PodId pod : set.pods) {
      const auto at = by_pod.find(pod);
      nodes.push_back(at != by_pod.end() ? at->second : NodeId{});
    }
  }
  return places;
}

// Nodes of these places that hold more than they offer.
std::set<NodeId> StartSearch::overfull(const SetPlaces& places) const {
  std::set<NodeId> all;
  for (const auto& nodes : places) all.insert(nodes.begin(), nodes.end());
  const ResourceColumns& resources = state_.cluster.resources();
  std::erase_if(all, [&](NodeId node) {
    if (!node.valid()) return true;
    for (std::uint32_t i = 0; i < resources.count(); ++i) {
      const ResourceId resource{i};
      const Bitset& devices = resources.through_devices(resource);
      if (devices.size() > 0 && devices.test(node.index)) continue;
      if (resources.used(resource)[node.index] > resources.allocatable(resource)[node.index]) {
        return false;
      }
    }
    return true;
  });
  return all;
}

// --- others --------------------------------------------------------------------------------------

// Its phantoms are those of what it was promised.
void StartSearch::shape_promised(const PromisedStart& each, Instant now) {
  const Request* request = table_.find(each.request);
  TUTTI_CHECK(request != nullptr && !request->holds(), "a start is promised to who waits");
  phantoms_.shape(*request, forms_of(table_, *request, each.promise), now);
}

void StartSearch::occupy(const Promised& others, Instant at, Projection& projection) {
  for (const PromisedStart* each : others) {
    if (!is_held_at(*each, at)) continue;
    projection.charge(each->queue, each->charges);
    projection.hold(each->request, each->places);
  }
}

// Whether it could have its start elsewhere, too; it has those places then.
bool StartSearch::moves(PromisedStart& reservation, Instant now) {
  const Request& request = *table_.find(reservation.request);
  const QuotaQueue* queue = table_.objects().queue(request.queue);
  if (queue == nullptr) return false;
  std::vector<std::int64_t> counts;
  for (const PodSetPromise& set : reservation.promise) counts.push_back(set.count);
  AssignmentList list(table_, *queue, request, counts);
  for (int looks = 0; looks < kAssignmentsMax; ++looks) {
    auto choice = list.next();
    if (!choice) return false;
    // Other phantoms cannot be made while others are imagined away.
    if (choice->assignment.mode != quota::Mode::fit ||
        !phantoms_.have(request.name, choice->forms)) {
      continue;
    }
    auto places = places_for(request, choice->forms, now);
    if (!places) continue;
    reservation.places = *std::move(places);
    return true;
  }
  return false;
}

const PromisedStart* StartSearch::conflict(const Request& request, const QuotaQueue& queue,
                                           const Found& found, const Window& window,
                                           const Promised& others, Projection& projection,
                                           std::set<NodeId>& nodes, Instant now) {
  Promised later, held;
  for (PromisedStart* each : others) {
    const bool meets = each->start > window.from && (!window.to || each->start < *window.to);
    if (each->collects || meets) later.push_back(each);
    if (is_held_at(*each, window.from)) held.push_back(each);
  }
  if (later.empty()) return nullptr;
  std::ranges::stable_sort(later, {}, &PromisedStart::start);
  const bool depends = depends_on_others(state_.cluster, phantoms_.find(request.name));
  projection.charge(queue.node, found.choice.assignment.charges);
  projection.hold(request.name, found.places);
  const PromisedStart* delayed = nullptr;
  for (PromisedStart* each : later) {
    projection.end_until(each->start);
    std::erase_if(held, [&](const PromisedStart* other) {
      const bool over = !is_held_at(*other, each->start);
      if (over) projection.vacate(*other);
      return over;
    });
    for (const Runner& who : each->collects ? each->waits_for : std::vector<Runner>()) {
      projection.end_endless(who);
    }
    const bool quota_left = table_.objects().tree().fits(each->queue, each->charges);
    const std::size_t before = projection.mark();
    projection.charge(each->queue, each->charges);
    projection.hold(each->request, each->places);
    const auto full = overfull(found.places);
    const bool special =
        depends || depends_on_others(state_.cluster, phantoms_.find(each->request));
    held.push_back(each);
    if (quota_left && full.empty() && !special) continue;
    projection.rewind(before);
    const bool may_move = special || (!keeps_places_ && !each->of_all);
    if (!may_move || !moves(*each, now)) {
      delayed = delayed != nullptr ? delayed : each;
      if (!quota_left || full.empty()) {
        nodes.clear();
        return delayed;
      }
      nodes.insert(full.begin(), full.end());
    }
    projection.charge(each->queue, each->charges);
    projection.hold(each->request, each->places);
  }
  return delayed;
}

// --- one instant ---------------------------------------------------------------------------------

std::optional<StartSearch::Found> StartSearch::try_choice(
    const Request& request, const QuotaQueue& queue, FlavorChoice choice, const Window& window,
    const Promised& others, Projection& projection, const PromisedStart*& delayed, Instant now) {
  const std::size_t mark = projection.mark();
  std::optional<Found> found;
  for (int round = 0; round < kRoundsMax && !found; ++round) {
    auto places = places_for(request, choice.forms, now);
    if (!places) break;
    Found candidate{choice, *std::move(places)};
    const std::size_t before = projection.mark();
    std::set<NodeId> nodes;
    const PromisedStart* in_the_way =
        conflict(request, queue, candidate, window, others, projection, nodes, now);
    projection.rewind(before);
    if (in_the_way == nullptr) {
      found = std::move(candidate);
      break;
    }
    delayed = delayed != nullptr ? delayed : in_the_way;
    if (nodes.empty()) break;
    // Room that others were promised there is taken from now on.
    for (const PromisedStart* each : others) projection.hold(each->request, each->places, &nodes);
  }
  projection.rewind(mark);
  return found;
}

std::optional<StartSearch::Found> StartSearch::in(const Request& request, const QuotaQueue& queue,
                                                  const Window& window, const Promised& others,
                                                  const FlavorChoice* only,
                                                  const PromisedStart*& delayed,
                                                  Projection& projection, Instant now) {
  const std::size_t mark = projection.mark();
  if (!window.is_now) projection.end_until(window.from);
  occupy(others, window.from, projection);
  std::optional<Found> found;
  if (only != nullptr) {
    if (table_.objects().tree().fits(queue.node, only->assignment.charges)) {
      found = try_choice(request, queue, *only, window, others, projection, delayed, now);
    } else {
      const auto at = std::ranges::find_if(
          others, [&](const PromisedStart* each) { return is_held_at(*each, window.from); });
      delayed = at != others.end() ? *at : nullptr;
    }
  } else {
    AssignmentList list(table_, queue, request, full_counts(request));
    for (int looks = 0; looks < kAssignmentsMax && !found; ++looks) {
      auto choice = list.next();
      if (!choice) break;
      if (choice->assignment.mode != quota::Mode::fit) continue;
      found =
          try_choice(request, queue, *std::move(choice), window, others, projection, delayed, now);
    }
  }
  projection.rewind(mark);
  return found;
}

std::optional<StartSearch::Found> StartSearch::now(const Request& request, const QuotaQueue& queue,
                                                   std::optional<Millis> length,
                                                   const Promised& others, const FlavorChoice* only,
                                                   const PromisedStart*& delayed, Instant now) {
  for (const PromisedStart* each : others) shape_promised(*each, now);
  const Window window{.from = now,
                      .to = length ? std::optional(later(now, *length)) : std::nullopt,
                      .is_now = true};
  Projection projection(state_, table_, phantoms_, timeline_);
  return in(request, queue, window, others, only, delayed, projection, now);
}

// --- the first instant ---------------------------------------------------------------------------

// Instants at which something comes free, each with a mark to go back to.
class StartSearch::Instants {
 public:
  Instants(Projection& projection, const Timeline& timeline, Instant now)
      : projection_(projection) {
    for (const Timeline::End& end : timeline.ends()) {
      if (end.at > now && (all_.empty() || all_.back() != end.at)) all_.push_back(end.at);
    }
  }
  std::size_t size() const { return all_.size(); }
  const std::vector<Instant>& all() const { return all_; }
  // The picture is that of this instant.
  void go_to(std::size_t index) {
    if (index + 1 < marks_.size()) {
      projection_.rewind(marks_[index + 1]);
      marks_.resize(index + 1);
    }
    while (marks_.size() <= index) {
      marks_.push_back(projection_.mark());
      projection_.end_until(all_[marks_.size() - 1]);
    }
  }

 private:
  Projection& projection_;
  std::vector<Instant> all_;
  std::vector<std::size_t> marks_;  // before each that was gone to
};

// The first instant at which it fits beside those who run, with nobody promised anything. More
// comes free with every instant, so whatever fits once fits from then on; not so where a pod wants
// another one beside it.
std::optional<std::size_t> StartSearch::first_room(const Request& request, const QuotaQueue& queue,
                                                   Instants& instants, Projection& projection,
                                                   Instant now) {
  const auto fits = [&](std::size_t index) {
    instants.go_to(index);
    const PromisedStart* delayed = nullptr;
    return in(request, queue, {.from = instants.all()[index]}, {}, nullptr, delayed, projection,
              now)
        .has_value();
  };
  const std::size_t size = instants.size();
  if (depends_on_others(state_.cluster, phantoms_.find(request.name))) {
    for (std::size_t i = 0; i < size; ++i) {
      if (fits(i)) return i;
    }
    return std::nullopt;
  }
  // Strides grow until it fits; what lies within the last stride is halved.
  std::size_t fails = 0;  // as many fail for certain
  std::size_t stride = 1;
  while (fails < size) {
    const std::size_t at = std::min(fails + stride, size) - 1;
    if (fits(at)) {
      std::size_t works = at;
      while (fails < works) {
        const std::size_t middle = fails + (works - fails) / 2;
        if (fits(middle)) {
          works = middle;
        } else {
          fails = middle + 1;
        }
      }
      return works;
    }
    fails = at + 1;
    stride *= 2;
  }
  return std::nullopt;
}

std::optional<PromisedStart> StartSearch::earliest(const Request& request, const QuotaQueue& queue,
                                                   std::optional<Millis> length,
                                                   const Promised& others, Instant now) {
  for (const PromisedStart* each : others) shape_promised(*each, now);
  Projection projection(state_, table_, phantoms_, timeline_);
  const PromisedStart* delayed = nullptr;
  const auto window = [&](Instant from) {
    return Window{.from = from,
                  .to = length ? std::optional(later(from, *length)) : std::nullopt,
                  .is_now = from == now};
  };
  const auto found_at = [&](Instant from, const Promised& promised) {
    return in(request, queue, window(from), promised, nullptr, delayed, projection, now);
  };
  if (auto found = found_at(now, others)) {
    return reservation_of(request, queue, *std::move(found), now, length);
  }
  Instants instants(projection, timeline_, now);
  std::vector<Instant> candidates = instants.all();
  if (others.empty() || !found_at(now, {})) {
    const auto first = first_room(request, queue, instants, projection, now);
    projection.rewind(0);
    if (!first) return std::nullopt;
    candidates.erase(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(*first));
  }
  const Instant least = candidates.empty() ? now : candidates.front();
  for (const PromisedStart* each : others) {
    if (each->end && *each->end > now && *each->end >= least) candidates.push_back(*each->end);
  }
  std::ranges::sort(candidates);
  candidates.erase(std::ranges::unique(candidates).begin(), candidates.end());
  for (const Instant from : candidates) {
    projection.end_until(from);
    if (auto found = found_at(from, others)) {
      return reservation_of(request, queue, *std::move(found), from, length);
    }
  }
  return std::nullopt;
}

bool StartSearch::still_starts(const Request& request, const QuotaQueue& queue,
                               PromisedStart& promised, const Promised& others, Instant now) {
  for (const PromisedStart* each : others) shape_promised(*each, now);
  Projection projection(state_, table_, phantoms_, timeline_);
  const PromisedStart* delayed = nullptr;
  const Window window{.from = promised.start, .to = promised.end, .is_now = promised.start == now};
  auto found = in(request, queue, window, others, nullptr, delayed, projection, now);
  if (!found) return false;
  promised.charges = std::move(found->choice.assignment.charges);
  promised.promise = std::move(found->choice.promise);
  promised.places = std::move(found->places);
  return true;
}

// --- no known start ------------------------------------------------------------------------------

std::optional<PromisedStart> StartSearch::collecting(const Request& request,
                                                     const QuotaQueue& queue, Instant now) {
  Projection projection(state_, table_, phantoms_, timeline_);
  projection.end_until(kEndOfTime);
  const std::vector<Runner> endless = timeline_.endless();
  const PromisedStart* delayed = nullptr;
  const auto without = [&](std::size_t count) {
    const std::size_t mark = projection.mark();
    for (const Runner& who : std::span(endless).first(count)) projection.end(who);
    auto found = in(request, queue, {.from = kEndOfTime}, {}, nullptr, delayed, projection, now);
    projection.rewind(mark);
    return found;
  };
  if (!without(endless.size())) return std::nullopt;
  std::size_t fails = 0;
  std::size_t works = endless.size();
  while (fails < works) {
    const std::size_t middle = fails + (works - fails) / 2;
    if (without(middle)) {
      works = middle;
    } else {
      fails = middle + 1;
    }
  }
  PromisedStart made =
      reservation_of(request, queue, *without(works), kEndOfTime, std::optional<Millis>());
  made.collects = true;
  made.certain = false;
  made.waits_for.assign(endless.begin(), endless.begin() + static_cast<std::ptrdiff_t>(works));
  return made;
}

PromisedStart StartSearch::reservation_of(const Request& request, const QuotaQueue& queue,
                                          Found found, Instant start,
                                          std::optional<Millis> length) const {
  PromisedStart made{.request = request.name,
                     .queue = queue.node,
                     .borrow_level = found.choice.assignment.borrow_level,
                     .start = start,
                     .certain = true,
                     .charges = std::move(found.choice.assignment.charges),
                     .promise = std::move(found.choice.promise),
                     .places = std::move(found.places)};
  if (length) made.end = later(start, *length);
  for (const Timeline::End& end : timeline_.ends()) {
    if (end.at > start) break;
    made.certain = made.certain && timeline_.is_certain(end.who);
    if (end.at == start) made.waits_for.push_back(end.who);
  }
  return made;
}

std::size_t StartSearch::nodes_in_use(const PromisedStart& reservation, Instant now) {
  shape_promised(reservation, now);
  Projection projection(state_, table_, phantoms_, timeline_);
  projection.hold(reservation.request, reservation.places);
  return overfull(reservation.places).size();
}

}  // namespace tutti::core
