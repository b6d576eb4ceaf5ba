// Copies: objects once more under other names, with what they name among themselves.
#pragma once

#include <set>
#include <unordered_map>

#include "base/std.h"
#include "model/object.h"
#include "model/pod.h"
#include "sim/script/script.h"
#include "wire/value.h"

namespace tutti::session {

// Copies the objects that a script makes. Names outside it stay as they are.
class ObjectCopier {
 public:
  explicit ObjectCopier(const sim::Script& original);

  // The first copy is number 2: the original is number 1.
  sim::Script copy(std::size_t number);

 private:
  using SpecPtr = std::shared_ptr<const model::PodSpec>;

  std::string renamed(model::Kind kind, const std::string& ns, const std::string& name) const;
  void rename(model::Kind kind, const std::string& ns, std::string& name) const;
  void rename(const std::string& ns, std::vector<model::ClaimReference>& claims) const;
  SpecPtr spec_for(const std::string& ns, const SpecPtr& spec);
  model::ObjectPtr copy_of(const model::Object& object);
  void rename_references(model::Object& object);
  void add_gangs(const std::string& ns, const model::Labels& labels);
  void rename_gangs(const std::string& ns, model::Labels& labels) const;
  // Copies the document of a kind that is made into pods by what its document says.
  std::shared_ptr<const std::string> document_for(const model::Object& object) const;
  void rename_in(wire::Arena& arena, const std::string& ns, wire::Value& value) const;

  const sim::Script& original_;
  std::set<model::ObjectKey> keys_;
  std::string suffix_;
  std::unordered_map<const model::PodSpec*, SpecPtr> specs_;  // of the copy being made
};

}  // namespace tutti::session
