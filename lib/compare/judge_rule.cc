#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "compare/judge.h"
#include "compare/metrics.h"
#include "compare/statistics.h"
#include "compare/step_evidence.h"

namespace tfprof::compare {
namespace {

// One thing that a rule is held against.
struct Subject {
  std::optional<OpKey> op;
  std::string name;                // for people
  std::vector<double> base, next;  // one per run
};

bool Holds(double value, const std::string& operation, double limit) {
  if (operation == ">") return value > limit;
  if (operation == ">=") return value >= limit;
  if (operation == "<") return value < limit;
  if (operation == "<=") return value <= limit;
  return operation == "==" ? value == limit : value != limit;
}

std::string DontTell(size_t count) { return count == 1 ? "the new run doesn't tell" : "the new runs don't tell"; }

std::string Listed(const std::vector<std::string>& names) {
  constexpr size_t kShown = 5;
  const size_t shown = std::min(names.size(), kShown);
  std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<ptrdiff_t>(shown), ", "));
  if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

class Judge {
 public:
  Judge(const Rule& rule, const JudgeContext& context)
      : rule_(rule), context_(context), metric_(*FindMetric(rule.metric)) {}

  std::vector<Finding> Judged() && {
    // Whatever else differs, which ops there are is a fact of both sides.
    if (rule_.relative_to_base && context_.prevents != nullptr && metric_.of != MetricOf::kOpSet) {
      return {Inconclusive(CannotCompare(*context_.prevents))};
    }
    if (metric_.of == MetricOf::kOpSet) return {JudgeOpSet()};
    if (metric_.unit == MetricUnit::kWord) return {JudgeWord()};
    if (metric_.unit == MetricUnit::kState) return {JudgeState()};
    if (metric_.of == MetricOf::kRun || (metric_.of == MetricOf::kAllocator && !rule_.subject)) return {JudgeRun()};
    return JudgeSubjects();
  }

 private:
  Finding Start(std::string message) const {
    Finding finding;
    finding.rule_id = rule_.id;
    finding.rule_text = rule_.text;
    finding.line = rule_.line;
    finding.metric = rule_.metric;
    finding.unit = UnitId(metric_.unit);
    finding.message = std::move(message);
    return finding;
  }

  Finding Inconclusive(const std::string& why) const {
    Finding finding = Start(fmt::format("can't tell whether {}: {}", rule_.text, why));
    finding.verdict = Verdict::kInconclusive;
    return finding;
  }

  Finding Decided(std::string message, bool broken) const {
    Finding finding = Start(std::move(message));
    finding.broken_rule = broken;
    finding.verdict = broken ? Verdict::kRegressed : Verdict::kUnchanged;
    return finding;
  }

  Finding JudgeOpSet() const {
    std::vector<std::string> appeared, vanished;
    for (const ChangeRow& row : context_.comparison->rows) {
      if (row.kind != RowKind::kOp) continue;
      if (row.presence == Presence::kNew && rule_.operation != "gone") appeared.push_back(row.key.op_name);
      if (row.presence == Presence::kGone && rule_.operation != "new") vanished.push_back(row.key.op_name);
    }
    std::string message = "op_set: ";
    if (appeared.empty() && vanished.empty()) {
      message += rule_.operation == "new" ? "no op is new" : rule_.operation == "gone" ? "no op is gone" : "unchanged";
    }
    if (!appeared.empty()) message += fmt::format("{} new ({})", appeared.size(), Listed(appeared));
    if (!appeared.empty() && !vanished.empty()) message += ", ";
    if (!vanished.empty()) message += fmt::format("{} gone ({})", vanished.size(), Listed(vanished));
    const bool broken = !appeared.empty() || !vanished.empty();
    Finding finding = Decided(std::move(message), broken);
    finding.value = static_cast<double>(appeared.size() + vanished.size());
    finding.unit = UnitId(MetricUnit::kCount);
    return finding;
  }

  Finding JudgeWord() const {
    std::vector<std::string> base, next;
    for (const RunProfile& run : context_.base) base.push_back(run.bottleneck);
    for (const RunProfile& run : context_.next) next.push_back(run.bottleneck);
    const auto untold = [](const std::vector<std::string>& words) {
      return std::find(words.begin(), words.end(), "") != words.end();
    };
    if (untold(next)) return Inconclusive(fmt::format("{} of a bottleneck", DontTell(next.size())));
    if (rule_.relative_to_base && untold(base)) return Inconclusive("the base doesn't tell of a bottleneck");
    const std::vector<std::string> wanted = rule_.relative_to_base ? base : std::vector<std::string>{rule_.word};
    const auto is_wanted = [&](const std::string& word) {
      return std::find(wanted.begin(), wanted.end(), word) != wanted.end();
    };
    const bool equality = rule_.operation == "==";
    const auto breaking =
        std::find_if(next.begin(), next.end(), [&](const auto& w) { return is_wanted(w) == equality; });
    const bool broken = breaking != next.end();
    std::string message = "bottleneck is " + (broken ? *breaking : next.front());
    if (rule_.relative_to_base) message += fmt::format(", in the base {}", base.front());
    return Decided(std::move(message), broken);
  }

