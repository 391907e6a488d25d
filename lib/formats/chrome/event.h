// One element of a Chrome trace's event array, as views into its text.
//
// Values are kept as written (`JsonValue`): numbers as their digits, strings without their quotes and still escaped.
// Of `args` only the keys that some dialect needs are picked out (`ArgKey`), whatever stands around them. Duplicate keys:
// the last one counts. Format: reference chrome_trace.md; Trace Event Format.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace tfprof::chrome {

struct JsonValue {
  enum class Kind : uint8_t { kAbsent, kNull, kBool, kNumber, kString, kObject, kArray };
  Kind kind = Kind::kAbsent;
  bool escaped = false;   // kString: `raw` holds escapes (or raw control characters) that Decode resolves
  std::string_view raw;   // kString: between the quotes; otherwise the value's text

  bool present() const { return kind != Kind::kAbsent; }
  bool is_string() const { return kind == Kind::kString; }
  bool is_number() const { return kind == Kind::kNumber; }
};

// Text of a string value: escapes resolved (`\u` pairs to UTF-8, lone surrogates to U+FFFD), bytes otherwise as they are.
// Numbers give their digits, anything else "".
std::string Decode(const JsonValue& value);

// Keys of `args` that dialects look at; the names in files stand beside kArgNames in event.cc.
enum class ArgKey : uint8_t {
  kName,         // TF1: node name; M events: the name given; JAX: framework name
  kOp,           // TF1: op type
  kLongName,     // TF2
  kTfOp,
  kAnnotation,
  kHloOp,
  kCorrelation,  // Kineto `correlation`; TF2 `correlation_id`
  kExternalId,   // Kineto `External id` / `external id`
  kDevice,       // Kineto `device`
  kIsEager,
  kDeviceOffset,    // TPU `device_offset_ps`
  kDeviceDuration,  // TPU `device_duration_ps`
  kHloCategory,
  kLevel0,          // `level 0`
  kCount
};

struct TraceEvent {
  char phase = 0;  // 0: no `ph`, or not one character
  JsonValue name, category, process, thread, timestamp, duration;
  std::array<JsonValue, static_cast<size_t>(ArgKey::kCount)> args;
  bool has_args = false;
  bool empty = false;     // the element is `{}`
  uint64_t offset = 0;    // of the element in the (decompressed) text

  const JsonValue& arg(ArgKey key) const { return args[static_cast<size_t>(key)]; }
};

}  // namespace tfprof::chrome
