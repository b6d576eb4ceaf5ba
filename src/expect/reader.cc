#include "expect/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "expr/label_selector_text.h"
#include "wire/decode/field_reader.h"
#include "wire/reader.h"

namespace tutti::expect {
namespace {

using wire::Field;

// The states of a verdict, then those that only the table tells apart.
constexpr std::array<std::string_view, 11> kStates = {
    "Running",  "Waiting",   "Held",   "Preempting",  "Impossible", "Invalid",
    "Finished", "Succeeded", "Failed", "Terminating", "Foreign"};
constexpr std::array<std::string_view, 16> kBlockers = {
    "",      "capacity", "fragmentation", "topology",  "devices", "deviceHealth",
    "quota", "priority", "affinity",      "taints",    "ports",   "volumes",
    "gated", "budget",   "incomplete",    "badRequest"};
constexpr std::array<std::string_view, 5> kPhases = {"Pending", "Running", "Succeeded", "Failed",
                                                     "Unknown"};

// Kinds of which pods are made, as expectations name them.
struct WorkWord {
  std::string_view word;
  std::string_view kind;
};
constexpr std::array<WorkWord, 15> kWork = {{{"job", "Job"},
                                             {"deployment", "Deployment"},
                                             {"statefulSet", "StatefulSet"},
                                             {"replicaSet", "ReplicaSet"},
                                             {"jobSet", "JobSet"},
                                             {"leaderWorkerSet", "LeaderWorkerSet"},
                                             {"rayCluster", "RayCluster"},
                                             {"rayJob", "RayJob"},
                                             {"trainJob", "TrainJob"},
                                             {"pyTorchJob", "PyTorchJob"},
                                             {"tfJob", "TFJob"},
                                             {"mpiJob", "MPIJob"},
                                             {"xgboostJob", "XGBoostJob"},
                                             {"paddleJob", "PaddleJob"},
                                             {"inferenceService", "InferenceService"}}};
constexpr std::array<std::string_view, 11> kOther = {
    "pod",    "podGroup", "compositePodGroup", "pods", "sameNode", "distinctNodes", "events",
    "claims", "queue",    "request",           "evict"};
constexpr std::array<std::string_view, 4> kRequestStates = {"Pending", "Admitted", "Releasing",
                                                            "Finished"};
constexpr std::array<std::string_view, 7> kRules = {
    "never", "priority", "withinQueue", "reclaim", "whileBorrowing", "fairShare", "config"};

void only_members(const Field& at, std::initializer_list<std::string_view> known) {
  at.each_entry([&](std::string_view name, const Field& field) {
    if (name == "at" || std::ranges::find(known, name) != known.end()) return;
    field.fail(fmt::format("unknown here; expected one of {}", fmt::join(known, ", ")));
  });
}

template <std::size_t N>
void read_word(const Field& at, std::string_view name, const std::array<std::string_view, N>& words,
               std::optional<std::string>& out) {
  at(name, out);
  if (!out || std::ranges::find(words, *out) != words.end()) return;
  std::vector<std::string_view> known;
  for (const std::string_view word : words) known.emplace_back(word.empty() ? "''" : word);
  at.fail_member(name, fmt::format("'{}' is none of {}", *out, fmt::join(known, ", ")));
}

ObjectName parse_name(const Field& at) {
  std::string text;
  read(at, text);
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return {"default", text};
  if (slash == 0 || slash + 1 == text.size() || text.find('/', slash + 1) != std::string::npos) {
    at.fail(fmt::format("must be NAME or NAMESPACE/NAME, is '{}'", text));
  }
  return {text.substr(0, slash), text.substr(slash + 1)};
}

Count parse_count(const Field& at) {
  Count out;
  if (at.value().is_integer()) {
    read(at, out.value);
  } else {
    std::string text;
    read(at, text);
    std::string_view digits = text;
    if (digits.starts_with(">=")) out.relation = Count::Relation::at_least;
    if (digits.starts_with("<=")) out.relation = Count::Relation::at_most;
    if (out.relation != Count::Relation::equal) digits.remove_prefix(2);
    while (digits.starts_with(' ')) digits.remove_prefix(1);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), out.value);
    if (error != std::errc{} || end != digits.data() + digits.size()) out.value = -1;
  }
  if (out.value < 0) at.fail("must be a number, or a bound such as \">=3\" or \"<=2\"");
  return out;
}

