// Builders for tests about devices: slices, claims, classes as short sentences.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "devices/device_state.h"
#include "model/device.h"
#include "support/build.h"

namespace tutti::test {

inline constexpr const char* kDriver = "gpu.example.com";

class DeviceBuilder {
 public:
  explicit DeviceBuilder(std::string name) { device_.name = std::move(name); }
  DeviceBuilder& attribute(std::string name, model::AttributeValue value) {
    device_.attributes.push_back({std::move(name), std::move(value)});
    std::ranges::sort(device_.attributes, {}, &model::DeviceAttribute::name);
    return *this;
  }
  DeviceBuilder& kind(std::string value) { return attribute("kind", std::move(value)); }
  DeviceBuilder& capacity(std::string name, std::string_view value,
                          std::optional<model::CapacityPolicy> policy = {}) {
    device_.capacity.push_back({std::move(name), quantity(value), std::move(policy)});
    return *this;
  }
  DeviceBuilder& consumes(std::string set, std::string counter, std::string_view amount) {
    for (auto& known : device_.consumes) {
      if (known.name != set) continue;
      known.counters.emplace_back(std::move(counter), quantity(amount));
      return *this;
    }
    device_.consumes.push_back({std::move(set), {{std::move(counter), quantity(amount)}}});
    return *this;
  }
  DeviceBuilder& taint(std::string key, std::string effect) {
    device_.taints.push_back({std::move(key), {}, std::move(effect), {}});
    return *this;
  }
  DeviceBuilder& shared() {
    device_.allow_multiple = true;
    return *this;
  }
  DeviceBuilder& on(std::string node) {
    device_.reach.kind = model::DeviceReach::Kind::node;
    device_.reach.node = std::move(node);
    return *this;
  }
  operator model::Device() const { return device_; }  // NOLINT(google-explicit-constructor)

 private:
  model::Device device_;
};
inline DeviceBuilder device(std::string name) { return DeviceBuilder(std::move(name)); }

inline std::shared_ptr<model::ResourceSlice> slice(std::string name, std::string pool,
                                                   std::string node,
                                                   std::vector<model::Device> devices) {
  auto made = std::make_shared<model::ResourceSlice>();
  made->api_version = model::kResourceV1;
  made->meta.name = std::move(name);
  made->driver = kDriver;
  made->pool = std::move(pool);
  made->generation = 1;
  made->reach.kind = node.empty() ? model::DeviceReach::Kind::all : model::DeviceReach::Kind::node;
  made->reach.node = std::move(node);
  made->devices = std::move(devices);
  return made;
}

inline std::shared_ptr<model::DeviceClass> device_class(std::string name,
                                                        std::vector<std::string> selectors = {}) {
  auto made = std::make_shared<model::DeviceClass>();
  made->api_version = model::kResourceV1;
  made->meta.name = std::move(name);
  made->selectors = std::move(selectors);
  return made;
}

class WishBuilder {
 public:
  explicit WishBuilder(std::string device_class) {
    wish_.device_class = std::move(device_class);
    wish_.mode = "ExactCount";
    wish_.count = 1;
  }
  WishBuilder& named(std::string name) {
    wish_.name = std::move(name);
    return *this;
  }
  WishBuilder& count(std::int64_t count) {
    wish_.count = count;
    return *this;
  }
  WishBuilder& all() {
    wish_.mode = "All";
    wish_.count = 0;
    return *this;
  }
  WishBuilder& admin() {
    wish_.admin_access = true;
    return *this;
  }
  WishBuilder& where(std::string expression) {
    wish_.selectors.push_back(std::move(expression));
    return *this;
  }
  WishBuilder& of_kind(std::string_view kind) {
    return where("device.attributes['gpu.example.com'].kind == '" + std::string(kind) + "'");
  }
  WishBuilder& tolerates(std::string key) {
    wish_.tolerations.push_back({std::move(key), model::Toleration::Operator::exists, {}, {}, {}});
    return *this;
  }
  WishBuilder& capacity(std::string name, std::string_view amount) {
    wish_.capacity.emplace_back(std::move(name), quantity(amount));
    return *this;
  }
  operator model::DeviceWish() const { return wish_; }  // NOLINT(google-explicit-constructor)

