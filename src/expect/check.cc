#include "expect/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "expect/work.h"
#include "expr/label_selector.h"
#include "model/cluster.h"
#include "model/device.h"
#include "model/group.h"
#include "model/job.h"
#include "model/node.h"
#include "model/pod.h"

namespace tutti::expect {
namespace {

using model::Kind;
using PodList = std::vector<const model::Pod*>;

std::string_view phase_name(model::PodPhase phase) {
  switch (phase) {
    case model::PodPhase::pending:
      return "Pending";
    case model::PodPhase::running:
      return "Running";
    case model::PodPhase::succeeded:
      return "Succeeded";
    case model::PodPhase::failed:
      return "Failed";
    case model::PodPhase::unknown:
      break;
  }
  return "Unknown";
}

bool has(const std::optional<std::string>& part, const std::string& text) {
  return !part || text.find(*part) != std::string::npos;
}
bool is(const std::optional<std::string>& expected, const std::string& text) {
  return !expected || *expected == text;
}

std::string text_of(const ConditionPattern& pattern) {
  return fmt::format("{}={}{}{}", pattern.type, pattern.status.value_or("*"),
                     pattern.reason ? " (" + *pattern.reason + ")" : "",
                     pattern.message ? " saying '" + *pattern.message + "'" : "");
}
std::string text_of(const model::Condition* condition) {
  if (condition == nullptr) return "there is none";
  if (condition->reason.empty()) return "it is " + condition->status;
  return fmt::format("it is {} ({}: {})", condition->status, condition->reason, condition->message);
}

bool is_controlled_by(const model::Object& object, const model::Object& owner) {
  return std::ranges::any_of(object.meta.owners, [&](const model::OwnerReference& reference) {
    return reference.controller && reference.uid == owner.meta.uid;
  });
}

// "gang 4", "basic", "none"; several groups one after the other.
std::string policy_of(const model::Job& job, const store::Store& objects) {
  std::vector<std::string> found;
  for (const auto& object : objects.objects(Kind::pod_group)) {
    if (!is_controlled_by(*object, job)) continue;
    const auto& policy = model::as<model::PodGroup>(*object).spec.policy;
    found.push_back(policy.gang ? fmt::format("gang {}", policy.minimum) : "basic");
  }
  return found.empty() ? "none" : fmt::format("{}", fmt::join(found, ", "));
}

std::size_t count_bound(const PodList& pods) {
  return static_cast<std::size_t>(
      std::ranges::count_if(pods, [](const auto* pod) { return !pod->node_name.empty(); }));
}

class Checker {
 public:
  Checker(const Scene& scene, std::uint32_t line) : scene_(scene), line_(line) {}

  void operator()(const PodExpectation& expected);
  void operator()(const GroupExpectation& expected);
  void operator()(const WorkExpectation& expected);
  void check_job(const WorkExpectation& expected, const model::Job& job);
  void operator()(const PodsExpectation& expected);
  void operator()(const NodesExpectation& expected);
  void operator()(const EventsExpectation& expected);
  void operator()(const ClaimsExpectation& expected);
  void operator()(const QueueExpectation& expected);
  void operator()(const RequestExpectation& expected);
  void operator()(const EvictExpectation& expected);

  std::vector<Failure> take() { return std::move(failures_); }

 private:
  template <typename... Args>
  void fail(fmt::format_string<Args...> format, Args&&... args) {
    failures_.push_back(
        {line_, subject_ + ": " + fmt::format(format, std::forward<Args>(args)...)});
  }
  const model::Object* find(Kind kind, const ObjectName& name) const {
    return scene_.objects.get({kind, name.ns, name.name, {}}).get();
  }
  // Whether there is an object to look at further.
  bool check_existence(const model::Object* object, bool expected);
  void check_verdict(const VerdictPattern& expected, const model::ObjectKey& key);
  void check_conditions(const ConditionPatterns& expected,
                        const std::vector<model::Condition>& actual);
  void check_counts(const std::optional<Count>& members, const std::optional<Count>& bound,
                    const PodList& pods);
  void check_domain(const std::string& domain, const PodList& pods);
  void check_claim(const ClaimsExpectation& expected, const model::ResourceClaim& claim);
  void check_names(std::string_view what, const std::optional<std::vector<std::string>>& expected,
                   std::vector<std::string> actual);
  void check_amounts(std::string_view what, const std::vector<FlavorAmount>& expected,
                     const std::vector<FlavorAmount>& actual);
  void check_flavor(const std::string& resource, const std::string& flavor,
                    const RequestStanding& actual);
  void check_number(std::string_view what, const std::optional<Count>& expected,
                    std::int64_t actual);
  PodList members_of(const GroupExpectation& group) const;
  bool below(const model::PodGroup& leaf, const GroupExpectation& ancestor) const;

