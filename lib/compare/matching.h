// Which op of the base is which op of the new side, although a counter in its name changed.
//
// The rule, in order: (1) the same key; (2) of the keys left over, those of one side, type and normal name, if both
// sides have equally many of them: they are paired in the order of the numbers in their names. Everything else is gone
// or new; sums by type show whether that is only a rename. A normal name is the name without the counters that
// TensorFlow, Keras and XLA append: `conv2d_3/Conv2D_1` is `conv2d/Conv2D`, `loop_add_fusion.12.clone` is
// `loop_add_fusion`; and without the epochs of tf.data's iterators: `Iterator::Root::ForeverRepeat[5]::Map` is
// `Iterator::Root::ForeverRepeat::Map`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/run_profile.h"

namespace tfprof::compare {

std::string NormalName(std::string_view op_name);

struct MatchedKeys {
  std::optional<OpKey> base, next;  // one at least
};

// Keys sorted and unique. The result is sorted by the key of the new side, or the base's where it is gone.
std::vector<MatchedKeys> MatchKeys(const std::vector<OpKey>& base, const std::vector<OpKey>& next);

}  // namespace tfprof::compare
