#include "cli/output/object_list.h"

#include <gtest/gtest.h>

#include <sstream>

#include "support/build.h"
#include "wire/reader.h"

namespace tutti::cli {
namespace {

class ObjectListTest : public testing::TestWithParam<session::Format> {
 protected:
  // What was written, read back.
  wire::Document written(const KindFilter& filter) {
    std::ostringstream out;
    write_objects(store_, filter, GetParam(), out);
    wire::Document document;
    const Status status = wire::read_documents(out.str(), [&](wire::Document&& read) {
      document = std::move(read);
      return ok_status();
    });
    EXPECT_TRUE(status.ok()) << out.str();
    return document;
  }
  static std::string name_of(const wire::Value& item) {
    return std::string(item.find("metadata")->find("name")->text());
  }

  store::Store store_;
};

TEST_P(ObjectListTest, isAListInOrderOfKindNamespaceAndName) {
  ASSERT_TRUE(store_.create(*test::pod("b").build(), {}).ok());
  ASSERT_TRUE(store_.create(*test::pod("a").build(), {}).ok());
  ASSERT_TRUE(store_.create(*test::node("n").build(), {}).ok());

  const wire::Document list = written({});

  EXPECT_EQ(list.root().find("kind")->text(), "List");
  EXPECT_EQ(list.root().find("apiVersion")->text(), "v1");
  const auto items = list.root().find("items")->items();
  ASSERT_EQ(items.size(), 3U);
  EXPECT_EQ(name_of(items[0]), "n");
  EXPECT_EQ(name_of(items[1]), "a");
  EXPECT_EQ(name_of(items[2]), "b");
}

TEST_P(ObjectListTest, keepsTextOfSeveralLines) {
  const auto pod = test::pod("a").label("x", "y").build();
  model::Pod scripted = *pod;
  scripted.meta.annotations = {{"script", "first\n\n  second\nthird\n"}};
  ASSERT_TRUE(store_.create(scripted, {}).ok());

  const wire::Document list = written({});

  const auto items = list.root().find("items")->items();
  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(items[0].find("metadata")->find("annotations")->find("script")->text(),
            "first\n\n  second\nthird\n");
}

TEST_P(ObjectListTest, isAnEmptyListWhenNothingIsWanted) {
  ASSERT_TRUE(store_.create(*test::pod("b").build(), {}).ok());

  const wire::Document list = written(KindFilter::parse("nodes"));

  EXPECT_TRUE(list.root().find("items")->items().empty());
}

INSTANTIATE_TEST_SUITE_P(Formats, ObjectListTest,
                         testing::Values(session::Format::json, session::Format::yaml));

}  // namespace
}  // namespace tutti::cli
