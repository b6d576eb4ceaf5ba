#include "config/broker_args.h"

#include <string>

#include "base/time.h"
#include "config/strict.h"

namespace tutti::config {
namespace {

constexpr wire::EnumTable<core::BackfillMode, 3> kBackfillWords = {{
    {core::kBackfillModes[0], core::BackfillMode::none},
    {core::kBackfillModes[1], core::BackfillMode::easy},
    {core::kBackfillModes[2], core::BackfillMode::conservative},
}};

void read_backfill(const wire::Field& at, core::BackfillArgs& out) {
  if (!at.expect_object()) return;
  only_members(at, {"mode", "drainAfter"});
  at("mode", out.mode, kBackfillWords);
  at.member("drainAfter", [&](const wire::Field& field) {
    std::string text;
    wire::read(field, text);
    const Result<Millis> duration = parse_duration(text);
    if (!duration.ok()) return field.fail(duration.error().message);
    if (*duration < Millis(0)) field.fail("must be at least 0s");
    out.drain_after = *duration;
  });
}

}  // namespace

core::BrokerArgs read_broker_args(const wire::Field& at) {
  core::BrokerArgs out;
  if (!at.expect_object()) return out;
  only_members(at, {"apiVersion", "kind", "backfill"});
  at.member("backfill", [&](const wire::Field& field) { read_backfill(field, out.backfill); });
  return out;
}

}  // namespace tutti::config
