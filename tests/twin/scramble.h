// Makes other XSpaces out of one: what another writer, or a damaged disk, could have made of it.
#pragma once

#include <random>
#include <string>
#include <string_view>

namespace tfprof::twin {

using Random = std::mt19937_64;

// Still an XSpace: fields of all messages in another order, unknown fields of every wire type and groups between them,
// varints longer than they need to be, some fields given twice or left out, some numbers replaced by extreme ones.
std::string Scramble(std::string_view xspace, Random* random);

// Perhaps none any more: bytes flipped, cut out, repeated, or the end missing.
std::string Damage(std::string_view bytes, Random* random);

}  // namespace tfprof::twin
