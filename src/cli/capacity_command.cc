// tutti capacity: what fits, what is idle and why, what waits, after a run.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "capacity/page/map.h"
#include "capacity/page/page.h"
#include "capacity/report.h"
#include "cli/commands.h"
#include "cli/input/cluster_reading.h"
#include "cli/input/file_roles.h"
#include "cli/output/capacity_text.h"
#include "cli/output/write_value.h"
#include "core/cluster/topology_columns.h"
#include "explain/document/verdict_value.h"
#include "session/pending_watch.h"
#include "session/profiles.h"
#include "session/session.h"
#include "session/work/work_verdict.h"

namespace tutti::cli {
namespace {

Result<std::vector<capacity::Shape>> parse_shapes(const std::vector<std::string>& texts) {
  std::vector<capacity::Shape> shapes;
  for (const std::string& text : texts) {
    TUTTI_ASSIGN(capacity::Shape shape, capacity::parse_shape(text));
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

Status check_levels(const std::vector<std::string>& keys, const core::Cluster& cluster) {
  for (const std::string& key : keys) {
    if (cluster.group_domains(key).any()) continue;
    const bool attribute = core::may_name_attribute(key);
    return Error{Error::Code::invalid,
                 fmt::format("--level: no node has the label '{}'{}", brief_line(key),
                             attribute ? ", nor its devices such an attribute" : "")};
  }
  return ok_status();
}

Status check_label(const std::string& key, const core::Cluster& cluster) {
  const Bitset* nodes = cluster.labels().nodes_with_key(key);
  if (nodes != nullptr && nodes->any()) return ok_status();
  return Error{Error::Code::invalid,
               fmt::format("--by: no node has the label '{}'", brief_line(key))};
}

void print(const capacity::Report& report, const session::Session& session, session::Format format,
           terminal::Streams& streams) {
  if (format == session::Format::table) {
    streams.out << capacity_text(report, session.elapsed(), streams.layout);
    return;
  }
  wire::Document document;
  write_value(explain::walked_value([&](explain::FieldSink& sink) { capacity::walk(report, sink); },
                                    document),
              format, streams.out);
}

Status write_page(const capacity::Report& report, const session::Session& session,
                  const capacity::NameInUse& name_in_use, const std::string& path) {
  if (path.empty()) return ok_status();
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << capacity::page(report, capacity::make_map(session.scheduler(), report, name_in_use));
  file.close();
  if (file) return ok_status();
  return Error{Error::Code::io, path + ": cannot be written"};
}

// The configuration that packs GPUs; see config/shipped.h.
const std::string kPacking = std::string(session::kShippedPrefix) + "pack-gpus";

// How many more pods would be on nodes now, had the work come to a scheduler that packs GPUs.
Result<std::size_t> more_if_packed(const sim::Script& script, const session::Session& session,
                                   session::SessionOptions options, terminal::Streams& streams) {
  options.config = kPacking;
  std::ostream unread(nullptr);
  terminal::Streams quiet{streams.in, unread, unread};
  TUTTI_ASSIGN(const std::unique_ptr<session::Session> packed,
               session::Session::open(script, options, quiet, nullptr));
  TUTTI_TRY(packed->run_to_present(options.until));
  const std::size_t now = capacity::pods_on_nodes(session.scheduler().cluster());
  const std::size_t then = capacity::pods_on_nodes(packed->scheduler().cluster());
  return then - std::min(now, then);
}

// Whether packing could be what is lacking: somebody waits for the shape of what is free, and the
// configuration in force is the default one.
bool asks_for_packing(const capacity::Report& report, const CapacityOptions& options) {
  return options.session.config.empty() &&
         std::ranges::any_of(report.queue.lines, capacity::fragmented);
}

Status report_capacity(CapacityOptions options, const terminal::ProcessEnvironment& surroundings,
                       terminal::Streams& streams) {
  TUTTI_ASSIGN(std::vector<capacity::Shape> shapes, parse_shapes(options.shapes));
  TUTTI_TRY(check_file_roles(options.session, {}, {}));
  TUTTI_TRY(check_output_file(options.session, "--html", options.html));
  if (options.live) {
    TUTTI_TRY(add_cluster(options.access, surroundings, streams.err, options.session.manifests));
  }
  TUTTI_ASSIGN(const sim::Script script, session::load_script(options.session.manifests, streams));
  session::PendingWatch watch;
  TUTTI_ASSIGN(std::unique_ptr<session::Session> session,
               session::Session::open(script, options.session, streams, &watch.listener()));
  watch.follow(*session);
  TUTTI_TRY(session->run_to_present(options.session.until, [&] {
    watch.come_to_rest(*session);
    return false;
  }));
  TUTTI_TRY(check_levels(options.levels, session->scheduler().cluster()));
  if (!options.by.empty()) {
    TUTTI_TRY(check_label(options.by, session->scheduler().cluster()));
  }
  for (const capacity::Shape& shape : shapes) {
    TUTTI_TRY(capacity::check_resources(shape, session->scheduler().cluster()));
  }
  TUTTI_ASSIGN(std::vector<core::Profile> profiles, session->fresh_profiles());
  capacity::ClusterCopy twin(session->scheduler(), std::move(profiles));
  capacity::Report report = capacity::make_report({.scheduler = session->scheduler(),
                                                   .sources = session->sources(),
                                                   .now = session->now(),
                                                   .shapes = std::move(shapes),
                                                   .levels = options.levels,
                                                   .pending = &watch.time(),
                                                   .by = options.by},
                                                  twin);
  if (asks_for_packing(report, options)) {
    TUTTI_ASSIGN(report.more_if_packed, more_if_packed(script, *session, options.session, streams));
  }
  const auto name_in_use = [&](const std::string& name) {
    return session::name_in_use(session->objects(), name);
  };
  rename_work(report, name_in_use);
  print(report, *session, options.format, streams);
  return write_page(report, *session, name_in_use, options.html);
}

}  // namespace

ExitCode capacity_command(const CapacityOptions& options,
                          const terminal::ProcessEnvironment& surroundings,
                          terminal::Streams& streams) {
  const Status status = report_capacity(options, surroundings, streams);
  if (status.ok()) return ExitCode::done;
  streams.err << printable_lines(status.error().message) << '\n';
  return exit_code_for(status.error());
}

}  // namespace tutti::cli
