// ClaimPlan: a claim's spec made ready for allocation: classes looked up, selectors compiled,
// constraints resolved to requests. Claims with equal specs share one plan.
#pragma once

#include <map>

#include "base/check.h"
#include "base/std.h"
#include "devices/inventory/ids.h"
#include "devices/inventory/selectors.h"
#include "model/device.h"

namespace tutti::devices {

// The most devices one claim may be given.
inline constexpr std::size_t kDevicesPerClaimMax = 32;

struct WishPlan {
  std::string name;  // "request" or "request/alternative"
  std::string device_class;
  std::vector<SelectorId> selectors;  // the class's first
  std::size_t class_selectors = 0;    // of them, the class's
  bool all = false;
  std::size_t count = 1;
  bool admin = false;
  std::vector<model::Toleration> tolerations;
  model::NamedAmounts capacity;
};

struct RequestPlan {
  std::string name;
  std::vector<WishPlan> wishes;  // in order of preference
};

struct ConstraintPlan {
  bool distinct = false;
  std::string attribute;
  std::vector<std::uint32_t> wishes;  // by request: a bit for each wish it applies to
};

struct ClaimPlan {
  // Why nothing can be allocated whatever the devices are: a class is missing, a selector does not
  // compile, a word is not understood. Empty: ready.
  std::string problem;
  bool class_missing = false;  // the problem may go away with a new class
  std::vector<RequestPlan> requests;
  std::vector<ConstraintPlan> constraints;
  model::ClaimSpec spec;
};

class PlanTable {
 public:
  explicit PlanTable(SelectorTable& selectors) : selectors_(selectors) {}

  PlanId intern(const model::ClaimSpec& spec);
  const ClaimPlan& plan(PlanId id) const {
    TUTTI_CHECK(id.index < plans_.size(), "a plan of another table");
    return *plans_[id.index];
  }

  // Plans are made anew where they name the class.
  void set_class(std::shared_ptr<const model::DeviceClass> device_class);
  void remove_class(const std::string& name);
  const model::DeviceClass* find_class(const std::string& name) const;
  // The class that an extended resource stands for; null: none. Of several that chose the name the
  // newest has it, of those the first by name.
  const model::DeviceClass* class_for(std::string_view resource) const;
  const std::map<std::string, std::shared_ptr<const model::DeviceClass>>& classes() const {
    return classes_;
  }

 private:
  void name_resources();
  void make(ClaimPlan& plan);
  void make_again(const std::string& device_class);
  std::string add(ClaimPlan& plan, const model::DeviceRequest& request);
  std::string complete(ClaimPlan& plan, WishPlan& wish, const model::DeviceWish& written);
  std::string add(ClaimPlan& plan, const model::DeviceConstraint& constraint);
  std::string add_selectors(WishPlan& wish, const std::vector<std::string>& expressions,
                            const std::string& where);

  SelectorTable& selectors_;
  std::map<std::string, std::shared_ptr<const model::DeviceClass>> classes_;
  std::map<std::string, const model::DeviceClass*, std::less<>> by_resource_;  // names they chose
  std::vector<std::unique_ptr<ClaimPlan>> plans_;
};

}  // namespace tutti::devices
