// ClusterLists: all objects that the scheduler reads, as they were at one moment.
//
// The first page names a resource version; every other list is asked for at exactly that version.
// A server that has forgotten it meanwhile makes the whole begin again, a few times at most. Lists
// that can be done without are left out where the server refuses them or does not have them.
#pragma once

#include <functional>

#include "base/result.h"
#include "base/std.h"
#include "kube/client/api_client.h"
#include "kube/watch/reflector.h"
#include "wire/document.h"

namespace tutti::snapshot {

class ClusterLists {
 public:
  // Each document is an array of objects with apiVersion and kind.
  using Pages = std::vector<wire::Document>;
  struct List {
    kube::Resource resource{};
    bool optional = false;
  };
  struct Handlers {
    std::function<void(std::string_view plural, std::size_t objects)> listed;  // for progress
    std::function<void(std::string_view plural, const std::string& why)> left_out;
    std::function<void(Result<Pages>)> done;  // once, last; must not destroy this object
  };
  ClusterLists(kube::ApiClient& client, std::vector<List> lists, Handlers handlers);
  ClusterLists(const ClusterLists&) = delete;
  ClusterLists& operator=(const ClusterLists&) = delete;

  // To be called once; the loop must not outlive this object.
  void start();

 private:
  void begin();
  void ask();
  void take(const kube::Answer& answer);
  bool may_leave_out(const kube::Answer& answer) const;
  Status keep(std::string_view json);

  kube::ApiClient& client_;
  std::vector<List> lists_;
  Handlers handlers_;
  Pages pages_;
  std::size_t at_ = 0;         // of lists_
  std::size_t objects_ = 0;    // of the resource, so far
  std::string version_;        // of all lists; empty: the first page is to come
  std::string continue_from_;  // empty: a list begins
  int beginnings_ = 0;
};

}  // namespace tutti::snapshot