 private:
  model::DeviceWish wish_;
};
inline WishBuilder wish(std::string device_class) { return WishBuilder(std::move(device_class)); }

class ClaimBuilder {
 public:
  explicit ClaimBuilder(std::string name) {
    claim_.api_version = model::kResourceV1;
    claim_.meta.ns = "t";
    claim_.meta.uid = "claim-" + name;
    claim_.meta.resource_version = 1;
    claim_.meta.name = std::move(name);
  }
  ClaimBuilder& request(std::string name, model::DeviceWish wish) {
    claim_.spec.requests.push_back({std::move(name), false, {std::move(wish)}});
    return *this;
  }
  ClaimBuilder& first_available(std::string name, std::vector<model::DeviceWish> wishes) {
    claim_.spec.requests.push_back({std::move(name), true, std::move(wishes)});
    return *this;
  }
  ClaimBuilder& match(std::string attribute, std::vector<std::string> requests = {}) {
    claim_.spec.constraints.push_back(
        {model::DeviceConstraint::Kind::match, std::move(attribute), std::move(requests)});
    return *this;
  }
  ClaimBuilder& distinct(std::string attribute, std::vector<std::string> requests = {}) {
    claim_.spec.constraints.push_back(
        {model::DeviceConstraint::Kind::distinct, std::move(attribute), std::move(requests)});
    return *this;
  }
  ClaimBuilder& owner(std::string kind, std::string name, std::string uid) {
    model::OwnerReference reference;
    reference.kind = std::move(kind);
    reference.name = std::move(name);
    reference.uid = std::move(uid);
    reference.controller = true;
    claim_.meta.owners.push_back(std::move(reference));
    return *this;
  }
  ClaimBuilder& version(std::uint64_t version) {
    claim_.meta.resource_version = version;
    return *this;
  }
  ClaimBuilder& allocated(model::Allocation allocation) {
    claim_.allocation = std::move(allocation);
    return *this;
  }
  std::shared_ptr<const model::ResourceClaim> build() const {
    return std::make_shared<model::ResourceClaim>(claim_);
  }
  const model::ClaimSpec& spec() const { return claim_.spec; }

 private:
  model::ResourceClaim claim_;
};
inline ClaimBuilder claim(std::string name) { return ClaimBuilder(std::move(name)); }

// Nodes are numbered; node i is called "n<i>". Wide reaches reach every node unless told otherwise.
class NumberedNodes final : public devices::Places {
 public:
  devices::ReachId own(devices::NodeIndex node) const override {
    return inventory_ == nullptr ? devices::ReachId{}
                                 : inventory_->find_node_reach("n" + std::to_string(node));
  }
  bool reaches(devices::ReachId wide, devices::NodeIndex node) const override {
    const auto& reach = inventory_->reach(wide);
    if (reach.selector.empty()) return true;
    const auto& names = reach.selector.front().match_expressions.front().values;
    return std::ranges::find(names, "n" + std::to_string(node)) != names.end();
  }
  bool advertises(devices::NodeIndex node, const std::string& resource) const override {
    return advertised_.contains({node, resource});
  }
  void advertise(devices::NodeIndex node, const std::string& resource) {
    advertised_.emplace(node, resource);
  }
  bool labelled(devices::NodeIndex node, const std::string& key) const override {
    return labels_.contains({node, key});
  }
  void label(devices::NodeIndex node, const std::string& key) { labels_.emplace(node, key); }
  void look_at(const devices::Inventory& inventory) { inventory_ = &inventory; }

 private:
  std::set<std::pair<devices::NodeIndex, std::string>> advertised_;
  std::set<std::pair<devices::NodeIndex, std::string>> labels_;
  const devices::Inventory* inventory_ = nullptr;
};

}  // namespace tutti::test
