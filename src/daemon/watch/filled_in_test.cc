#include "daemon/watch/filled_in.h"

#include <gtest/gtest.h>

#include "model/group.h"
#include "support/build.h"

namespace tutti::daemon {
namespace {

using Mode = model::DisruptionMode;

model::PodGroup group(std::optional<Mode> mode, const char* annotation, const char* text) {
  model::PodGroup made = *test::pod_group("g").gang(2).build();
  made.spec.disruption = mode;
  if (annotation != nullptr) test::put(made.meta.annotations, annotation, text);
  return made;
}

TEST(FilledIn, takesOutAModeThatOnlyTheServerWrote) {
  struct Case {
    const char* sentence;
    model::PodGroup group;
    std::optional<Mode> mode;
  };
  const std::string applied(model::kLastApplied);
  const std::string ours(model::kDisruptionModeAnnotation);
  const Case cases[] = {
      {"nobody says more", group(Mode::single, nullptr, ""), std::nullopt},
      {"kubectl applied a group without it",
       group(Mode::single, applied.c_str(), R"({"spec":{"schedulingPolicy":{}}})"), std::nullopt},
      {"kubectl applied a group with it",
       group(Mode::single, applied.c_str(), R"({"spec":{"disruptionMode":{"single":{}}}})"),
       Mode::single},
      {"our annotation asks for it", group(Mode::single, ours.c_str(), "single"), Mode::single},
      {"all is nobody's default", group(Mode::all, nullptr, ""), Mode::all},
  };
  for (const auto& [sentence, seen, mode] : cases) {
    SCOPED_TRACE(sentence);
    const auto shown = as_written(std::make_shared<model::PodGroup>(seen));
    EXPECT_EQ(model::as<model::PodGroup>(*shown).spec.disruption, mode);
  }
}

TEST(FilledIn, takesItOutOfCompositesToo) {
  model::CompositePodGroup tree;
  tree.spec.disruption = Mode::single;
  const auto shown = as_written(std::make_shared<model::CompositePodGroup>(tree));
  EXPECT_FALSE(model::as<model::CompositePodGroup>(*shown).spec.disruption);
}

}  // namespace
}  // namespace tutti::daemon
