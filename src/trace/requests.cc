#include "trace/requests.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "trace/cells.h"
#include "trace/formats.h"
#include "trace/read.h"

namespace tutti::trace {
namespace {

constexpr std::string_view kRequestColumns[] = {"TIMESTAMP", "ContextTokens", "GeneratedTokens"};

struct Request {
  Millis at{0};
  std::int64_t context = 0;
  std::int64_t generated = 0;
};

Status read_rows_of(Unpacked& file, const ReadOptions& options, std::vector<Request>& requests) {
  TUTTI_ASSIGN(const Table table, Table::from_csv(file.input.path, std::move(file.text)));
  for (const std::string_view column : kRequestColumns) {
    if (table.has(column)) continue;
    return Error{Error::Code::malformed,
                 fmt::format("{}:1: format azure-llm needs the columns {}", file.input.path,
                             fmt::join(kRequestColumns, ", "))};
  }
  constexpr std::int64_t kTokensMax = 1'000'000'000;
  for (const Row& row : table.rows()) {
    Cells cells(table, row);
    Request request;
    request.at = cells.required(kRequestColumns[0], cells.time(kRequestColumns[0]));
    request.context =
        cells.required(kRequestColumns[1], cells.whole(kRequestColumns[1], 0, kTokensMax));
    request.generated =
        cells.required(kRequestColumns[2], cells.whole(kRequestColumns[2], 0, kTokensMax));
    if (!cells.problem().empty()) {
      if (!options.skip_bad_rows) return Error{Error::Code::malformed, cells.located_problem()};
      ++file.input.skipped;
      continue;
    }
    ++file.input.rows;
    requests.push_back(request);
  }
  return ok_status();
}

// How many replicas the requests of one window keep busy as much as they are to be.
std::int64_t wished_for(std::span<const Request> window, const ReplicaModel& model) {
  __extension__ typedef __int128 Wide;
  Wide context = 0;
  Wide generated = 0;
  for (const Request& request : window) {
    context += request.context;
    generated += request.generated;
  }
  // Seconds of one replica, times both rates; and what one replica is to be busy, the same.
  const Wide rates = Wide{model.prefill_rate} * model.decode_rate;
  const Wide load = context * model.decode_rate + generated * model.prefill_rate;
  const Wide each = rates * model.window.count() * model.target_percent;
  constexpr std::int64_t kMillisPercent = 100'000;
  const Wide replicas = (load * kMillisPercent + each - 1) / each;
  return static_cast<std::int64_t>(std::clamp(replicas, Wide{model.least}, Wide{model.most}));
}

// Adds and ends replicas as windows end.
class Autoscaler {
 public:
  Autoscaler(const ReplicaModel& model, std::vector<Job>& jobs) : model_(model), jobs_(jobs) {}

  void window_ended(Millis at, std::int64_t wished) {
    while (running_ < wished) start(at);
    if (wished >= running_) {
      fewer_since_.reset();
      most_wished_ = 0;
      return;
    }
    if (!fewer_since_) fewer_since_ = at;
    most_wished_ = std::max(most_wished_, wished);
    if (at - *fewer_since_ < model_.cooldown) return;
    while (running_ > most_wished_) stop(at);
    fewer_since_.reset();
    most_wished_ = 0;
  }
  void end(Millis at) {
    while (running_ > 0) stop(at);
  }

 private:
  void start(Millis at) {
    Job job;
    job.id = fmt::format("replica-{:05}", jobs_.size() - first_ + 1);
    job.submit = at;
    job.replicas = job.minimum = model_.gang;
    job.milli_cpu = model_.milli_cpu;
    job.gpu_milli = model_.gpus * kGpu;
    job.priority = model_.priority;
    job.queue = "inference";
    open_.push_back(jobs_.size());
    jobs_.push_back(std::move(job));
    ++running_;
  }
  // The youngest goes first.
  void stop(Millis at) {
    Job& job = jobs_[open_.back()];
    job.duration = at - job.submit;
    open_.pop_back();
    --running_;
  }

