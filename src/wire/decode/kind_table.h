// Which apiVersion and kind stand for which model::Kind.
#pragma once

#include "base/std.h"
#include "model/object.h"

namespace tutti::wire {

// The kind that is read from this apiVersion and kind; Kind::other if it is none we interpret.
model::Kind kind_of(std::string_view api_version, std::string_view kind);

// The version in which an object is written that does not say one itself: the newest we know. Empty
// for Kind::other.
std::string_view default_api_version(model::Kind kind);

// "v1alpha2, v1alpha3, v1beta1", or "v1" for a Pod in apps/v1: set when a group of Kubernetes' own
// has no such version of a kind we interpret. These kinds decide what runs, and one that is not
// understood must not pass as a bystander. Groups that others define may use the same names.
std::optional<std::string> understood_versions_instead_of(std::string_view api_version,
                                                          std::string_view kind);

}  // namespace tutti::wire
