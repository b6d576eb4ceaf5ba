#include "session/manifests/file_text.h"

#include <gtest/gtest.h>

#include <sstream>

namespace tutti::session {
namespace {

TEST(Input, isStandardInputForADash) {
  const std::string long_text(200'000, 'x');
  std::istringstream in(long_text);

  const Result<std::string> text = read_input("-", in);

  ASSERT_TRUE(text.ok());
  EXPECT_EQ(*text, long_text);
}

TEST(Input, refusesAFolderAndWhatIsNotThere) {
  std::istringstream in;

  EXPECT_EQ(read_input("/tmp", in).error().code, Error::Code::invalid);
  EXPECT_EQ(read_input("/nowhere/at/all", in).error().code, Error::Code::not_found);
}

TEST(AtPlace, putsTheLineBesideTheFile) {
  EXPECT_EQ(at_place("a.yaml", "line 12: Pod t/a: wrong"), "a.yaml:12: Pod t/a: wrong");
  EXPECT_EQ(at_place("a.yaml", "line by line"), "a.yaml: line by line");
  EXPECT_EQ(at_place("a.yaml", "line 3"), "a.yaml: line 3");
  EXPECT_EQ(at_place("a.yaml", ""), "a.yaml: ");
}

}  // namespace
}  // namespace tutti::session
