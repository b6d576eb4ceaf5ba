// StepRates: how many steps per second training jobs of a type do, by kind of device and number of
// them, as measured for Gavel (OSDI 2020): packed on few nodes, spread over many, and two jobs on
// one device.
#pragma once

#include <map>

#include "base/result.h"
#include "base/std.h"

namespace tutti::trace {

class StepRates {
 public:
  // JSON: {"v100": {"('TYPE', 4)": {"null": 12.5, "('OTHER', 1)": [3.1, 4.5]}}}. A device whose
  // name ends in _unconsolidated is that device with the job spread. Errors name the file.
  static Result<StepRates> parse(const std::string& file, std::string_view text);

  bool empty() const { return rates_.empty(); }
  // Nothing: not measured, or no steps at all.
  std::optional<double> alone(std::string_view device, std::string_view type,
                              std::int64_t gpus) const;
  // How many times longer a step takes when the job is spread over nodes.
  std::optional<double> spread_slowdown(std::string_view device, std::string_view type,
                                        std::int64_t gpus) const;

 private:
  // Device, type and number.
  using Key = std::pair<std::pair<std::string, std::string>, std::int64_t>;
  std::map<Key, double> rates_;
};

}  // namespace tutti::trace
