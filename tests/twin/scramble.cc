#include "scramble.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "wire/reader.h"

namespace tfprof::twin {

namespace {

using wire::Field;
using wire::WireType;

enum class Message { kXSpace, kXPlane, kXLine, kXEvent, kXStat, kEventMetadata, kMapOfEvents, kMapOfStats, kOther };

// Type of the message in a length-delimited field; kOther: it is text, or its inside doesn't matter.
Message Inside(Message outer, uint32_t field) {
  switch (outer) {
    case Message::kXSpace:
      return field == 1 ? Message::kXPlane : Message::kOther;
    case Message::kXPlane:
      if (field == 3) return Message::kXLine;
      if (field == 4) return Message::kMapOfEvents;
      if (field == 5) return Message::kMapOfStats;
      return field == 6 ? Message::kXStat : Message::kOther;
    case Message::kXLine:
      return field == 4 ? Message::kXEvent : Message::kOther;
    case Message::kXEvent:
      return field == 4 ? Message::kXStat : Message::kOther;
    case Message::kEventMetadata:
      return field == 5 ? Message::kXStat : Message::kOther;
    case Message::kMapOfEvents:
      return field == 2 ? Message::kEventMetadata : Message::kOther;
    default:
      return Message::kOther;
  }
}

class Scrambler {
 public:
  explicit Scrambler(Random* random) : random_(*random) {
    wild_ = Chance(2);
    shuffle_ = Chance(2);
  }

  std::string Rewrite(std::string_view message, Message type) {
    std::vector<std::string> fields;
    wire::FieldReader reader(message);
    Field field;
    while (reader.Read(&field) == wire::Next::kField) {
      if (wild_ && Chance(200)) continue;
      fields.push_back(RewriteField(field, type));
      if (wild_ && MayRepeat(type) && Chance(200)) fields.push_back(RewriteField(field, type));
      if (Chance(100)) fields.push_back(Unknown());
    }
    if (shuffle_ && Chance(3)) std::shuffle(fields.begin(), fields.end(), random_);
    std::string out;
    for (const std::string& f : fields) out += f;
    return out;
  }

 private:
  bool Chance(uint64_t one_in) { return random_() % one_in == 0; }

  // Not a map's entry that holds its value twice: libprotobuf merges the two, other readers take the last one.
  static bool MayRepeat(Message type) { return type != Message::kMapOfEvents && type != Message::kMapOfStats; }

  std::string Varint(uint64_t value) {
    std::string out;
    for (; value > 127; value >>= 7) out += static_cast<char>((value & 127) | 128);
    out += static_cast<char>(value);
    // A longer spelling of the same number, as writers make that reserve room for a length.
    while (Chance(50) && out.size() < 5) {
      out.back() = static_cast<char>(out.back() | 128);
      out += '\0';
    }
    return out;
  }

  std::string Tag(uint32_t number, WireType type) { return Varint(uint64_t{number} << 3 | static_cast<uint8_t>(type)); }

  std::string Fixed(uint64_t bits, size_t size) {
    return {reinterpret_cast<const char*>(&bits), size};  // little endian, as the reader has it
  }

  std::string RewriteField(const Field& field, Message type) {
    const std::string tag = Tag(field.number, field.type);
    switch (field.type) {
      case WireType::kVarint:
        return tag + Varint(wild_ && Chance(50) ? Extreme() : field.bits);
      case WireType::kFixed64:
        return tag + Fixed(field.bits, 8);
      case WireType::kFixed32:
        return tag + Fixed(field.bits, 4);
      case WireType::kGroup:
        return tag + std::string(field.bytes) + Tag(field.number, WireType::kEndGroup);
      default: {
        const Message inside = Inside(type, field.number);
        const std::string body = inside == Message::kOther ? std::string(field.bytes) : Rewrite(field.bytes, inside);
        return tag + Varint(body.size()) + body;
      }
    }
  }

  uint64_t Extreme() {
    constexpr uint64_t kValues[] = {0,
                                    1,
                                    127,
                                    128,
                                    16383,
                                    16384,
                                    uint64_t{1} << 31,
                                    uint64_t{1} << 32,
                                    uint64_t{1} << 63,
                                    std::numeric_limits<uint64_t>::max(),
                                    std::numeric_limits<int64_t>::max()};
    return Chance(2) ? random_() >> (random_() % 64) : kValues[random_() % std::size(kValues)];
  }

  // A field that no XSpace message has.
  std::string Unknown() {
    const auto number = static_cast<uint32_t>(100 + random_() % 1000000);
    switch (random_() % 5) {
      case 0:
        return Tag(number, WireType::kVarint) + Varint(random_());
      case 1:
        return Tag(number, WireType::kFixed64) + Fixed(random_(), 8);
      case 2:
        return Tag(number, WireType::kFixed32) + Fixed(random_(), 4);
      case 3: {
        const std::string body(random_() % 300, '\x0a');
        return Tag(number, WireType::kBytes) + Varint(body.size()) + body;
      }
      default:
        return Tag(number, WireType::kGroup) + Tag(1, WireType::kVarint) + Varint(random_()) +
               Tag(2, WireType::kGroup) + Tag(2, WireType::kEndGroup) + Tag(number, WireType::kEndGroup);
    }
  }

  Random& random_;
  bool wild_;     // numbers and fields change, not only how they are written
  bool shuffle_;  // fields change places
};

}  // namespace

std::string Scramble(std::string_view xspace, Random* random) {
  return Scrambler(random).Rewrite(xspace, Message::kXSpace);
}

std::string Damage(std::string_view bytes, Random* random) {
  std::string out(bytes);
  const uint64_t hits = 1 + (*random)() % 4;
  for (uint64_t i = 0; i < hits && !out.empty(); ++i) {
    const size_t at = (*random)() % out.size();
    const size_t size = std::min<size_t>(1 + (*random)() % 20, out.size() - at);
    switch ((*random)() % 5) {
      case 0:
        out[at] = static_cast<char>((*random)());
        break;
      case 1:
        out[at] = static_cast<char>(out[at] ^ (1 << ((*random)() % 8)));
        break;
      case 2:
        out.erase(at, size);
        break;
      case 3:
        out.insert(at, out.substr(at, size));
        break;
      default:
        out.resize(at);
        break;
    }
  }
  return out;
}

}  // namespace tfprof::twin
