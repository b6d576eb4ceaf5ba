// One question after the other: all groups with their preferred versions, then for each resource
// whether that version has it, then whether it may be listed.
#include "kube/client/served_resources.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "kube/client/resource_path.h"
#include "wire/json_reader.h"
#include "wire/value.h"

namespace tutti::kube {
namespace {

using wire::Value;

constexpr int kOffersRetriesMax = 5;

std::string offered_text(const Value* object, std::string_view name) {
  const Value* member = object != nullptr && object->is_object() ? object->find(name) : nullptr;
  return member != nullptr && member->is_string() ? std::string(member->text()) : std::string();
}

// Calls `each` with the items of a list; what is no list has none.
template <typename Each>
void for_each_item(const Value& root, std::string_view list, const Each& each) {
  const Value* items = root.is_object() ? root.find(list) : nullptr;
  if (items == nullptr || !items->is_array()) return;
  for (const Value& item : items->items()) each(item);
}

class Search : public std::enable_shared_from_this<Search> {
 public:
  using Handler = std::function<void(Result<std::vector<Offer>>)>;

  Search(ApiClient& client, std::vector<ResourceName> wanted, Handler handler)
      : client_(client),
        wanted_(std::move(wanted)),
        offers_(wanted_.size()),
        handler_(std::move(handler)) {}

  void start() {
    ask("/apis", [this](const Value& root) { take_groups(root); });
  }

 private:
  using Take = std::function<void(const Value&)>;

  void ask(std::string path, Take take) {
    Call call;
    call.path = path;
    call.retries_max = kOffersRetriesMax;
    client_.call(std::move(call),
                 [self = shared_from_this(), path, take = std::move(take)](const Answer& answer) {
                   self->answered(path, take, answer);
                 });
  }

  // What is not there, refused, or broken is not offered: one resource whose own servers are ill
  // must not keep us from the others.
  void answered(const std::string& path, const Take& take, const Answer& answer) {
    if (answer.status != 0 && !answer.ok() && !preferred_.empty()) return go_on();
    if (!answer.ok()) {
      return handler_(
          Error{Error::Code::unavailable, fmt::format("GET {}: {}", path, answer.message)});
    }
    const Status read = wire::read_json(answer.body, [&](wire::Document&& document) {
      take(document.root());
      return ok_status();
    });
    if (!read.ok()) {
      return handler_(
          Error{Error::Code::malformed, fmt::format("GET {}: {}", path, read.error().message)});
    }
    go_on();
  }

  void take_groups(const Value& root) {
    for_each_item(root, "groups", [this](const Value& group) {
      preferred_[offered_text(&group, "name")] =
          offered_text(group.find("preferredVersion"), "groupVersion");
    });
  }

  void take_resources(const std::string& version, const Value& root) {
    for_each_item(root, "resources", [&](const Value& resource) {
      resources_.insert({version, offered_text(&resource, "name")});
    });
  }

  void go_on() {
    for (; next_ < wanted_.size(); ++next_) {
      const ResourceName& name = wanted_[next_];
      const auto version = preferred_.find(name.group);
      if (version == preferred_.end()) continue;
      if (asked_.insert(version->second).second) {
        return ask(group_path(version->second),
                   [this, version](const Value& root) { take_resources(version->second, root); });
      }
      if (!resources_.contains({version->second, name.plural})) continue;
      Offer& offer = offers_[next_++];
      offer.group_version = version->second;
      return ask(group_path(version->second) + "/" + name.plural + "?limit=1",
                 [&offer](const Value&) { offer.readable = true; });
    }
    handler_(std::move(offers_));
  }

  ApiClient& client_;
  std::vector<ResourceName> wanted_;
  std::vector<Offer> offers_;
  Handler handler_;
  std::size_t next_ = 0;
  std::map<std::string, std::string> preferred_;             // by group
  std::set<std::string> asked_;                              // versions
  std::set<std::pair<std::string, std::string>> resources_;  // version, plural
};

}  // namespace

void find_offers(ApiClient& client, std::vector<ResourceName> wanted,
                 std::function<void(Result<std::vector<Offer>>)> handler) {
  std::make_shared<Search>(client, std::move(wanted), std::move(handler))->start();
}

}  // namespace tutti::kube
