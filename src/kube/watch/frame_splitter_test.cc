#include "kube/watch/frame_splitter.h"

#include <gtest/gtest.h>

#include <vector>

namespace tutti::kube {
namespace {

using Frames = std::vector<std::string>;

struct Fed {
  Frames frames;
  bool ok = true;
};

Fed feed(FrameSplitter& splitter, const std::vector<std::string>& chunks) {
  Fed fed;
  for (const std::string& chunk : chunks) {
    const Status status = splitter.feed(chunk, [&](std::string_view frame) {
      fed.frames.emplace_back(frame);
      return true;
    });
    if (!status.ok()) fed.ok = false;
  }
  return fed;
}

TEST(FrameSplitter, cutsLinesWhereverTheChunksEnd) {
  struct Case {
    std::vector<std::string> chunks;
    Frames frames;
  };
  const Case cases[] = {
      {{"a\n"}, {"a"}},
      {{"a\nbc\n"}, {"a", "bc"}},
      {{"a", "b", "\n"}, {"ab"}},
      {{"ab\nc", "d\ne\n"}, {"ab", "cd", "e"}},
      {{"\n \n\r\n", "a\n"}, {"a"}},
      {{"unfinished"}, {}},
      {{"", "a\n", ""}, {"a"}},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(testing::PrintToString(one.chunks));
    FrameSplitter splitter(100);
    EXPECT_EQ(feed(splitter, one.chunks).frames, one.frames);
  }
}

TEST(FrameSplitter, refusesALineThatIsTooLongHoweverItComes) {
  const std::vector<std::vector<std::string>> cases = {
      {"12345\n"}, {"12", "345"}, {"ok\n12345\n"}, {"1234", "5\n"}};
  for (const std::vector<std::string>& chunks : cases) {
    SCOPED_TRACE(testing::PrintToString(chunks));
    FrameSplitter splitter(4);
    EXPECT_FALSE(feed(splitter, chunks).ok);
    splitter.reset();
    EXPECT_EQ(feed(splitter, {"1234\n"}).frames, Frames{"1234"});
  }
}

TEST(FrameSplitter, dropsTheRestWhenToldTo) {
  FrameSplitter splitter(100);
  Frames frames;
  const Status status = splitter.feed("a\nb\nc", [&](std::string_view frame) {
    frames.emplace_back(frame);
    return false;
  });
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(frames, Frames{"a"});
  EXPECT_EQ(feed(splitter, {"d\n"}).frames, Frames{"d"});
}

}  // namespace
}  // namespace tutti::kube