  const Scene& scene_;
  std::uint32_t line_;
  std::string subject_;
  std::vector<Failure> failures_;
};

bool Checker::check_existence(const model::Object* object, bool expected) {
  if (object == nullptr && expected) fail("expected it to exist, but it does not");
  if (object != nullptr && !expected) fail("expected it not to exist, but it does");
  return object != nullptr && expected;
}

void Checker::check_verdict(const VerdictPattern& expected, const model::ObjectKey& key) {
  if (!expected.state && !expected.blocker) return;
  const Standing actual = scene_.standing(key);
  const std::string why = actual.summary.empty() ? "" : " (" + actual.summary + ")";
  if (!is(expected.state, actual.state)) {
    fail("expected state {}, but it is {}{}", *expected.state, actual.state, why);
  }
  if (!is(expected.blocker, actual.blocker)) {
    fail("expected blocker '{}', but it is '{}'{}", *expected.blocker, actual.blocker, why);
  }
}

void Checker::check_conditions(const ConditionPatterns& expected,
                               const std::vector<model::Condition>& actual) {
  for (const ConditionPattern& pattern : expected.present) {
    const model::Condition* condition = model::find(actual, pattern.type);
    const bool met = condition != nullptr && is(pattern.status, condition->status) &&
                     is(pattern.reason, condition->reason) &&
                     has(pattern.message, condition->message);
    if (!met) fail("expected condition {}, but {}", text_of(pattern), text_of(condition));
  }
  for (const std::string& type : expected.absent) {
    const model::Condition* condition = model::find(actual, type);
    if (condition != nullptr) fail("expected no condition {}, but {}", type, text_of(condition));
  }
}

void Checker::check_counts(const std::optional<Count>& members, const std::optional<Count>& bound,
                           const PodList& pods) {
  if (members && !members->accepts(static_cast<std::int64_t>(pods.size()))) {
    fail("expected {} pods, but there are {}", members->text(), pods.size());
  }
  const std::size_t actual = count_bound(pods);
  if (bound && !bound->accepts(static_cast<std::int64_t>(actual))) {
    fail("expected {} bound, but {} of {} pods have a node", bound->text(), actual, pods.size());
  }
}

void Checker::check_domain(const std::string& domain, const PodList& pods) {
  const std::size_t equals = domain.find('=');
  const std::string key = domain.substr(0, equals);
  std::set<std::string> values = domains_of(scene_, key, pods);
  if (values.erase("") > 0) values.insert("(none)");
  const bool met = values.size() == 1 &&
                   (equals == std::string::npos || *values.begin() == domain.substr(equals + 1));
  if (!met) {
    fail("expected domain {}, but {} of its members: {}", domain, key,
         values.empty() ? "no member has a node" : fmt::format("{}", fmt::join(values, ", ")));
  }
}

bool Checker::below(const model::PodGroup& leaf, const GroupExpectation& ancestor) const {
  std::string parent = leaf.parent;
  // Trees are shallow; the bound ends the walk in a cycle that admission has not seen yet.
  for (int level = 0; level < 8 && !parent.empty(); ++level) {
    if (parent == ancestor.group.name) return true;
    const auto above = scene_.objects.find<model::CompositePodGroup>(leaf.meta.ns, parent);
    parent = above == nullptr ? "" : above->parent;
  }
  return false;
}

PodList Checker::members_of(const GroupExpectation& group) const {
  std::set<std::string> leaves;
  if (group.kind == Kind::pod_group) leaves.insert(group.group.name);
  for (const auto& object : scene_.objects.objects(Kind::pod_group)) {
    if (group.kind == Kind::pod_group || object->meta.ns != group.group.ns) continue;
    if (below(model::as<model::PodGroup>(*object), group)) leaves.insert(object->meta.name);
  }
  PodList out;
  for (const auto& object : scene_.objects.objects(Kind::pod)) {
    const auto& pod = model::as<model::Pod>(*object);
    if (object->meta.ns != group.group.ns || pod.terminal()) continue;
    if (leaves.contains(pod.spec->scheduling_group)) out.push_back(&pod);
  }
  return out;
}

void Checker::operator()(const PodExpectation& expected) {
  subject_ = "pod " + expected.pod.text();
  const model::Object* object = find(Kind::pod, expected.pod);
  if (!check_existence(object, expected.exists)) return;
  const auto& pod = model::as<model::Pod>(*object);
  const std::string where = pod.node_name.empty() ? "it has no node" : "it is on " + pod.node_name;
  if (expected.bound && *expected.bound == pod.node_name.empty()) {
    fail("expected it to be {}, but {}", *expected.bound ? "bound" : "unbound", where);
  }
  if (!is(expected.node, pod.node_name)) {
    fail("expected node {}, but {}", *expected.node, where);
  }
  const std::string phase(phase_name(pod.status.phase));
  if (!is(expected.phase, phase)) fail("expected phase {}, but it is {}", *expected.phase, phase);
  check_verdict(expected.verdict, model::key_of(*object));
  check_conditions(expected.conditions, pod.status.conditions);
}

void Checker::operator()(const GroupExpectation& expected) {
  const bool leaf = expected.kind == Kind::pod_group;
  subject_ = (leaf ? "podGroup " : "compositePodGroup ") + expected.group.text();
  const model::Object* object = find(expected.kind, expected.group);
  const PodList members = members_of(expected);
  if (check_existence(object, expected.exists)) {
    check_verdict(expected.verdict, model::key_of(*object));
    check_conditions(expected.conditions,
                     leaf ? model::as<model::PodGroup>(*object).conditions
                          : model::as<model::CompositePodGroup>(*object).conditions);
  }
  if (object == nullptr && expected.exists) return;
  check_counts(expected.members, expected.bound, members);
  if (expected.domain) check_domain(*expected.domain, members);
}

void Checker::check_number(std::string_view what, const std::optional<Count>& expected,
                           std::int64_t actual) {
  if (!expected || expected->accepts(actual)) return;
  fail("expected {} {}, but it has {}", expected->text(), what, actual);
}

void Checker::operator()(const WorkExpectation& expected) {
  subject_ = expected.word + " " + expected.work.text();
  const model::Object* object =
      find_work(scene_.objects, expected.kind, expected.work.ns, expected.work.name);
  if (!check_existence(object, expected.exists)) return;
  const PodList members = pods_made_of(scene_.objects, *object);
  check_verdict(expected.verdict, model::key_of(*object));
  check_counts(expected.members, expected.bound, members);
  if (expected.domain) check_domain(*expected.domain, members);
  if (const auto* job = model::try_as<model::Job>(*object)) check_job(expected, *job);
}

void Checker::check_job(const WorkExpectation& expected, const model::Job& job) {
  const std::string policy = policy_of(job, scene_.objects);
  if (!is(expected.policy, policy)) {
    fail("expected policy '{}', but it is '{}'", *expected.policy, policy);
  }
  check_number("active", expected.active, job.status.active);
  check_number("succeeded", expected.succeeded, job.status.succeeded);
  check_number("failed", expected.failed, job.status.failed);
  check_conditions(expected.conditions, job.status.conditions);
}

void Checker::operator()(const PodsExpectation& expected) {
  subject_ = fmt::format("pods of {}{}", expected.ns.empty() ? "all namespaces" : expected.ns,
                         expected.selector_text.empty() ? "" : " with " + expected.selector_text);
  const std::string all = subject_;
  PodList pods;
  for (const auto& object : scene_.objects.objects(Kind::pod)) {
    if (!expected.ns.empty() && object->meta.ns != expected.ns) continue;
    if (!expr::matches(expected.selector, object->meta.labels)) continue;
    pods.push_back(&model::as<model::Pod>(*object));
  }
  check_counts(expected.count, expected.bound, pods);
  // What is said of every pod would hold of none; that is hardly what was meant.
  const bool of_each =
      expected.phase || !expected.conditions.present.empty() || !expected.conditions.absent.empty();
  if (pods.empty() && of_each && !expected.count) fail("expected pods, but there are none");
  for (const model::Pod* pod : pods) {
    subject_ = all + ", pod " + pod->meta.ns + "/" + pod->meta.name;
    const std::string phase(phase_name(pod->status.phase));
    if (!is(expected.phase, phase)) fail("expected phase {}, but it is {}", *expected.phase, phase);
    check_conditions(expected.conditions, pod->status.conditions);
  }
}

void Checker::operator()(const NodesExpectation& expected) {
  subject_ = expected.same ? "sameNode" : "distinctNodes";
  std::set<std::string> nodes;
  std::vector<std::string> where;
  for (const ObjectName& name : expected.pods) {
    const model::Object* object = find(Kind::pod, name);
    const std::string node = object == nullptr ? "" : model::as<model::Pod>(*object).node_name;
    where.push_back(fmt::format("{} is on {}", name.text(), node.empty() ? "no node" : node));
    if (node.empty()) return fail("expected {} to have a node, but it has none", name.text());
    nodes.insert(node);
  }
  const bool met = nodes.size() == (expected.same ? 1 : expected.pods.size());
  if (!met) {
    fail("expected {}, but {}", expected.same ? "one node for all" : "a node for each",
         fmt::join(where, ", "));
  }
}

void Checker::operator()(const EventsExpectation& expected) {
  subject_ = fmt::format("events{}{}", expected.reason ? " " + *expected.reason : "",
                         expected.about ? " about " + expected.about->text() : "");
  std::int64_t actual = 0;
  for (const auto& object : scene_.objects.objects(Kind::event)) {
    const auto& event = model::as<model::Event>(*object);
    const bool about =
        !expected.about || ObjectName{event.involved.ns, event.involved.name} == *expected.about;
    if (about && is(expected.reason, event.reason) && is(expected.type, event.type) &&
        has(expected.message, event.message)) {
      actual += event.count;
    }
  }
  if (!expected.count.accepts(actual)) {
    fail("expected {}, but there were {}", expected.count.text(), actual);
  }
}

bool selects(const ClaimsExpectation& expected, const model::ResourceClaim& claim) {
  if (!expected.ns.empty() && claim.meta.ns != expected.ns) return false;
  if (!is(expected.name, claim.meta.name)) return false;
  return !expected.owner ||
         std::ranges::any_of(claim.meta.owners, [&](const model::OwnerReference& owner) {
           return owner.kind + "/" + owner.name == *expected.owner;
         });
}

void Checker::check_names(std::string_view what,
                          const std::optional<std::vector<std::string>>& expected,
                          std::vector<std::string> actual) {
  if (!expected) return;
  auto wanted = *expected;
  std::ranges::sort(wanted);
  std::ranges::sort(actual);
  if (wanted == actual) return;
  fail("expected {} [{}], but it is [{}]", what, fmt::join(wanted, ", "), fmt::join(actual, ", "));
}

void Checker::check_claim(const ClaimsExpectation& expected, const model::ResourceClaim& claim) {
  if (expected.allocated && *expected.allocated != claim.allocation.has_value()) {
    fail("expected it to be {}, but it is not", *expected.allocated ? "allocated" : "free");
  }
  std::vector<std::string> users;
  for (const auto& user : claim.reserved_for) users.push_back(user.resource + "/" + user.name);
  check_names("reservedFor", expected.reserved_for, std::move(users));
  std::vector<std::string> devices;
  if (claim.allocation) {
    for (const auto& result : claim.allocation->results) {
      devices.push_back(result.pool + "/" + result.device);
    }
  }
  check_names("devices", expected.devices, std::move(devices));
}

void Checker::operator()(const ClaimsExpectation& expected) {
  subject_ = fmt::format("claims{}{}", expected.name ? " " + *expected.name : "",
                         expected.owner ? " of " + *expected.owner : "");
  const std::string all = subject_;
  std::int64_t found = 0;
  for (const auto& object : scene_.objects.objects(Kind::resource_claim)) {
    const auto& claim = model::as<model::ResourceClaim>(*object);
    if (!selects(expected, claim)) continue;
    ++found;
    subject_ = all + ", claim " + claim.meta.ns + "/" + claim.meta.name;
    check_claim(expected, claim);
  }
  subject_ = all;
  if (expected.count && !expected.count->accepts(found)) {
    fail("expected {} claims, but there are {}", expected.count->text(), found);
  }
  if (!expected.count && found == 0) fail("expected a claim, but there is none");
}

void Checker::check_amounts(std::string_view what, const std::vector<FlavorAmount>& expected,
                            const std::vector<FlavorAmount>& actual) {
  for (const FlavorAmount& amount : expected) {
    const auto at = std::ranges::find_if(actual, [&](const FlavorAmount& each) {
      return each.flavor == amount.flavor && each.resource == amount.resource;
    });
    const Quantity found = at != actual.end() ? at->amount : Quantity{};
    if (found == amount.amount) continue;
    fail("expected {} {} of {} {}, but it is {}", amount.amount.text(), amount.resource,
         amount.flavor, what, found.text());
  }
}

void Checker::operator()(const QueueExpectation& expected) {
  subject_ = "queue " + expected.queue;
  const auto actual = scene_.queue ? scene_.queue(expected.queue) : std::nullopt;
  if (!actual) {
    if (expected.exists) fail("expected it to exist, but it does not");
    return;
  }
  if (!expected.exists) return fail("expected it not to exist, but it does");
  check_amounts("used", expected.used, actual->used);
  check_amounts("borrowed", expected.borrowed, actual->borrowed);
  check_number("admitted", expected.admitted, actual->admitted);
  check_number("pending", expected.pending, actual->pending);
  if (!is(expected.head, actual->head)) {
    fail("expected head '{}', but it is '{}'", *expected.head, actual->head);
  }
}

void Checker::check_flavor(const std::string& resource, const std::string& flavor,
                           const RequestStanding& actual) {
  std::set<std::string> given;
  for (const auto& [of, name] : actual.flavors) {
    if (of == resource) given.insert(name);
  }
  if (given == std::set<std::string>{flavor}) return;
  fail("expected flavor {} for {}, but it has {}", flavor, resource,
       given.empty() ? "none" : fmt::format("{}", fmt::join(given, ", ")));
}

void Checker::operator()(const RequestExpectation& expected) {
  subject_ = "request " + expected.request.text();
  const auto actual = scene_.request ? scene_.request(expected.request) : std::nullopt;
  if (!actual) {
    if (expected.exists) fail("expected it to exist, but it does not");
    return;
  }
  if (!expected.exists) return fail("expected it not to exist, but it does");
  const std::string why = actual->summary.empty() ? "" : " (" + actual->summary + ")";
  if (!is(expected.state, actual->state)) {
    fail("expected state {}, but it is {}{}", *expected.state, actual->state, why);
  }
  if (!is(expected.reason, actual->reason)) {
    fail("expected reason '{}', but it is '{}'{}", *expected.reason, actual->reason, why);
  }
  if (!is(expected.queue, actual->queue)) {
    fail("expected queue {}, but it is in '{}'", *expected.queue, actual->queue);
  }
  for (const auto& [resource, flavor] : expected.flavors) check_flavor(resource, flavor, *actual);
  if (expected.position && !expected.position->accepts(actual->position)) {
    fail("expected position {}, but it is {}", expected.position->text(),
         actual->position == 0 ? "not waiting" : fmt::to_string(actual->position));
  }
}

void Checker::operator()(const EvictExpectation& expected) {
  subject_ = fmt::format("evict {} by {}", expected.to.text(), expected.from.text());
  const EvictionRight right = scene_.right ? scene_.right(expected) : EvictionRight{};
  if (!right.problem.empty()) return fail("{}", right.problem);
  const bool allowed = right.rule != "never";
  if (expected.allowed && *expected.allowed != allowed) {
    fail("expected it to be {}, but the rule is {}", *expected.allowed ? "allowed" : "forbidden",
         right.rule);
  }
  if (!is(expected.rule, right.rule)) {
    fail("expected rule {}, but it is {}", *expected.rule, right.rule);
  }
}

std::vector<std::string> domains_of(const Scene& scene, const std::string& key,
                                    const model::Pod& pod) {
  const auto node = scene.objects.find<model::Node>({}, pod.node_name);
  if (node != nullptr) {
    if (const auto* value = model::find(node->meta.labels, key)) return {*value};
  }
  return scene.domains_of ? scene.domains_of(key, pod) : std::vector<std::string>{};
}

}  // namespace

std::set<std::string> domains_of(const Scene& scene, const std::string& key,
                                 std::span<const model::Pod* const> pods) {
  std::set<std::string> all;
  std::optional<std::vector<std::string>> shared;
  for (const model::Pod* pod : pods) {
    if (pod->node_name.empty()) continue;
    auto here = domains_of(scene, key, *pod);
    if (here.empty()) here.emplace_back();
    all.insert(here.begin(), here.end());
    if (!shared) shared = here;
    std::erase_if(*shared, [&](const std::string& value) {
      return std::ranges::find(here, value) == here.end();
    });
  }
  if (!shared || shared->empty()) return all;
  return {shared->front()};
}

std::vector<Failure> check(const Expectation& expectation, const Scene& scene) {
  Checker checker(scene, expectation.line);
  std::visit([&](const auto& what) { checker(what); }, expectation.what);
  return checker.take();
}

}  // namespace tutti::expect
