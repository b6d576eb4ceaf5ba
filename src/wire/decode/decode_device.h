// The part of a claim that is both read and, when it changed, written anew.
#pragma once

#include "model/device.h"
#include "wire/decode/field_reader.h"

namespace tutti::wire {

void read(const Field& at, model::Allocation& out);

}  // namespace tutti::wire
