// Evaluating a selector on a device takes nothing from the heap once the scratch memory is warm.
// Compiled alone: it replaces operator new.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "support/cel.h"

namespace {
std::size_t allocations = 0;
#ifdef __SANITIZE_ADDRESS__
constexpr bool kCounted = false;  // the sanitizer has an operator new of its own
#else
constexpr bool kCounted = true;
#endif
}  // namespace

#ifndef __SANITIZE_ADDRESS__
void* operator new(std::size_t size) {
  ++allocations;
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) std::abort();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif

namespace tutti::cel {
namespace {

std::size_t allocations_of(std::string_view selector) {
  const test::CelDevice device;
  const Compilation compiled = compile(selector, test::CelDevice::environment());
  EXPECT_TRUE(compiled.ok());
  const Value value = device.value();
  Scratch scratch;
  EXPECT_TRUE(compiled.program().evaluate({&value, 1}, scratch).value.is_true());
  const std::size_t before = allocations;
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(compiled.program().evaluate({&value, 1}, scratch).value.is_true());
  }
  return allocations - before;
}

TEST(CelAllocation, noneForWhatSelectorsUsuallyDo) {
  if (!kCounted) GTEST_SKIP() << "allocations are not counted under AddressSanitizer";
  for (const std::string_view selector : {
           "device.driver == 'gpu.example.com'",
           "device.attributes['gpu.example.com'].cores > 100",
           "device.attributes['gpu.example.com'].driverVersion.compareTo(semver('1.0.0')) > 0",
           "device.capacity['gpu.example.com'].memory.isGreaterThan(quantity('40Gi'))",
           "device.attributes['gpu.example.com'].model in ['a', 'NVIDIA H100 80GB HBM3']",
           "device.attributes['gpu.example.com'].links.exists(l, l == 'nvlink1')",
           "device.attributes['gpu.example.com'].links.map(l, l + '!').size() == 2",
           "has(device.attributes['gpu.example.com'].cores)",
           "device.attributes['x'].y == 1 || true",
       }) {
    SCOPED_TRACE(selector);
    EXPECT_EQ(allocations_of(selector), 0U);
  }
}

}  // namespace
}  // namespace tutti::cel
