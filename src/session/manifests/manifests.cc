#include "session/manifests/manifests.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "config/kueue_config.h"
#include "controllers/workloads/understood.h"
#include "session/manifests/file_text.h"
#include "session/manifests/list_writer.h"
#include "sim/controllers/cron_jobs.h"
#include "sim/controllers/daemon_sets.h"
#include "sim/script/limit_ranges.h"
#include "sim/script/quotas.h"
#include "wire/decode/decode.h"
#include "wire/reader.h"
#include "wire/schema/schema.h"

namespace tutti::session {
namespace {

namespace fs = std::filesystem;

bool is_manifest(const fs::path& path) {
  constexpr std::array<std::string_view, 3> kEndings = {".yaml", ".yml", ".json"};
  return std::ranges::find(kEndings, path.extension().string()) != kEndings.end();
}

template <typename Iterator>
Result<std::vector<std::string>> manifests_below(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code problem;
  for (Iterator at(folder, problem), end; !problem && at != end; at.increment(problem)) {
    if (at->is_regular_file(problem) && is_manifest(at->path())) {
      files.push_back(at->path().string());
    }
  }
  if (problem) return Error{Error::Code::io, folder + ": " + problem.message()};
  std::ranges::sort(files);
  return files;
}

// The files that one path of the command line stands for.
Result<std::vector<std::string>> files_of(const std::string& path, bool recursive) {
  std::error_code problem;
  if (path == "-" || !fs::is_directory(path, problem)) return std::vector<std::string>{path};
  TUTTI_ASSIGN(std::vector<std::string> files,
               recursive ? manifests_below<fs::recursive_directory_iterator>(path)
                         : manifests_below<fs::directory_iterator>(path));
  if (files.empty()) {
    return Error{Error::Code::not_found,
                 fmt::format("{}: no *.yaml, *.yml or *.json in this folder{}", path,
                             recursive ? "" : " (-R looks below it)")};
  }
  return files;
}

// Nobody is there to generate it, and nothing could refer to the object.
void refuse_generated_name(const wire::Value& item, wire::FieldErrors& errors) {
  const wire::Value* meta = item.find("metadata");
  const wire::Value* prefix = meta == nullptr ? nullptr : meta->find("generateName");
  if (prefix == nullptr || meta->find("name") != nullptr) return;
  errors.push_back({"metadata.generateName", "names are not generated here; give metadata.name",
                    prefix->line()});
}

// "spec.containers[]" of "spec.containers[3]": what objects have in common.
std::string without_indexes(std::string_view path) {
  std::string out;
  for (std::size_t i = 0; i < path.size(); ++i) {
    out += path[i];
    if (path[i] != '[') continue;
    const std::size_t end = path.find_first_not_of("0123456789", i + 1);
    if (end != std::string_view::npos && path[end] == ']') i = end - 1;
  }
  return out;
}

// Fields that nobody knows, and how often they are written.
class StrayNotes {
 public:
  void add(const wire::Value& item, const wire::Stray& stray) {
    if (stray.path == "kind") return;  // said of all kinds that are not interpreted
    const wire::Value* kind = item.find("kind");
    ++counts_[{std::string(kind->text()), without_indexes(stray.path)}];
  }
  void append_to(std::vector<std::string>& notes) const {
    constexpr std::size_t kShownMax = 20;
    std::size_t shown = 0;
    for (const auto& [what, count] : counts_) {
      if (shown++ == kShownMax) break;
      notes.push_back(fmt::format("the unknown field {} of kind {} is kept but not interpreted{}",
                                  what.second, what.first,
                                  count == 1 ? "" : fmt::format(" ({} times)", count)));
    }
    if (counts_.size() <= kShownMax) return;
    notes.push_back(fmt::format("{} more unknown fields are kept", counts_.size() - kShownMax));
  }

