#include "sim/script/selector_rules.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "model/device.h"

namespace tutti::sim {
namespace {

using admission::FieldProblems;

class SelectorRules {
 public:
  SelectorRules(devices::SelectorTable& compiled, FieldProblems& problems)
      : compiled_(compiled), problems_(problems) {}

  // An empty text is a kind of selector that we do not know.
  void check(const std::vector<std::string>& selectors, const std::string& path) {
    for (std::size_t i = 0; i < selectors.size(); ++i) {
      if (selectors[i].empty()) continue;
      const std::string& problem = compiled_.problem(compiled_.intern(selectors[i]));
      if (problem.empty()) continue;
      problems_.push_back({fmt::format("{}.selectors[{}].cel.expression", path, i), problem});
    }
  }

  void check(const model::ClaimSpec& spec, const std::string& path, bool has_exactly) {
    for (std::size_t i = 0; i < spec.requests.size(); ++i) {
      const auto& request = spec.requests[i];
      const std::string place = fmt::format("{}.devices.requests[{}]", path, i);
      for (std::size_t wish = 0; wish < request.wishes.size(); ++wish) {
        const std::string form = request.prioritized ? fmt::format(".firstAvailable[{}]", wish)
                                 : has_exactly       ? ".exactly"
                                                     : "";
        check(request.wishes[wish].selectors, place + form);
      }
    }
  }

 private:
  devices::SelectorTable& compiled_;
  FieldProblems& problems_;
};

}  // namespace

FieldProblems selector_problems(const model::Object& object, devices::SelectorTable& compiled) {
  FieldProblems problems;
  SelectorRules rules(compiled, problems);
  const bool has_exactly = !object.api_version.ends_with("/v1beta1");
  if (const auto* device_class = model::try_as<model::DeviceClass>(object)) {
    rules.check(device_class->selectors, "spec");
  } else if (const auto* claim = model::try_as<model::ResourceClaim>(object)) {
    rules.check(claim->spec, "spec", has_exactly);
  } else if (const auto* form = model::try_as<model::ResourceClaimTemplate>(object)) {
    rules.check(form->spec, "spec.spec", has_exactly);
  }
  return problems;
}

}  // namespace tutti::sim
