// Rules as they are typed: `METRIC["GLOB"].FIELD OPERATOR LIMIT`.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include "base/nearest.h"
#include "compare/check.h"
#include "compare/metrics.h"

namespace tfprof::compare {
namespace {

constexpr std::array<std::string_view, 6> kComparisons = {">=", "<=", "!=", "==", ">", "<"};
constexpr std::array<std::string_view, 3> kSetWords = {"changed", "new", "gone"};
constexpr std::array<std::string_view, 4> kBottlenecks = {"host", "device", "both", "unknown"};
constexpr size_t kLongestRule = 4096;

bool IsNameCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

// The name beside another one's metrics that was most likely meant: `; did you mean …?`, or nothing.
std::string Suggestion(std::string_view typed, const std::vector<std::string_view>& names) {
  const std::string_view nearest = NearestName(typed, names);
  return nearest.empty() ? std::string() : fmt::format("; did you mean {}?", nearest);
}

std::vector<std::string_view> MetricNames() {
  std::vector<std::string_view> names;
  for (const Metric& metric : AllMetrics()) names.push_back(metric.name);
  return names;
}

class RuleParser {
 public:
  explicit RuleParser(std::string_view text) : text_(text), rest_(text) {}

  Result<Rule> Parse() && {
    if (text_.size() > kLongestRule) return Usage(fmt::format("it is longer than {} characters", kLongestRule));
    SkipSpace();
    if (rest_.empty()) return Usage("it is empty; write METRIC OPERATOR LIMIT, such as steps.median > 5%");
    rule_.text = std::string(rest_.substr(0, rest_.find_last_not_of(" \t") + 1));
    if (Status bad = ParseMetric()) return *bad;
    SkipSpace();
    if (Status bad = ParseOperation()) return *bad;
    rule_.id = MadeId();
    return std::move(rule_);
  }

 private:
  Error Usage(std::string_view what) const {
    constexpr size_t kShown = 200;
    return {DiagCode::kUnreadableInput,
            fmt::format("rule \"{}{}\": {}", text_.substr(0, kShown), text_.size() > kShown ? "…" : "", what)};
  }

