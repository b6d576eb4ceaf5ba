#include "trace/clusters/objects.h"

#include <algorithm>

#include "trace/table.h"
#include "wire/json_cursor.h"
#include "wire/json_reader.h"

namespace tutti::trace {
namespace {

Error located(const std::string& file, const Error& error, std::size_t lines_before) {
  return {Error::Code::malformed, at_line(file, error.message, lines_before)};
}

class ObjectReader {
 public:
  ObjectReader(const std::string& file, std::string_view text, std::size_t* skipped,
               const ObjectSink& sink)
      : file_(file), text_(text), skipped_(skipped), sink_(sink) {}

  Status read() {
    wire::JsonCursor cursor(text_);
    bool list = false;
    if (!cursor.enter('{')) return read_one_by_one();
    while (const auto key = cursor.next_key()) {
      if (*key == "items" && cursor.enter('[')) {
        list = true;
        while (const auto item = cursor.next_item()) TUTTI_TRY(take_item(*item));
      } else if (*key == "kind") {
        kind_of_list_ = cursor.skip_value();
      } else {
        cursor.skip_value();
      }
    }
    // What reads strictly says where it is no JSON.
    return list && !cursor.failed() && cursor.rest().empty() ? ok_status() : read_one_by_one();
  }

 private:
  Status read_one_by_one() {
    if (taken_) return Error{Error::Code::malformed, file_ + ": expected one list, or objects"};
    const Status status = wire::read_json(text_, [&](wire::Document&& document) {
      return wire::for_each_object(document, [&](const wire::Value& value) { return take(value); });
    });
    return status.ok() ? status : Status(located(file_, status.error(), 0));
  }

  Status take_item(std::string_view item) {
    taken_ = true;
    const auto at = static_cast<std::size_t>(item.data() - text_.data());
    lines_ +=
        static_cast<std::size_t>(std::ranges::count(text_.substr(counted_, at - counted_), '\n'));
    counted_ = at;
    const Status status = wire::read_json(item, [&](wire::Document&& document) {
      name_kind(document);
      return take(document.root());
    });
    return status.ok() ? status : Status(located(file_, status.error(), lines_));
  }

  // Items of a typed list may leave out what the list says: "PodList" is of Pods.
  void name_kind(wire::Document& document) const {
    constexpr std::string_view kQuoted = "List\"";
    if (!document.root().is_object() || document.root().find("kind") != nullptr) return;
    if (!kind_of_list_.ends_with(kQuoted) || kind_of_list_.size() <= kQuoted.size() + 1) return;
    const std::string_view kind =
        kind_of_list_.substr(1, kind_of_list_.size() - 1 - kQuoted.size());
    wire::Arena& arena = document.arena();
    document.root().set_member(arena, "kind", wire::Value::string(arena, kind));
    const std::string_view group = kind == "Job" ? "batch/v1" : "v1";
    document.root().set_member(arena, "apiVersion", wire::Value::string(arena, group));
  }

  Status take(const wire::Value& value) {
    const auto object = wire::decode(value, decoder_);
    const Status taken = object.ok() ? sink_(**object, value) : Status(object.error());
    if (taken.ok() || skipped_ == nullptr) return taken;
    ++*skipped_;
    return ok_status();
  }

  const std::string& file_;
  std::string_view text_;
  std::size_t* skipped_;
  const ObjectSink& sink_;
  wire::Decoder decoder_{wire::Decoder::Documents::dropped, wire::Decoder::Templates::skipped};
  std::string_view kind_of_list_;
  bool taken_ = false;
  std::size_t lines_ = 0;
  std::size_t counted_ = 0;
};

}  // namespace

Status each_object(const std::string& file, std::string_view text, std::size_t* skipped,
                   const ObjectSink& sink) {
  return ObjectReader(file, text, skipped, sink).read();
}

}  // namespace tutti::trace
