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

// By uid, names and pod specs it is known what ran before.
TEST(Pseudonyms, tellFamiliesOfJobsApart) {
  EXPECT_EQ(renamed(R"([{"metadata":{"name":"etl-1","labels":{"app":"x"},"ownerReferences":[
                    {"kind":"CronJob","name":"etl","uid":"u1","controller":true}]},
                   "spec":{"template":{"metadata":{"labels":{"job-name":"etl-1"}},
                     "spec":{"containers":[{"image":"corp/etl:3","env":[{"name":"A"}]}]}}}}]
                 [{"metadata":{"name":"etl-1-k4x","labels":{"job-name":"etl-1"},
                    "ownerReferences":[{"kind":"Job","name":"etl-1","uid":"u2"}]},
                    "spec":{"hostname":"etl-1-0"}}])"),
            R"([{"metadata":{"name":"x-2","labels":{"app":"x"},"ownerReferences":[)"
            R"({"kind":"CronJob","name":"x-1","uid":"u1","controller":true}]},)"
            R"("spec":{"template":{"metadata":{"labels":{"job-name":"x-2"}},)"
            R"("spec":{"containers":[{"image":"x-0"}]}}}}])"
            R"([{"metadata":{"name":"x-4","labels":{"job-name":"x-2"},)"
            R"("ownerReferences":[{"kind":"Job","name":"x-2","uid":"u2"}]},)"
            R"("spec":{"hostname":"x-3"}}])");
}

}  // namespace
}  // namespace tutti::snapshot
