#include "daemon/verdict_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "answers/lookup.h"
#include "daemon/writes/target.h"
#include "explain/document/commands.h"
#include "explain/document/verdict_value.h"
#include "explain/verdict/text.h"
#include "wire/json_writer.h"

namespace tutti::daemon {
namespace {

constexpr std::string_view kRoot = "/explain";
constexpr std::string_view kAnyKind = "any";
constexpr std::string_view kNext =
    "unknown: tutti explain --live reads the cluster and plays it ahead";
// Each costs about as much as one question, and the scheduler does nothing else meanwhile.
constexpr std::size_t kItemsDefault = 100;
constexpr std::size_t kItemsMax = 1'000;

net::ServerResponse failure(int code, std::string_view reason, std::string_view message) {
  wire::Document document;
  wire::Arena& arena = document.arena();
  wire::Value status = wire::Value::object();
  const auto put = [&](std::string_view field, std::string_view text) {
    status.set_member(arena, field, wire::Value::string(arena, text));
  };
  put("kind", "Status");
  put("apiVersion", "v1");
  put("status", "Failure");
  put("message", message);
  put("reason", reason);
  status.set_member(arena, "code", wire::Value::integer(code));
  return {code, "application/json", wire::to_json(status) + "\n"};
}

net::ServerResponse json(const wire::Value& value) {
  return {200, "application/json", wire::to_json(value, {.indent = 4}) + "\n"};
}

// Only what names of kinds and objects consist of: it is repeated in messages.
bool is_name(std::string_view text) {
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.";
  return !text.empty() && text.find_first_not_of(kLetters) == std::string_view::npos;
}

// The parts of "/a/b/c".
std::vector<std::string_view> segments(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::size_t end = std::min(path.find('/'), path.size());
    parts.push_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  return parts;
}

// --- one verdict ---------------------------------------------------------------------------------

net::ServerResponse page(const explain::Verdict& verdict, std::string_view output) {
  if (output == "table") {
    return {.body = explain::render_text(verdict, explain::commands_of)};
  }
  if (!output.empty() && output != "json") {
    return failure(400, "BadRequest", "output: json or table");
  }
  wire::Document document;
  return json(explain::verdict_value(verdict, document));
}

// A scheduler that runs knows what would help now, not what will happen.
void add_outlook(answers::Finding& found, const Knowledge& knowledge) {
  using explain::State;
  const State state = found.verdict.state;
  if (!found.asker || state == State::running || state == State::invalid) return;
  if (found.verdict.next.empty()) found.verdict.next = kNext;
  if (state != State::preempting && knowledge.ways) {
    found.verdict.ways = knowledge.ways(*found.asker);
  }
  const bool may_evict = state == State::waiting || state == State::preempting;
  if (may_evict && knowledge.evictions) {
    found.verdict.preemption = knowledge.evictions(*found.asker);
  }
}

net::ServerResponse answer_one(const std::vector<std::string_view>& parts, std::string_view query,
                               const Knowledge& knowledge) {
  if (parts.size() != 4 || !std::ranges::all_of(parts, is_name)) {
    return failure(404, "NotFound", "ask for /explain or /explain/KIND/NAMESPACE/NAME");
  }
  const auto kind = answers::explained_kind(parts[1]);
  const bool any = parts[1] == kAnyKind;
  if (!kind && !any && !answers::names_work(parts[1])) {
    return failure(404, "NotFound",
                   fmt::format("'{}' cannot be explained; pods, groups, claims and what pods are "
                               "made of can: job, deployment, jobset, leaderworkerset ...",
                               parts[1]));
  }
  const explain::Sources& sources = knowledge.sources;
  auto found = any    ? answers::find_any(sources, parts[2], parts[3])
               : kind ? answers::find_verdict(sources, *kind, parts[2], parts[3])
                      : answers::find_work(sources, parts[1], parts[2], parts[3]);
  if (!found) {
    const std::string_view what = any ? "object" : kind ? model::facts(*kind).name : parts[1];
    return failure(
        404, "NotFound",
        fmt::format("the scheduler knows no {} {}/{}: there is none, it has ended, or "
                    "it is another scheduler's{}",
                    what, parts[2], parts[3], answers::suggestion(sources, parts[2], parts[3])));
  }
  add_outlook(*found, knowledge);
  return page(found->verdict, parameter(query, "output").value_or(""));
}

// --- all that waits ------------------------------------------------------------------------------

// In verdict_value's form, with the first four fields only.
wire::Value brief(const explain::Verdict& verdict, wire::Document& document) {
  wire::Value whole = explain::verdict_value(verdict, document);
  wire::Value made = wire::Value::object();
  for (const std::string_view field : {"object", "state", "blocker", "summary"}) {
    made.set_member(document.arena(), field, std::move(*whole.find(field)));
  }
  return made;
}

std::optional<std::size_t> limit_of(std::string_view query) {
  const auto text = parameter(query, "limit");
  if (!text) return kItemsDefault;
  std::size_t limit = 0;
  const auto [end, problem] = std::from_chars(text->data(), text->data() + text->size(), limit);
  if (problem != std::errc{} || end != text->data() + text->size()) return std::nullopt;
  return std::min(limit, kItemsMax);
}

// Lists who waits in one namespace, or in all; in order of namespace, kind and name.
std::vector<answers::Waiter> sorted_waiters(const explain::Sources& sources,
                                            std::optional<std::string_view> ns) {
  std::vector<std::tuple<std::string, std::string, std::string, answers::Waiter>> named;
  for (const answers::Waiter& waiter : answers::waiters(sources)) {
    explain::ObjectName name = answers::name_of(sources, waiter);
    if (ns && name.ns != *ns) continue;
    named.emplace_back(std::move(name.ns), std::move(name.kind), std::move(name.name), waiter);
  }
  std::ranges::sort(named, [](const auto& a, const auto& b) {
    return std::tie(std::get<0>(a), std::get<1>(a), std::get<2>(a)) <
           std::tie(std::get<0>(b), std::get<1>(b), std::get<2>(b));
  });
  std::vector<answers::Waiter> sorted;
  for (const auto& each : named) sorted.push_back(std::get<3>(each));
  return sorted;
}

net::ServerResponse answer_all(std::string_view query, const explain::Sources& sources) {
  const auto limit = limit_of(query);
  if (!limit) return failure(400, "BadRequest", "limit: a whole number is needed");
  const auto all = sorted_waiters(sources, parameter(query, "namespace"));
  wire::Document document;
  wire::Arena& arena = document.arena();
  wire::Value items = wire::Value::array();
  for (std::size_t i = 0; i < std::min(*limit, all.size()); ++i) {
    items.push_back(arena, brief(answers::verdict_of(sources, all[i]), document));
  }
  wire::Value list = wire::Value::object();
  list.set_member(arena, "total", wire::Value::integer(static_cast<std::int64_t>(all.size())));
  list.set_member(arena, "items", std::move(items));
  return json(list);
}

}  // namespace

bool asks_for_verdicts(const net::ServerRequest& request) {
  const std::string_view path = split(request.target).path;
  return path.starts_with(kRoot) && (path.size() == kRoot.size() || path[kRoot.size()] == '/');
}

net::ServerResponse answer_verdicts(const net::ServerRequest& request, const VerdictGate& gate,
                                    const std::function<Knowledge()>& knowledge) {
  if (request.method != "GET" && request.method != "HEAD") {
    return failure(405, "MethodNotAllowed", "only GET is answered here");
  }
  // Not 403, which an API server in between says of roles.
  if (gate.loopback_only && !request.from_loopback) {
    return failure(421, "Misdirected",
                   "verdicts are given to the scheduler's own machine or pod only: use kubectl "
                   "port-forward, or start it with --explain-to all");
  }
  if (!gate.closed.empty()) return failure(503, "ServiceUnavailable", gate.closed);
  const Target target = split(request.target);
  const auto parts = segments(target.path);
  if (parts.size() == 1) return answer_all(target.query, knowledge().sources);
  return answer_one(parts, target.query, knowledge());
}

std::optional<UnknownJob> unknown_job(const net::ServerRequest& request,
                                      const net::ServerResponse& response) {
  if (response.status != 404) return std::nullopt;
  const Target target = split(request.target);
  const auto parts = segments(target.path);
  if (parts.size() != 4 || !std::ranges::all_of(parts, is_name)) return std::nullopt;
  if (parts[1] != kAnyKind && answers::explained_kind(parts[1]) != model::Kind::job)
    return std::nullopt;
  return UnknownJob{std::string(parts[2]), std::string(parts[3]),
                    std::string(parameter(target.query, "output").value_or(""))};
}

net::ServerResponse answer_unknown_job(const UnknownJob& job, const JobFinding& finding,
                                       net::ServerResponse response) {
  if (finding.verdict) return page(*finding.verdict, job.output);
  if (finding.trouble.empty()) return response;
  return failure(404, "NotFound",
                 fmt::format("the scheduler knows no pod of Job {}/{}, and {}", job.ns, job.name,
                             finding.trouble));
}

}  // namespace tutti::daemon
