#include "session/expect_run.h"

#include <algorithm>
#include <set>
#include <utility>

namespace tutti::session {

std::optional<std::vector<expect::Failure>> ExpectRun::operator()(
    const expect::Expectations& expectations, std::optional<Millis> end) const {
  std::set<Millis> instants;
  for (const expect::Expectation& expectation : expectations) {
    if (expectation.at && (!end || *expectation.at < *end)) instants.insert(*expectation.at);
  }
  std::vector<expect::Failure> failures;
  const auto check_those = [&](auto&& chosen) {
    for (const expect::Expectation& expectation : expectations) {
      if (!chosen(expectation)) continue;
      for (expect::Failure& failure : check(expectation)) {
        failure.file = expectation.file;
        failures.push_back(std::move(failure));
      }
    }
  };
  for (const Millis instant : instants) {
    if (!run_until(instant)) return std::nullopt;
    check_those([&](const expect::Expectation& each) { return each.at == instant; });
  }
  if (!run_until(end)) return std::nullopt;
  check_those(
      [&](const expect::Expectation& each) { return !each.at || !instants.contains(*each.at); });
  std::ranges::stable_sort(failures, {}, [](const expect::Failure& failure) {
    return std::pair(failure.file, failure.line);
  });
  return failures;
}

}  // namespace tutti::session
