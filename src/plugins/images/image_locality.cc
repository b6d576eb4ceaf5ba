#include "plugins/images/image_locality.h"

#include <algorithm>
#include <vector>

namespace tutti::plugins {
namespace {

constexpr std::int64_t kMebibyte = std::int64_t{1} << 20;
constexpr std::int64_t kFloor = 23 * kMebibyte;
constexpr std::int64_t kCeilingPerImage = 1000 * kMebibyte;

// Images stay where they are while an evaluator lives, so scores are worked out once.
class ImageScore final : public core::ScoreEvaluator {
 public:
  explicit ImageScore(std::vector<std::int64_t> scores) : scores_(std::move(scores)) {}

  void score(const Bitset&, std::span<std::int64_t> out) const override {
    std::copy(scores_.begin(), scores_.end(), out.begin());
  }
  std::int64_t score(core::NodeId node) const override { return scores_[node.index]; }
  core::Effect changed(const core::Change&) override { return core::Effect::none; }

 private:
  std::vector<std::int64_t> scores_;  // by node
};

std::vector<std::string_view> images_of(const model::PodSpec& spec) {
  std::vector<std::string_view> images;
  for (const auto& container : spec.init_containers) images.push_back(container.image);
  for (const auto& container : spec.containers) images.push_back(container.image);
  for (const auto& volume : spec.volumes) {
    if (volume.source == model::Volume::Source::image) images.push_back(volume.id);
  }
  return images;
}

std::int64_t spread_size(const core::ImageState& image, std::size_t node_count) {
  const double share = static_cast<double>(image.nodes.count()) / static_cast<double>(node_count);
  return static_cast<std::int64_t>(static_cast<double>(image.size_bytes) * share);
}

std::int64_t score_of(std::int64_t bytes, std::size_t image_count) {
  const std::int64_t ceiling = kCeilingPerImage * static_cast<std::int64_t>(image_count);
  return core::kMaxNodeScore * (std::clamp(bytes, kFloor, ceiling) - kFloor) / (ceiling - kFloor);
}

}  // namespace

core::Prepared<core::ScoreEvaluator> ImageLocality::prepare_score(
    const core::Cluster& cluster, const core::PodClass& pods) const {
  using Prepared = core::Prepared<core::ScoreEvaluator>;
  const auto images = images_of(*pods.sample->spec);
  std::vector<std::int64_t> scores;  // first bytes, then scores
  for (const auto name : images) {
    const core::ImageState* image = cluster.nodes().image(name);
    if (image == nullptr || image->nodes.none()) continue;
    scores.resize(cluster.nodes().slots());
    const std::int64_t bytes = spread_size(*image, cluster.nodes().count());
    image->nodes.for_each_set([&](std::size_t i) { scores[i] += bytes; });
  }
  if (scores.empty()) return Prepared::skip();
  for (auto& value : scores) value = score_of(value, images.size());
  return Prepared::ready(std::make_unique<ImageScore>(std::move(scores)));
}

}  // namespace tutti::plugins
