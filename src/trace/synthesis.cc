#include "trace/synthesis.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

#include "base/digest.h"
#include "base/quantity.h"
#include "base/random.h"
#include "base/text.h"
#include "trace/cells.h"
#include "trace/formats.h"
#include "trace/gzip.h"

namespace tutti::trace {
namespace {

constexpr std::string_view kPoisson = "poisson:";

Error unclear(std::string_view what) {
  return {Error::Code::invalid, fmt::format("--synth: {}", what)};
}

std::vector<std::string_view> parts_of(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// A number from 0 to what is far from overflow.
std::optional<double> positive(std::string_view text) {
  constexpr double kMost = 1e12;
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [last, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc{} || last != end || !(value >= 0 && value <= kMost)) return std::nullopt;
  return value;
}

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}

  // Between 0 and 1, neither of them.
  double uniform() {
    constexpr unsigned kUnused = 11;  // bits beyond a double's 53
    constexpr double kScale = 1.0 / (std::uint64_t{1} << 53U);
    return (static_cast<double>(random_.next() >> kUnused) + 0.5) * kScale;
  }
  double exponential(double mean) { return -std::log(uniform()) * mean; }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  Random random_;
};

// Words with weights.
struct Choice {
  std::vector<std::pair<std::string, double>> words;
  double sum = 0;

  const std::string& draw(Dice& dice) const {
    double left = dice.uniform() * sum;
    for (const auto& [word, weight] : words) {
      left -= weight;
      if (left < 0) return word;
    }
    return words.back().first;
  }
};

struct DurationLaw {
  enum class Kind : std::uint8_t { constant, uniform, exponential, lognormal };
  Kind kind = Kind::constant;
  double a = 600;
  double b = 0;