  void SkipSpace() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size())); }

  std::string_view TakeName() {
    size_t end = 0;
    while (end < rest_.size() && IsNameCharacter(rest_[end])) ++end;
    const std::string_view name = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return name;
  }

  Status ParseMetric() {
    std::string name(TakeName());
    if (!rest_.empty() && rest_[0] == '[') {
      if (Status bad = ParseSubject()) return bad;
      name += TakeName();
    }
    metric_ = FindMetric(name);
    if (metric_ == nullptr) return UnknownMetric(name);
    rule_.metric = name;
    if (rule_.subject && metric_->subject == SubjectUse::kNone) {
      return Usage(fmt::format("{} is of the whole run; leave out the brackets", name));
    }
    if (!rule_.subject && metric_->subject == SubjectUse::kRequired) {
      const size_t dot = name.find('.');
      return Usage(
          fmt::format("{} needs a name in brackets: {}[\"NAME\"]{}", name, name.substr(0, dot), name.substr(dot)));
    }
    return metric_->of == MetricOf::kQuality ? CheckCode() : kOk;
  }

  Status UnknownMetric(const std::string& name) const {
    const std::vector<std::string_view> names = MetricNames();
    // Of a family that there is, tell its fields; a letter may be wrong on either side of the dot.
    const std::string family = name.substr(0, name.find('.') + 1);
    std::vector<std::string_view> fields;
    for (const std::string_view known : names) {
      if (!family.empty() && known.starts_with(family)) fields.push_back(known.substr(family.size()));
    }
    const std::string suggestion = Suggestion(name, names);
    if (!fields.empty()) {
      return Usage(fmt::format("{} has no \"{}\", only {}{}", family.substr(0, family.size() - 1),
                               name.substr(family.size()), fmt::join(fields, ", "), suggestion));
    }
    if (name.empty()) return Usage(fmt::format("it names no metric; the metrics are {}", fmt::join(names, ", ")));
    return Usage(suggestion.empty()
                     ? fmt::format("there is no metric \"{}\"; the metrics are {}", name, fmt::join(names, ", "))
                     : fmt::format("there is no metric \"{}\"{}", name, suggestion));
  }

  // ["…"] or ['…']; a backslash takes the next character as it is.
  Status ParseSubject() {
    rest_.remove_prefix(1);
    SkipSpace();
    if (rest_.empty() || (rest_[0] != '"' && rest_[0] != '\'')) {
      return Usage("in brackets stands a name in quotes, such as ops[\"*MatMul*\"]");
    }
    const char quote = rest_[0];
    std::string subject;
    size_t i = 1;
    for (; i < rest_.size() && rest_[i] != quote; ++i) {
      if (rest_[i] == '\\' && i + 1 < rest_.size()) ++i;
      subject.push_back(rest_[i]);
    }
    if (i >= rest_.size()) return Usage(fmt::format("the closing {} is missing", quote));
    rest_.remove_prefix(i + 1);
    SkipSpace();
    if (rest_.empty() || rest_[0] != ']') return Usage("the closing ] is missing");
    rest_.remove_prefix(1);
    if (subject.empty()) return Usage("the name in brackets is empty; * stands for all");
    rule_.subject = std::move(subject);
    return kOk;
  }

  Status CheckCode() const {
    std::vector<std::string_view> codes;
    for (int code = 0; code < static_cast<int>(DiagCode::kCount); ++code) {
      codes.push_back(CodeName(static_cast<DiagCode>(code)));
    }
    const bool known = std::any_of(codes.begin(), codes.end(),
                                   [this](std::string_view code) { return GlobMatches(*rule_.subject, code); });
    if (known) return kOk;
    return Usage(fmt::format("there is no diagnostic \"{}\"{}", *rule_.subject, Suggestion(*rule_.subject, codes)));
  }

  Status ParseOperation() {
    if (metric_->unit == MetricUnit::kState) return ParseState();
    for (const std::string_view comparison : kComparisons) {
      if (!rest_.starts_with(comparison)) continue;
      rule_.operation = std::string(comparison);
      rest_.remove_prefix(comparison.size());
      SkipSpace();
      return metric_->unit == MetricUnit::kWord ? ParseWord() : ParseLimit();
    }
    const std::string_view word = TakeWord();
    if (word != "changed") {
      const std::string got = rest_.empty() && word.empty() ? "it ends" : fmt::format("\"{}{}\" stands", word, rest_);
      return Usage(fmt::format("{} where one of >, >=, <, <=, ==, != or changed is expected", got));
    }
    rule_.operation = std::string(word);
    rule_.relative_to_base = true;
    return CheckExact();
  }

  // The rest, if it is one word.
  std::string_view TakeWord() {
    std::string_view word = rest_.substr(0, rest_.find_last_not_of(" \t") + 1);
    if (word.find_first_of(" \t") != std::string_view::npos) return {};
    rest_ = {};
    return word;
  }

  Status ParseState() {
    const std::string_view typed = rest_;
    const std::string_view word = TakeWord();
    if (metric_->of != MetricOf::kOpSet) {
      if (word.empty() && typed.empty()) return kOk;
      return Usage(fmt::format("{} is true or not; nothing stands behind it", metric_->name));
    }
    if (std::find(kSetWords.begin(), kSetWords.end(), word) == kSetWords.end()) {
      return Usage(fmt::format("behind op_set stands one of {}{}", fmt::join(kSetWords, ", "),
                               Suggestion(word, {kSetWords.begin(), kSetWords.end()})));
    }
    rule_.operation = std::string(word);
    rule_.relative_to_base = true;
    return kOk;
  }

  Status ParseWord() {
    std::string_view word = TakeWord();
    if (rule_.operation != "==" && rule_.operation != "!=") {
      return Usage(fmt::format("{} is a word; it can only be == or != another one", metric_->name));
    }
    if (word == "base") {
      rule_.relative_to_base = true;
      return kOk;
    }
    if (word.size() >= 2 && (word[0] == '"' || word[0] == '\'') && word.back() == word[0]) {
      word = word.substr(1, word.size() - 2);
    }
    if (std::find(kBottlenecks.begin(), kBottlenecks.end(), word) == kBottlenecks.end()) {
      return Usage(fmt::format("\"{}\" is none of {} or base{}", word, fmt::join(kBottlenecks, ", "),
                               Suggestion(word, {kBottlenecks.begin(), kBottlenecks.end()})));
    }
    rule_.word = std::string(word);
    return kOk;
  }

  Status ParseLimit() {
    std::string_view limit = rest_.substr(0, rest_.find_last_not_of(" \t") + 1);
    if (limit.empty()) return Usage("the limit is missing");
    if (limit.starts_with("base")) {
      limit.remove_prefix(4);
      rule_.relative_to_base = true;
      const size_t sign = limit.find_first_not_of(" \t");
      if (sign == std::string_view::npos) return CheckExact();
      if (limit[sign] != '+' && limit[sign] != '-') return BadRelative();
      const bool less = limit[sign] == '-';
      limit.remove_prefix(std::min(limit.find_first_not_of(" \t", sign + 1), limit.size()));
      return ParsePercentage(limit, less);
    }
    // A fraction is one of the whole, not of the base.
    if (limit.ends_with('%') && metric_->unit != MetricUnit::kFraction) {
      const bool less = limit[0] == '-';
      if (limit[0] == '-' || limit[0] == '+') limit.remove_prefix(1);
      rule_.relative_to_base = true;
      return ParsePercentage(limit, less);
    }
    const Result<double> value = ParseQuantity(limit, metric_->unit);
    if (!value) return Usage(value.error().message);
    rule_.limit = value.value();
    return kOk;
  }

  Status BadRelative() const { return Usage("against the base a limit is base, base + 5% or base - 5%"); }

  Status ParsePercentage(std::string_view text, bool less) {
    if (!text.ends_with('%')) return BadRelative();
    text.remove_suffix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    double percent = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), percent);
    if (failed == std::errc::result_out_of_range || (failed == std::errc() && !std::isfinite(percent))) {
      return Usage(fmt::format("\"{}%\" is no finite number", text));
    }
    if (failed != std::errc() || end != text.data() + text.size() || std::signbit(percent)) return BadRelative();
    if (less && percent > 100) return Usage("nothing can be less than the base by more than 100%");
    rule_.limit = (less ? -percent : percent) / 100;
    return CheckExact();
  }

  // Times of two runs are never the same: equality would tell of noise.
  Status CheckExact() const {
    const bool equality = rule_.operation == "==" || rule_.operation == "!=" || rule_.operation == "changed";
    if (metric_->exact || !equality) return kOk;
    return Usage(fmt::format("{} is never the same twice; ask for more or less, such as {} > base + 5%", metric_->name,
                             metric_->name));
  }

  // Letters, digits and dots of the text, one hyphen for the rest, operators spelled out.
  std::string MadeId() const {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kSpelled = {
        {{">=", "ge"}, {"<=", "le"}, {"!=", "ne"}, {"==", "eq"}, {">", "gt"}, {"<", "lt"}}};
    std::string id = rule_.metric;
    std::string tail("-");
    tail.append(rule_.subject.value_or(""));
    std::string_view operation = rule_.operation;
    for (const auto& [sign, word] : kSpelled) {
      if (operation == sign) operation = word;
    }
    tail.append(" ").append(operation);
    const size_t at = rule_.operation.empty() ? std::string::npos : rule_.text.rfind(rule_.operation);
    if (at != std::string::npos) tail.append(" ").append(rule_.text.substr(at + rule_.operation.size()));
    for (const char c : tail) {
      if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.') {
        id.push_back(c);
      } else if (id.back() != '-') {
        id.push_back('-');
      }
    }
    while (id.back() == '-') id.pop_back();
    return id;
  }

  std::string_view text_, rest_;
  const Metric* metric_ = nullptr;
  Rule rule_;
};

}  // namespace

Result<Rule> ParseRule(std::string_view text) { return RuleParser(text).Parse(); }

void AddRule(Rule rule, RuleSet* set) {
  const auto [made, is_new] = set->ids.emplace(rule.id, 0);
  for (bool is_free = is_new; !is_free;) {
    rule.id = fmt::format("{}-{}", made->first, 2 + made->second++);
    is_free = set->ids.emplace(rule.id, 0).second;
  }
  set->rules.push_back(std::move(rule));
}

}  // namespace tfprof::compare
