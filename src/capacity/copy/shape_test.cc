#include "capacity/copy/shape.h"

#include <gtest/gtest.h>

namespace tutti::capacity {
namespace {

TEST(Shape, isReadFromRequests) {
  const auto shape = parse_shape("nvidia.com/gpu=8,cpu=1500m,memory=64Gi");
  ASSERT_TRUE(shape.ok());
  EXPECT_EQ(shape->requests, "cpu=1500m,memory=64Gi,nvidia.com/gpu=8");
  EXPECT_EQ(shape->request("cpu"), 1500);
  EXPECT_EQ(shape->request("nvidia.com/gpu"), 8);
  EXPECT_EQ(shape->request("example.com/nic"), 0);
}

TEST(Shape, toleratesTheTaintsOfItsDevices) {
  const auto shape = parse_shape("cpu=1,nvidia.com/gpu=8");
  ASSERT_TRUE(shape.ok());
  ASSERT_EQ(shape->spec->tolerations.size(), 1U);
  EXPECT_EQ(shape->spec->tolerations.front().key, "nvidia.com/gpu");
}

TEST(Shape, thatMakesNoSenseIsRefusedWithThePartAtFault) {
  struct Case {
    const char* text;
    const char* says;
  };
  for (const Case& each : {
           Case{"", "--shape: '' asks for nothing"},
           Case{"cpu=0", "--shape: 'cpu=0' asks for nothing"},
           Case{"cpu", "--shape: 'cpu' is not of the form RESOURCE=AMOUNT"},
           Case{"=4", "--shape: '=4' is not of the form RESOURCE=AMOUNT"},
           Case{"cpu=1,cpu=2", "--shape: 'cpu' is given twice"},
           Case{"cpu=-1", "--shape: 'cpu=-1' must not be negative"},
           Case{"memory=64Gx", "--shape: 'memory=64Gx' has no amount"},
           Case{"cpu=1,,memory=1Gi", "--shape: '' is not of the form RESOURCE=AMOUNT"},
       }) {
    SCOPED_TRACE(each.text);
    const auto shape = parse_shape(each.text);
    ASSERT_FALSE(shape.ok());
    EXPECT_TRUE(shape.error().message.starts_with(each.says)) << shape.error().message;
  }
}

}  // namespace
}  // namespace tutti::capacity
