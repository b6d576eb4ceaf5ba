#include "plugins/gpus/gpu_scores.h"

#include <algorithm>
#include <cmath>

#include "base/digest.h"

namespace tutti::plugins {
namespace {

using Policy = core::FractionalGpuArgs::Policy;

std::uint64_t draw(std::uint64_t seed, std::uint64_t decision, std::uint32_t node) {
  Digest digest;
  digest.add(seed);
  digest.add(decision);
  digest.add(std::uint64_t{node});
  return digest.value();
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

std::size_t fullest_that_holds(std::span<const GpuMilli> idle, GpuMilli milli) {
  std::size_t best = idle.size();
  for (std::size_t i = 0; i < idle.size(); ++i) {
    if (idle[i] >= milli && (best == idle.size() || idle[i] < idle[best])) best = i;
  }
  return best;
}

}  // namespace

GpuScores::GpuScores(const core::Cluster& cluster, const core::FractionalGpuArgs& args)
    : cluster_(cluster),
      args_(args),
      fragmentation_(args.typical_pods, args.all_pods, args.blend),
      book_(cluster,
            [this](core::NodeId node, std::span<const GpuMilli> idle, const core::PodShape& shape,
                   GpuRequest request) { return choose(node, idle, shape, request); }) {}

const GpuBook& GpuScores::book() {
  book_.catch_up();
  return book_;
}

GpuScores::Column& GpuScores::column(const Demand& demand) {
  Column& column = columns_[demand];
  column.demand = demand;
  return column;
}

std::int64_t GpuScores::score(Column& column, core::NodeId node) {
  if (args_.policy == Policy::random) return random(node);
  if (column.nodes.size() <= node.index) column.nodes.resize(cluster_.nodes().slots());
  Column::Known& known = column.nodes[node.index];
  const std::uint32_t version = book_.version(node);
  if (known.version != version) known = {version, work_out(node, column.demand)};
  return known.score;
}

std::int32_t GpuScores::work_out(core::NodeId node, const Demand& demand) {
  switch (args_.policy) {
    case Policy::best_fit:
      return best_fit(node, demand);
    case Policy::dot_product:
      return dot_product(node, demand);
    case Policy::gpu_packing:
      return gpu_packing(node, demand);
    case Policy::gpu_clustering:
      return gpu_clustering(node, demand);
    case Policy::fragmentation_gradient:
      return gradient(node, free_cpu(node), book_.idle(node), demand).score;
    case Policy::random:
    case Policy::none:
      break;
  }
  return 0;
}

std::int32_t GpuScores::best_fit(core::NodeId node, const Demand& demand) const {
  const double cpu =
      0.5 * static_cast<double>(free_cpu(node) - demand.cpu) / static_cast<double>(args_.cpu_cap);
  const double gpu = 0.5 * static_cast<double>(book_.idle_total(node) - demand.gpu.total()) /
                     static_cast<double>(args_.gpu_cap);
  return static_cast<std::int32_t>(100 * (1 - (cpu + gpu)));
}

std::int32_t GpuScores::dot_product(core::NodeId node, const Demand& demand) const {
  const auto of_cpu = [&](std::int64_t milli) {
    return static_cast<double>(milli) / static_cast<double>(args_.cpu_cap);
  };
  const auto of_gpu = [&](GpuMilli milli) {
    return static_cast<double>(milli) / static_cast<double>(args_.gpu_cap);
  };
  const double product = of_cpu(free_cpu(node)) * of_cpu(demand.cpu) +
                         of_gpu(book_.idle_total(node)) * of_gpu(demand.gpu.total());
  return static_cast<std::int32_t>(100 * (1 - product / 2));
}

std::int32_t GpuScores::gpu_packing(core::NodeId node, const Demand& demand) const {
  constexpr std::int32_t kIdleNode = 33;
  constexpr std::int32_t kIdleDevice = 50;
  if (demand.gpu.devices == 0) return 0;
  const auto idle = book_.idle(node);
  const auto whole = static_cast<std::int32_t>(std::ranges::count(idle, kWholeGpu));
  if (whole == static_cast<std::int32_t>(idle.size())) return std::max(kIdleNode - whole, whole);
  std::vector<GpuMilli> fitting;
  std::ranges::copy_if(idle, std::back_inserter(fitting),
                       [&](GpuMilli milli) { return milli >= demand.gpu.milli; });
  std::ranges::sort(fitting);
  std::int32_t opened = 0;
  std::int32_t percent = 0;
  for (std::int32_t i = 0; i < demand.gpu.devices && i < std::ssize(fitting); ++i) {
    const GpuMilli milli = fitting[static_cast<std::size_t>(i)];
    opened += milli == kWholeGpu ? 1 : 0;
    percent += milli * 100 / kWholeGpu;
  }
  return opened > 0 ? std::max(kIdleDevice - opened, kIdleNode)
                    : std::max(100 - percent / 10, kIdleDevice);
}

std::int32_t GpuScores::gpu_clustering(core::NodeId node, const Demand& demand) const {
  if (demand.gpu.devices == 0) return 0;
  // Shares are one kind, and so are whole GPUs by their number.
  const auto kind = [](GpuRequest request) { return request.shared() ? 0 : request.devices; };
  bool like = false;
  bool other = false;
  for (const GpuBook::Held& held : book_.held(node)) {
    (kind(held.request) == kind(demand.gpu) ? like : other) = true;
  }
  const auto used = args_.gpu_cap - book_.idle_total(node);
  const auto base = static_cast<std::int32_t>(25 * used / args_.gpu_cap);
  if (like) return base + (other ? 50 : 75);
  return other ? base : base + 25;
}

std::int32_t GpuScores::random(core::NodeId node) const {
  return static_cast<std::int32_t>(draw(args_.seed, cluster_.journal().end(), node.index) %
                                   static_cast<std::uint64_t>(core::kMaxPackingScore));
}

GpuScores::Gradient GpuScores::gradient(core::NodeId node, std::int64_t free_cpu,
                                        std::span<const GpuMilli> idle, const Demand& demand) {
  const std::string& its_model = model(node);
  const double before = fragmentation_.of(free_cpu, idle, its_model);
  std::vector<GpuMilli> after(idle.begin(), idle.end());
  const auto score = [&] {
    const double then = fragmentation_.of(free_cpu - demand.cpu, after, its_model);
    return static_cast<std::int32_t>(100 * sigmoid((before - then) / 1000));
  };
  if (demand.gpu.devices == 0) return {score(), 0};
  if (!demand.gpu.shared()) {
    std::int32_t left = demand.gpu.devices;
    for (GpuMilli& milli : after) {
      if (milli == kWholeGpu && left > 0) milli = 0, --left;
    }
    return {score(), 0};
  }
  Gradient best{-1, 0};
  for (std::size_t i = 0; i < idle.size(); ++i) {
    // Devices alike give the same score, and the first of them counts.
    const auto seen = idle.first(i);
    if (idle[i] < demand.gpu.milli || std::ranges::find(seen, idle[i]) != seen.end()) continue;
    after[i] -= demand.gpu.milli;
    if (const std::int32_t here = score(); here > best.score) best = {here, i};
    after[i] = idle[i];
  }
  return best.score < 0 ? Gradient{} : best;
}

std::size_t GpuScores::choose(core::NodeId node, std::span<const GpuMilli> idle,
                              const core::PodShape& shape, GpuRequest request) {
  if (args_.policy == Policy::fragmentation_gradient) {
    // The pod counts on the node already.
    const std::int64_t cpu = shape.request(core::kCpu);
    return gradient(node, free_cpu(node) + cpu, idle, {cpu, request}).device;
  }
  if (args_.policy != Policy::random) return fullest_that_holds(idle, request.milli);
  std::vector<std::size_t> fitting;
  for (std::size_t i = 0; i < idle.size(); ++i) {
    if (idle[i] >= request.milli) fitting.push_back(i);
  }
  return fitting[draw(~args_.seed, cluster_.journal().end(), node.index) % fitting.size()];
}

std::int64_t GpuScores::free_cpu(core::NodeId node) const {
  return cluster_.resources().allocatable(core::kCpu)[node.index] -
         cluster_.resources().used(core::kCpu)[node.index];
}

const std::string& GpuScores::model(core::NodeId node) const {
  static const std::string kNone;
  const std::string* found = model::find(cluster_.node(node).meta.labels, args_.model_label);
  return found == nullptr ? kNone : *found;
}

}  // namespace tutti::plugins
