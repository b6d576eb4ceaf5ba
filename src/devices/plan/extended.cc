#include "devices/plan/extended.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <span>

#include "base/check.h"
#include "base/digest.h"

namespace tutti::devices {
namespace {

// The longest beginning of a generated name, before the five letters that the name ends with.
constexpr std::size_t kBaseMax = 58;
constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";

struct Place {
  const model::Container* container = nullptr;
  bool passes = false;  // ends before the next one starts
};

// In the order they start: the order in which requests are numbered.
std::vector<Place> places_of(const model::PodSpec& spec) {
  std::vector<Place> places;
  for (const auto& each : spec.init_containers) places.push_back({&each, !each.restart_always});
  for (const auto& each : spec.containers) places.push_back({&each, false});
  return places;
}

std::int64_t asked(const model::Container& container, const std::string& resource) {
  const Quantity* amount = model::find(container.requests, resource);
  return amount == nullptr ? 0 : std::max<std::int64_t>(0, amount->units());
}

// A request is known by its container and by where the resource stands among all that it asks for.
std::string request_name(const Place& place, std::size_t index, const std::string& resource) {
  const auto& requests = place.container->requests;
  const auto at =
      std::ranges::find(requests, resource, [](const auto& each) { return each.first; });
  return fmt::format("container-{}-request-{}", index, at - requests.begin());
}

model::DeviceRequest request_for(std::string name, const std::string& device_class,
                                 std::int64_t count) {
  model::DeviceRequest request;
  request.name = std::move(name);
  model::DeviceWish wish;
  wish.device_class = device_class;
  wish.mode = "ExactCount";
  wish.count = count;
  request.wishes = {std::move(wish)};
  return request;
}

// One resource of a pod on its way to requests.
class NeedWriter {
 public:
  NeedWriter(std::span<const Place> places, std::string resource, std::string device_class)
      : places_(places), own_(places.size()) {
    need_.resource = std::move(resource);
    need_.device_class = std::move(device_class);
  }

  ExtendedNeed write() {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (!places_[i].passes) stay(i);
    }
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (places_[i].passes) pass(i);
    }
    if (largest_) need_.requests.push_back(*largest_);
    for (auto& request : own_) {
      if (request) need_.requests.push_back(std::move(*request));
    }
    TUTTI_CHECK(!need_.requests.empty(), "a resource that no container asks for");
    for (auto& use : need_.uses) {
      if (use.request.empty()) use.request = need_.requests.front().name;
    }
    return std::move(need_);
  }

 private:
  void use(std::size_t i, const std::string& request) {
    need_.uses.push_back({places_[i].container->name, need_.resource, request});
  }

  void stay(std::size_t i) {
    const std::int64_t count = asked(*places_[i].container, need_.resource);
    if (count == 0) return;
    own_[i] = request_for(request_name(places_[i], i, need_.resource), need_.device_class, count);
    use(i, own_[i]->name);
  }

  // What starts later lends its devices; what is still missing is the same for all that pass.
  void pass(std::size_t i) {
    std::int64_t missing = asked(*places_[i].container, need_.resource);
    for (std::size_t later = i; later < own_.size() && missing > 0; ++later) {
      if (!own_[later]) continue;
      missing -= own_[later]->wishes.front().count;
      use(i, own_[later]->name);
    }
    if (missing <= 0) return;
    use(i, {});  // the largest, when it is known
    if (largest_ && largest_->wishes.front().count >= missing) return;
    largest_ =
        request_for(request_name(places_[i], i, need_.resource), need_.device_class, missing);
  }

  std::span<const Place> places_;
  ExtendedNeed need_;
  std::vector<std::optional<model::DeviceRequest>> own_;  // of containers that stay
  std::optional<model::DeviceRequest> largest_;           // of what those that pass lack
};

std::uint64_t hash_of(const ExtendedNeeds& needs) {
  Digest digest;
  for (const auto& need : needs) {
    digest.add(need.resource);
    digest.add(need.device_class);
    for (const auto& request : need.requests) {
      digest.add(request.name);
      digest.add(static_cast<std::uint64_t>(request.wishes.front().count));
    }
  }
  return digest.value();
}

}  // namespace

