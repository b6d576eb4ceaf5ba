// tutti snapshot: a live cluster as manifests.
#include "base/text.h"
#include "cli/commands.h"
#include "cli/input/cluster_reading.h"
#include "session/manifests/list_writer.h"
#include "snapshot/pseudonyms.h"

namespace tutti::cli {
namespace {

Status take_snapshot(const SnapshotOptions& options,
                     const terminal::ProcessEnvironment& surroundings, terminal::Streams& streams) {
  TUTTI_ASSIGN(session::LiveCluster cluster,
               read_cluster(options.cluster, surroundings, streams.err));
  if (options.hash_names) snapshot::use_pseudonyms(cluster.pages);
  session::ListWriter writer(options.format, streams.out, cluster.taken_at);
  for (const wire::Document& page : cluster.pages) {
    for (const wire::Value& object : page.root().items()) writer.add(object);
  }
  writer.finish();
  return ok_status();
}

}  // namespace

ExitCode snapshot_command(const SnapshotOptions& options,
                          const terminal::ProcessEnvironment& surroundings,
                          terminal::Streams& streams) {
  const Status outcome = take_snapshot(options, surroundings, streams);
  if (outcome.ok()) return ExitCode::done;
  streams.err << "tutti snapshot: " << brief_line(outcome.error().message) << '\n';
  return exit_code_for(outcome.error());
}

}  // namespace tutti::cli
