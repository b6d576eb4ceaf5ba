// Kinds of other projects in queues, by their documents.
#pragma once

#include "base/std.h"
#include "controllers/queues/work/queued_work.h"
#include "wire/document.h"

namespace tutti::controllers {

class QueuedDocument final : public QueuedWork {
 public:
  // Requires a kind that is suspended while it waits, with its document.
  QueuedDocument(model::ObjectPtr object, const Cluster& cluster, wire::Decoder& decoder);

  bool suspended() const override;
  Result<std::vector<AskedSet>> asked_sets() override;
  bool outgrows(const model::AdmissionRequest& request) const override;
  bool is_started_by(const model::AdmissionRequest& request) const override;
  std::shared_ptr<model::Object> started(const model::AdmissionRequest& request) const override;
  std::shared_ptr<model::Object> stopped(const model::AdmissionRequest* request) const override;
  std::optional<WorkEnding> ending() const override;
  bool is_ready(const model::AdmissionRequest& request) const override;
  std::vector<model::ReclaimablePods> reclaimable(
      const model::AdmissionRequest& request) const override;

 private:
  std::vector<model::ObjectKey> members() const;
  std::unique_ptr<wire::Document> neighbour_document(std::string_view kind,
                                                     std::string_view name) const;

  model::ObjectPtr object_;
  const Cluster& cluster_;
  wire::Decoder& decoder_;
  std::string kind_;
  std::unique_ptr<wire::Document> document_;
};

// Writes whether work of the kind is suspended into its document.
void set_suspended(wire::Value& root, wire::Arena& arena, std::string_view kind, bool suspended);

}  // namespace tutti::controllers
