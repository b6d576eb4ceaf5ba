#include "snapshot/pseudonyms.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace tutti::snapshot {
namespace {

std::string renamed(std::string_view json) {
  std::vector<wire::Document> pages;
  EXPECT_TRUE(wire::read_json(json, [&](wire::Document&& page) -> Status {
                pages.push_back(std::move(page));
                return ok_status();
              }).ok());
  use_pseudonyms(pages);
  std::string out;
  for (const wire::Document& page : pages) out += wire::to_json(page.root());
  return out;
}

TEST(Pseudonyms, replaceNamesWhereverTheyAreReferredToAndKeepTheirOrder) {
  EXPECT_EQ(renamed(R"([{"metadata":{"name":"web","namespace":"ml"},
                         "spec":{"nodeName":"gpu-7","priorityClassName":"system-node-critical"}}]
                       [{"metadata":{"name":"gpu-7","labels":{"kubernetes.io/hostname":"gpu-7"}}}])"),
            R"([{"metadata":{"name":"x-2","namespace":"x-1"},)"
            R"("spec":{"nodeName":"x-0","priorityClassName":"system-node-critical"}}])"
            R"([{"metadata":{"name":"x-0","labels":{"kubernetes.io/hostname":"x-0"}}}])");
}

TEST(Pseudonyms, leaveOutWhatMayContainNames) {
  EXPECT_EQ(renamed(R"([{"kind":"Pod","metadata":{"name":"Pod","annotations":{"tool/x":"secret",
                    "tutti.dev/runs-for":"1m"}},
                  "spec":{"containers":[{"name":"c","image":"corp/app:1","args":["--user"]}]},
                  "status":{"conditions":[{"type":"Ready","message":"on gpu-7"}]}}])"),
            R"([{"kind":"Pod","metadata":{"name":"x-0","annotations":{"tutti.dev/runs-for":"1m"}},)"
            R"("spec":{"containers":[{"name":"c","image":"x-1"}]},)"
            R"("status":{"conditions":[{"type":"Ready"}]}}])");
}

}  // namespace
}  // namespace tutti::snapshot
