// The name that somebody who mistyped one most likely meant.
//
// Distance is Damerau–Levenshtein (insert, delete, replace, swap neighbours); a name counts as near when at most a
// third of its letters, but at least one, differ, or when one of the two begins with the other. Ties go to the first
// name.
#pragma once

#include <string_view>
#include <vector>

namespace tfprof {

// "" when no name is near.
std::string_view NearestName(std::string_view typed, const std::vector<std::string_view>& names);

}  // namespace tfprof