  Finding JudgeState() const {
    std::vector<std::string> damaged;
    for (const RunProfile& run : context_.next) {
      if (*metric_.of_run(run) != 0) damaged.push_back(run.label);
    }
    if (damaged.empty()) return Decided("quality: nothing is damaged", false);
    return Decided(fmt::format("quality: damaged ({})", Listed(damaged)), true);
  }

  Finding JudgeRun() const {
    Subject subject;
    subject.name = rule_.metric;
    const bool of_steps = !metric_.exact && rule_.metric.starts_with("steps.");
    if (of_steps) {
      const auto base = rule_.relative_to_base ? context_.base : std::span<const RunProfile>();
      if (const std::string why = WhyStepsDontTell(base, context_.next); !why.empty()) return Inconclusive(why);
    }
    const auto read = [&](std::span<const RunProfile> runs, std::vector<double>* values) {
      for (const RunProfile& run : runs) {
        const std::optional<double> value = metric_.of_run(run);
        if (!value) return false;
        values->push_back(*value);
      }
      return true;
    };
    if (!read(context_.next, &subject.next)) {
      return Inconclusive(fmt::format("{} {}", DontTell(context_.next.size()), rule_.metric));
    }
    if (rule_.relative_to_base && !read(context_.base, &subject.base)) {
      return Inconclusive(fmt::format("the base doesn't tell {}", rule_.metric));
    }
    Finding finding = Measure(subject);
    if (of_steps && !context_.next.front().steps->marked)
      finding.message += "; no step is marked, calls of functions stand in";
    return finding;
  }

  std::vector<Finding> JudgeSubjects() const {
    const std::vector<Subject> subjects = FindSubjects();
    if (subjects.empty()) return {Inconclusive(NothingNamed())};
    std::vector<Finding> broken;
    std::optional<Finding> nearest;
    for (const Subject& subject : subjects) {
      Finding finding = Measure(subject);
      if (finding.broken_rule) {
        broken.push_back(std::move(finding));
      } else if (!nearest || Nearer(finding, *nearest)) {
        nearest = std::move(finding);
      }
    }
    if (!broken.empty()) {
      std::stable_sort(broken.begin(), broken.end(),
                       [this](const Finding& a, const Finding& b) { return Nearer(a, b); });
      return broken;
    }
    if (subjects.size() > 1) {
      nearest->message = fmt::format("none of {} breaks it; nearest: {}", subjects.size(), nearest->message);
      nearest->op.reset();
    }
    return {std::move(*nearest)};
  }

  // Which of two goes further in the direction of the rule: of those that break it the worse.
  bool Nearer(const Finding& a, const Finding& b) const {
    const auto measure = [](const Finding& f) {
      return f.change ? f.change->relative.value_or(0) : f.value.value_or(0);
    };
    return rule_.operation[0] == '<' ? measure(a) < measure(b) : measure(a) > measure(b);
  }

  std::string NothingNamed() const {
    const char* things = metric_.of == MetricOf::kOp          ? "op"
                         : metric_.of == MetricOf::kType      ? "op type"
                         : metric_.of == MetricOf::kAllocator ? "allocator"
                                                              : "scope";
    // A new op has no base to be more than.
    const char* where = rule_.relative_to_base && !metric_.exact ? " on both sides" : "";
    return fmt::format("no {} matches \"{}\"{}", things, *rule_.subject, where);
  }

  std::vector<Subject> FindSubjects() const {
    if (metric_.of == MetricOf::kAllocator) return Allocators();
    if (metric_.of == MetricOf::kQuality) return {Quality()};
    const bool per_step = rule_.relative_to_base && context_.comparison->per_step;
    std::map<OpKey, Subject> found;
    std::map<OpKey, OpKey> renamed;  // base key -> new key
    if (context_.comparison != nullptr && metric_.of == MetricOf::kOp) {
      for (const ChangeRow& row : context_.comparison->rows) {
        if (row.kind == RowKind::kOp && !row.base_name.empty()) {
          renamed.emplace(OpKey{row.key.side, row.key.op_type, row.base_name}, row.key);
        }
      }
    }
    const auto read = [&](std::span<const RunProfile> runs, std::vector<double> Subject::*side) {
      for (size_t i = 0; i < runs.size(); ++i) {
        for (NamedSums& group : SumsOf(runs[i], metric_.of, *rule_.subject, per_step)) {
          const auto other = side == &Subject::base ? renamed.find(group.key) : renamed.end();
          Subject& subject = found[other == renamed.end() ? group.key : other->second];
          (subject.*side).resize(runs.size());
          (subject.*side)[i] = FigureOf(group.sums, metric_);
        }
      }
    };
    read(context_.next, &Subject::next);
    // Without a base to hold it against an op may still be known from there: it is then told to be gone.
    read(context_.base, &Subject::base);
    std::vector<Subject> subjects;
    for (auto& [key, subject] : found) {
      const bool both = !subject.next.empty() && !subject.base.empty();
      if (rule_.relative_to_base && !metric_.exact && !both) continue;
      subject.op = key;
      subject.name = NameForPeople(key) + (metric_.unit == MetricUnit::kCount ? ": occurrences" : FieldText());
      subject.next.resize(context_.next.size());
      subject.base.resize(context_.base.size());
      subjects.push_back(std::move(subject));
    }
    return subjects;
  }

