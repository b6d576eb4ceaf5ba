#include "base/base64.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace tutti {
namespace {

TEST(Base64, writesTheExamplesOfTheStandard) {
  struct Case {
    std::string_view bytes, text;
  };
  constexpr Case cases[] = {{"", ""},
                            {"f", "Zg=="},
                            {"fo", "Zm8="},
                            {"foo", "Zm9v"},
                            {"foob", "Zm9vYg=="},
                            {"fooba", "Zm9vYmE="},
                            {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : cases) {
    SCOPED_TRACE(text);
    EXPECT_EQ(encode_base64(bytes), text);
    const Result<std::string> decoded = decode_base64(text);
    ASSERT_TRUE(decoded.ok());
    EXPECT_EQ(*decoded, bytes);
  }
}

TEST(Base64, skipsLineEnds) {
  const Result<std::string> decoded = decode_base64("Zm9v\r\nYmFy\n");

  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(*decoded, "foobar");
}

TEST(Base64, refusesWhatIsNoneWithoutRepeatingIt) {
  for (const std::string_view text :
       {"Zg=", "Zg", "Z===", "Zm9v!mFy", "Zg==Zm9v", "Zm 9", "===="}) {
    SCOPED_TRACE(text);
    const Result<std::string> decoded = decode_base64(text);
    ASSERT_FALSE(decoded.ok());
    EXPECT_EQ(decoded.error().message, "not base64");
  }
}

RC_GTEST_PROP(Base64, readsBackWhatItWrote, (const std::string& bytes)) {
  const Result<std::string> decoded = decode_base64(encode_base64(bytes));
  RC_ASSERT(decoded.ok());
  RC_ASSERT(*decoded == bytes);
}

}  // namespace
}  // namespace tutti