void read_count(const Field& at, std::string_view name, std::optional<Count>& out) {
  at.member(name, [&](const Field& field) { out = parse_count(field); });
}

ConditionPattern parse_condition(const Field& at) {
  only_members(at, {"type", "status", "reason", "message"});
  ConditionPattern out;
  at.required("type", out.type);
  at.member("status", [&](const Field& field) {
    // An unquoted True is a boolean in YAML, and nobody means anything else by it.
    if (field.value().is_boolean()) {
      out.status = field.value().as_boolean() ? "True" : "False";
    } else {
      read(field, out.status);
    }
  });
  at("reason", out.reason);
  at("message", out.message);
  return out;
}

// One thing or a list of things.
template <typename Body>
void one_or_more(const Field& at, std::string_view name, Body&& body) {
  at.member(name, [&](const Field& field) {
    if (field.value().is_array()) return field.each_item(body);
    body(field);
  });
}

void read_conditions(const Field& at, ConditionPatterns& out) {
  one_or_more(at, "condition",
              [&](const Field& item) { out.present.push_back(parse_condition(item)); });
  one_or_more(at, "noCondition", [&](const Field& item) { read(item, out.absent.emplace_back()); });
}

void read_verdict(const Field& at, VerdictPattern& out) {
  read_word(at, "state", kStates, out.state);
  read_word(at, "blocker", kBlockers, out.blocker);
}

PodExpectation read_pod(const Field& at) {
  only_members(at, {"pod", "exists", "bound", "node", "phase", "state", "blocker", "condition",
                    "noCondition"});
  PodExpectation out;
  at.member("pod", [&](const Field& field) { out.pod = parse_name(field); });
  at("exists", out.exists);
  at("bound", out.bound);
  at("node", out.node);
  read_word(at, "phase", kPhases, out.phase);
  read_verdict(at, out.verdict);
  read_conditions(at, out.conditions);
  return out;
}

GroupExpectation read_group(const Field& at, std::string_view word, model::Kind kind) {
  only_members(at, {word, "exists", "members", "bound", "domain", "state", "blocker", "condition",
                    "noCondition"});
  GroupExpectation out;
  out.kind = kind;
  at.member(word, [&](const Field& field) { out.group = parse_name(field); });
  at("exists", out.exists);
  read_count(at, "members", out.members);
  read_count(at, "bound", out.bound);
  at("domain", out.domain);
  read_verdict(at, out.verdict);
  read_conditions(at, out.conditions);
  return out;
}

WorkExpectation read_work(const Field& at, const WorkWord& work) {
  WorkExpectation out;
  out.word = work.word;
  out.kind = work.kind;
  at.member(work.word, [&](const Field& field) { out.work = parse_name(field); });
  at("exists", out.exists);
  read_count(at, "members", out.members);
  read_count(at, "bound", out.bound);
  at("domain", out.domain);
  read_verdict(at, out.verdict);
  if (out.kind != "Job") {
    only_members(at, {work.word, "exists", "members", "bound", "domain", "state", "blocker"});
    return out;
  }
  only_members(at, {"job", "exists", "policy", "members", "bound", "domain", "state", "blocker",
                    "active", "succeeded", "failed", "condition", "noCondition"});
  at("policy", out.policy);
  read_count(at, "active", out.active);
  read_count(at, "succeeded", out.succeeded);
  read_count(at, "failed", out.failed);
  read_conditions(at, out.conditions);
  return out;
}

