// Pseudonyms: objects without the names that people gave them.
//
// Every name of an object becomes "x-NUMBER" wherever it is a whole string: in metadata,
// references, hostnames in labels. Numbers follow the order of the names, because ties in a
// decision are broken by name: what is decided about the copy is what is decided about the
// original. Words of people (messages, annotations of tools) are left out, as they may contain
// names.
#pragma once

#include "base/std.h"
#include "wire/document.h"

namespace tutti::snapshot {

// Requires arrays of objects.
void use_pseudonyms(std::span<wire::Document> pages);

}  // namespace tutti::snapshot
