// RequestTable, as far as the tenure of requests goes: who is guaranteed, and who is in whose way.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/requests/elastic.h"
#include "core/requests/request_table.h"
#include "core/requests/tenure.h"

namespace tutti::core {
namespace {

using quota::Tenure;

using Sums = std::map<quota::FlavorResourceId, quota::Amount>;

// What a request that waits asks for, of all its pods.
ResourceAmounts asked_by(const Request& request) {
  ResourceAmounts all;
  const auto& sets = request.object->spec.pod_sets;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const std::int64_t count = left_to_run(*request.object, sets[i], sets[i].count);
    for (const auto& [resource, amount] : times(request.asks[i], count)) all[resource] += amount;
    all[std::string(kPodsName)] += count;
  }
  return all;
}

}  // namespace

bool RequestTable::take_tenure(Request& request) {
  const QuotaQueue* queue = objects_.queue(request.queue);
  const bool by_queue = queue != nullptr && objects_.is_opportunistic(*queue);
  const Tenure declared = declared_tenure(*request.object, by_queue);
  const Tenure before = request.tenure;
  // What is charged, or not, stays so until it is given back.
  const bool in_idle_room = before == Tenure::opportunistic;
  if (request.holds() && (declared == Tenure::opportunistic) != in_idle_room) return false;
  const bool asked = ask_guarantee_.contains(request.name);
  if (asked != (declared == Tenure::guaranteed)) unsettled_.insert(request.queue);
  if (declared != Tenure::guaranteed) {
    ask_guarantee_.erase(request.name);
    request.demoted = false;
    request.tenure = declared;
  } else if (!asked) {
    ask_guarantee_.insert(request.name);
    request.tenure = request.holds() && before != Tenure::guaranteed ? Tenure::burst : declared;
  }
  index_tenure(request);
  if (request.holds() && before == Tenure::guaranteed && request.tenure != before) {
    note_release(request.charged_to);
  }
  return request.tenure != before;
}

void RequestTable::set_tenure(Request& request, Tenure tenure) {
  if (request.tenure == tenure) return;
  const auto change = [&] {
    request.tenure = tenure;
    take_shape(request);
  };
  if (request.holds()) {
    change();
  } else {
    reorder(request, change);
  }
  index_tenure(request);
  // Others may have to leave for whom they had not before, and it is to be tried anew.
  if (const QuotaQueue* queue = objects_.queue(request.queue)) note_release(queue->node);
}

void RequestTable::index_tenure(const Request& request) {
  opportunistic_.erase(request.name);
  bursts_.erase(request.name);
  if (!request.holds()) return;
  if (request.tenure == Tenure::opportunistic) opportunistic_.insert(request.name);
  if (request.tenure == Tenure::burst) bursts_.insert(request.name);
}

void RequestTable::resized(const Request& request) {
  const auto set = elastic_set(*request.object);
  const bool small = request.holds() && set && *set < request.promise.size() &&
                     request.promise[*set].count < request.object->spec.pod_sets[*set].count;
  if (small) {
    small_.insert(request.name);
  } else {
    small_.erase(request.name);
  }
}

std::vector<Request*> RequestTable::settle_guarantees() {
  std::vector<Request*> demoted;
  for (const std::string& name : std::exchange(unsettled_, {})) {
    const QuotaQueue* queue = objects_.queue(name);
    if (queue == nullptr) continue;
    std::vector<Request*> asking;
    for (const std::string& each : ask_guarantee_) {
      Request* request = find(each);
      const bool counts = request->holds() || !request->finished;
      if (request->queue == name && counts) asking.push_back(request);
    }
    std::ranges::sort(asking, {}, [](const Request* each) {
      return std::tuple(!each->holds(), each->timestamp, std::string_view(each->name));
    });
    Sums guaranteed;
    for (Request* request : asking) {
      const bool room = has_room_for_guarantee(*request, *queue, guaranteed);
      if (!room && !request->demoted) demoted.push_back(request);
      request->demoted = !room;
      set_tenure(*request, room ? Tenure::guaranteed : Tenure::burst);
    }
  }
  return demoted;
}

// Adds what it takes to `guaranteed`, if that has room for it.
bool RequestTable::has_room_for_guarantee(const Request& request, const QuotaQueue& queue,
                                          Sums& guaranteed) {
  quota::Tree& tree = objects_.tree();
  const auto fits = [&](const quota::Charge& charge) {
    const auto known = guaranteed.find(charge.of);
    const quota::Amount others = known != guaranteed.end() ? known->second : quota::Amount{0};
    return others + charge.amount <= tree.nominal(queue.node, charge.of);
  };
  std::vector<quota::Charge> taken = request.charges;
  if (!request.holds()) {
    const ResourceAmounts asked = asked_by(request);
    for (const model::ResourceGroup& group : queue.object->spec.groups) {
      std::vector<quota::Charge> chosen;
      for (const model::FlavorQuotas& flavor : group.flavors) {
        chosen.clear();
        for (const std::string& resource : group.covered) {
          const auto amount = asked.find(resource);
          if (amount == asked.end()) continue;
          chosen.push_back(
              {tree.flavor_resources().intern(flavor.flavor, resource), amount->second});
        }
        if (std::ranges::all_of(chosen, fits)) break;
      }
      taken.insert(taken.end(), chosen.begin(), chosen.end());
    }
  }
  if (!std::ranges::all_of(taken, fits)) return false;
  for (const quota::Charge& charge : taken) guaranteed[charge.of] += charge.amount;
  return true;
}

quota::Amount RequestTable::guaranteed_beside(const Request& request, quota::QuotaNodeId queue,
                                              quota::FlavorResourceId of) const {
  quota::Amount sum = 0;
  for (const std::string& name : ask_guarantee_) {
    const Request& other = *all_.find(name)->second;
    const bool counts = other.charged_to == queue && other.tenure == Tenure::guaranteed;
    if (!counts || &other == &request) continue;
    for (const quota::Charge& charge : other.charges) sum += charge.of == of ? charge.amount : 0;
  }
  return sum;
}

std::string RequestTable::check_tenures() const {
  std::map<std::pair<quota::QuotaNodeId, quota::FlavorResourceId>, quota::Amount> guaranteed;
  for (const auto& [name, request] : all_) {
    const bool idle_room = request->holds() && request->tenure == Tenure::opportunistic;
    const bool burst = request->holds() && request->tenure == Tenure::burst;
    if (idle_room != opportunistic_.contains(name) || burst != bursts_.contains(name)) {
      return fmt::format("request {} is {} and listed as something else", name,
                         quota::word(request->tenure));
    }
    if (idle_room && !request->charges.empty()) {
      return fmt::format("request {} is opportunistic and charged", name);
    }
    if (!request->holds() || request->tenure != Tenure::guaranteed) continue;
    for (const quota::Charge& charge : request->charges) {
      guaranteed[{request->charged_to, charge.of}] += charge.amount;
    }
  }
  if (!unsettled_.empty()) return {};
  const quota::Tree& tree = objects_.tree();
  for (const auto& [of, amount] : guaranteed) {
    if (amount <= tree.nominal(of.first, of.second)) continue;
    return fmt::format("queue {} guarantees more than it owns", tree.name(of.first));
  }
  return {};
}

}  // namespace tutti::core
