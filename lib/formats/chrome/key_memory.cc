#include "formats/chrome/key_memory.h"

#include <algorithm>
#include <unordered_map>

namespace tfprof::chrome {
namespace {

Member ArgMember(ArgKey key) {
  return static_cast<Member>(static_cast<size_t>(Member::kFirstArg) + static_cast<size_t>(key));
}

}  // namespace

Member MemberOf(std::string_view key, bool in_args) {
  static const std::unordered_map<std::string_view, Member> kFields = {
      {"ph", Member::kPhase},   {"name", Member::kName},    {"cat", Member::kCategory}, {"pid", Member::kProcess},
      {"tid", Member::kThread}, {"ts", Member::kTimestamp}, {"dur", Member::kDuration}, {"args", Member::kArgs},
  };
  static const std::unordered_map<std::string_view, ArgKey> kArgs = {
      {"name", ArgKey::kName},
      {"op", ArgKey::kOp},
      {"long_name", ArgKey::kLongName},
      {"tf_op", ArgKey::kTfOp},
      {"annotation", ArgKey::kAnnotation},
      {"hlo_op", ArgKey::kHloOp},
      {"correlation", ArgKey::kCorrelation},
      {"correlation_id", ArgKey::kCorrelation},
      {"External id", ArgKey::kExternalId},
      {"external id", ArgKey::kExternalId},
      {"device", ArgKey::kDevice},
      {"is_eager", ArgKey::kIsEager},
      {"hlo_category", ArgKey::kHloCategory},
      {"level 0", ArgKey::kLevel0},
      {"group_id", ArgKey::kGroupId},
      {"step_num", ArgKey::kStepNum},
  };
  if (in_args) {
    const auto at = kArgs.find(key);
    return at == kArgs.end() ? Member::kSkipped : ArgMember(at->second);
  }
  const auto at = kFields.find(key);
  return at == kFields.end() ? Member::kSkipped : at->second;
}

KeyMemory::Known* KeyMemory::Search(Known* previous, const char* p, bool in_args) {
  for (size_t i = 0; i < size_; ++i) {
    if (keys_[i].in_args == in_args && keys_[i].Is(p)) return previous->next = &keys_[i];
  }
  return nullptr;
}

KeyMemory::Known* KeyMemory::Learn(Known* previous, std::string_view key, Member member, bool in_args) {
  const size_t length = key.size() + 2;
  if (length > kBytes || size_ == kMostKeys) return &nowhere_;
  std::array<char, kBytes> text = {};
  std::memcpy(text.data(), key.data(), key.size());
  std::memcpy(text.data() + key.size(), "\":", 2);
  if (Known* known = Search(previous, text.data(), in_args)) return known;  // a blank stood before its colon
  Known& known = keys_[size_++];
  known.text = text;
  std::memset(known.mask, 0xff, std::min(length, sizeof known.mask));
  known.length = static_cast<uint32_t>(length);
  known.member = member;
  known.in_args = in_args;
  known.next = &nowhere_;
  return previous->next = &known;
}

}  // namespace tfprof::chrome
