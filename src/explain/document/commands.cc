#include "explain/document/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "explain/document/verdict_value.h"
#include "wire/json_writer.h"

namespace tutti::explain {
namespace {

// Objects of one change that commands are written for, and commands for one way.
constexpr std::size_t kObjectsMax = 64;
constexpr std::size_t kLinesMax = 8;

// As one word of a shell.
std::string quoted(std::string_view text) {
  std::string word = "'";
  for (const char letter : text) {
    if (letter == '\'') {
      word += "'\\''";
    } else {
      word += letter;
    }
  }
  return word + "'";
}

// "pod", "pytorchjob.kubeflow.org": names of other projects' kinds may be taken.
std::string type_of(const ObjectName& object) {
  std::string type;
  for (const char letter : object.kind) {
    type += letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  }
  const std::size_t slash = object.api_version.find('/');
  if (slash != std::string::npos) type += "." + object.api_version.substr(0, slash);
  return type;
}

std::string place_of(const ObjectName& object) {
  return object.ns.empty() ? std::string() : " -n " + object.ns;
}

// The change's own list or object of that name, as compact JSON.
std::string json_of(const Way& way, std::size_t change, std::string_view field) {
  wire::Document document;
  const wire::Value value = walked_value([&](FieldSink& sink) { walk(way, sink); }, document);
  const wire::Value* found = value.find("changes")->items()[change].find(field);
  return found == nullptr ? std::string() : wire::to_json(*found);
}

bool is_job(const ObjectName& object) {
  return object.kind == "Job" &&
         (object.api_version.empty() || object.api_version.starts_with("batch/"));
}

// What an API server lets nobody change of an object that is there. Tolerations of pods may be
// added to, and gates be removed; of a Job only whether it is suspended and what gang it asks for.
bool is_frozen(const ObjectName& object, std::string_view path) {
  if (path.starts_with("/metadata/")) return false;
  if (object.kind == "ResourceClaim" || object.kind == "ResourceClaimTemplate") return true;
  if (object.kind == "Workload") return path.starts_with("/spec/podSets");
  if (object.kind == "JobSet") return path.starts_with("/spec/replicatedJobs");
  if (object.kind == "PersistentVolumeClaim") return true;
  if (object.kind == "StatefulSet") return path.starts_with("/spec/volumeClaimTemplates");
  if (is_job(object)) {
    return path != "/spec/suspend" && !path.starts_with("/spec/scheduling/schedulingPolicy");
  }
  return object.kind == "Pod" && !path.starts_with("/spec/tolerations") &&
         !path.starts_with("/spec/schedulingGates");
}

bool must_be_made_anew(const ObjectName& object, const std::vector<PatchStep>& patch) {
  return std::ranges::any_of(patch,
                             [&](const PatchStep& step) { return is_frozen(object, step.path); });
}

// What the API server wrote into a Job to tell its pods from those of others, and refuses in a new
// one.
constexpr std::string_view kOwnMarksOfAJob =
    R"({"op":"remove","path":"/spec/selector"},)"
    R"({"op":"remove","path":"/spec/template/metadata/labels/controller-uid"},)"
    R"({"op":"remove",)"
    R"("path":"/spec/template/metadata/labels/batch.kubernetes.io~1controller-uid"},)";

// `name` as the shell is to read it.
std::string patch_command(const ObjectName& object, const std::string& name,
                          const std::vector<PatchStep>& patch, const std::string& json) {
  const std::string type = type_of(object);
  if (!must_be_made_anew(object, patch)) {
    return fmt::format("kubectl patch {} {}{} --type=json -p {}", type, name, place_of(object),
                       quoted(json));
  }
  std::string steps = json;
  if (is_job(object)) steps.insert(1, kOwnMarksOfAJob);
  return fmt::format(
      "kubectl get {} {}{} -o json | kubectl patch --local -f - --type=json -p {} -o json | "
      "kubectl replace --force -f -",
      type, name, place_of(object), quoted(steps));
}

// Objects of one kind and namespace, which one command names together.
struct Alike {
  const ObjectName* first;
  std::vector<std::string> names;
};

std::vector<Alike> alike(const std::vector<ObjectName>& objects) {
  std::vector<Alike> all;
  for (const ObjectName& object : objects) {
    const auto same = std::ranges::find_if(all, [&](const Alike& known) {
      return known.first->ns == object.ns && type_of(*known.first) == type_of(object);
    });
    if (same == all.end()) {
      all.push_back({&object, {object.name}});
    } else {
      same->names.push_back(object.name);
    }
  }
  return all;
}

std::string patch_all(const Alike& some, const std::vector<PatchStep>& patch,
                      const std::string& json) {
  if (some.names.size() == 1) return patch_command(*some.first, some.names.front(), patch, json);
  return fmt::format("for name in {}; do {}; done", fmt::join(some.names, " "),
                     patch_command(*some.first, "$name", patch, json));
}

}  // namespace

std::vector<std::string> commands_of(const Way& way) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < way.changes.size(); ++i) {
    const ObjectChange& change = way.changes[i];
    if (change.objects.size() > kObjectsMax || change.copies > 0) return {};
    if (change.create.type != Datum::Type::none) {
      lines.push_back(
          fmt::format("echo {} | kubectl create -f -", quoted(json_of(way, i, "manifest"))));
      continue;
    }
    for (const Alike& some : alike(change.objects)) {
      lines.push_back(change.remove ? fmt::format("kubectl delete {} {}{}", type_of(*some.first),
                                                  fmt::join(some.names, " "), place_of(*some.first))
                                    : patch_all(some, change.patch, json_of(way, i, "patch")));
    }
  }
  return lines.size() > kLinesMax ? std::vector<std::string>() : lines;
}

}  // namespace tutti::explain
