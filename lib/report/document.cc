#include "report/document.h"

namespace tfprof::report {

// Here rather than in the header: a Value holds Members, which are complete only after it.
Value::Value() : value_(nullptr) {}
Value::Value(std::nullptr_t) : value_(nullptr) {}
Value::Value(bool value) : value_(value) {}
Value::Value(uint64_t value) : value_(value) {}
Value::Value(double value) : value_(value) {}
Value::Value(Picoseconds value) : value_(value) {}
Value::Value(std::string value) : value_(std::move(value)) {}
Value::Value(std::string_view value) : value_(std::string(value)) {}
Value::Value(const char* value) : value_(std::string(value)) {}
Value::Value(Array value) : value_(std::move(value)) {}
Value::Value(Object value) : value_(std::move(value)) {}
Value::Value(TablePtr value) : value_(std::move(value)) {}
Value::Value(const Value&) = default;
Value::Value(Value&&) noexcept = default;
Value& Value::operator=(const Value&) = default;
Value& Value::operator=(Value&&) noexcept = default;
Value::~Value() = default;

}  // namespace tfprof::report