ExtendedNeeds extended_needs(const model::PodSpec& spec, const PlanTable& classes) {
  const auto places = places_of(spec);
  std::set<std::string_view> names;
  for (const Place& place : places) {
    for (const auto& [name, amount] : place.container->requests) {
      if (amount.units() > 0) names.insert(name);
    }
  }
  ExtendedNeeds needs;
  for (const std::string_view name : names) {
    const model::DeviceClass* of = classes.class_for(name);
    if (of == nullptr) continue;
    needs.push_back(NeedWriter(places, std::string(name), of->meta.name).write());
  }
  return needs;
}

std::shared_ptr<model::ResourceClaim> extended_claim(const model::Pod& pod,
                                                     const model::ClaimSpec& spec) {
  auto claim = std::make_shared<model::ResourceClaim>();
  claim->api_version = model::kResourceV1;
  const std::string base = pod.meta.name + "-extended-resources-";
  // The name follows from the pod: a write that is repeated makes no second claim.
  Digest digest;
  digest.add(pod.meta.uid);
  claim->meta.name = base.substr(0, kBaseMax);
  for (std::uint64_t rest = digest.value(), i = 0; i < 5; ++i, rest /= kLetters.size()) {
    claim->meta.name += kLetters[rest % kLetters.size()];
  }
  claim->meta.ns = pod.meta.ns;
  claim->meta.annotations = {{std::string(model::kExtendedClaim), "true"}};
  model::OwnerReference owner;
  owner.api_version = "v1";
  owner.kind = "Pod";
  owner.name = pod.meta.name;
  owner.uid = pod.meta.uid;
  owner.controller = true;
  claim->meta.owners = {owner};
  claim->spec = spec;
  // Names of the API need no escapes.
  std::vector<std::string> requests;
  for (const auto& request : spec.requests) {
    const auto& wish = request.wishes.front();
    requests.push_back(fmt::format(
        R"({{"name":"{}","exactly":{{"deviceClassName":"{}","allocationMode":"{}","count":{}}}}})",
        request.name, wish.device_class, wish.mode, wish.count));
  }
  claim->document = std::make_shared<const std::string>(fmt::format(
      R"({{"metadata":{{"generateName":"{}"}},"spec":{{"devices":{{"requests":[{}]}}}}}})", base,
      fmt::join(requests, ",")));
  return claim;
}

ExtendedId ExtendedTable::find(const std::shared_ptr<const model::PodSpec>& spec) {
  if (const ExtendedId* known = known_.find(spec)) return *known;
  const ExtendedId id = intern(extended_needs(*spec, plans_));
  known_.keep(spec, id);
  return id;
}

ExtendedId ExtendedTable::intern(ExtendedNeeds needs) {
  if (needs.empty()) return {};
  const std::uint64_t hash = hash_of(needs);
  const auto [first, last] = ids_.equal_range(hash);
  for (auto at = first; at != last; ++at) {
    if (entries_[at->second.index].needs == needs) return at->second;
  }
  const ExtendedId id{static_cast<std::uint32_t>(entries_.size())};
  entries_.push_back({std::move(needs), {}});
  ids_.emplace(hash, id);
  return id;
}

PlanId ExtendedTable::plan(ExtendedId id,
                           const std::function<bool(const std::string& resource)>& advertised) {
  TUTTI_CHECK(id.index < entries_.size(), "needs of another table");
  Entry& entry = entries_[id.index];
  std::vector<bool> through;
  for (const auto& need : entry.needs) through.push_back(!advertised(need.resource));
  const auto [at, fresh] = entry.plans.try_emplace(through);
  if (!fresh) return at->second;
  model::ClaimSpec spec;
  for (std::size_t i = 0; i < through.size(); ++i) {
    if (through[i]) std::ranges::copy(entry.needs[i].requests, std::back_inserter(spec.requests));
  }
  if (spec.requests.empty()) return {};
  std::ranges::sort(spec.requests, {}, &model::DeviceRequest::name);
  at->second = plans_.intern(spec);
  return at->second;
}

}  // namespace tutti::devices
