#include "cli/manifests.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "cli/input.h"
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

Status load_file(const std::string& path, std::istream& in, wire::Decoder& decoder,
                 Progress& progress, std::vector<sim::LoadedObject>& out) {
  TUTTI_ASSIGN(const std::string text, read_input(path, in));
  const std::string name = path == "-" ? "standard input" : path;
  const Status status = wire::read_documents(text, [&](wire::Document&& document) -> Status {
    return wire::for_each_object(document, [&](const wire::Value& item) -> Status {
      TUTTI_TRY(refuse_generated_name(item));
      TUTTI_ASSIGN(auto object, wire::decode(item, decoder));
      out.push_back({std::move(object), name, static_cast<int>(item.line())});
      progress.show([&] { return reading_line(out.size()); });
      return ok_status();
    });
  });
  if (status.ok()) return status;
  return Error{status.error().code, at_place(name, status.error().message)};
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
  Manifests out;
  using Documents = wire::Decoder::Documents;
  wire::Decoder decoder(from.keep_documents ? Documents::kept : Documents::dropped);
  TUTTI_ASSIGN(const std::vector<std::string> files, manifest_files(from));
  for (const std::string& file : files) {
    TUTTI_TRY(load_file(file, in, decoder, progress, out.objects));
  }
  if (out.objects.empty()) {
    return Error{Error::Code::invalid,
                 fmt::format("{}: there is no object in it", fmt::join(from.paths, ", "))};
  }
  out.notes = note_strangers(out.objects);
  return out;
}

}  // namespace tutti::cli
