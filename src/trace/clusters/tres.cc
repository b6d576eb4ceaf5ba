#include "trace/clusters/tres.h"

#include <algorithm>
#include <charconv>

#include "trace/cells.h"
#include "trace/job.h"

namespace tutti::trace {
namespace {

constexpr std::string_view kGres = "gres/";
constexpr std::string_view kGpus = "gpu";

std::optional<std::int64_t> amount_in(std::string_view text) {
  constexpr std::int64_t kMost = 1'000'000'000;
  std::int64_t amount = 0;
  const char* const end = text.data() + text.size();
  const auto [last, problem] = std::from_chars(text.data(), end, amount);
  if (problem != std::errc{} || last != end || amount < 0 || amount > kMost) return std::nullopt;
  return amount;
}

void add_model(Tres& tres, std::string_view model) {
  if (tres.model.empty()) tres.model = model;
  tres.several_models = tres.several_models || tres.model != model;
}

// One of a job's: "gres/gpu:a100" and its amount.
bool take_resource(Tres& tres, std::string_view name, std::string_view text,
                   std::int64_t& typed_gpus) {
  if (name == "mem") {
    const auto bytes = parse_slurm_memory(text);
    if (bytes) tres.memory = *bytes;
    return bytes.has_value();
  }
  if (name != "cpu" && name != "node" && !name.starts_with(kGres)) return true;
  const auto amount = amount_in(text);
  if (!amount) return false;
  constexpr std::int64_t kMilli = 1000;
  if (name == "cpu") {
    tres.milli_cpu = *amount * kMilli;
  } else if (name == "node") {
    tres.nodes = *amount;
  } else if (name.substr(kGres.size()) == kGpus) {
    tres.gpus = *amount;
  } else if (name.substr(kGres.size()).starts_with("gpu:")) {
    typed_gpus += *amount;
    add_model(tres, name.substr(kGres.size() + kGpus.size() + 1));
  } else if (*amount > 0) {
    tres.others.emplace_back(name, *amount);
  }
  return true;
}

// One of a node's: "gpu:a100:8(S:0-1)".
bool take_gres(Tres& tres, std::string_view one) {
  one = one.substr(0, std::min(one.find('('), one.size()));
  const std::size_t last = one.rfind(':');
  if (last == std::string_view::npos) return false;
  const auto amount = amount_in(one.substr(last + 1));
  if (!amount) return false;
  const std::string_view name = one.substr(0, last);
  if (name == kGpus || name.starts_with("gpu:")) {
    tres.gpus += *amount;
    if (name != kGpus) add_model(tres, name.substr(kGpus.size() + 1));
  } else {
    const std::string_view kind = name.substr(0, std::min(name.find(':'), name.size()));
    tres.others.emplace_back(std::string(kGres) + std::string(kind), *amount);
  }
  return true;
}

// Calls `take` with what stands between commas that are in no parentheses.
template <typename Take>
bool each_part(std::string_view text, const Take& take) {
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '(') ++depth;
    if (i < text.size() && text[i] == ')') --depth;
    if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
    if (i > begin && !take(text.substr(begin, i - begin))) return false;
    begin = i + 1;
  }
  return true;
}

}  // namespace

std::optional<std::int64_t> parse_slurm_memory(std::string_view text) {
  std::int64_t unit = kMiB;
  // "c" and "n" say that it is meant for a core, or for a node.
  if (text.ends_with('c') || text.ends_with('n')) text.remove_suffix(1);
  constexpr std::string_view kUnits = "KMGTP";
  if (const std::size_t at = text.empty() ? std::string_view::npos : kUnits.find(text.back());
      at != std::string_view::npos) {
    constexpr int kBits = 10;
    unit = std::int64_t{1} << (kBits * (static_cast<int>(at) + 1));
    text.remove_suffix(1);
  }
  const auto thousandths = parse_seconds(text);  // any decimals, rounded to three
  constexpr std::int64_t kBytesMax = std::int64_t{1} << 50;
  if (!thousandths || thousandths->count() < 0) return std::nullopt;
  __extension__ typedef __int128 Wide;
  const Wide bytes = Wide{thousandths->count()} * unit / 1000;
  if (bytes > kBytesMax) return std::nullopt;
  return static_cast<std::int64_t>(bytes);
}

std::optional<Tres> parse_tres(std::string_view text) {
  Tres tres;
  std::int64_t typed_gpus = 0;
  const bool good = each_part(text, [&](std::string_view part) {
    const std::size_t equals = part.find('=');
    return equals != std::string_view::npos && equals > 0 &&
           take_resource(tres, part.substr(0, equals), part.substr(equals + 1), typed_gpus);
  });
  if (!good) return std::nullopt;
  tres.gpus = std::max(tres.gpus, typed_gpus);
  return tres;
}

std::optional<Tres> parse_gres(std::string_view text) {
  Tres tres;
  if (text.empty() || text == "(null)" || text == "N/A") return tres;
  if (!each_part(text, [&](std::string_view part) { return take_gres(tres, part); })) {
    return std::nullopt;
  }
  return tres;
}

}  // namespace tutti::trace
