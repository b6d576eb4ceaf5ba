#include "sim/script/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "model/apps.h"
#include "model/job.h"
#include "sim/plane/annotations.h"
#include "sim/plane/plane.h"
#include "sim/plane/virtual_clock.h"
#include "sim/script/admit.h"
#include "sim/script/namespaced.h"
#include "sim/script/selector_rules.h"
#include "store/typed.h"

namespace tutti::sim {
namespace {

using admission::FieldProblem;
using admission::FieldProblems;
using model::Kind;
using model::ObjectKey;
using model::ObjectPtr;

struct Document {
  const LoadedObject* source = nullptr;
  ObjectPtr object;  // with its namespace filled in
  ObjectKey key;
  Millis at{0};
  std::optional<Millis> delete_at;
  bool quiet = false;
};

struct Step {
  Action action;
  const LoadedObject* source = nullptr;
};

// What others refer to comes before them, pods last.
int rank(Kind kind) {
  switch (kind) {
    case Kind::ns:
      return 0;
    case Kind::priority_class:
      return 1;
    case Kind::node:
    case Kind::topology:
    case Kind::resource_flavor:
    case Kind::workload_priority_class:
    case Kind::admission_check:
      return 2;
    case Kind::csi_driver:
    case Kind::csi_node:
    case Kind::storage_class:
    case Kind::csi_storage_capacity:
      return 3;
    case Kind::persistent_volume:
      return 4;
    case Kind::persistent_volume_claim:
      return 5;
    case Kind::volume_attachment:
    case Kind::device_class:
    case Kind::resource_slice:
    case Kind::device_taint_rule:
    case Kind::resource_claim_template:
      return 6;
    case Kind::workload:
      return 8;
    case Kind::composite_pod_group:
      return 9;
    case Kind::pod_group:
      return 10;
    case Kind::deployment:
    case Kind::replica_set:
    case Kind::stateful_set:
    case Kind::job:
      return 11;
    case Kind::pod:
      return 12;
    default:
      return 7;
  }
}

// No run makes so many pods; better to say so before it begins.
std::optional<FieldProblem> size_problem(const model::Object& object) {
  const auto too_many = [](const char* path, std::int64_t pods) -> std::optional<FieldProblem> {
    if (pods <= kPodsMadeMax) return std::nullopt;
    return FieldProblem{
        path, fmt::format("{} pods are more than the {} that a run makes", pods, kPodsMadeMax)};
  };
  if (object.kind == Kind::deployment || object.kind == Kind::replica_set ||
      object.kind == Kind::stateful_set) {
    const auto& set = static_cast<const model::ReplicaKeeper&>(object);
    return too_many("spec.replicas", set.replicas.value_or(1));
  }
  const auto* job = model::try_as<model::Job>(object);
  if (job == nullptr) return std::nullopt;
  const std::int32_t parallelism = job->parallelism.value_or(1);
  return too_many("spec.parallelism",
                  std::min(parallelism, job->completions.value_or(parallelism)));
}

class Builder {
 public:
  Builder(const Input& input, const LineOfField& line_of)
      : input_(input),
        line_of_(line_of),
        start_(input.taken_at.value_or(kEpoch)),
        admission_(
            input.problems.empty() ? Admission::Neighbours::known : Admission::Neighbours::missing,
            input.taken_at ? Admission::Copied::yes : Admission::Copied::no) {}

  Result<Script> build() {
    read_documents();
    for (auto& [key, documents] : documents_) plan(documents);
    order();
    admit();
    if (!problems_.empty() || !input_.problems.empty()) return error();
    Script script;
    script.taken_at = input_.taken_at;
    script.quota = input_.quota;
    script.actions.reserve(steps_.size());
    for (auto& step : steps_) script.actions.push_back(std::move(step.action));
    for (const auto& [uid, owner] : uids_) script.uids.push_back(uid);
    note_lost_pods(script.notes);
    script.written = std::move(written_);
    return script;
  }

 private:
  void report(const LoadedObject& source, FieldProblem problem) {
    problems_.emplace_back(&source, std::move(problem));
  }

  void read_documents() {
    for (const auto& source : input_.objects) {
      auto problems = check_annotations(*source.object);
      for (auto& problem : problems) report(source, std::move(problem));
      if (!problems.empty()) continue;
      auto document = read(source);
      claim_uid(document);
      documents_[document.key].push_back(std::move(document));
    }
  }

  static Document read(const LoadedObject& source) {
    Document document{.source = &source, .object = source.object, .key = {}, .delete_at = {}};
    if (source.object->meta.ns.empty() && is_namespaced(*source.object)) {
      auto placed = store::clone(*source.object);
      placed->meta.ns = "default";
      document.object = std::move(placed);
    }
    document.key = model::key_of(*document.object);
    document.at = duration_annotation(*source.object, kAt).value_or(Millis{0});
    document.delete_at = duration_annotation(*source.object, kDeleteAt);
    document.quiet = flag_annotation(*source.object, kQuiet);
    return document;
  }

  // Everyone else knows objects by their uid: no two may share one.
  void claim_uid(const Document& document) {
    const std::string& uid = document.object->meta.uid;
    if (uid.empty()) return;
    const auto [owner, first] = uids_.try_emplace(uid, document.key, document.source);
    if (first || owner->second.first == document.key) return;
    const LoadedObject& other = *owner->second.second;
    report(*document.source, {"metadata.uid", fmt::format("is also that of {} ({}:{})",
                                                          model::describe(owner->second.first),
                                                          other.file, other.line)});
  }

