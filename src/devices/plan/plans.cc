#include "devices/plan/plans.h"

#include <fmt/format.h>

#include <algorithm>

namespace tutti::devices {

PlanId PlanTable::intern(const model::ClaimSpec& spec) {
  for (std::uint32_t i = 0; i < plans_.size(); ++i) {
    if (plans_[i]->spec == spec) return {i};
  }
  auto& plan = *plans_.emplace_back(std::make_unique<ClaimPlan>());
  plan.spec = spec;
  make(plan);
  return {static_cast<std::uint32_t>(plans_.size() - 1)};
}

void PlanTable::set_class(std::shared_ptr<const model::DeviceClass> device_class) {
  const std::string name = device_class->meta.name;
  classes_[name] = std::move(device_class);
  name_resources();
  make_again(name);
}

void PlanTable::remove_class(const std::string& name) {
  classes_.erase(name);
  name_resources();
  make_again(name);
}

void PlanTable::name_resources() {
  by_resource_.clear();
  for (const auto& [name, each] : classes_) {
    if (each->extended_resource_name.empty()) continue;
    const auto [at, fresh] = by_resource_.try_emplace(each->extended_resource_name, each.get());
    if (!fresh && each->meta.created > at->second->meta.created) at->second = each.get();
  }
}

const model::DeviceClass* PlanTable::class_for(std::string_view resource) const {
  if (resource.starts_with(model::kClassResourcePrefix)) {
    return find_class(std::string(resource.substr(model::kClassResourcePrefix.size())));
  }
  const auto at = by_resource_.find(resource);
  return at == by_resource_.end() ? nullptr : at->second;
}

const model::DeviceClass* PlanTable::find_class(const std::string& name) const {
  const auto at = classes_.find(name);
  return at == classes_.end() ? nullptr : at->second.get();
}

void PlanTable::make_again(const std::string& device_class) {
  const auto names = [&](const model::DeviceRequest& request) {
    return std::ranges::find(request.wishes, device_class, &model::DeviceWish::device_class) !=
           request.wishes.end();
  };
  for (auto& plan : plans_) {
    if (std::ranges::any_of(plan->spec.requests, names)) make(*plan);
  }
}

void PlanTable::make(ClaimPlan& plan) {
  plan.problem.clear();
  plan.class_missing = false;
  plan.requests.clear();
  plan.constraints.clear();
  for (const auto& request : plan.spec.requests) {
    if (plan.problem = add(plan, request); !plan.problem.empty()) return;
  }
  std::size_t least = 0;
  for (const auto& request : plan.requests) {
    const auto fewest = std::ranges::min_element(request.wishes, {}, [](const WishPlan& wish) {
      return wish.all ? std::size_t{0} : wish.count;
    });
    least += fewest->all ? 0 : fewest->count;
  }
  if (least > kDevicesPerClaimMax) {
    plan.problem =
        fmt::format("asks for {} devices, a claim may have {}", least, kDevicesPerClaimMax);
    return;
  }
  for (const auto& constraint : plan.spec.constraints) {
    if (plan.problem = add(plan, constraint); !plan.problem.empty()) return;
  }
}

std::string PlanTable::add(ClaimPlan& plan, const model::DeviceRequest& request) {
  if (request.wishes.empty()) {
    return fmt::format("request {}: its type is not understood", request.name);
  }
  auto& made = plan.requests.emplace_back();
  made.name = request.name;
  for (const auto& written : request.wishes) {
    auto& wish = made.wishes.emplace_back();
    wish.name = request.prioritized ? request.name + "/" + written.name : request.name;
    if (auto problem = complete(plan, wish, written); !problem.empty()) return problem;
  }
  return {};
}

std::string PlanTable::complete(ClaimPlan& plan, WishPlan& wish, const model::DeviceWish& written) {
  wish.device_class = written.device_class;
  wish.admin = written.admin_access;
  wish.tolerations = written.tolerations;
  wish.capacity = written.capacity;
  wish.all = written.mode == "All";
  if (!wish.all && !written.mode.empty() && written.mode != "ExactCount") {
    return fmt::format("request {}: allocation mode {} is not understood", wish.name, written.mode);
  }
  wish.count = written.count > 0 ? static_cast<std::size_t>(written.count) : 1;
  const model::DeviceClass* of = find_class(written.device_class);
  if (of == nullptr) {
    plan.class_missing = true;
    return fmt::format("request {}: device class {} does not exist", wish.name,
                       written.device_class);
  }
  const std::string where = fmt::format("device class {}: ", written.device_class);
  if (auto problem = add_selectors(wish, of->selectors, where); !problem.empty()) return problem;
  wish.class_selectors = wish.selectors.size();
  return add_selectors(wish, written.selectors, fmt::format("request {}: ", wish.name));
}

std::string PlanTable::add_selectors(WishPlan& wish, const std::vector<std::string>& expressions,
                                     const std::string& where) {
  for (const auto& expression : expressions) {
    if (expression.empty()) return where + "a selector's type is not understood";
    const SelectorId id = selectors_.intern(expression);
    if (!selectors_.problem(id).empty()) return where + selectors_.problem(id);
    wish.selectors.push_back(id);
  }
  return {};
}

std::string PlanTable::add(ClaimPlan& plan, const model::DeviceConstraint& constraint) {
  if (constraint.kind == model::DeviceConstraint::Kind::unknown) {
    return "a constraint's type is not understood";
  }
  ConstraintPlan made;
  made.distinct = constraint.kind == model::DeviceConstraint::Kind::distinct;
  made.attribute = constraint.attribute;
  const auto names = [&](const std::string& name) {
    return std::ranges::find(constraint.requests, name) != constraint.requests.end();
  };
  for (const auto& request : plan.requests) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < request.wishes.size(); ++i) {
      const bool applies =
          constraint.requests.empty() || names(request.name) || names(request.wishes[i].name);
      if (applies) bits |= std::uint32_t{1} << i;
    }
    made.wishes.push_back(bits);
  }
  plan.constraints.push_back(std::move(made));
  return {};
}

}  // namespace tutti::devices