  std::string FieldText() const {
    const std::string_view field = metric_.name.substr(metric_.name.find('.') + 1);
    return field == "self_us" ? ": self time" : field == "total_us" ? ": total time" : ": share of self time";
  }

  std::vector<Subject> Allocators() const {
    std::map<std::string, Subject> found;
    const auto read = [&](std::span<const RunProfile> runs, std::vector<double> Subject::*side) {
      for (size_t i = 0; i < runs.size(); ++i) {
        for (const auto& [name, bytes] : runs[i].memory_peaks) {
          if (!GlobMatches(*rule_.subject, name)) continue;
          Subject& subject = found[name];
          (subject.*side).resize(runs.size());
          (subject.*side)[i] = std::max((subject.*side)[i], static_cast<double>(bytes));
        }
      }
    };
    read(context_.next, &Subject::next);
    read(context_.base, &Subject::base);
    std::vector<Subject> subjects;
    for (auto& [name, subject] : found) {
      subject.name = fmt::format("memory[\"{}\"].peak_bytes", name);
      subject.next.resize(context_.next.size());
      subject.base.resize(context_.base.size());
      subjects.push_back(std::move(subject));
    }
    return subjects;
  }

  Subject Quality() const {
    Subject subject;
    subject.name = fmt::format("quality[\"{}\"].count", *rule_.subject);
    const auto read = [&](std::span<const RunProfile> runs, std::vector<double>* values) {
      for (const RunProfile& run : runs) {
        double count = 0;
        for (const auto& [code, times] : run.diagnostics) {
          if (GlobMatches(*rule_.subject, code)) count += static_cast<double>(times);
        }
        values->push_back(count);
      }
    };
    read(context_.next, &subject.next);
    read(context_.base, &subject.base);
    return subject;
  }

  // Of an exact metric: the first new value of which the rule holds against every base run; else the first.
  double ExactValue(const Subject& subject, bool* broken) const {
    for (const double value : subject.next) {
      const auto holds = [&](double base) { return Holds(value, Operation(), base * (1 + rule_.limit)); };
      *broken = rule_.relative_to_base ? std::all_of(subject.base.begin(), subject.base.end(), holds)
                                       : Holds(value, Operation(), rule_.limit);
      if (*broken) return value;
    }
    return subject.next.front();
  }

  std::string Operation() const { return rule_.operation == "changed" ? "!=" : rule_.operation; }

  Finding Measure(const Subject& subject) const {
    const double base = Median(subject.base);
    const double limit = rule_.relative_to_base ? base * (1 + rule_.limit) : rule_.limit;
    bool broken = false;
    double value = Median(subject.next);
    if (metric_.exact) {
      value = ExactValue(subject, &broken);
    } else {
      broken = Holds(value, Operation(), limit);
    }
    const bool of_ops = metric_.of == MetricOf::kOp || metric_.of == MetricOf::kType || metric_.of == MetricOf::kScope;
    const bool per_step =
        of_ops && rule_.relative_to_base && context_.comparison->per_step && metric_.unit != MetricUnit::kFraction;
    std::string message =
        fmt::format("{} is {}{}", subject.name, QuantityText(value, metric_.unit), per_step ? " per step" : "");
    if (rule_.relative_to_base) {
      message += fmt::format(", in the base {}", QuantityText(base, metric_.unit));
      if (base > 0) message += fmt::format(" ({})", RelativeText(value / base - 1));
    }
    Finding finding = Decided(fmt::format("{}; fails if {}", message, rule_.text), broken);
    finding.op = subject.op;
    finding.value = value;
    finding.limit = limit;
    if (rule_.relative_to_base) finding.change = ChangeOf(subject, base, value, broken);
    return finding;
  }

  Change ChangeOf(const Subject& subject, double base, double value, bool broken) const {
    Change change;
    change.base = subject.base;
    change.next = subject.next;
    change.base_median = base;
    change.next_median = value;
    change.delta = value - base;
    if (base > 0) change.relative = change.delta / base;
    change.exact = metric_.exact;
    change.verdict = broken ? Verdict::kRegressed : Verdict::kUnchanged;
    return change;
  }

  const Rule& rule_;
  const JudgeContext& context_;
  const Metric& metric_;
};

}  // namespace

std::string NameForPeople(const OpKey& key) {
  if (key.op_name.empty() && !key.op_type.empty()) return "op type " + key.op_type;
  if (key.op_type.empty()) return "scope " + (key.op_name.empty() ? "(none)" : key.op_name);
  return fmt::format("op {} ({})", key.op_name, key.op_type);
}

std::vector<Finding> JudgeRule(const Rule& rule, const JudgeContext& context) { return Judge(rule, context).Judged(); }

}  // namespace tfprof::compare
