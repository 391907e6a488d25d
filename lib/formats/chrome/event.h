// One element of a Chrome trace's event array, as views into its text.
//
// Values are kept as written (`JsonValue`): numbers as their digits, strings without their quotes and still escaped.
// Of `args` only the keys that some dialect needs are picked out (`ArgKey`), whatever stands around them. Duplicate
// keys: the last one counts. Format: reference chrome_trace.md; Trace Event Format.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace tfprof::chrome {

struct JsonValue {
  enum class Kind : uint8_t { kAbsent, kNull, kBool, kNumber, kString, kObject, kArray };

  const char* data = nullptr;
  uint32_t size = 0;
  Kind kind = Kind::kAbsent;
  bool escaped = false;  // kString: the text holds escapes that Decode resolves

  // kString: between the quotes; otherwise the value's text (of an object or array perhaps only its beginning).
  std::string_view raw() const { return {data, size}; }
  bool present() const { return kind != Kind::kAbsent; }
  bool is_string() const { return kind == Kind::kString; }
  bool is_number() const { return kind == Kind::kNumber; }
};

// Text of a string value: escapes resolved (`\u` pairs to UTF-8, lone surrogates to U+FFFD), bytes otherwise as they
// are. Numbers give their digits, anything else "".
std::string Decode(const JsonValue& value);

// The same as a view: into `scratch` where there are escapes to resolve, else into the text. Made for comparing values,
// which a writer may spell with escapes as it likes.
std::string_view DecodeTo(const JsonValue& value, std::string* scratch);
inline std::string_view TextOf(const JsonValue& value, std::string* scratch) {
  if (value.escaped) [[unlikely]]
    return DecodeTo(value, scratch);
  return value.is_string() || value.is_number() ? value.raw() : std::string_view();
}

// Keys of `args` that dialects look at; the names in files stand in element.cc.
enum class ArgKey : uint8_t {
  kName,      // TF1: node name; M events: the name given; JAX: framework name
  kOp,        // TF1: op type
  kLongName,  // TF2
  kTfOp,
  kAnnotation,
  kHloOp,
  kCorrelation,  // Kineto `correlation`; TF2 `correlation_id`
  kExternalId,   // Kineto `External id` / `external id`
  kDevice,       // Kineto `device`
  kIsEager,
  kHloCategory,
  kLevel0,  // `level 0`
  kGroupId,
  kStepNum,
  kCount
};

// A set of argument keys, a bit each.
using ArgSet = uint32_t;
constexpr ArgSet SetOf(ArgKey key) { return ArgSet{1} << static_cast<unsigned>(key); }

// Reused from element to element: Reset touches a few words, whatever was in it.
struct TraceEvent {
  char phase = 0;  // 0: no `ph`, or not one character
  bool has_args = false;
  bool empty = false;   // the element is `{}`
  ArgSet args = 0;      // the arguments that are there
  uint64_t offset = 0;  // of the element in the (decompressed) text
  JsonValue name, category, process, thread, timestamp, duration;

  void Reset() {
    phase = 0;
    has_args = empty = false;
    args = 0;
    for (JsonValue* value : {&name, &category, &process, &thread, &timestamp, &duration}) *value = JsonValue();
  }

  bool has(ArgKey key) const { return (args & SetOf(key)) != 0; }
  const JsonValue& arg(ArgKey key) const {
    static constexpr JsonValue kAbsent;
    return has(key) ? arg_values_[static_cast<size_t>(key)] : kAbsent;
  }
  // The place of an argument that is there.
  JsonValue* AddArg(ArgKey key) {
    args |= SetOf(key);
    return &arg_values_[static_cast<size_t>(key)];
  }

 private:
  std::array<JsonValue, static_cast<size_t>(ArgKey::kCount)> arg_values_;
};

}  // namespace tfprof::chrome
