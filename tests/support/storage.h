// Builders of claims, volumes and classes.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "model/storage.h"
#include "support/build.h"

namespace tutti::test {

class ClaimBuilder {
 public:
  explicit ClaimBuilder(std::string name) {
    claim_.meta.ns = "t";
    claim_.meta.uid = "claim-" + name;
    claim_.meta.name = std::move(name);
    claim_.access_modes = {"ReadWriteOnce"};
    claim_.phase = "Pending";
  }
  ClaimBuilder& mode(std::string mode) {
    claim_.access_modes = {std::move(mode)};
    return *this;
  }
  ClaimBuilder& bound_to(std::string volume) {
    claim_.volume_name = std::move(volume);
    claim_.phase = "Bound";
    return *this;
  }
  ClaimBuilder& storage_class(std::string name) {
    claim_.storage_class = std::move(name);
    return *this;
  }
  ClaimBuilder& size(std::string_view amount) {
    claim_.storage_request = quantity(amount);
    return *this;
  }
  ClaimBuilder& annotation(std::string_view key, std::string value) {
    put(claim_.meta.annotations, key, std::move(value));
    return *this;
  }
  ClaimBuilder& version(std::uint64_t value) {
    claim_.meta.resource_version = value;
    return *this;
  }
  ClaimBuilder& with(const std::function<void(model::PersistentVolumeClaim&)>& edit) {
    edit(claim_);
    return *this;
  }
  operator model::ObjectPtr() const {  // NOLINT
    return std::make_shared<model::PersistentVolumeClaim>(claim_);
  }

 private:
  model::PersistentVolumeClaim claim_;
};

class VolumeBuilder {
 public:
  explicit VolumeBuilder(std::string name) {
    volume_.meta.uid = "volume-" + name;
    volume_.meta.name = std::move(name);
    volume_.access_modes = {"ReadWriteOnce"};
    volume_.phase = "Available";
  }
  VolumeBuilder& size(std::string_view amount) {
    volume_.capacity = quantity(amount);
    return *this;
  }
  VolumeBuilder& storage_class(std::string name) {
    volume_.storage_class = std::move(name);
    return *this;
  }
  VolumeBuilder& label(std::string_view key, std::string value) {
    put(volume_.meta.labels, key, std::move(value));
    return *this;
  }
  VolumeBuilder& csi(std::string driver, std::string handle) {
    volume_.csi_driver = std::move(driver);
    volume_.csi_handle = std::move(handle);
    return *this;
  }
  // Reachable from nodes labelled key=value.
  VolumeBuilder& reach(std::string key, std::string value) {
    volume_.node_affinity = {{.match_expressions = {{.key = std::move(key),
                                                     .op = model::Requirement::Operator::in,
                                                     .values = {std::move(value)}}},
                              .match_fields = {}}};
    return *this;
  }
  VolumeBuilder& for_claim(std::string name) {
    volume_.claim_namespace = "t";
    volume_.claim_name = std::move(name);
    return *this;
  }
  VolumeBuilder& version(std::uint64_t value) {
    volume_.meta.resource_version = value;
    return *this;
  }
  operator model::ObjectPtr() const {  // NOLINT
    return std::make_shared<model::PersistentVolume>(volume_);
  }

 private:
  model::PersistentVolume volume_;
};

inline ClaimBuilder claim(std::string name) { return ClaimBuilder(std::move(name)); }
inline VolumeBuilder volume(std::string name) { return VolumeBuilder(std::move(name)); }

// Binds claims when their first pod is placed, as most provisioners want it.
inline std::shared_ptr<model::StorageClass> storage_class(std::string name,
                                                          std::string provisioner) {
  auto made = std::make_shared<model::StorageClass>();
  made->meta.name = std::move(name);
  made->provisioner = std::move(provisioner);
  made->wait_for_first_consumer = true;
  return made;
}

}  // namespace tutti::test
