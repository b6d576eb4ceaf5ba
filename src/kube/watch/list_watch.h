// What the server shows of a resource: objects in pages of a list, and events of a watch.
#pragma once

#include <functional>

#include "base/result.h"
#include "base/std.h"
#include "model/object.h"
#include "wire/decode/decode.h"

namespace tutti::kube {

// One object as seen. A malformed one has no `object` but still says who it is as far as that can
// be read, since it may be an object that was well-formed before.
struct ListedObject {
  std::shared_ptr<const model::Object> object;
  std::string ns, name;  // of a malformed one
  std::string problem;   // of a malformed one, for people; names the object
};

struct ListPage {
  std::string version;         // where a watch goes on without a gap
  std::string continue_token;  // empty: the last page
};

// Calls `seen` with each item of the list in `text`, one after the other: there is never more than
// one of them as a tree. `api_version` and `kind` are for items that leave them out, which is
// usual. Error: the text is no list; items before the error have been seen.
Result<ListPage> read_list_page(std::string_view text, std::string_view api_version,
                                std::string_view kind, wire::Decoder& decoder,
                                const std::function<void(ListedObject)>& seen);

struct WatchEvent {
  enum class Type : std::uint8_t { added, modified, deleted, bookmark, error };
  Type type = Type::bookmark;
  ListedObject sighting;  // of added, modified and deleted
  std::string version;    // of all but error: the watch has come this far; empty if illegible
  int code = 0;           // of error: as an HTTP status
  std::string message;    // of error
};

// Error: the text is no watch event at all.
Result<WatchEvent> read_watch_event(std::string_view text, wire::Decoder& decoder);

}  // namespace tutti::kube
