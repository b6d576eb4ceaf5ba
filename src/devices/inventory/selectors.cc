#include "devices/inventory/selectors.h"

#include <fmt/format.h>

#include <optional>

#include "base/check.h"
#include "cel/cel.h"
#include "devices/inventory/cel_device.h"

namespace tutti::devices {
namespace {

constexpr std::string_view kDeviceType = "kubernetes.DRADevice";

// What the API lets a device have.
constexpr std::uint64_t kDriverMax = 63;
constexpr std::uint64_t kDomainMax = 63;
constexpr std::uint64_t kNameMax = 32;
constexpr std::uint64_t kEntriesMax = 32;  // attributes and capacities together
constexpr std::uint64_t kValueMax = 64;    // characters of a value; of a list fewer fit
constexpr std::uint64_t kCostMax = 1'000'000;

cel::Bounds::Ptr bounded(std::uint64_t most) {
  auto bounds = std::make_shared<cel::Bounds>();
  bounds->most = most;
  return bounds;
}

// By domain and name. Quantities have no size of their own, and of one that is selected like a
// field an API server knows none at all.
cel::Bounds::Ptr map_bounds(cel::Bounds::Ptr leaf, bool any_field) {
  auto inner = std::make_shared<cel::Bounds>();
  inner->most = kEntriesMax;
  inner->keys = bounded(kNameMax);
  inner->items = std::move(leaf);
  inner->any_field = any_field;
  auto outer = std::make_shared<cel::Bounds>();
  outer->most = kEntriesMax;
  outer->keys = bounded(kDomainMax);
  outer->items = std::move(inner);
  return outer;
}

cel::Bounds::Ptr device_bounds() {
  auto device = std::make_shared<cel::Bounds>();
  device->fields = {{"driver", bounded(kDriverMax)},
                    {"attributes", map_bounds(bounded(kValueMax), true)},
                    {"capacity", map_bounds(bounded(0), false)},
                    {"allowMultipleAllocations", bounded(1)}};
  return device;
}

cel::Environment device_environment() {
  using cel::Type;
  const auto by_domain = [](Type leaf) {
    return Type::map(Type::string(), Type::map(Type::string(), std::move(leaf)));
  };
  cel::Environment environment;
  // Attributes may be lists, so their type is open.
  environment.declare_object(std::string(kDeviceType),
                             {{"driver", Type::string()},
                              {"attributes", by_domain(Type::dyn())},
                              {"capacity", by_domain(Type::quantity())},
                              {"allowMultipleAllocations", Type::boolean()}});
  environment.declare("device", Type::object(kDeviceType), device_bounds());
  environment.worst_cost_max = kCostMax;
  return environment;
}

std::string quoted(std::string_view expression, std::string_view what) {
  return fmt::format("selector \"{}\": {}", expression, what);
}

}  // namespace

struct SelectorTable::Engine {
  cel::Environment environment = device_environment();
  cel::Scratch scratch;
  // The device asked about last and its facts: all selectors of a claim ask about one in a row.
  DeviceId about;
  std::unique_ptr<CelDevice> facts;
};

struct SelectorTable::Entry {
  std::string expression;
  std::string problem;
  std::optional<cel::Program> program;
  std::vector<Answer> answers;  // by device
  std::unordered_map<DeviceId, std::string> faults;
};

SelectorTable::SelectorTable() : engine_(std::make_unique<Engine>()) {}
SelectorTable::~SelectorTable() = default;

SelectorId SelectorTable::intern(std::string_view expression) {
  const auto [at, fresh] = ids_.try_emplace(
      std::string(expression), SelectorId{static_cast<std::uint32_t>(entries_.size())});
  if (!fresh) return at->second;
  auto& entry = *entries_.emplace_back(std::make_unique<Entry>());
  entry.expression = expression;
  const cel::Compilation compiled = cel::compile(expression, engine_->environment);
  if (!compiled.ok()) {
    entry.problem = quoted(expression, compiled.fault().text());
    return at->second;
  }
  const cel::Type& type = compiled.program().result_type();
  if (!type.is("bool") && !type.is_dynamic()) {
    entry.problem = quoted(
        expression, fmt::format("line 1, column 1: must evaluate to bool, not {}", type.text()));
    return at->second;
  }
  entry.program = compiled.program();
  return at->second;
}

const std::string& SelectorTable::expression(SelectorId id) const {
  return entries_[id.index]->expression;
}

const std::string& SelectorTable::problem(SelectorId id) const {
  return entries_[id.index]->problem;
}

SelectorTable::Answer SelectorTable::answer(SelectorId id, DeviceId device,
                                            const std::string& driver,
                                            const model::Device& published) {
  TUTTI_CHECK(id.index < entries_.size(), "a selector of another table");
  Entry& entry = *entries_[id.index];
  if (entry.answers.size() <= device.index) {
    entry.answers.resize(device.index + std::size_t{1}, Answer::unknown);
  }
  Answer& known = entry.answers[device.index];
  if (known == Answer::unknown) known = evaluate(entry, device, driver, published);
  return known;
}

SelectorTable::Answer SelectorTable::evaluate(Entry& entry, DeviceId device,
                                              const std::string& driver,
                                              const model::Device& published) {
  TUTTI_CHECK(entry.program.has_value());
  if (engine_->about != device) {
    engine_->facts = std::make_unique<CelDevice>(driver, published);
    engine_->about = device;
  }
  ++evaluations_;
  const cel::Value activation = engine_->facts->value();
  const cel::Outcome outcome = entry.program->evaluate({&activation, 1}, engine_->scratch);
  if (!outcome.ok()) {
    entry.faults[device] = quoted(entry.expression, outcome.fault->text());
    return Answer::fault;
  }
  if (!outcome.value.is(cel::Kind::boolean)) {
    entry.faults[device] = quoted(
        entry.expression,
        fmt::format("line 1, column 1: is {}, not bool", cel::kind_name(outcome.value.kind())));
    return Answer::fault;
  }
  return outcome.value.as_boolean() ? Answer::yes : Answer::no;
}

const std::string& SelectorTable::fault(SelectorId id, DeviceId device) const {
  const auto& faults = entries_[id.index]->faults;
  const auto known = faults.find(device);
  TUTTI_CHECK(known != faults.end(), "the selector did not fail on the device");
  return known->second;
}

void SelectorTable::forget(DeviceId device) {
  if (engine_->about == device) engine_->about = {};
  for (auto& entry : entries_) {
    if (device.index < entry->answers.size()) entry->answers[device.index] = Answer::unknown;
    entry->faults.erase(device);
  }
}

}  // namespace tutti::devices