 private:
  std::map<std::pair<std::string, std::string>, std::size_t> counts_;  // kind, path
};

// Kueue's configuration as clusters have it; config/kueue_config.h reads it.
bool is_kueue_config(const model::Object& object) {
  return object.meta.name == "kueue-manager-config" &&
         static_cast<const model::OtherObject&>(object).kind_name == "ConfigMap";
}

std::vector<std::string> note_strangers(const std::vector<sim::LoadedObject>& objects) {
  std::map<std::pair<std::string, std::string>, std::size_t> counts;  // version, kind
  for (const sim::LoadedObject& loaded : objects) {
    if (loaded.object->kind != model::Kind::other) continue;
    if (controllers::is_understood(*loaded.object) || sim::is_daemon_set(*loaded.object) ||
        sim::is_cron_job(*loaded.object) || sim::is_limit_range(*loaded.object) ||
        sim::is_resource_quota(*loaded.object) || is_kueue_config(*loaded.object)) {
      continue;
    }
    const auto& other = static_cast<const model::OtherObject&>(*loaded.object);
    ++counts[{other.api_version, other.kind_name}];
  }
  std::vector<std::string> notes;
  for (const auto& [what, count] : counts) {
    notes.push_back(fmt::format("{} object{} of kind {} ({}) {} kept but not interpreted", count,
                                count == 1 ? "" : "s", what.second, what.first,
                                count == 1 ? "is" : "are"));
  }
  return notes;
}

// What `tutti snapshot` says of a List; of anything else nothing.
Result<std::optional<Instant>> taken_at(const wire::Value& root) {
  const wire::Value* meta = root.find("items") == nullptr ? nullptr : root.find("metadata");
  const wire::Value* notes = meta == nullptr ? nullptr : meta->find("annotations");
  const wire::Value* written = notes == nullptr ? nullptr : notes->find(kTakenAt);
  if (written == nullptr) return std::optional<Instant>{};
  const auto moment = written->is_string() ? parse_rfc3339(written->text())
                                           : Result<Instant>(Error{Error::Code::invalid, ""});
  if (moment.ok()) return std::optional<Instant>{*moment};
  return Error{Error::Code::invalid,
               fmt::format("line {}: List: metadata.annotations[{}]: must be a time such as "
                           "2026-01-31T12:00:00Z",
                           written->line(), kTakenAt)};
}

// Reads objects into manifests.
class Loader {
 public:
  Loader(const ManifestPaths& from, terminal::Progress& progress)
      : decoder_(from.keep_documents ? wire::Decoder::Documents::kept
                                     : wire::Decoder::Documents::dropped),
        lenient_(from.lenient),
        progress_(progress) {}

  Status load_file(const std::string& path, std::istream& in) {
    TUTTI_ASSIGN(const std::string text, read_input(path, in));
    const std::string name = path == "-" ? "standard input" : path;
    const Status status = wire::read_documents(text, [&](wire::Document&& document) -> Status {
      TUTTI_ASSIGN(const auto moment, taken_at(document.root()));
      out_.taken_at = std::max(out_.taken_at, moment);
      const bool lenient = lenient_ || moment.has_value();
      check_list(document.root(), name, lenient);
      return wire::for_each_object(document, [&](const wire::Value& item) -> Status {
        add(item, name, lenient);
        return ok_status();
      });
    });
    // What follows in the file cannot be read, what other files hold can.
    if (!status.ok()) report(name, at_place(name, status.error().message));
    return ok_status();
  }

  void load_cluster(const LiveCluster& cluster) {
    out_.taken_at = std::max(out_.taken_at, std::optional(cluster.taken_at));
    for (const wire::Document& page : cluster.pages) {
      for (const wire::Value& item : page.root().items()) add(item, "the cluster", true);
    }
  }

  // Beside problems, notes would only repeat them.
  Manifests finish() {
    if (!out_.problems.empty()) return std::move(out_);
    out_.notes = note_strangers(out_.objects);
    strays_.append_to(out_.notes);
    if (!unheeded_.empty()) out_.notes.push_back(unheeded_);
    return std::move(out_);
  }
  bool empty() const { return out_.objects.empty() && out_.problems.empty(); }

 private:
  void add(const wire::Value& item, const std::string& name, bool lenient) {
    if (config::is_kueue_config(item)) return add_configuration(item, name);
    if (const auto text = config::kueue_config_in(item)) add_configuration(item, name, *text);
    wire::FieldErrors errors;
    auto object = wire::decode(item, decoder_, errors);
    refuse_generated_name(item, errors);
    check_fields(item, lenient, errors);
    report(item, name, errors);
    if (object == nullptr) return;
    // One with unknown fields is still to be judged by what else it says.
    out_.objects.push_back({std::move(object), name, static_cast<int>(item.line())});
    progress_.show([&] { return terminal::reading_line(out_.objects.size()); });
  }

