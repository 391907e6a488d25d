// The result of something that can fail: a value or an `Error`.
//
// Library code neither throws nor prints; an `Error` carries what a person needs (which file, which byte, what to do)
// and the diagnostic code that it becomes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/diagnostics.h"

namespace tfprof {

struct Error {
  DiagCode code = DiagCode::kUnreadableInput;
  std::string message;  // whole sentence with file and offset
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT: implicit on purpose
  Result(Error error) : state_(std::move(error)) {}  // NOLINT: implicit on purpose

  bool ok() const { return std::holds_alternative<T>(state_); }
  explicit operator bool() const { return ok(); }
  T& value() { return std::get<T>(state_); }
  const T& value() const { return std::get<T>(state_); }
  T& operator*() { return value(); }
  T* operator->() { return &value(); }
  const Error& error() const { return std::get<Error>(state_); }

 private:
  std::variant<T, Error> state_;
};

// Success, or an Error.
using Status = std::optional<Error>;
inline constexpr std::nullopt_t kOk = std::nullopt;

}  // namespace tfprof
