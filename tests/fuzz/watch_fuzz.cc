// Any bytes as what an API server sends, in chunks of any size: the same events come out however
// the bytes are cut, and whatever they are, the changes told lead every name through an orderly
// life. The first byte chooses the size of the chunks, the rest is the stream; the same text is
// then read as a page of a list.
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "kube/watch/frame_splitter.h"
#include "kube/watch/list_watch.h"
#include "kube/watch/object_cache.h"

namespace tutti::kube {
namespace {

constexpr std::size_t kFrameBytesMax = 1 << 16;

std::vector<std::string> frames_of(std::string_view text, std::size_t chunk_size) {
  std::vector<std::string> frames;
  FrameSplitter splitter(kFrameBytesMax);
  for (std::size_t at = 0; at < text.size(); at += chunk_size) {
    const Status status = splitter.feed(text.substr(at, chunk_size), [&](std::string_view frame) {
      frames.emplace_back(frame);
      return true;
    });
    if (!status.ok()) break;
  }
  return frames;
}

class Listener {
 public:
  void operator()(const Change& change) {
    const model::ObjectMeta& meta = change.object->meta;
    const bool known = alive_.contains({meta.ns, meta.name});
    TUTTI_CHECK(known == (change.type != Change::Type::added), meta.name);
    if (change.type == Change::Type::added) alive_.insert({meta.ns, meta.name});
    if (change.type == Change::Type::deleted) alive_.erase({meta.ns, meta.name});
  }
  std::size_t size() const { return alive_.size(); }

 private:
  std::set<std::pair<std::string, std::string>> alive_;
};

void read_as_page(std::string_view text, wire::Decoder& decoder, ObjectCache& mirror) {
  mirror.begin_list();
  const Result<ListPage> page = read_list_page(
      text, "v1", "Pod", decoder, [&](const ListedObject& sighting) { mirror.listed(sighting); });
  if (page.ok()) mirror.end_list();
}

}  // namespace
}  // namespace tutti::kube

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tutti;
  using namespace tutti::kube;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::vector<std::string> frames = frames_of(text, std::size_t{1} + data[0]);
  TUTTI_CHECK(frames == frames_of(text, size), "the chunks change the events");

  wire::Decoder decoder(wire::Decoder::Documents::dropped);
  Listener listener;
  ObjectCache mirror([&](const Change& change) { listener(change); });
  for (const std::string& frame : frames) {
    const Result<WatchEvent> event = read_watch_event(frame, decoder);
    if (!event.ok() || event->type == WatchEvent::Type::error) break;
    if (event->type == WatchEvent::Type::bookmark) continue;
    TUTTI_CHECK((event->sighting.object == nullptr) != event->sighting.problem.empty());
    mirror.watched(event->type, event->sighting);
  }
  read_as_page(text, decoder, mirror);
  TUTTI_CHECK(mirror.size() == listener.size());
  return 0;
}
