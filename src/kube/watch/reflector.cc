#include "kube/watch/reflector.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "kube/client/backoff.h"
#include "kube/client/resource_path.h"
#include "kube/watch/frame_splitter.h"
#include "kube/watch/list_watch.h"
#include "kube/watch/object_cache.h"

namespace tutti::kube {
namespace {

constexpr int kPageItems = 500;
constexpr Millis kListTimeout{60'000};
constexpr std::size_t kFrameBytesMax = wire::kMaxDocumentBytes;
// A watch that was open for this long counts as one that worked, even if nothing came.
constexpr Millis kSteady{5'000};
// Out of touch for up to this long is a hiccup: a server restarts, a list is repeated.
constexpr Millis kHiccup{30'000};

wire::Decoder::Templates templates_of(const Resource& resource) {
  return resource.read_templates ? wire::Decoder::Templates::read
                                 : wire::Decoder::Templates::skipped;
}

wire::Decoder::Documents documents_of(const Resource& resource) {
  return resource.keep_documents ? wire::Decoder::Documents::kept
                                 : wire::Decoder::Documents::dropped;
}

// Curl says how many milliseconds an attempt took: that alone makes no new failure.
std::string without_digits(std::string text) {
  std::erase_if(text, [](char c) { return c >= '0' && c <= '9'; });
  return text;
}

}  // namespace

struct Reflector::Impl {
  Impl(net::Loop& the_loop, ApiClient& the_client, Resource the_resource, Handlers the_handlers)
      : loop(the_loop),
        client(the_client),
        resource(std::move(the_resource)),
        handlers(std::move(the_handlers)),
        decoder(documents_of(resource), templates_of(resource)),
        mirror([this](const Change& change) { handlers.changed(change); }) {}

  ~Impl() { client.cancel(request); }

  // --- listing ---

  void list() {
    mirror.begin_list();
    continue_token.clear();
    list_page();
  }

  void list_page() {
    Call call;
    call.path = list_path(resource, paged ? kPageItems : 0, continue_token);
    call.timeout = kListTimeout;
    request = client.call(std::move(call), [this](Answer answer) { page_came(std::move(answer)); });
  }

  void page_came(Answer answer) {
    if (answer.status == 410 && !continue_token.empty()) return pages_expired();
    if (!answer.ok()) {
      // What the server refuses it may refuse because of the token.
      if (!answer.transient()) continue_token.clear();
      return fail("list", answer.message, answer.retry_after,
                  continue_token.empty() ? &Impl::list : &Impl::list_page);
    }
    Result<ListPage> page =
        read_list_page(answer.body, resource.group_version, model::facts(resource.kind).name,
                       decoder, [this](const ListedObject& sighting) {
                         tell_malformed(sighting);
                         mirror.listed(sighting);
                       });
    if (!page.ok()) return fail("list", page.error().message, {}, &Impl::list);
    continue_token = std::move(page->continue_token);
    version = std::move(page->version);
    if (continue_token.empty()) return listed();
    list_page();
  }

  // A list that takes longer than the server remembers is begun again; if that happens twice, it is
  // asked for in one piece.
  void pages_expired() {
    if (std::exchange(list_expired, true)) paged = false;
    list();
  }

  void listed() {
    mirror.end_list();
    paged = true;
    list_expired = false;
    if (!std::exchange(synced, true)) handlers.synced();
    watch();
  }

  // --- watching ---

  void watch() {
    splitter.reset();
    event_came = false;
    opened_at.reset();
    request = client.watch(watch_path(resource, version, client.random()),
                           {.opened = [this] { opened(); },
                            .data = [this](std::string_view chunk) { take(chunk); },
                            .ended = [this](const Answer& answer) { ended(answer); }});
  }

  void opened() {
    opened_at = loop.now();
    out_of_touch_since.reset();
    trouble.clear();
  }

  void take(std::string_view chunk) {
    if (leaving) return;
    const Status status =
        splitter.feed(chunk, [this](std::string_view frame) { return take_frame(frame); });
    if (!status.ok()) leave("watch", status.error().message, &Impl::list);
  }

  // Whether the watch goes on.
  bool take_frame(std::string_view frame) {
    const Result<WatchEvent> event = read_watch_event(frame, decoder);
    if (!event.ok()) {
      leave("watch", event.error().message, &Impl::list);
      return false;
    }
    if (event->type == WatchEvent::Type::error) {
      refused(*event);
      return false;
    }
    event_came = true;
    if (!event->version.empty()) version = event->version;
    if (event->type == WatchEvent::Type::bookmark) return true;
    tell_malformed(event->sighting);
    mirror.watched(event->type, event->sighting);
    return true;
  }

  void refused(const WatchEvent& error) {
    if (error.code == 410) {
      leave_expired();
    } else {
      leave("watch", fmt::format("the server ended it: {}", error.message), &Impl::list);
    }
  }

  void ended(const Answer& answer) {
    if (leaving) return;
    const bool worked = judge_watch();
    if (answer.status == 410) return expired();
    if (!answer.ok()) {
      return fail("watch", answer.message, answer.retry_after,
                  answer.transient() ? &Impl::watch : &Impl::list);
    }
    // Servers end watches in order all the time; one that does so at once would be asked without a
    // pause.
    if (worked) return watch();
    fail("watch", "the server closed it at once", {}, &Impl::watch);
  }

  // The watch is over. One that worked makes up for the failures before it.
  bool judge_watch() {
    lost_touch();
    const bool steady = opened_at && loop.now() - *opened_at >= kSteady;
    if (!event_came && !steady) return false;
    failures = 0;
    told.clear();
    watch_expired = false;
    return true;
  }

  // --- going on after a failure ---

  using Next = void (Impl::*)();

  // Ends the running watch from inside its own data.
  void leave(std::string_view verb, std::string_view message, Next next) {
    leave_by([this, verb, text = std::string(message), next] { fail(verb, text, {}, next); });
  }
  void leave_expired() {
    leave_by([this] { expired(); });
  }
  void leave_by(net::Task task) {
    leaving = true;
    timer = loop.after(Millis{0}, [this, then = std::move(task)] {
      client.cancel(request);
      leaving = false;
      judge_watch();
      then();
    });
  }

  // The server has forgotten the version that the watch should go on from. That is in order, unless
  // it says so of what it has just listed.
  void expired() {
    if (!std::exchange(watch_expired, true)) return list();
    fail("watch", fmt::format("the server no longer knows version {}", version), {}, &Impl::list);
  }

  void fail(std::string_view verb, std::string_view message, std::optional<Millis> retry_after,
            Next next) {
    ++failures;
    lost_touch();
    tell_trouble(verb, message);
    timer = loop.after(backoff(client.random(), failures, retry_after),
                       [this, next] { (this->*next)(); });
  }

  void lost_touch() {
    if (!out_of_touch_since) out_of_touch_since = loop.now();
  }

  // A cut that the next attempts mend is nobody's trouble once the first list is there.
  void tell_trouble(std::string_view verb, std::string_view message) {
    if (synced && failures < 3) return;
    trouble = fmt::format("cannot {} {} ({}): {}; trying again", verb, resource.plural,
                          resource.group_version, message);
    if (std::string kind = without_digits(trouble); std::exchange(told, kind) == kind) return;
    handlers.trouble(trouble);
  }

  void tell_malformed(const ListedObject& sighting) {
    if (sighting.object != nullptr || sighting.problem == last_problem) return;
    last_problem = sighting.problem;
    handlers.trouble(fmt::format("malformed object among {}, left as last known: {}",
                                 resource.plural, sighting.problem));
  }

  net::Loop& loop;
  ApiClient& client;
  const Resource resource;
  const Handlers handlers;
  wire::Decoder decoder;
  ObjectCache mirror;

  std::string continue_token;
  bool paged = true;
  bool list_expired = false;   // the token of a page, since a list was last complete
  bool watch_expired = false;  // the version, since a watch last worked

  std::string version;  // where the watch goes on
  FrameSplitter splitter{kFrameBytesMax};
  bool leaving = false;  // a watch that is about to be cancelled

  net::RequestId request = 0;
  net::Timer timer;
  int failures = 0;  // in a row, since a watch last worked
  bool synced = false;
  bool event_came = false;  // in the running watch
  std::optional<Instant> opened_at;
  std::optional<Instant> out_of_touch_since;
  std::string trouble;
  std::string told;  // the trouble that the handler was last told of, without digits
  std::string last_problem;
};

Reflector::Reflector(net::Loop& loop, ApiClient& client, Resource resource, Handlers handlers)
    : impl_(std::make_unique<Impl>(loop, client, std::move(resource), std::move(handlers))) {}
Reflector::~Reflector() = default;

void Reflector::start() {
  TUTTI_CHECK(impl_->request == 0, "a reflector is started once");
  impl_->list();
}

bool Reflector::synced() const { return impl_->synced; }

bool Reflector::healthy(Instant now) const {
  const std::optional<Instant>& since = impl_->out_of_touch_since;
  return impl_->synced && (!since || now - *since <= kHiccup);
}

const std::string& Reflector::trouble() const { return impl_->trouble; }
std::size_t Reflector::size() const { return impl_->mirror.size(); }

}  // namespace tutti::kube
