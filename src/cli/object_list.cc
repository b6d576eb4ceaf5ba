#include "cli/object_list.h"

#include "wire/kinds/encode.h"

namespace tutti::cli {

void write_objects(const store::Store& objects, const KindFilter& filter, Format format,
                   std::ostream& out) {
  ListWriter writer(format, out);
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
