#include "replay/workers.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace tutti::replay {

std::size_t default_workers() {
  return std::max<std::size_t>(1, std::thread::hardware_concurrency());
}

void run_all(std::size_t count, std::size_t workers, const std::function<void(std::size_t)>& run) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) run(i);
  };
  std::vector<std::thread> threads;
  // The caller is one of them.
  for (std::size_t i = 1; i < std::min(workers, count); ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace tutti::replay