void read_selection(const Field& at, PodsExpectation& out) {
  only_members(at, {"namespace", "selector"});
  at("namespace", out.ns);
  at("selector", out.selector_text);
  at.member("selector", [&](const Field& field) {
    auto selector = expr::parse_label_selector(out.selector_text);
    if (!selector.ok()) return field.fail(selector.error().message);
    out.selector = *std::move(selector);
  });
}

PodsExpectation read_pods(const Field& at) {
  only_members(at, {"pods", "count", "bound", "phase", "condition", "noCondition"});
  PodsExpectation out;
  at.member("pods", [&](const Field& field) { read_selection(field, out); });
  read_count(at, "count", out.count);
  read_count(at, "bound", out.bound);
  read_word(at, "phase", kPhases, out.phase);
  read_conditions(at, out.conditions);
  return out;
}

NodesExpectation read_nodes(const Field& at, std::string_view word) {
  only_members(at, {word});
  NodesExpectation out;
  out.same = word == "sameNode";
  at.list(word, [&](const Field& item) { out.pods.push_back(parse_name(item)); });
  if (out.pods.size() < 2) at.fail_member(word, "needs at least two pods");
  return out;
}

EventsExpectation read_events(const Field& at) {
  only_members(at, {"events"});
  EventsExpectation out;
  at.member("events", [&](const Field& field) {
    only_members(field, {"about", "reason", "type", "message", "count"});
    field.member("about", [&](const Field& name) { out.about = parse_name(name); });
    field("reason", out.reason);
    field("type", out.type);
    field("message", out.message);
    field.member("count", [&](const Field& count) { out.count = parse_count(count); });
  });
  return out;
}

ClaimsExpectation read_claims(const Field& at) {
  only_members(at, {"claims", "count", "allocated", "reservedFor", "devices"});
  ClaimsExpectation out;
  at.member("claims", [&](const Field& field) {
    only_members(field, {"namespace", "name", "owner"});
    field("namespace", out.ns);
    field("name", out.name);
    field("owner", out.owner);
  });
  read_count(at, "count", out.count);
  at("allocated", out.allocated);
  at("reservedFor", out.reserved_for);
  at("devices", out.devices);
  return out;
}

// {FLAVOR: {RESOURCE: AMOUNT}}
void read_amounts(const Field& at, std::string_view name, std::vector<FlavorAmount>& out) {
  at.member(name, [&](const Field& flavors) {
    flavors.each_entry([&](std::string_view flavor, const Field& resources) {
      resources.each_entry([&](std::string_view resource, const Field& amount) {
        FlavorAmount& made = out.emplace_back();
        made.flavor = flavor;
        made.resource = resource;
        read(amount, made.amount);
      });
    });
  });
}

QueueExpectation read_queue(const Field& at) {
  only_members(at, {"queue", "exists", "used", "borrowed", "admitted", "pending", "head"});
  QueueExpectation out;
  at("queue", out.queue);
  at("exists", out.exists);
  read_amounts(at, "used", out.used);
  read_amounts(at, "borrowed", out.borrowed);
  read_count(at, "admitted", out.admitted);
  read_count(at, "pending", out.pending);
  at.member("head", [&](const Field& field) {
    out.head = field.is_empty_text() ? std::string() : parse_name(field).text();
  });
  return out;
}

RequestExpectation read_request(const Field& at) {
  only_members(at, {"request", "exists", "state", "reason", "queue", "flavors", "position"});
  RequestExpectation out;
  at.member("request", [&](const Field& field) { out.request = parse_name(field); });
  at("exists", out.exists);
  read_word(at, "state", kRequestStates, out.state);
  at("reason", out.reason);
  at("queue", out.queue);
  at.member("flavors", [&](const Field& flavors) {
    flavors.each_entry([&](std::string_view resource, const Field& flavor) {
      read(flavor, out.flavors.emplace_back(resource, std::string()).second);
    });
  });
  read_count(at, "position", out.position);
  return out;
}

