// The URLs of a resource's collection.
#pragma once

#include "base/random.h"
#include "base/std.h"
#include "kube/client/resource.h"

namespace tutti::kube {

// "/api/v1", "/apis/scheduling.k8s.io/v1beta1".
std::string group_path(std::string_view group_version);

// A list of all namespaces in pages of `limit`, 0: in one piece.
std::string list_path(const Resource& resource, int limit, std::string_view continue_token);

// A watch of what changes after `version`, with bookmarks, that the server ends after 5 to 10
// minutes: watches move to other servers, and not all at once.
std::string watch_path(const Resource& resource, std::string_view version, Random& random);

// `text` as it may stand in a query.
std::string escaped(std::string_view text);

}  // namespace tutti::kube
