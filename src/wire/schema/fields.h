// Tables of the fields that kinds have, one per API group. They are data: schema.h reads them.
//
//   version batch/v1                  the types that follow are of this version; "group/*": of any
//   kinds Job CronJob                 these of them are kinds
//   JobSpec: completions template:PodTemplateSpec labels:*Label
//                                     a type and its fields. After the colon of a field: its type,
//                                     or the type of its items; "*": that of the values of a map.
//                                     A field without is not looked into.
//   JobSet: spec:JobSetSpec ...       other fields may exist that we do not know
//
// A type is looked for in its own version, then under `shared`, then in v1; "Type@batch/v1" names
// another version. A line that begins with blanks goes on with the one before.
#pragma once

#include "base/std.h"

namespace tutti::wire {

extern const std::string_view kCoreFields;
extern const std::string_view kAppsFields;
extern const std::string_view kBatchFields;
extern const std::string_view kStorageFields;
extern const std::string_view kPolicyFields;
extern const std::string_view kCoordinationFields;
extern const std::string_view kSchedulingFields;
extern const std::string_view kResourceFields;
extern const std::string_view kProjectFields;
extern const std::string_view kKueueFields;

// "group apps: DaemonSet Deployment …": every kind of a group, also those without a table.
extern const std::string_view kGroupKinds;

}  // namespace tutti::wire
