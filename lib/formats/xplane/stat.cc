#include "formats/xplane/stat.h"

namespace tfprof::xplane {

using wire::Field;
using wire::FieldReader;
using wire::WireType;

Stat ParseStat(Bytes message) {
  Stat stat;
  FieldReader reader(message);
  Field field;
  for (;;) {
    const wire::Next next = reader.Read(&field);
    if (next != wire::Next::kField) {
      stat.broken = next == wire::Next::kBroken;
      return stat;
    }
    switch (field.number) {
      case 1:
        if (field.type == WireType::kVarint) stat.metadata_id = field.as_int64();
        break;
      case 2:
        if (field.type != WireType::kFixed64) break;
        stat.slot = Stat::Slot::kDouble;
        stat.bits = field.bits;
        break;
      case 3:
      case 4:
      case 7:
        if (field.type != WireType::kVarint) break;
        stat.slot = static_cast<Stat::Slot>(field.number);
        stat.bits = field.bits;
        break;
      case 5:
      case 6:
        if (field.type != WireType::kBytes) break;
        stat.slot = static_cast<Stat::Slot>(field.number);
        stat.text = field.bytes;
        break;
      default:
        break;
    }
  }
}

bool StatCursor::NextChecked(Stat* stat) {
  FieldReader reader(p_, end_);
  Field field;
  while (reader.Read(&field) == wire::Next::kField) {
    if (field.number == tag_ >> 3 && field.type == WireType::kBytes) {
      *stat = ParseStat(field.bytes);
      p_ = reader.position();
      return true;
    }
  }
  p_ = end_;
  return false;
}

}  // namespace tfprof::xplane