  double draw(Dice& dice) const {
    switch (kind) {
      case Kind::constant:
        return a;
      case Kind::uniform:
        return a + (b - a) * dice.uniform();
      case Kind::exponential:
        return dice.exponential(a);
      case Kind::lognormal:
        return a * std::exp(b * dice.normal());
    }
    return a;
  }
};

struct Recipe {
  double per_hour = 0;
  std::int64_t jobs = 1000;
  Choice gpus = {{{"1", 1.0}}, 1};
  Choice queues = {{{"default", 1.0}}, 1};
  DurationLaw duration;
  Job pod;
  std::uint64_t seed = 0;
};

Result<Choice> choice_of(std::string_view key, std::string_view text) {
  Choice choice;
  for (const std::string_view part : parts_of(text, '|')) {
    const std::size_t colon = std::min(part.find(':'), part.size());
    const auto weight =
        colon == part.size() ? std::optional(1.0) : positive(part.substr(colon + 1));
    if (colon == 0 || !weight) {
      return unclear(
          fmt::format("{}: expected WORD:WEIGHT|WORD:WEIGHT, found '{}'", key, brief_line(text)));
    }
    choice.words.emplace_back(part.substr(0, colon), *weight);
    choice.sum += *weight;
  }
  if (choice.sum <= 0) return unclear(fmt::format("{}: expected a weight above 0", key));
  return choice;
}

Result<DurationLaw> law_of(std::string_view text) {
  constexpr std::string_view kLaws[] = {"constant", "uniform", "exponential", "lognormal"};
  constexpr std::size_t kNumbersOf[] = {1, 2, 1, 2};
  const auto parts = parts_of(text, ':');
  const auto at = std::ranges::find(kLaws, parts.front());
  const auto index = static_cast<std::size_t>(at - std::begin(kLaws));
  DurationLaw law;
  if (at != std::end(kLaws) && parts.size() == kNumbersOf[index] + 1) {
    law.kind = static_cast<DurationLaw::Kind>(index);
    const auto a = positive(parts[1]);
    const auto b = parts.size() > 2 ? positive(parts[2]) : std::optional(0.0);
    constexpr double kSecondsMax = 1e9;
    if (a && b && *a <= kSecondsMax && *b <= kSecondsMax) {
      law.a = *a;
      law.b = *b;
      return law;
    }
  }
  return unclear(fmt::format(
      "duration: expected constant:S, uniform:FROM:TO, exponential:MEAN or lognormal:MEDIAN:SIGMA, "
      "found '{}'",
      brief_line(text)));
}

Status set_amount(Recipe& recipe, std::string_view key, std::string_view text) {
  const auto wrong = [&](std::string_view expected) {
    return unclear(fmt::format("{}: expected {}, found '{}'", key, expected, brief_line(text)));
  };
  constexpr std::int64_t kCoresMax = std::int64_t{1} << 40;
  if (key == "cpu") {
    const auto milli = parse_thousandths(text);
    if (!milli || *milli < 0 || *milli > kCoresMax) return wrong("cores");
    recipe.pod.milli_cpu = *milli;
  } else if (key == "memory") {
    const auto amount = Quantity::parse(text);
    constexpr std::int64_t kBytesMax = std::int64_t{1} << 50;
    if (!amount.ok() || amount->negative() || amount->units() > kBytesMax) return wrong("16Gi");
    recipe.pod.memory = amount->units();
  } else if (key == "model") {
    recipe.pod.model = text;
  } else {
    const auto number = positive(text);
    constexpr double kMost = 1e7;
    if (!number || *number > kMost || *number != std::floor(*number))
      return wrong("a whole number");
    if (key == "jobs") recipe.jobs = static_cast<std::int64_t>(*number);
    if (key == "seed") recipe.seed = static_cast<std::uint64_t>(*number);
    if (key == "priority") recipe.pod.priority = static_cast<std::int32_t>(*number);
  }
  return ok_status();
}

Status set_key(Recipe& recipe, std::string_view key, std::string_view text) {
  constexpr std::string_view kAmounts[] = {"cpu", "memory", "model", "jobs", "seed", "priority"};
  if (key == "gpus") {
    TUTTI_ASSIGN(recipe.gpus, choice_of(key, text));
    for (const auto& [word, weight] : recipe.gpus.words) {
      const auto number = positive(word);
      if (!number || *number > kGpusMax || *number != std::floor(*number)) {
        return unclear(fmt::format("gpus: expected whole numbers, found '{}'", brief_line(word)));
      }
    }
  } else if (key == "queue") {
    TUTTI_ASSIGN(recipe.queues, choice_of(key, text));
  } else if (key == "duration") {
    TUTTI_ASSIGN(recipe.duration, law_of(text));
  } else if (key == "rate") {
    const auto rate = positive(text);
    if (!rate || *rate <= 0) {
      return unclear(fmt::format("rate: expected jobs per hour, found '{}'", brief_line(text)));
    }
    recipe.per_hour = *rate;
  } else if (std::ranges::find(kAmounts, key) != std::end(kAmounts)) {
    return set_amount(recipe, key, text);
  } else {
    return unclear(fmt::format("there is no '{}'; there are rate, gpus, duration, queue, {}",
                               brief_line(key), fmt::join(kAmounts, ", ")));
  }
  return ok_status();
}

Result<Recipe> recipe_of(std::string_view spec) {
  if (!spec.starts_with(kPoisson)) return unclear("expected poisson:rate=JOBS/HOUR,…");
  Recipe recipe;
  for (const std::string_view word : parts_of(spec.substr(kPoisson.size()), ',')) {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      return unclear(fmt::format("expected NAME=VALUE, found '{}'", brief_line(word)));
    }
    TUTTI_TRY(set_key(recipe, word.substr(0, equals), word.substr(equals + 1)));
  }
  if (recipe.per_hour <= 0) return unclear("expected rate=JOBS/HOUR");
  return recipe;
}

}  // namespace

Result<Trace> make_jobs(std::string_view spec, std::int64_t gpus_per_node) {
  TUTTI_ASSIGN(const Recipe recipe, recipe_of(spec));
  constexpr double kMillisPerHour = 3'600'000;
  constexpr double kMillisMax = 1e14;
  Digest stream;
  stream.add(recipe.seed);
  stream.add("synth");
  Dice dice(stream.value());
  Trace trace;
  double now = 0;
  for (std::int64_t i = 0; i < recipe.jobs; ++i) {
    Job job = recipe.pod;
    job.id = fmt::format("job-{:07}", i + 1);
    if (i > 0) now += dice.exponential(kMillisPerHour / recipe.per_hour);
    if (now > kMillisMax) return unclear("the last job would come after three thousand years");
    job.submit = Millis{std::llround(now)};
    std::int64_t gpus = 0;
    const std::string& size = recipe.gpus.draw(dice);
    std::from_chars(size.data(), size.data() + size.size(), gpus);
    lay_out_gpus(job, gpus, gpus_per_node);
    const double millis = std::min(recipe.duration.draw(dice) * 1000, kMillisMax);
    job.duration = Millis{std::llround(millis)};
    job.queue = recipe.queues.draw(dice);
    trace.jobs.push_back(std::move(job));
  }
  trace.inputs.push_back({.path = fmt::format("--synth {}", spec),
                          .sha256 = sha256(spec),
                          .format = "synth",
                          .rows = trace.jobs.size()});
  trace.invented["jobs: all of them, by --synth"] = trace.jobs.size();
  return trace;
}

}  // namespace tutti::trace
