// From documents to model objects.
//
//   Decoder decoder;
//   for_each_object(document, [&](const Value& item) -> Status {
//     TUTTI_ASSIGN(auto object, decode(item, decoder));
//     …
//   });
#pragma once

#include <functional>

#include "base/result.h"
#include "base/std.h"
#include "model/object.h"
#include "wire/decode/field_reader.h"
#include "wire/decode/pod_spec_pool.h"
#include "wire/document.h"

namespace tutti::wire {

// What decoding one object may reuse from the objects before it. Not for two threads at once.
class Decoder {
 public:
  // Whether objects get their document. Writing it takes about a third of the time of decoding and
  // most of an object's memory, and is for those who hand objects on as they were written.
  enum class Documents : bool { dropped, kept };
  // Whether the pod templates of Jobs and sets of replicas are read. They are for those who make
  // pods from them.
  enum class Templates : bool { skipped, read };
  explicit Decoder(Documents documents = Documents::kept, Templates templates = Templates::read)
      : documents_(documents), templates_(templates) {}

  PodSpecPool& pod_specs() { return pod_specs_; }
  // Null when templates are skipped.
  PodSpecPool* template_specs() { return templates_ == Templates::read ? &pod_specs_ : nullptr; }
  Documents documents() const { return documents_; }

 private:
  PodSpecPool pod_specs_;
  Documents documents_;
  Templates templates_;
};

// The object that `document` describes, with the defaults an API server fills in on reading, and
// with the document itself, if the decoder keeps documents, as compact JSON in its own API version.
//
// Every field that the model knows must have its API type; fields that it does not know are kept in
// the document and not looked at. A kind that the model does not know becomes an OtherObject.
// The error says "line 12: Pod t/a: spec.containers[0].image: expected a string, found an integer";
// the caller adds the name of the file. Whether values make sense together (names, ranges,
// references) is for admission to say.
Result<std::shared_ptr<model::Object>> decode(const Value& document, Decoder& context);
// Reads it for those who want to know all that is wrong with it, which is added to `errors`. Null
// when anything was. Requires that nothing was reported before.
std::shared_ptr<model::Object> decode(const Value& document, Decoder& context, FieldErrors& errors);

// Names the object as far as its document can, as messages do: "Pod t/a". Empty: it does not say.
std::string name_in(const Value& document);

// Calls `body` with the object, or if it is a list (`kind: List`, `kind: PodList`, …) with each of
// its items in turn, lists in lists included. Items of a typed list that leave out apiVersion and
// kind get those the list implies. Stops at the first error and returns it.
Status for_each_object(Document& document, const std::function<Status(const Value&)>& body);

}  // namespace tutti::wire
