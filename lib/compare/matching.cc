#include "compare/matching.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/ascii.h"

namespace tfprof::compare {
namespace {

// Without `_12`, `.12`, `.clone` and `.remat` at the end, however many; a name is never emptied.
std::string_view WithoutCounters(std::string_view part) {
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view mark : {".clone", ".remat"}) {
      if (part.size() > mark.size() && part.ends_with(mark)) {
        part.remove_suffix(mark.size());
        again = true;
      }
    }
    size_t end = part.size();
    while (end > 0 && IsDigit(part[end - 1])) --end;
    if (end < part.size() && end > 1 && (part[end - 1] == '_' || part[end - 1] == '.')) {
      part = part.substr(0, end - 1);
      again = true;
    }
  }
  return part;
}

// Of an iterator, without the epoch that `ForeverRepeat[5]` counts: it tells when in training the profile was taken.
std::string WithoutEpochs(std::string_view name) {
  std::string out;
  for (size_t at = 0; at < name.size();) {
    size_t end = at + 1;
    while (name[at] == '[' && end < name.size() && IsDigit(name[end])) ++end;
    if (name[at] == '[' && end > at + 1 && end < name.size() && name[end] == ']') {
      at = end + 1;
    } else {
      out.push_back(name[at++]);
    }
  }
  return out;
}

// Orders `conv2d_9` before `conv2d_10`: runs of digits count by their value.
bool NaturallyLess(std::string_view a, std::string_view b) {
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (IsDigit(a[i]) && IsDigit(b[j])) {
      const auto digits = [](std::string_view text, size_t* at) {
        while (*at < text.size() && text[*at] == '0') ++*at;
        const size_t from = *at;
        while (*at < text.size() && IsDigit(text[*at])) ++*at;
        return text.substr(from, *at - from);
      };
      const std::string_view x = digits(a, &i), y = digits(b, &j);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
    } else {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
    }
  }
  const bool a_ended = i == a.size(), b_ended = j == b.size();
  return a_ended != b_ended ? a_ended : a < b;
}

using NormalKey = OpKey;  // with a normal name
struct Leftovers {
  std::vector<const OpKey*> base, next;
};

void SortByNumbers(std::vector<const OpKey*>* keys) {
  std::sort(keys->begin(), keys->end(),
            [](const OpKey* a, const OpKey* b) { return NaturallyLess(a->op_name, b->op_name); });
}

const OpKey& ShownKey(const MatchedKeys& match) { return match.next ? *match.next : *match.base; }

}  // namespace

std::string NormalName(std::string_view op_name) {
  if (op_name.starts_with("Iterator::")) return WithoutEpochs(op_name);
  std::string normal;
  for (size_t from = 0; from <= op_name.size();) {
    const size_t slash = std::min(op_name.find('/', from), op_name.size());
    normal += WithoutCounters(op_name.substr(from, slash - from));
    if (slash < op_name.size()) normal += '/';
    from = slash + 1;
  }
  return normal;
}

std::vector<MatchedKeys> MatchKeys(const std::vector<OpKey>& base, const std::vector<OpKey>& next) {
  std::vector<MatchedKeys> matches;
  std::map<NormalKey, Leftovers> leftovers;
  const auto leftovers_of = [&](const OpKey& key) -> Leftovers& {
    return leftovers[{key.side, key.op_type, NormalName(key.op_name)}];
  };
  for (const OpKey& key : base) {
    if (std::binary_search(next.begin(), next.end(), key)) {
      matches.push_back({key, key});
    } else {
      leftovers_of(key).base.push_back(&key);
    }
  }
  for (const OpKey& key : next) {
    if (!std::binary_search(base.begin(), base.end(), key)) leftovers_of(key).next.push_back(&key);
  }
  for (auto& [normal, left] : leftovers) {
    if (left.base.size() == left.next.size()) {
      SortByNumbers(&left.base);
      SortByNumbers(&left.next);
      for (size_t i = 0; i < left.base.size(); ++i) matches.push_back({*left.base[i], *left.next[i]});
    } else {
      for (const OpKey* key : left.base) matches.push_back({*key, std::nullopt});
      for (const OpKey* key : left.next) matches.push_back({std::nullopt, *key});
    }
  }
  std::sort(matches.begin(), matches.end(), [](const MatchedKeys& a, const MatchedKeys& b) {
    return std::pair(ShownKey(a), a.base) < std::pair(ShownKey(b), b.base);
  });
  return matches;
}

}  // namespace tfprof::compare