  // Turns the documents of one object into its lives: created, changed, deleted, created again …
  void plan(std::vector<Document>& documents) {
    std::ranges::stable_sort(documents, {}, &Document::at);
    std::optional<Millis> end;  // of the present life, if it has one
    const Document* previous = nullptr;
    for (const auto& document : documents) {
      if (previous && previous->at == document.at) {
        report(*document.source, {"metadata.name", duplicate_message(*previous)});
        continue;
      }
      const bool creates = !previous || (end && *end <= document.at);
      if (creates && document.quiet) {
        report(*document.source,
               {annotation_path(kQuiet), "needs an earlier document of the same object to change"});
      }
      if (creates) end.reset();
      plan_deletion(document, end);
      add(document, creates ? Action::Verb::create : Action::Verb::update);
      previous = &document;
    }
  }

  void plan_deletion(const Document& document, std::optional<Millis>& end) {
    if (!document.delete_at || document.delete_at == end) return;
    if (*document.delete_at <= document.at) {
      report(*document.source, {annotation_path(kDeleteAt), "must be later than tutti.dev/at"});
    } else if (end) {
      report(*document.source,
             {annotation_path(kDeleteAt),
              fmt::format("differs from {} of an earlier document", format_duration(*end))});
    } else {
      end = document.delete_at;
      steps_.push_back(
          {{*document.delete_at, Action::Verb::remove, document.key, nullptr}, document.source});
    }
  }

  void add(const Document& document, Action::Verb verb) {
    steps_.push_back(
        {{document.at, verb, document.key, document.object, document.quiet}, document.source});
  }

  void order() {
    std::ranges::sort(steps_, [](const Step& left, const Step& right) {
      const Action& a = left.action;
      const Action& b = right.action;
      const auto when = [](const Action& action) {
        return std::make_tuple(action.at, action.verb != Action::Verb::remove,
                               rank(action.key.kind));
      };
      return when(a) != when(b) ? when(a) < when(b) : a.key < b.key;
    });
  }

  void admit() {
    for (auto& step : steps_) {
      auto& action = step.action;
      if (action.verb == Action::Verb::remove) {
        admission_.remove(action.key);
        continue;
      }
      const bool creates = action.verb == Action::Verb::create;
      if (auto problem = size_problem(*action.object)) report(*step.source, *std::move(problem));
      // An API server let in what was copied from life, and may know functions that we do not.
      if (!input_.taken_at) {
        for (auto& problem : selector_problems(*action.object, selectors_)) {
          report(*step.source, std::move(problem));
        }
      }
      // Its creation was refused and reported; the change cannot be judged.
      if (!creates && !admission_.exists(action.key)) continue;
      auto outcome = creates ? admission_.create(*action.object, start_ + action.at)
                             : admission_.update(*action.object);
      for (auto& problem : outcome.problems) report(*step.source, std::move(problem));
      note_written(action.object, outcome.object);
      action.object = std::move(outcome.object);
    }
  }

  void note_written(const model::ObjectPtr& before, const model::ObjectPtr& after) {
    if (before->kind != Kind::pod || after == nullptr) return;
    written_.emplace(model::as<model::Pod>(*after).spec, model::as<model::Pod>(*before).spec);
  }

  // Clusters have pods of nodes that are gone, until someone collects them.
  void note_lost_pods(std::vector<std::string>& notes) const {
    constexpr std::size_t kShownMax = 20;
    std::size_t count = 0;
    for (const auto& [key, documents] : documents_) {
      for (const Document& document : documents) {
        const auto* pod = model::try_as<model::Pod>(*document.object);
        if (pod == nullptr || pod->node_name.empty() || pod->terminal() ||
            documents_.contains({Kind::node, {}, pod->node_name, {}})) {
          continue;
        }
        if (++count > kShownMax) continue;
        notes.push_back(fmt::format(
            "{}:{}: {}: spec.nodeName: there is no Node {}; the pod is "
            "kept, but runs nowhere",
            document.source->file, document.source->line, model::describe(key), pod->node_name));
      }
    }
    if (count > kShownMax) {
      notes.push_back(
          fmt::format("{} more pods are on nodes that do not exist", count - kShownMax));
    }
  }

  // In the order of files and lines, whichever step found them.
  Error error() {
    std::vector<InputProblem> all = input_.problems;
    for (const auto& [source, problem] : problems_) {
      const int line = line_of_ ? line_of_(*source, problem.path) : source->line;
      all.push_back({source->file, line,
                     fmt::format("{}:{}: {}: {}: {}", source->file, line,
                                 brief_line(name_of(*source->object)), brief_line(problem.path),
                                 brief_line(problem.message))});
    }
    std::ranges::stable_sort(
        all, {}, [](const InputProblem& problem) { return std::tie(problem.file, problem.line); });
    std::vector<std::string> lines;
    for (auto& problem : all) lines.push_back(std::move(problem.text));
    return {Error::Code::invalid, problem_list(lines)};
  }

  static std::string name_of(const model::Object& object) {
    return model::describe(object) + (object.meta.name.empty() ? "(no name)" : "");
  }
  static std::string annotation_path(std::string_view name) {
    return fmt::format("metadata.annotations[{}]", name);
  }
  static std::string duplicate_message(const Document& first) {
    return fmt::format("is taken at the same time by {}:{}", first.source->file,
                       first.source->line);
  }

  const Input& input_;
  const LineOfField& line_of_;
  Instant start_;
  std::map<ObjectKey, std::vector<Document>> documents_;
  std::map<std::string, std::pair<ObjectKey, const LoadedObject*>> uids_;
  std::vector<Step> steps_;
  Admission admission_;
  devices::SelectorTable selectors_;
  std::map<Script::SharedSpec, Script::SharedSpec> written_;
  std::vector<std::pair<const LoadedObject*, FieldProblem>> problems_;
};

}  // namespace

Result<Script> build_script(const Input& input, const LineOfField& line_of) {
  return Builder(input, line_of).build();
}

}  // namespace tutti::sim
