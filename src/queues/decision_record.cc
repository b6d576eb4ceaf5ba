#include "queues/decision_record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "explain/verdict/text.h"

namespace tutti::queues {
namespace {

using core::Decision;
using core::Request;
using core::RequestStage;
using Entry = DecisionRecord::Entry;
using Figure = DecisionRecord::Figure;

constexpr std::string_view kPrefix = "Workload ";
// More names than this help nobody.
constexpr std::size_t kNamesMax = 5;

// The words of `tutti policy` for Kueue's.
std::string rule_word(const std::string& reason) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kWords = {
      {{"InClusterQueue", "withinQueue"},
       {"InCohortReclamation", "reclaim"},
       {"InCohortReclaimWhileBorrowing", "whileBorrowing"},
       {"InCohortFairSharing", "fairShare"}}};
  for (const auto& [kueue, ours] : kWords) {
    if (reason == kueue) return std::string(ours);
  }
  return reason;
}

std::string_view kind_word(Decision::Kind kind) {
  switch (kind) {
    case Decision::Kind::admitted:
      return "admitted";
    case Decision::Kind::evicted:
      return "evicted";
    case Decision::Kind::preempting:
      return "preempting";
    case Decision::Kind::placed:
      return "placed";
    case Decision::Kind::taken_back:
      return "takenBack";
    case Decision::Kind::bind_failed:
      return "bindFailed";
    case Decision::Kind::failed:
      return "failed";
    case Decision::Kind::unschedulable:
      break;
  }
  return "refused";
}

const Request* request_of(const core::RequestTable& table, std::string_view entity) {
  if (!entity.starts_with(kPrefix)) return nullptr;
  const auto at = table.all().find(entity.substr(kPrefix.size()));
  return at != table.all().end() ? at->second.get() : nullptr;
}

std::string amount(const Figure& figure, std::int64_t units) {
  return core::amount_text(figure.resource, units);
}

// "8 gpu of a100".
std::string charges_text(const Entry& entry) {
  std::vector<std::string> parts;
  for (const Figure& figure : entry.figures) {
    if (figure.charged == 0) continue;
    parts.push_back(
        fmt::format("{} {} of {}", amount(figure, figure.charged), figure.resource, figure.flavor));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

// "team-a, which owns 8 example.com/gpu, then used 12".
std::string use_text(const Entry& entry) {
  std::vector<std::string> owned;
  std::vector<std::string> used;
  for (const Figure& figure : entry.figures) {
    if (figure.charged == 0) continue;
    owned.push_back(fmt::format("{} {}", amount(figure, figure.nominal), figure.resource));
    used.push_back(amount(figure, figure.used));
  }
  if (owned.empty()) return {};
  return fmt::format("{}, which owns {}, then used {}", entry.queue, fmt::join(owned, " and "),
                     fmt::join(used, " and "));
}

bool borrows(const Entry& entry) {
  return std::ranges::any_of(entry.figures, [](const Figure& figure) {
    return figure.charged > 0 && figure.used > figure.nominal;
  });
}

// "a is", "a and b are".
std::string names_of(const std::vector<std::string>& names) {
  return fmt::format("{} {}", explain::first_of(names), names.size() == 1 ? "is" : "are");
}

std::string why_evicted(const Entry& entry) {
  if (entry.rule == "withinQueue") return "in its own queue, which goes by priority";
  if (entry.rule == "reclaim") return "whose queue took back quota that was lent";
  if (entry.rule == "whileBorrowing") return "which may borrow at the cost of lower priority";
  if (entry.rule == "fairShare") return "whose queue had the smaller share";
  return {};
}

Why::Line line_of(const Entry& entry) {
  Why::Line line{.at = entry.at,
                 .kind = std::string(kind_word(entry.kind)),
                 .rule = entry.rule,
                 .summary = entry.message,
                 .by = entry.by,
                 .cost = {}};
  switch (entry.kind) {
    case Decision::Kind::admitted: {
      const std::string charges = charges_text(entry);
      line.rule = borrows(entry) ? "borrowing" : "nominal";
      line.summary = charges.empty() ? fmt::format("admitted to {}", entry.queue)
                                     : fmt::format("admitted to {} with {}; {}", entry.queue,
                                                   charges, use_text(entry));
      break;
    }
    case Decision::Kind::evicted: {
      if (entry.by.empty()) break;
      line.summary =
          fmt::format("evicted for {}, {}; {}", entry.by, why_evicted(entry), use_text(entry));
      line.instead = entry.others;
      break;
    }
    case Decision::Kind::preempting:
      line.summary = fmt::format("{} evicted for it; {}", names_of(entry.others), use_text(entry));
      line.instead = entry.others;
      break;
    default:
      break;
  }
  if (entry.ran)
    line.cost = fmt::format("{} for {}", charges_text(entry), format_duration(*entry.ran));
  return line;
}

// "4 pods on n1, n2".
std::string places_text(const Entry& entry) {
  std::set<std::string> nodes;
  for (const auto& [pod, node] : entry.pods) nodes.insert(node);
  return fmt::format("{} on {}", explain::counted(entry.pods.size(), "pod"),
                     explain::first_of({nodes.begin(), nodes.end()}));
}

// The line of something in no queue.
Why::Line placing_line(const Entry& entry) {
  Why::Line line{.at = entry.at,
                 .kind = std::string(kind_word(entry.kind)),
                 .rule = {},
                 .summary = entry.message,
                 .by = {},
                 .cost = {}};
  if (entry.kind == Decision::Kind::placed) {
    line.rule = "fit";
    line.summary = "placed, " + places_text(entry);
  } else if (entry.kind == Decision::Kind::preempting) {
    line.rule = "priority";
    line.summary = "others of lower priority are evicted for it, " + places_text(entry);
    for (const auto& [pod, node] : entry.pods) line.instead.push_back(pod);
  } else if (line.summary.empty()) {
    line.summary = line.kind;
  }
  return line;
}

// By which rule a later one was served first.
std::string overtaking_rule(const Entry& passed, const Entry& first) {
  if (passed.queue != first.queue) return "otherQueue";
  if (first.priority > passed.priority) return "priority";
  return first.timestamp <= passed.timestamp ? "earlier" : "bestEffort";
}

std::string overtaking_text(const std::string& rule, const Entry& passed, const Entry& first) {
  const std::string name = first.entity.substr(kPrefix.size());
  if (rule == "otherQueue") {
    return fmt::format("{} of queue {} was admitted first, with {}", name, first.queue,
                       charges_text(first));
  }
  if (rule == "priority") {
    return fmt::format("{} was admitted first: its priority is {}, not {}", name, first.priority,
                       passed.priority);
  }
  if (rule == "earlier") return fmt::format("{} was admitted first: it came earlier", name);
  return fmt::format("{} was admitted first: with {} it fit, and {} lets others pass", name,
                     charges_text(first), passed.queue);
}

}  // namespace

void DecisionRecord::decided(const Decision& decision) {
  Entry entry{.at = decision.at,
              .kind = decision.kind,
              .entity = decision.entity,
              .queue = {},
              .rule = rule_word(decision.rule),
              .by = decision.by,
              .message = decision.message,
              .pods = decision.bindings};
  const auto last = last_.find(entry.entity);
  if (last != last_.end() && decision.kind == Decision::Kind::unschedulable) {
    const Entry& before = entries_[last->second];
    if (before.kind == entry.kind && before.message == entry.message) return;
  }
  if (const Request* request = table_ != nullptr ? request_of(*table_, entry.entity) : nullptr) {
    look(*request, entry);
  }
  last_[entry.entity] = entries_.size();
  entries_.push_back(std::move(entry));
}

void DecisionRecord::look(const Request& request, Entry& entry) const {
  entry.queue = request.queue;
  entry.priority = request.priority;
  entry.timestamp = request.timestamp;
  const core::QuotaQueue* queue = table_->objects().queue(request.queue);
  if (queue == nullptr) return;
  if (entry.kind == Decision::Kind::evicted && request.admitted_at != Instant{}) {
    entry.ran = entry.at - request.admitted_at;
  }
  const quota::Tree& tree = table_->objects().tree();
  const quota::FlavorResources& names = tree.flavor_resources();
  for (const quota::Charge& charge : request.charges) {
    entry.figures.push_back({.flavor = std::string(names.name(names.flavor(charge.of))),
                             .resource = std::string(names.name(names.resource(charge.of))),
                             .nominal = quota::to_int64(tree.nominal(queue->node, charge.of)),
                             .used = quota::to_int64(tree.usage(queue->node, charge.of)),
                             .charged = charge.amount});
  }
  if (entry.kind == Decision::Kind::preempting) {
    entry.others.assign(request.victims.begin(), request.victims.end());
  }
  if (entry.kind != Decision::Kind::evicted) return;
  for (const std::string& name : table_->holding(queue->node)) {
    const Request& other = *table_->all().at(name);
    if (name == request.name || other.stage == RequestStage::releasing) continue;
    if (entry.others.size() < kNamesMax) entry.others.push_back(name);
  }
}

Why why(const DecisionRecord& record, const core::RequestTable& table, const std::string& entity,
        const std::string& object) {
  Why out{.object = object, .outcome = "waiting", .lines = {}, .other = {}, .difference = {}};
  const Request* request = request_of(table, entity);
  const Entry* waiting = nullptr;  // its entry since which it waits
  bool evicted = false;
  for (const Entry& entry : record.entries()) {
    if (entry.entity == entity) {
      evicted = entry.kind == Decision::Kind::evicted ||
                (evicted && entry.kind != Decision::Kind::admitted);
      const bool refused = entry.kind == Decision::Kind::unschedulable;
      if (!refused) waiting = nullptr;
      if (refused && waiting == nullptr) waiting = &entry;
      out.lines.push_back(line_of(entry));
      continue;
    }
    if (waiting == nullptr || entry.kind != Decision::Kind::admitted || request == nullptr)
      continue;
    const core::QuotaQueue* own = table.objects().queue(waiting->queue);
    const core::QuotaQueue* theirs = table.objects().queue(entry.queue);
    const bool compete =
        own != nullptr && theirs != nullptr &&
        table.objects().root_of(own->node) == table.objects().root_of(theirs->node);
    if (!compete) continue;
    const std::string rule = overtaking_rule(*waiting, entry);
    out.lines.push_back({.at = entry.at,
                         .kind = "overtaken",
                         .rule = rule,
                         .summary = overtaking_text(rule, *waiting, entry),
                         .by = entry.entity.substr(kPrefix.size()),
                         .cost = {}});
  }
  std::ranges::reverse(out.lines);
  if (request == nullptr || request->finished) {
    out.outcome = "finished";
  } else if (request->holds() && request->stage != RequestStage::releasing) {
    out.outcome = "running";
  } else if (evicted) {
    out.outcome = "evicted";
  } else if (!out.lines.empty() && std::ranges::any_of(out.lines, [](const Why::Line& line) {
               return line.kind == "overtaken";
             })) {
    out.outcome = "overtaken";
  }
  return out;
}

Why why(const DecisionRecord& record, const Placing& placing, const std::string& object) {
  Why out{.object = object, .outcome = "waiting", .lines = {}, .other = {}, .difference = {}};
  bool evicted = false;
  for (const Entry& entry : record.entries()) {
    if (placing.entities.contains(entry.entity)) {
      if (entry.kind == Decision::Kind::placed) evicted = false;
      out.lines.push_back(placing_line(entry));
      continue;
    }
    const bool hit = entry.kind == Decision::Kind::preempting &&
                     std::ranges::any_of(entry.pods, [&](const auto& pod) {
                       return placing.pods.contains(pod.first);
                     });
    if (!hit) continue;
    evicted = true;
    out.lines.push_back(
        {.at = entry.at,
         .kind = "evicted",
         .rule = "priority",
         .summary = fmt::format("evicted for {}, whose priority is higher", entry.entity),
         .by = entry.entity,
         .cost = {}});
  }
  std::ranges::reverse(out.lines);
  if (placing.state == "Running") {
    out.outcome = "running";
  } else if (placing.state == "Finished" || placing.state == "Succeeded" ||
             placing.state == "Failed") {
    out.outcome = "finished";
  } else if (evicted) {
    out.outcome = "evicted";
  }
  return out;
}

std::string difference(const DecisionRecord& record, const core::RequestTable& table,
                       const std::string& entity, const std::string& other) {
  const Request* own = request_of(table, entity);
  const Request* theirs = request_of(table, other);
  if (own == nullptr || theirs == nullptr) return "not recorded";
  if (own->holds() != theirs->holds()) {
    const Request& lacking = own->holds() ? *theirs : *own;
    const Entry* refused = nullptr;
    for (const Entry& entry : record.entries()) {
      const bool is_it = entry.entity == std::string(kPrefix) + lacking.name &&
                         entry.kind == Decision::Kind::unschedulable;
      if (is_it) refused = &entry;
    }
    if (refused != nullptr) return fmt::format("{} lacked: {}", lacking.name, refused->message);
  }
  if (own->queue != theirs->queue) {
    return fmt::format("queue: {} against {}", own->queue, theirs->queue);
  }
  if (own->priority != theirs->priority) {
    return fmt::format("priority: {} against {}", own->priority, theirs->priority);
  }
  if (own->timestamp != theirs->timestamp) {
    const auto written = [](std::int64_t at) { return format_rfc3339(Instant{Millis(at)}); };
    return fmt::format("time in the queue: {} against {}", written(own->timestamp),
                       written(theirs->timestamp));
  }
  return "name: they are alike in all else";
}

namespace {

// Messages of the scheduler are sentences.
std::string_view without_stop(std::string_view text) {
  while (text.ends_with('.')) text.remove_suffix(1);
  return text;
}

}  // namespace

// --- as text and fields --------------------------------------------------------------------------

std::string text_of(const Why& why, Instant start) {
  if (why.lines.empty()) {
    return fmt::format("{}: {}; nothing was decided about it.", why.object, why.outcome);
  }
  // What made the outcome, and the competition before it.
  const auto is_decisive = [&](const Why::Line& line) {
    if (why.outcome == "running" || why.outcome == "finished") {
      return line.kind == "admitted" || line.kind == "placed";
    }
    if (why.outcome == "evicted") return line.kind == "evicted";
    return line.kind == "refused";
  };
  const auto found = std::ranges::find_if(why.lines, is_decisive);
  const Why::Line& line = found != why.lines.end() ? *found : why.lines.front();
  std::string text = fmt::format("{} is {}: at {} {}.", why.object, why.outcome,
                                 format_duration(line.at - start), without_stop(line.summary));
  const auto overtaken = std::ranges::count(why.lines, "overtaken", &Why::Line::kind);
  if (why.outcome == "running" || overtaken == 0) {
    if (line.kind == "evicted" && !line.instead.empty()) {
      text += fmt::format(" {} of its queue stayed.", fmt::join(line.instead, ", "));
    }
    if (!line.cost.empty()) text += fmt::format(" What it held is lost: {}.", line.cost);
  } else {
    const auto last = std::ranges::find(why.lines, "overtaken", &Why::Line::kind);
    text += fmt::format(" Since it waits {} went before it; the last at {}: {}.",
                        overtaken == 1 ? "one request" : fmt::format("{} requests", overtaken),
                        format_duration(last->at - start), last->summary);
    if (!line.cost.empty()) text += fmt::format(" What it held is lost: {}.", line.cost);
  }
  return text;
}

void walk(const Why& why, Instant start, explain::FieldSink& sink) {
  const auto put = [&](std::string_view field, std::string_view text) {
    sink.field(field);
    sink.text(text);
  };
  sink.open_object();
  put("object", why.object);
  put("outcome", why.outcome);
  sink.field("decisions");
  sink.open_list();
  for (const Why::Line& line : why.lines) {
    sink.open_object();
    put("at", format_duration(line.at - start));
    put("kind", line.kind);
    put("rule", line.rule);
    put("summary", line.summary);
    put("by", line.by);
    sink.field("instead");
    sink.open_list();
    for (const std::string& name : line.instead) sink.text(name);
    sink.close_list();
    put("cost", line.cost);
    sink.close_object();
  }
  sink.close_list();
  if (!why.other.empty()) {
    put("other", why.other);
    put("difference", why.difference);
  }
  sink.close_object();
}

}  // namespace tutti::queues
