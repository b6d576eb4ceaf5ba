#include "cli/output/object_list.h"

#include "wire/encode/encode.h"

namespace tutti::cli {

void write_objects(const store::Store& objects, const KindFilter& filter, session::Format format,
                   std::ostream& out) {
  session::ListWriter writer(format, out);
  for (std::size_t kind = 0; kind < model::kKindCount; ++kind) {
    for (const auto& object : objects.objects(static_cast<model::Kind>(kind))) {
      if (!filter.wants(*object)) continue;
      wire::Document document;
      writer.add(wire::encode(*object, document));
    }
  }
  writer.finish();
}

}  // namespace tutti::cli
