#include "plugins/gpus/fractional_gpus.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace tutti::plugins {
namespace {

using Policy = core::FractionalGpuArgs::Policy;

class GpuFilter final : public core::FilterEvaluator {
 public:
  GpuFilter(std::shared_ptr<GpuScores> scores, GpuRequest request)
      : scores_(std::move(scores)), request_(request) {}

  void filter(Bitset& nodes) const override {
    const GpuBook& book = scores_->book();
    nodes.for_each_set([&](std::size_t i) {
      if (!holds(book.idle({static_cast<std::uint32_t>(i)}), request_)) nodes.reset(i);
    });
  }
  bool accepts(core::NodeId node) const override {
    return holds(scores_->book().idle(node), request_);
  }
  std::int64_t room(core::NodeId node) const override {
    std::int64_t shares = 0;
    for (const GpuMilli milli : scores_->book().idle(node)) shares += milli / request_.milli;
    return shares / request_.devices;
  }
  std::vector<core::PluginStatus> explain(core::NodeId node) const override {
    const bool never = std::ssize(scores_->book().idle(node)) < request_.devices;
    return {{.code = never ? core::Code::unresolvable : core::Code::unschedulable,
             .plugin = FractionalGpus::kName,
             .reason = request_.shared() ? "No GPU with enough left" : "Too few idle GPUs"}};
  }
  core::Effect changed(const core::Change&) override { return core::Effect::node; }

 private:
  std::shared_ptr<GpuScores> scores_;
  GpuRequest request_;
};

class GpuScore final : public core::ScoreEvaluator {
 public:
  GpuScore(std::shared_ptr<GpuScores> scores, const GpuScores::Demand& demand, bool random)
      : scores_(std::move(scores)), column_(scores_->column(demand)), random_(random) {}

  void score(const Bitset& nodes, std::span<std::int64_t> out) const override {
    scores_->book();
    nodes.for_each_set(
        [&](std::size_t i) { out[i] = scores_->score(column_, {static_cast<std::uint32_t>(i)}); });
  }
  std::int64_t score(core::NodeId node) const override {
    scores_->book();
    return scores_->score(column_, node);
  }
  core::Effect changed(const core::Change&) override {
    return random_ ? core::Effect::everything : core::Effect::node;
  }
  bool packs() const override { return random_; }

 private:
  std::shared_ptr<GpuScores> scores_;
  GpuScores::Column& column_;
  bool random_;
};

}  // namespace

core::EventKind FractionalGpus::wakes_on() const {
  using enum core::EventKind;
  return node_added | node_allocatable | pod_removed | pod_updated;
}

std::shared_ptr<GpuScores> FractionalGpus::scores_for(const core::Cluster& cluster) const {
  if (std::exchange(cluster_, &cluster) != &cluster) {
    scores_ = std::make_shared<GpuScores>(cluster, args_);
  }
  return scores_;
}

core::Prepared<core::FilterEvaluator> FractionalGpus::prepare_filter(
    const core::Cluster& cluster, const core::PodClass& pods) const {
  using Prepared = core::Prepared<core::FilterEvaluator>;
  const std::int64_t amount = gpu_milli_of(cluster, cluster.shape(pods.shape));
  if (amount == 0) return Prepared::skip();
  const std::optional<GpuRequest> request = gpu_request(amount);
  if (!request) {
    return Prepared::refuse(
        {.code = core::Code::unresolvable,
         .plugin = kName,
         .reason = fmt::format("{} of {} is neither a share of one GPU nor whole GPUs", amount,
                               core::kGpuMilli)});
  }
  return Prepared::ready(std::make_unique<GpuFilter>(scores_for(cluster), *request));
}

core::Prepared<core::ScoreEvaluator> FractionalGpus::prepare_score(
    const core::Cluster& cluster, const core::PodClass& pods) const {
  using Prepared = core::Prepared<core::ScoreEvaluator>;
  if (args_.policy == Policy::none) return Prepared::skip();
  const core::PodShape& shape = cluster.shape(pods.shape);
  const auto request = gpu_request(gpu_milli_of(cluster, shape));
  const GpuScores::Demand demand{shape.request(core::kCpu), request.value_or(GpuRequest{})};
  return Prepared::ready(
      std::make_unique<GpuScore>(scores_for(cluster), demand, args_.policy == Policy::random));
}

}  // namespace tutti::plugins
