// SelectorTable: every distinct CEL selector once, compiled, with its answers.
//
// Selectors are pure: a device's answer holds until the device is published anew. An answer is
// therefore worked out once per device version, whoever asks and however often.
#pragma once

#include <functional>
#include <unordered_map>

#include "base/std.h"
#include "devices/inventory/ids.h"
#include "model/device.h"

namespace tutti::devices {

class SelectorTable {
 public:
  SelectorTable();
  ~SelectorTable();
  SelectorTable(const SelectorTable&) = delete;
  SelectorTable& operator=(const SelectorTable&) = delete;

  SelectorId intern(std::string_view expression);
  const std::string& expression(SelectorId id) const;
  // Why it cannot be used at all: `selector "device.drivr": line 1, column 7: …`; empty if it can.
  const std::string& problem(SelectorId id) const;

  enum class Answer : std::uint8_t { unknown, no, yes, fault };
  // Requires a selector without a problem.
  Answer answer(SelectorId id, DeviceId device, const std::string& driver,
                const model::Device& published);
  // What went wrong when the answer was `fault`.
  const std::string& fault(SelectorId id, DeviceId device) const;
  // The device was published anew, or is gone: nothing is known of it.
  void forget(DeviceId device);

  // How often an expression was evaluated.
  std::uint64_t evaluations() const { return evaluations_; }

 private:
  struct Engine;
  struct Entry;

  Answer evaluate(Entry& entry, DeviceId device, const std::string& driver,
                  const model::Device& published);

  std::unique_ptr<Engine> engine_;
  std::vector<std::unique_ptr<Entry>> entries_;
  std::unordered_map<std::string, SelectorId> ids_;
  std::uint64_t evaluations_ = 0;
};

}  // namespace tutti::devices
