#include "cli/manifests.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "cli/input.h"
#include "cli/list_writer.h"
#include "controllers/workloads/understood.h"
#include "wire/kinds/decode.h"
#include "wire/reader.h"

namespace tutti::cli {
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
Status refuse_generated_name(const wire::Value& item) {
  const wire::Value* meta = item.find("metadata");
  const wire::Value* prefix = meta == nullptr ? nullptr : meta->find("generateName");
  if (prefix == nullptr || meta->find("name") != nullptr) return ok_status();
  return Error{Error::Code::invalid,
               fmt::format("line {}: metadata.generateName: names are not generated here; give "
                           "metadata.name",
                           prefix->line())};
}

std::vector<std::string> note_strangers(const std::vector<sim::LoadedObject>& objects) {
  std::map<std::pair<std::string, std::string>, std::size_t> counts;  // version, kind
  for (const sim::LoadedObject& loaded : objects) {
    if (loaded.object->kind != model::Kind::other) continue;
    if (controllers::is_understood(*loaded.object)) continue;
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
  Loader(wire::Decoder::Documents documents, Progress& progress)
      : decoder_(documents), progress_(progress) {}

  Status load_file(const std::string& path, std::istream& in) {
    TUTTI_ASSIGN(const std::string text, read_input(path, in));
    const std::string name = path == "-" ? "standard input" : path;
    const Status status = wire::read_documents(text, [&](wire::Document&& document) -> Status {
      TUTTI_ASSIGN(const auto moment, taken_at(document.root()));
      out_.taken_at = std::max(out_.taken_at, moment);
      return wire::for_each_object(document,
                                   [&](const wire::Value& item) { return add(item, name); });
    });
    if (status.ok()) return status;
    return Error{status.error().code, at_place(name, status.error().message)};
  }

  Status load_cluster(const LiveCluster& cluster) {
    out_.taken_at = std::max(out_.taken_at, std::optional(cluster.taken_at));
    for (const wire::Document& page : cluster.pages) {
      for (const wire::Value& item : page.root().items()) TUTTI_TRY(add(item, "the cluster"));
    }
    return ok_status();
  }

  Manifests finish() {
    out_.notes = note_strangers(out_.objects);
    return std::move(out_);
  }
  bool empty() const { return out_.objects.empty(); }

 private:
  Status add(const wire::Value& item, const std::string& name) {
    TUTTI_TRY(refuse_generated_name(item));
    TUTTI_ASSIGN(auto object, wire::decode(item, decoder_));
    out_.objects.push_back({std::move(object), name, static_cast<int>(item.line())});
    progress_.show([&] { return reading_line(out_.objects.size()); });
    return ok_status();
  }

  wire::Decoder decoder_;
  Progress& progress_;
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

Result<Manifests> load_manifests(const ManifestPaths& from, std::istream& in, Progress& progress) {
  using Documents = wire::Decoder::Documents;
  Loader loader(from.keep_documents ? Documents::kept : Documents::dropped, progress);
  TUTTI_ASSIGN(const std::vector<std::string> files, manifest_files(from));
  for (const std::string& file : files) TUTTI_TRY(loader.load_file(file, in));
  if (from.cluster != nullptr) TUTTI_TRY(loader.load_cluster(*from.cluster));
  if (loader.empty()) {
    const std::string where =
        from.paths.empty() ? "the cluster" : fmt::format("{}", fmt::join(from.paths, ", "));
    return Error{Error::Code::invalid, where + ": there is no object in it"};
  }
  return loader.finish();
}

}  // namespace tutti::cli