// "team-a:100"; a queue alone stands for priority 0.
QueuePriority parse_side(const Field& at) {
  std::string text;
  read(at, text);
  auto side = parse_queue_priority(text);
  if (side) return *std::move(side);
  at.fail(fmt::format("must be QUEUE or QUEUE:PRIORITY, is '{}'", text));
  return {};
}

EvictExpectation read_evict(const Field& at) {
  only_members(at, {"evict", "allowed", "rule"});
  EvictExpectation out;
  at.member("evict", [&](const Field& field) {
    only_members(field, {"from", "to"});
    field.required_member("from", [&](const Field& side) { out.from = parse_side(side); });
    field.required_member("to", [&](const Field& side) { out.to = parse_side(side); });
  });
  at("allowed", out.allowed);
  read_word(at, "rule", kRules, out.rule);
  return out;
}

std::optional<Millis> read_instant(const Field& at) {
  std::optional<Millis> out;
  at.member("at", [&](const Field& field) {
    std::string text;
    read(field, text);
    const Result<Millis> duration = parse_duration(text);
    if (!duration.ok()) return field.fail(duration.error().message);
    if (*duration < Millis{0}) return field.fail("must not be before the start");
    out = *duration;
  });
  return out;
}

// "podGroup ml/train at 30s"
std::string title_of(const Field& at, std::string_view word, std::optional<Millis> instant) {
  std::string title(word);
  at.member(word, [&](const Field& field) {
    if (field.value().is_string()) title += " " + std::string(field.value().text());
  });
  return instant ? title + " at " + format_duration(*instant) : title;
}

Expectation read_expectation(const Field& at) {
  Expectation out;
  out.line = at.value().line();
  if (!at.expect_object()) return out;
  out.at = read_instant(at);
  std::vector<std::string_view> words(kOther.begin(), kOther.end());
  for (const WorkWord& work : kWork) words.push_back(work.word);
  // A request has its queue beside it.
  std::vector<std::string_view> subjects = words;
  if (at.value().find("request") != nullptr) std::erase(subjects, "queue");
  const int chosen = at.exactly_one_of(subjects);
  if (chosen < 0) return out;  // reported
  const std::string_view word = subjects[static_cast<std::size_t>(chosen)];
  const auto subject = std::ranges::find(words, word) - words.begin();
  out.title = title_of(at, word, out.at);
  switch (subject) {
    case 0:
      out.what = read_pod(at);
      break;
    case 1:
      out.what = read_group(at, "podGroup", model::Kind::pod_group);
      break;
    case 2:
      out.what = read_group(at, "compositePodGroup", model::Kind::composite_pod_group);
      break;
    case 3:
      out.what = read_pods(at);
      break;
    case 4:
      out.what = read_nodes(at, "sameNode");
      break;
    case 5:
      out.what = read_nodes(at, "distinctNodes");
      break;
    case 6:
      out.what = read_events(at);
      break;
    case 7:
      out.what = read_claims(at);
      break;
    case 8:
      out.what = read_queue(at);
      break;
    case 9:
      out.what = read_request(at);
      break;
    case 10:
      out.what = read_evict(at);
      break;
    default:
      out.what = read_work(at, kWork[static_cast<std::size_t>(subject) - kOther.size()]);
      break;
  }
  return out;
}

}  // namespace

Result<Expectations> read_expectations(std::string_view text) {
  Expectations out;
  TUTTI_TRY(wire::read_documents(text, [&](wire::Document&& document) -> Status {
    wire::FieldErrors errors;
    Field(document.root(), errors).each_item([&](const Field& item) {
      out.push_back(read_expectation(item));
    });
    return wire::to_status(errors);
  }));
  if (out.empty()) return Error{Error::Code::invalid, "there is no expectation in it"};
  return out;
}

}  // namespace tutti::expect
