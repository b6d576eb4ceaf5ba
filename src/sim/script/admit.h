// Admission of scripted objects: defaults, priorities and every rule that can be known before the
// run, against the objects that the script itself has made so far.
#pragma once

#include <map>

#include "base/std.h"
#include "sim/script/admission_steps.h"

namespace tutti::sim {

class Admission : private AdmissionSteps {
 public:
  using AdmissionSteps::Neighbours;
  // Pods of a copied cluster were limited there, or came before their limits.
  enum class Copied : bool { no, yes };
  explicit Admission(Neighbours neighbours = Neighbours::known, Copied copied = Copied::no)
      : AdmissionSteps(neighbours), copied_(copied) {}

  struct Outcome {
    model::ObjectPtr object;  // as it is to be stored; null when there are problems
    admission::FieldProblems problems;
  };

  // Creates the object. Requires that it does not exist.
  Outcome create(const model::Object& document, Instant now);
  // Applies the document to the object. Requires that it exists.
  Outcome update(const model::Object& document);
  void remove(const model::ObjectKey& key);
  bool exists(const model::ObjectKey& key) const { return objects_.contains(key); }

 private:
  const model::Object* find(const model::ObjectKey& key) const override;
  std::vector<const model::Object*> all_of(model::Kind kind) const override;
  bool has_any(model::Kind kind) const override;
  Outcome keep(std::shared_ptr<model::Object> object, admission::FieldProblems problems);

  Copied copied_;
  std::map<model::ObjectKey, model::ObjectPtr> objects_;
};

}  // namespace tutti::sim
