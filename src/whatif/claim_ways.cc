// Ways in which the claims of the waiting pods ask for less: fewer devices, those of another class,
// any that a selector ruled out, or devices that need not have something in common.
//
// A claim that was made from a template is changed in the template, together with all others that
// were made from it for the asker.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "devices/device_state.h"
#include "explain/verdict/text.h"
#include "model/device.h"
#include "whatif/largest_that_works.h"
#include "whatif/ways.h"

namespace tutti::whatif {
namespace {

using explain::Datum;
using explain::PatchStep;
using ClaimPtr = std::shared_ptr<const model::ResourceClaim>;

// Sources, and classes for one request, that are looked at.
constexpr std::size_t kSourcesMax = 4;
constexpr std::size_t kClassesMax = 8;

// Where claims are written, and those of the waiting pods that are.
struct Source {
  explain::ObjectName object;
  std::string prefix;  // of the claim's spec in it
  std::string api_version;
  std::vector<ClaimPtr> claims;

  const model::ClaimSpec& spec() const { return claims.front()->spec; }
};

explain::ObjectName source_name(const model::Pod& pod, const model::ClaimReference& entry) {
  if (entry.template_name.empty()) return {"ResourceClaim", pod.meta.ns, entry.claim_name};
  return {"ResourceClaimTemplate", pod.meta.ns, entry.template_name};
}

// Templates may have been written in another version than the claims made from them.
std::string version_of(const Neighbours& neighbours, const explain::ObjectName& object,
                       const model::ResourceClaim& claim) {
  const bool made = object.kind == model::facts(model::Kind::resource_claim_template).name;
  if (!made || !neighbours.find) return claim.api_version;
  const auto found =
      neighbours.find({model::Kind::resource_claim_template, object.ns, object.name, {}});
  return found == nullptr ? claim.api_version : found->api_version;
}

void add_claims(const Rehearsal& rehearsal, const model::Pod& pod, std::vector<Source>& sources) {
  const auto& device_state = rehearsal.cluster().devices();
  for (const model::ClaimReference& entry : pod.spec->resource_claims) {
    const std::string* name = model::claim_name_of(entry, pod.status.claim_statuses);
    if (name == nullptr || name->empty()) continue;
    const auto id = device_state.find_claim(pod.meta.ns, *name);
    if (!id.valid()) continue;
    const devices::Claim& claim = device_state.claim(id);
    if (claim.object == nullptr || claim.allocated() || claim.granted) continue;
    const auto object = source_name(pod, entry);
    auto known = std::ranges::find(sources, object, &Source::object);
    if (known == sources.end()) {
      const bool made = !entry.template_name.empty();
      sources.push_back({object,
                         made ? "/spec/spec/devices" : "/spec/devices",
                         version_of(rehearsal.neighbours(), object, *claim.object),
                         {}});
      known = sources.end() - 1;
    }
    if (std::ranges::find(known->claims, claim.object) == known->claims.end()) {
      known->claims.push_back(claim.object);
    }
  }
}

std::vector<Source> sources_of(const Rehearsal& rehearsal) {
  std::vector<Source> sources;
  for (const core::PodId pod : rehearsal.waiting()) {
    if (!rehearsal.cluster().wants_devices(pod)) continue;
    add_claims(rehearsal, *rehearsal.cluster().pod(pod).object, sources);
    if (sources.size() > kSourcesMax) return {};
  }
  return sources;
}

// One alternative of one request, and where it is written.
struct Place {
  std::size_t request = 0;
  std::size_t wish = 0;
  std::string path;

  model::DeviceWish& in(model::ClaimSpec& spec) const {
    return spec.requests[request].wishes[wish];
  }
};

std::vector<Place> places_of(const Source& source) {
  std::vector<Place> places;
  const auto& requests = source.spec().requests;
  for (std::size_t r = 0; r < requests.size(); ++r) {
    for (std::size_t w = 0; w < requests[r].wishes.size(); ++w) {
      std::string path = fmt::format("{}/requests/{}", source.prefix, r);
      if (requests[r].prioritized) {
        path += fmt::format("/firstAvailable/{}", w);
      } else if (source.api_version != model::kResourceV1Beta1) {
        path += "/exactly";
      }
      places.push_back({r, w, std::move(path)});
    }
  }
  return places;
}

class ClaimWays {
 public:
  ClaimWays(Rehearsal& rehearsal, const Source& source, Ways& ways)
      : rehearsal_(rehearsal), source_(source), ways_(ways) {}

  void add_all() {
    for (std::size_t i = 0; i < source_.spec().constraints.size(); ++i) drop_constraint(i);
    for (const Place& place : places_of(source_)) drop_selectors(place);
    for (const Place& place : places_of(source_)) ask_for_fewer(place);
    for (const Place& place : places_of(source_)) change_class(place);
  }

