// Kinds as people type them: "pods", "Pod", "po", "podgroups".
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "model/object.h"

namespace tutti::cli {

// The kind that a word stands for, whatever its case; empty when it is none we interpret.
std::optional<model::Kind> kind_named(std::string_view word);

// The kind of another project that a word stands for among those of which pods are made: "lws",
// "pytorchjobs", "vcjob"; empty: none.
std::string_view work_kind_named(std::string_view word);
// Whether a word stands for a kind that can be explained.
bool names_a_kind(std::string_view word);

// Which objects are wanted. An empty filter wants all.
class KindFilter {
 public:
  // Words joined by commas. A word that is no kind we interpret selects objects of other kinds by
  // name or plural; that it is not just misspelt is for the caller to check with unknown_words().
  static KindFilter parse(std::string_view list);

  bool wants(const model::Object& object) const;
  // Words that name no kind we interpret.
  const std::vector<std::string>& unknown_words() const { return others_; }

 private:
  std::vector<model::Kind> kinds_;
  std::vector<std::string> others_;  // lower case
};

// Whether the lower-case word is the name or plural of a kind ("Foo"), or of an object's kind.
bool is_name_or_plural(std::string_view word, std::string_view kind);
bool names_kind_of(std::string_view word, const model::Object& object);

}  // namespace tutti::cli