  // Not an object of a cluster: how its queues hand out quota.
  void add_configuration(const wire::Value& item, const std::string& name) {
    wire::FieldErrors errors;
    const config::KueueConfig configuration = config::read_kueue_config(wire::Field(item, errors));
    report(item, name, errors);
    if (errors.empty()) configure(item, name, configuration);
  }

  void add_configuration(const wire::Value& item, const std::string& name,
                         const std::string& text) {
    const auto configuration = config::parse_kueue_config(text);
    if (configuration.ok()) return configure(item, name, *configuration);
    wire::FieldErrors errors;
    errors.push_back(
        {"data[controller_manager_config.yaml]", configuration.error().message, item.line()});
    report(item, name, errors);
  }

  void configure(const wire::Value& item, const std::string& name,
                 const config::KueueConfig& configuration) {
    if (out_.quota && *out_.quota != configuration.quota) {
      wire::FieldErrors errors;
      errors.push_back({"", "configures queues, as " + configured_at_ + " does, and the two differ",
                        item.line()});
      return report(item, name, errors);
    }
    out_.quota = configuration.quota;
    configured_at_ = fmt::format("{}:{}", name, item.line());
    if (configuration.unheeded.empty()) return;
    unheeded_ = fmt::format("Kueue's Configuration: not heeded here: {}",
                            fmt::join(configuration.unheeded, ", "));
  }

  // A List is no object, but `itmes` of it would be lost.
  void check_list(const wire::Value& root, const std::string& name, bool lenient) {
    const wire::Value* kind = root.find("kind");
    if (kind == nullptr || !kind->is_string() || kind->text() != "List") return;
    wire::FieldErrors errors;
    check_fields(root, lenient, errors);
    report(root, name, errors);
  }

  void check_fields(const wire::Value& item, bool lenient, wire::FieldErrors& errors) {
    for (wire::Stray& stray : wire::Schema::of_the_api().strays_in(item)) {
      if (lenient) {
        strays_.add(item, stray);
        continue;
      }
      errors.push_back({std::move(stray.path),
                        stray.message + (stray.guessed ? "" : " (--lenient keeps it)"),
                        stray.line});
    }
  }

  void report(const wire::Value& item, const std::string& name, const wire::FieldErrors& errors) {
    if (errors.empty()) return;
    const std::string described = brief_line(wire::name_in(item));
    for (const wire::FieldError& error : errors) {
      const int line = static_cast<int>(error.line == 0 ? item.line() : error.line);
      std::string text = fmt::format("{}:{}: ", name, line);
      for (const std::string& part : {described, brief_line(error.path)}) {
        if (!part.empty()) text += part + ": ";
      }
      out_.problems.push_back({name, line, text + brief_line(error.message)});
    }
  }

  // Takes the line out of "name:12: …".
  void report(const std::string& name, std::string text) {
    int line = 0;
    const char* const begin = text.data() + std::min(text.size(), name.size() + 1);
    // A message without a line number is about line 0: the whole file.
    (void)std::from_chars(begin, text.data() + text.size(), line);
    out_.problems.push_back({name, line, std::move(text)});
  }

  wire::Decoder decoder_;
  bool lenient_;
  terminal::Progress& progress_;
  StrayNotes strays_;
  std::string configured_at_;  // "file:line"
  std::string unheeded_;
  Manifests out_;
};

}  // namespace

Result<std::vector<std::string>> manifest_files(const ManifestPaths& from) {
  std::vector<std::string> all;
  for (const std::string& path : from.paths) {
    TUTTI_ASSIGN(const std::vector<std::string> files, files_of(path, from.recursive));
    all.insert(all.end(), files.begin(), files.end());
  }
  return all;
}

Result<Manifests> load_manifests(const ManifestPaths& from, std::istream& in,
                                 terminal::Progress& progress) {
  Loader loader(from, progress);
  TUTTI_ASSIGN(const std::vector<std::string> files, manifest_files(from));
  for (const std::string& file : files) TUTTI_TRY(loader.load_file(file, in));
  if (from.cluster != nullptr) loader.load_cluster(*from.cluster);
  if (loader.empty()) {
    const std::string where =
        from.paths.empty() ? "the cluster" : fmt::format("{}", fmt::join(from.paths, ", "));
    return Error{Error::Code::invalid, where + ": there is no object in it"};
  }
  return loader.finish();
}

}  // namespace tutti::session
