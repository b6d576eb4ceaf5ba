// PodStamp: pods from a template, all sharing one spec.
#pragma once

#include <initializer_list>

#include "base/std.h"
#include "model/pod.h"
#include "model/pod_template.h"
#include "wire/document.h"

namespace tutti::controllers {

class PodStamp {
 public:
  // Pods of `owner`, in its namespace and controlled by it. If the owner has its document, pods get
  // theirs from the template that lies there under `path`. Requires a template with a spec.
  PodStamp(const model::Object& owner, const model::PodTemplate& pods,
           std::initializer_list<std::string_view> path = {"spec", "template"});

  // What all pods get beyond the template.
  void join_group(const std::string& group);
  void add_label(std::string_view key, std::string value);
  void add_finalizer(std::string_view finalizer);
  // Unless the template says one.
  void default_restart_policy(std::string_view policy);
  // An environment variable in every container, with the value of a label; one that is already
  // there stays.
  void add_variable_from_label(std::string_view variable, std::string_view label);

  // A host name is one of the document only.
  std::shared_ptr<model::Pod> make(std::string name, std::string_view host_name = {}) const;

 private:
  model::PodSpec& edit_spec();
  void read_document(const model::Object& owner, std::initializer_list<std::string_view> path);
  std::shared_ptr<const std::string> document_for(std::string_view host_name) const;

  model::Pod prototype_;
  std::shared_ptr<model::PodSpec> own_spec_;  // null: the template's serves
  std::unique_ptr<wire::Document> document_;  // null: none
};

}  // namespace tutti::controllers