 private:
  bool works(const model::ClaimSpec& spec) {
    auto outcome = rehearsal_.own([&](core::WhatIf& what_if) {
      for (const ClaimPtr& claim : source_.claims) {
        auto changed = std::make_shared<model::ResourceClaim>(*claim);
        changed->spec = spec;
        what_if.set_object(changed);
      }
    });
    const bool runs = outcome.runs;
    if (runs) last_ = std::move(outcome);
    return runs;
  }

  void add(std::string kind, std::string summary, std::vector<PatchStep> steps) {
    explain::Way way{std::move(kind),
                     fmt::format("{} ({})", summary, text_of(source_.object)),
                     {{{source_.object}, std::move(steps)}}};
    ways_.push_back(with_evictions(std::move(way), last_));
  }

  void drop_constraint(std::size_t index) {
    model::ClaimSpec spec = source_.spec();
    const model::DeviceConstraint dropped = spec.constraints[index];
    if (dropped.kind == model::DeviceConstraint::Kind::unknown) return;
    spec.constraints.erase(spec.constraints.begin() + static_cast<std::ptrdiff_t>(index));
    if (!works(spec)) return;
    const bool match = dropped.kind == model::DeviceConstraint::Kind::match;
    add(match ? "matchAttribute" : "distinctAttribute",
        fmt::format("let the devices differ freely in {}: drop {}", dropped.attribute,
                    match ? "matchAttribute" : "distinctAttribute"),
        {{"remove", fmt::format("{}/constraints/{}", source_.prefix, index)}});
  }

  // One of them; all, where no single one helps.
  void drop_selectors(const Place& place) {
    const auto count = source_.spec().requests[place.request].wishes[place.wish].selectors.size();
    bool helped = false;
    for (std::size_t i = 0; i < count; ++i) {
      model::ClaimSpec spec = source_.spec();
      auto& selectors = place.in(spec).selectors;
      const std::string dropped = selectors[i];
      selectors.erase(selectors.begin() + static_cast<std::ptrdiff_t>(i));
      if (!works(spec)) continue;
      helped = true;
      add("deviceSelector", fmt::format("drop the device selector \"{}\"", brief_line(dropped)),
          {{"remove", fmt::format("{}/selectors/{}", place.path, i)}});
    }
    if (helped || count < 2) return;
    model::ClaimSpec spec = source_.spec();
    place.in(spec).selectors.clear();
    if (!works(spec)) return;
    add("deviceSelector", fmt::format("drop all {} device selectors", count),
        {{"remove", place.path + "/selectors"}});
  }

  void ask_for_fewer(const Place& place) {
    model::ClaimSpec spec = source_.spec();
    model::DeviceWish& wish = place.in(spec);
    const std::int64_t present = wish.count;
    if (wish.mode == "All" || present < 2) return;
    const std::int64_t most =
        largest_that_works(std::int64_t{1}, present - 1, [&](std::int64_t devices) {
          wish.count = devices;
          return works(spec);
        });
    if (most < 1) return;
    wish.count = most;
    if (!works(spec)) return;  // the last outcome is that of another number
    add("deviceCount",
        fmt::format("ask for {} of class {} per claim instead of {}",
                    explain::counted(static_cast<std::size_t>(most), "device"), wish.device_class,
                    present),
        {{"replace", place.path + "/count", Datum::of(most)}});
  }

  void change_class(const Place& place) {
    const auto& plans = rehearsal_.cluster().devices().plans();
    std::vector<std::string> names;
    for (const auto& [name, known] : plans.classes()) names.push_back(name);
    const std::string present =
        source_.spec().requests[place.request].wishes[place.wish].device_class;
    std::size_t tried = 0;
    for (const std::string& name : names) {
      if (name == present || tried == kClassesMax) continue;
      ++tried;
      model::ClaimSpec spec = source_.spec();
      place.in(spec).device_class = name;
      if (!works(spec)) continue;
      add("deviceClass", fmt::format("ask for devices of class {} instead of {}", name, present),
          {{"replace", place.path + "/deviceClassName", Datum::of(name)}});
    }
  }

  Rehearsal& rehearsal_;
  const Source& source_;
  Ways& ways_;
  Rehearsal::Outcome last_;  // of what worked
};

}  // namespace

void add_claim_ways(Rehearsal& rehearsal, const Headroom& headroom, Ways& ways) {
  if (rehearsal.too_many() || !headroom.suffices()) return;
  for (const Source& source : sources_of(rehearsal)) {
    ClaimWays(rehearsal, source, ways).add_all();
  }
}

}  // namespace tutti::whatif
