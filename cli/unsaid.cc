#include "cli/unsaid.h"

#include <algorithm>
#include <vector>

namespace tfprof::cli {

void AddUnsaid(const Diagnostics& found, Diagnostics* said) {
  const std::vector<Diagnostic> before = said->items();
  for (const Diagnostic& item : found.items()) {
    const bool known = std::any_of(before.begin(), before.end(), [&](const Diagnostic& other) {
      return other.code == item.code && other.message == item.message;
    });
    if (!known) said->Add(item.code, item.message, item.count);
  }
}

}  // namespace tfprof::cli
