#include "trace/clusters/hostlist.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tutti::trace {
namespace {

TEST(Hostlist, expandsBracketsAsSlurmDoes) {
  struct Case {
    const char* list;
    const char* hosts;
  };
  const Case cases[] = {
      {"n1", "n1"},
      {"a,b", "a b"},
      {"n[1-3]", "n1 n2 n3"},
      {"n[08-10,12],gpu5", "n08 n09 n10 n12 gpu5"},
      {"r[0-1]n[1-2]-ib", "r0n1-ib r0n2-ib r1n1-ib r1n2-ib"},
      {"", "-"},
      {"n[", "-"},
      {"n]", "-"},
      {"n[]", "-"},
      {"n[3-1]", "-"},
      {"n[1-x]", "-"},
      {"n[[1]]", "-"},
      {"n[0-9999999]", "-"},
  };
  for (const Case& each : cases) {
    const auto hosts = expand_hosts(each.list);
    EXPECT_EQ(hosts ? fmt::format("{}", fmt::join(*hosts, " ")) : "-", each.hosts) << each.list;
  }
}

}  // namespace
}  // namespace tutti::trace
