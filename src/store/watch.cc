#include "store/watch.h"

#include "store/store.h"

namespace tutti::store {

Result<std::vector<WatchEvent>> Watch::poll(std::size_t max) {
  auto events = store_->changes_after(seen_, max);
  if (events.ok() && !events->empty()) seen_ = events->back().version;
  return events;
}

bool Watch::behind() const { return seen_ < store_->version(); }

}  // namespace tutti::store
