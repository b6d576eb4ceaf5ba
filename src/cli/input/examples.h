// What the help of each command ends with: examples, and what else is to be known of it.
#pragma once

namespace tutti::cli {

extern const char* const kRunExample;
extern const char* const kExplainExample;
extern const char* const kCapacityExample;
extern const char* const kPlanExample;
extern const char* const kQueuesExample;
extern const char* const kPolicyExample;
extern const char* const kDoctorExample;
extern const char* const kWhyExample;
extern const char* const kSchedulerExample;
extern const char* const kControllersExample;
extern const char* const kSnapshotExample;
extern const char* const kCompletionExample;
extern const char* const kHelpExample;
extern const char* const kVersionExample;

}  // namespace tutti::cli