  const ReplicaModel& model_;
  std::vector<Job>& jobs_;
  std::size_t first_ = jobs_.size();
  std::vector<std::size_t> open_;
  std::int64_t running_ = 0;
  std::optional<Millis> fewer_since_;
  std::int64_t most_wished_ = 0;  // since then
};

}  // namespace

Result<ReplicaModel> parse_replicas(std::string_view text) {
  ReplicaModel model;
  const auto set = [&](std::string_view key, std::string_view value) -> Status {
    const auto wrong = [&](std::string_view expected) {
      return Error{Error::Code::invalid, fmt::format("--replica: {}: expected {}, found '{}'", key,
                                                     expected, brief_line(value))};
    };
    if (key == "window" || key == "cooldown") {
      const auto span = parse_duration(value);
      if (!span.ok() || *span < Millis{0} || (key == "window" && *span < Millis{1000})) {
        return wrong("a duration such as 1m");
      }
      (key == "window" ? model.window : model.cooldown) = *span;
      return ok_status();
    }
    const auto thousandths = parse_thousandths(value);
    constexpr std::int64_t kMost = std::int64_t{1'000'000'000} * 1000;
    if (!thousandths || *thousandths < 0 || *thousandths > kMost) return wrong("a number");
    if (key == "cpu") {
      model.milli_cpu = *thousandths;
      return ok_status();
    }
    if (key == "target") {
      constexpr std::int64_t kPerPercent = 10;
      model.target_percent = *thousandths / kPerPercent;
      if (model.target_percent < 1 || model.target_percent > 100) return wrong("0.01 to 1");
      return ok_status();
    }
    const std::int64_t whole = *thousandths / 1000;
    if (*thousandths % 1000 != 0) return wrong("a whole number");
    constexpr std::int64_t kReplicasOfService = 100'000;
    const bool counts = key == "min" || key == "max" || key == "gang" || key == "gpus";
    if (counts && whole > kReplicasOfService) return wrong("at most 100000");
    if (key == "prefill") {
      model.prefill_rate = whole;
    } else if (key == "decode") {
      model.decode_rate = whole;
    } else if (key == "min") {
      model.least = whole;
    } else if (key == "max") {
      model.most = whole;
    } else if (key == "gpus") {
      model.gpus = whole;
    } else if (key == "gang") {
      model.gang = std::max(1, static_cast<std::int32_t>(whole));
    } else if (key == "priority") {
      model.priority = static_cast<std::int32_t>(whole);
    } else {
      return Error{Error::Code::invalid,
                   fmt::format("--replica: '{}' is none of prefill, decode, window, target, min, "
                               "max, cooldown, gpus, cpu, gang, priority",
                               brief_line(key))};
    }
    return ok_status();
  };
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::size_t equals = std::min(word.find('='), word.size());
    if (equals == word.size()) {
      return Error{Error::Code::invalid,
                   fmt::format("--replica: expected NAME=VALUE, found '{}'", brief_line(word))};
    }
    TUTTI_TRY(set(word.substr(0, equals), word.substr(equals + 1)));
  }
  if (model.most < model.least) {
    return Error{Error::Code::invalid, "--replica: max is less than min"};
  }
  return model;
}

bool looks_like_requests(std::string_view text) {
  const std::string_view header = text.substr(0, std::min(text.find('\n'), text.size()));
  return std::ranges::all_of(kRequestColumns, [&](std::string_view name) {
    return header.find(name) != std::string_view::npos;
  });
}

Status read_requests(std::span<Unpacked> files, const ReadOptions& options, Trace& trace) {
  const ReplicaModel& model = options.replicas;
  if (model.prefill_rate < 1 || model.decode_rate < 1) {
    return Error{Error::Code::invalid,
                 fmt::format("{}: requests become replicas only if it is said how fast one is: "
                             "--replica prefill=TOKENS/S,decode=TOKENS/S",
                             files.front().input.path)};
  }
  std::vector<Request> requests;
  for (Unpacked& file : files) {
    TUTTI_TRY(read_rows_of(file, options, requests));
    trace.inputs.push_back(file.input);
  }
  std::ranges::stable_sort(requests, {}, &Request::at);
  if (requests.empty()) return ok_status();
  constexpr std::int64_t kWindowsMax = 10'000'000;
  const Millis span = requests.back().at - requests.front().at;
  if (span / model.window > kWindowsMax) {
    return Error{Error::Code::malformed,
                 fmt::format("{}: more than {} windows between the first and the last request",
                             files.front().input.path, kWindowsMax)};
  }
  const std::size_t before = trace.jobs.size();
  Autoscaler scaler(model, trace.jobs);
  Millis end = requests.front().at;
  for (auto begin = requests.begin(); begin != requests.end();) {
    end += model.window;
    const auto next = std::find_if(begin, requests.end(),
                                   [&](const Request& request) { return request.at >= end; });
    scaler.window_ended(end, wished_for({begin, next}, model));
    begin = next;
  }
  scaler.end(end);
  trace.invented["replicas: an autoscaler's, from requests"] += trace.jobs.size() - before;
  return ok_status();
}

}  // namespace tutti::trace
