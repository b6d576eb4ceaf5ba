// tutti snapshot: a live cluster as manifests.
#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "cli/cluster_access.h"
#include "cli/commands.h"
#include "cli/list_writer.h"
#include "cli/version.h"
#include "daemon/watched.h"
#include "kube/discovery.h"
#include "snapshot/cluster_lists.h"
#include "snapshot/pseudonyms.h"

namespace tutti::cli {
namespace {

using snapshot::ClusterLists;

// What the scheduler reads, and what admission reads when the manifests are loaded again.
std::vector<kube::Resource> resources(const kube::Served& served) {
  std::vector<kube::Resource> all = daemon::watched_resources(served);
  kube::Resource classes;
  classes.kind = model::Kind::priority_class;
  classes.group_version = "scheduling.k8s.io/v1";
  classes.plural = model::facts(classes.kind).plural;
  all.insert(all.begin(), std::move(classes));
  return all;
}

// One read of one cluster, on a loop of its own.
class Reading {
 public:
  Reading(kube::Access access, std::uint64_t seed, std::ostream& progress)
      : client_(loop_, std::move(access), {"tutti/" + version(), seed}), progress_(progress) {}

  Result<ClusterLists::Pages> run() {
    loop_.on_stop_signal([this] { end(Error{Error::Code::unavailable, "interrupted"}); });
    kube::discover(client_, [this](Result<kube::Served> served) {
      if (!served.ok()) return end(std::move(served).error());
      lists_.emplace(client_, resources(*served),
                     ClusterLists::Handlers{
                         [this](std::string_view plural, std::size_t objects) {
                           if (objects > 0) progress_ << fmt::format("{} {}\n", objects, plural);
                         },
                         [this](Result<ClusterLists::Pages> pages) { end(std::move(pages)); }});
      lists_->start();
    });
    loop_.run();
    return *std::move(outcome_);
  }

 private:
  void end(Result<ClusterLists::Pages> outcome) {
    if (!outcome_) outcome_ = std::move(outcome);
    loop_.stop();
  }

  net::Loop loop_;
  kube::ApiClient client_;
  std::ostream& progress_;
  std::optional<ClusterLists> lists_;
  std::optional<Result<ClusterLists::Pages>> outcome_;
};

Status take_snapshot(const SnapshotOptions& options, const Surroundings& surroundings,
                     Streams& streams) {
  TUTTI_ASSIGN(kube::Access access, find_access(options.cluster, {}, surroundings));
  TUTTI_ASSIGN(ClusterLists::Pages pages,
               Reading(std::move(access), surroundings.entropy, streams.err).run());
  if (options.hash_names) snapshot::use_pseudonyms(pages);
  ListWriter writer(options.format, streams.out);
  for (const wire::Document& page : pages) {
    for (const wire::Value& object : page.root().items()) writer.add(object);
  }
  writer.finish();
  return ok_status();
}

}  // namespace

ExitCode snapshot_command(const SnapshotOptions& options, const Surroundings& surroundings,
                          Streams& streams) {
  const Status outcome = take_snapshot(options, surroundings, streams);
  if (outcome.ok()) return ExitCode::done;
  streams.err << "tutti snapshot: " << brief_line(outcome.error().message) << '\n';
  return exit_code_for(outcome.error());
}

}  // namespace tutti::cli
