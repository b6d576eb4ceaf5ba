#include "session/profiles.h"

#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "config/plugin_args.h"
#include "plugins/builtin.h"
#include "support/wire_text.h"

namespace tutti::session {
namespace {

// Two tables that cannot see each other: who takes arguments, and how they are read.
TEST(Profiles, readTheArgumentsOfThePluginsThatTakeSome) {
  const wire::Document empty = wire::document_of("{}");
  wire::FieldErrors errors;
  for (const auto& plugin : plugins::builtins()) {
    SCOPED_TRACE(plugin.name);
    const auto refused = plugin.make(core::CustomArgs{});
    ASSERT_FALSE(refused.ok());
    const bool takes_none = refused.error().message == "takes no arguments";
    const bool read = !std::holds_alternative<core::CustomArgs>(
        config::read_plugin_args(wire::Field(empty.root(), errors), plugin.name));
    EXPECT_NE(takes_none, read);
  }
}

}  // namespace
}  // namespace tutti::session
