#include "cli/flags/options.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/nearest.h"
#include "cli/flags/value.h"
#include "cli/generate/help.h"

namespace tfprof::cli {
namespace {

constexpr uint64_t kMostRows = 1'000'000'000'000;
constexpr uint64_t kMostLevels = 1'000'000;
constexpr uint64_t kMostThreads = 1024;
constexpr uint64_t kMostWidth = 100'000;

Error Usage(std::string message) { return {DiagCode::kUnreadableInput, std::move(message)}; }

std::string NamesOf(std::span<const Choice> choices) {
  std::vector<std::string_view> names;
  for (const Choice& choice : choices) names.push_back(choice.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

// Place of `value` among the flag's choices.
Result<size_t> ChoiceOf(const Flag& flag, std::string_view value) {
  std::vector<std::string_view> names;
  for (size_t i = 0; i < flag.choices.size(); ++i) {
    if (flag.choices[i].name == value) return i;
    names.push_back(flag.choices[i].name);
  }
  const std::string_view nearest = NearestName(value, names);
  return Usage(nearest.empty() ? fmt::format("--{}: \"{}\" is none of {}", flag.long_name, value, NamesOf(flag.choices))
                               : fmt::format("--{}: \"{}\" is none of {}; did you mean {}?", flag.long_name, value,
                                             NamesOf(flag.choices), nearest));
}

// The place of a choice is the place of its enumerator (a test holds them together).
template <typename Enum>
Status SetChoice(const TypedFlag& typed, Enum* out) {
  const Result<size_t> place = ChoiceOf(*typed.flag, typed.value);
  if (!place) return place.error();
  *out = static_cast<Enum>(place.value());
  return kOk;
}

Result<uint64_t> NumberOf(const TypedFlag& typed, uint64_t least, uint64_t most) {
  const std::optional<uint64_t> number = ParseWholeNumber(typed.value, most);
  if (number && *number >= least) return *number;
  return Usage(
      fmt::format("--{}: \"{}\" is no whole number from {} to {}", typed.flag->long_name, typed.value, least, most));
}

Status CheckPattern(const TypedFlag& typed) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  const re2::RE2 pattern(typed.value, options);
  if (pattern.ok()) return kOk;
  return Usage(
      fmt::format("--{}: \"{}\" is no regular expression: {}", typed.flag->long_name, typed.value, pattern.error()));
}

std::optional<report::Format> FormatOfFileName(std::string_view path) {
  const auto same = [](char a, char b) { return b == (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a); };
  constexpr std::pair<std::string_view, report::Format> kEndings[] = {
      {".csv", report::Format::kCsv},     {".tsv", report::Format::kTsv},     {".json", report::Format::kJson},
      {".jsonl", report::Format::kJsonl}, {".md", report::Format::kMarkdown}, {".txt", report::Format::kTable},
      {".xml", report::Format::kJunit},   {".sarif", report::Format::kSarif}};
  for (const auto& [ending, format] : kEndings) {
    if (path.size() < ending.size()) continue;
    const std::string_view own = path.substr(path.size() - ending.size());
    if (std::equal(own.begin(), own.end(), ending.begin(), same)) return format;
  }
  return std::nullopt;
}

// A format that there is, but that this command hasn't.
Status CheckOwnFormat(std::string_view flag, std::string_view name, const Flag& formats) {
  const std::optional<report::Format> format = report::FormatFromName(name);
  if (!format || static_cast<size_t>(*format) < formats.choices.size()) return kOk;
  return Usage(
      fmt::format("{}: {} is a report of `check` alone; here there are {}", flag, name, NamesOf(formats.choices)));
}

// FORMAT:FILE, or FILE whose ending tells the format.
Result<OutputTarget> TargetOf(std::string_view text, const Flag& formats) {
  const size_t colon = text.find(':');
  const std::string_view prefix = colon == std::string_view::npos ? "" : text.substr(0, colon);
  if (const std::optional<report::Format> format = report::FormatFromName(prefix)) {
    const std::string path(text.substr(colon + 1));
    if (path.empty()) return Usage(fmt::format("--output: no file is named in \"{}\"", text));
    if (Status bad = CheckOwnFormat("--output", prefix, formats)) return *bad;
    return OutputTarget{*format, path};
  }
  const std::optional<report::Format> format = FormatOfFileName(text);
  if (format && static_cast<size_t>(*format) < formats.choices.size()) {
    return OutputTarget{*format, std::string(text)};
  }
  const Result<size_t> choice = ChoiceOf(formats, prefix);
  if (!prefix.empty() && prefix.find('/') == std::string_view::npos && !choice) {
    return Usage(fmt::format("--output: in \"{}\", {}", text, choice.error().message.substr(sizeof("--format: ") - 1)));
  }
  return Usage(fmt::format("--output: the name \"{}\" doesn't tell a format; write FORMAT:FILE, FORMAT being one of {}",
                           text, NamesOf(formats.choices)));
}

class Maker {
 public:
  Result<Options> Make(const CommandLine& line) && {
    options_.command = line.command->id;
    options_.inputs = line.inputs;
    if (line.before_separator) separator_ = *line.before_separator;
    for (const TypedFlag& typed : line.flags) {
      if (Status bad = Set(typed)) return *bad;
    }
    if (Status bad = Finish()) return *bad;
    return std::move(options_);
  }

 private:
  Status Set(const TypedFlag& typed) {
    switch (typed.flag->category) {
      case Category::kDecision:
        return SetDecision(typed);
      case Category::kInput:
      case Category::kRows:
        return SetRows(typed);
      case Category::kOutput:
        return SetOutput(typed);
      case Category::kDamage:
      case Category::kRunning:
      case Category::kHelp:
        break;
    }
    return SetRunning(typed);
  }

  Status SetRows(const TypedFlag& typed) {
    switch (typed.flag->id) {
      case FlagId::kRun:
        options_.selection.run = typed.value;
        return kOk;
      case FlagId::kHost:
        options_.selection.host_regex = typed.value;
        return CheckPattern(typed);
      case FlagId::kTime:
        options_.time_text = typed.value;
        if ((options_.time = ParseTimeRange(typed.value))) return kOk;
        return Usage(
            fmt::format("--time: \"{}\" is no range of times; write A:B, each a number with its unit, such "
                        "as 1.5s:2s, 500ms: or :20us, with A before B",
                        typed.value));
      case FlagId::kSteps:
      case FlagId::kSkipSteps:
        return SetSteps(typed);
      case FlagId::kFormatIn:
        return SetFormatIn(typed);
      case FlagId::kIdle:
      case FlagId::kTreeIdle:
      case FlagId::kNoIdle:
        options_.include_idle = options_.tree.idle = typed.flag->id != FlagId::kNoIdle;
        return kOk;
      case FlagId::kSide:
        return SetSide(typed);
      case FlagId::kBy:
        return SetChoice(typed, &options_.by);
      case FlagId::kKernelsBy:
        return SetChoice(typed, &options_.kernels_by);
      case FlagId::kBase:
        options_.comparing.base.push_back(typed.value);
        return kOk;
      case FlagId::kRunSkipSteps: {
        const Result<uint64_t> steps = NumberOf(typed, 0, kMostRows);
        if (!steps) return steps.error();
        options_.comparing.skip_steps = steps.value();
        return kOk;
      }
      case FlagId::kDiffBy:
        return SetChoice(typed, &options_.comparing.by);
      case FlagId::kSort:
      case FlagId::kDiffSort:
        sort_ = typed.value;
        return kOk;
      case FlagId::kLimit:
      case FlagId::kDiffLimit:
      case FlagId::kKernelsLimit:
      case FlagId::kMemoryLimit:
      case FlagId::kEventsLimit:
        return SetLimit(typed);
      case FlagId::kInclude:
      case FlagId::kKernelsInclude:
      case FlagId::kEventsInclude:
      case FlagId::kDiffInclude:
        options_.rows.include.push_back(typed.value);
        return CheckPattern(typed);
      case FlagId::kExclude:
        options_.rows.exclude.push_back(typed.value);
        return CheckPattern(typed);
      case FlagId::kMinSelf:
        return SetMinSelf(typed);
      case FlagId::kCompat:
        return SetChoice(typed, &options_.compat);
      default:
        return SetTree(typed);
    }
  }

  Status SetDecision(const TypedFlag& typed) {
    Comparing& comparing = options_.comparing;
    switch (typed.flag->id) {
      case FlagId::kCheckBase:
        comparing.base.push_back(typed.value);
        return typed.value.empty() ? Status(Usage("--baseline: no file is named")) : kOk;
      case FlagId::kRules:
        if (!comparing.rules_file.empty()) {
          return Usage("--rules is given twice; put the rules into one file, others come on top with --fail-if");
        }
        comparing.rules_file = typed.value;
        return typed.value.empty() ? Status(Usage("--rules: no file is named")) : kOk;
      case FlagId::kFailIf: {
        Result<compare::Rule> rule = compare::ParseRule(typed.value);
        if (!rule) return Usage("--fail-if: " + rule.error().message);
        comparing.fail_if.push_back(std::move(*rule));
        return kOk;
      }
      default:
        return SetChoice(typed, &comparing.on_inconclusive);
    }
  }

  Status SetTree(const TypedFlag& typed) {
    analyze::TreeSelection& tree = options_.tree;
    switch (typed.flag->id) {
      case FlagId::kTreeBy:
        return SetChoice(typed, &tree.by);
      case FlagId::kDepth: {
        const Result<uint64_t> depth = NumberOf(typed, 0, kMostLevels);
        if (!depth) return depth.error();
        tree.depth = static_cast<uint32_t>(depth.value());
        return kOk;
      }
      case FlagId::kMin: {
        const std::optional<double> percent = ParsePercent(typed.value);
        if (!percent) return Usage(fmt::format("--min: \"{}\" is no percentage from 0 to 100", typed.value));
        tree.min_percent = *percent;
        return kOk;
      }
      case FlagId::kInvert:
        tree.invert = true;
        return kOk;
      case FlagId::kPeek:
        tree.peek = typed.value;
        return CheckPattern(typed);
      case FlagId::kFocus:
        tree.focus = typed.value;
        return CheckPattern(typed);
      default:
        tree.ignore = typed.value;
        return CheckPattern(typed);
    }
  }

  Status SetFormatIn(const TypedFlag& typed) {
    const Result<size_t> place = ChoiceOf(*typed.flag, typed.value);
    if (!place) return place.error();
    options_.format_in = typed.flag->choices[place.value()].name;
    return kOk;
  }

  Status SetSteps(const TypedFlag& typed) {
    if (typed.flag->id == FlagId::kSkipSteps) {
      options_.skip_steps_text = typed.value;
      const Result<uint64_t> skip = NumberOf(typed, 0, kMostRows);
      if (!skip) return skip.error();
      options_.steps.skip = skip.value();
      return kOk;
    }
    options_.steps_text = typed.value;
    const std::optional<NumberRange> range = ParseNumberRange(typed.value);
    if (!range) {
      return Usage(fmt::format(
          "--steps: \"{}\" is no range of step numbers; write A:B, such as 10:20, 10: or :20, or one number",
          typed.value));
    }
    options_.steps.by_number = true;
    options_.steps.from = range->from;
    options_.steps.to = range->to;
    return kOk;
  }

  Status SetSide(const TypedFlag& typed) {
    const Result<size_t> place = ChoiceOf(*typed.flag, typed.value);
    if (!place) return place.error();
    const std::string_view name = typed.flag->choices[place.value()].name;
    options_.rows.side.reset();
    if (name != "both") options_.rows.side = name == "host" ? analyze::Side::kHost : analyze::Side::kDevice;
    options_.tree.side = options_.rows.side;
    return kOk;
  }

  Status SetLimit(const TypedFlag& typed) {
    const Result<uint64_t> rows = NumberOf(typed, 0, kMostRows);
    if (!rows) return rows.error();
    options_.rows.limit = rows.value();
    options_.limit_given = true;
    return kOk;
  }

  Status SetMinSelf(const TypedFlag& typed) {
    const std::optional<double> percent = ParsePercent(typed.value);
    if (!percent) return Usage(fmt::format("--min-self: \"{}\" is no percentage from 0 to 100", typed.value));
    options_.rows.min_self_percent = *percent;
    return kOk;
  }

  Status SetOutput(const TypedFlag& typed) {
    switch (typed.flag->id) {
      case FlagId::kFormat:
      case FlagId::kCheckFormat:
        return SetFormat(typed);
      case FlagId::kOutput:
        return AddTarget(typed);
      case FlagId::kBaselineFile:
        if (!options_.comparing.baseline_file.empty()) return Usage("-o is given twice; a baseline is one file");
        options_.comparing.baseline_file = typed.value;
        if (!typed.value.empty()) return kOk;
        return Usage("--output: no file is named");
      case FlagId::kColumns:
        columns_ = typed.value;
        return columns_.empty() ? Usage("--columns: no column is named") : Status(kOk);
      case FlagId::kListColumns:
        options_.list_columns = true;
        return kOk;
      case FlagId::kUnit:
        return SetChoice(typed, &options_.unit);
      case FlagId::kWidth: {
        const Result<uint64_t> width = NumberOf(typed, kLeastWidth, kMostWidth);
        if (!width) return width.error();
        options_.width = width.value();
        options_.wide = false;
        return kOk;
      }
      case FlagId::kWide:
        options_.wide = true;
        return kOk;
      default:
        return SetChoice(typed, &options_.color);
    }
  }

  const Flag& Formats() const {
    return FlagOf(options_.command == CommandId::kCheck ? FlagId::kCheckFormat : FlagId::kFormat);
  }

  Status SetFormat(const TypedFlag& typed) {
    if (Status bad = CheckOwnFormat("--format", typed.value, Formats())) return bad;
    return SetChoice(typed, &options_.format);
  }

  Status AddTarget(const TypedFlag& typed) {
    Result<OutputTarget> target = TargetOf(typed.value, Formats());
    if (!target) return target.error();
    for (const OutputTarget& other : options_.outputs) {
      if (other.path != target->path) continue;
      return Usage(target->path == "-"
                       ? "--output: standard output can take one format only"
                       : fmt::format("--output: {} is named twice; give each output a file of its own", other.path));
    }
    options_.outputs.push_back(std::move(*target));
    return kOk;
  }

  Status SetRunning(const TypedFlag& typed) {
    switch (typed.flag->id) {
      case FlagId::kStrict:
      case FlagId::kAllowPartial:
        options_.strict = typed.flag->id == FlagId::kStrict;
        options_.allow_partial = !options_.strict;
        return kOk;
      case FlagId::kThreads: {
        const Result<uint64_t> threads = NumberOf(typed, 1, kMostThreads);
        if (!threads) return threads.error();
        options_.threads = static_cast<unsigned>(threads.value());
        return kOk;
      }
      case FlagId::kProgress:
        return SetChoice(typed, &options_.progress);
      case FlagId::kQuiet:
        options_.quiet = true;
        return kOk;
      case FlagId::kMarkdown:
        options_.markdown = true;
        return kOk;
      case FlagId::kShortHelp:
        options_.short_help = true;
        return kOk;
      case FlagId::kHelp:
        options_.help = true;
        return kOk;
      default:
        options_.version = true;
        return kOk;
    }
  }

  // What depends on several flags.
  Status Finish() {
    if (Status bad = FinishComparing()) return bad;
    if (!sort_.empty() && options_.command != CommandId::kDiff) {
      Result<analyze::SortOrder> order = analyze::ParseSortOrder(sort_);
      if (!order) return Usage("--sort: " + order.error().message);
      options_.rows.sort = *order;
    }
    Result<report::OpsColumnChoice> columns = report::ChooseOpsColumns(columns_, options_.by);
    if (!columns) return Usage("--columns: " + columns.error().message);
    options_.columns = std::move(*columns);
    const bool distribution = options_.columns.needs_distribution || analyze::NeedsDistribution(options_.rows.sort);
    if (distribution && options_.compat != analyze::Compat::kNone) {
      return Usage(
          "--compat: the official table knows no min, max or percentiles; leave out --compat or those columns");
    }
    if (options_.compat != analyze::Compat::kNone && (options_.by != analyze::OpsBy::kOp || options_.time)) {
      return Usage(
          "--compat: the official table is by op and over the whole profile; leave out --compat, or --by and --time");
    }
    if (options_.compat != analyze::Compat::kNone && (options_.steps.any() || options_.columns.needs_step_means)) {
      return Usage("--compat: the official tool's numbers are over all steps; leave out --compat, or what is by step");
    }
    const auto standard = std::find_if(options_.outputs.begin(), options_.outputs.end(),
                                       [](const OutputTarget& target) { return target.path == "-"; });
    if (standard != options_.outputs.end()) {
      options_.format = standard->format;
      options_.outputs.erase(standard);
    }
    const bool reads_pipe = std::find(options_.inputs.begin(), options_.inputs.end(), "-") != options_.inputs.end();
    if (reads_pipe && (options_.selection.run || options_.selection.host_regex)) {
      return Usage(fmt::format("--{}: standard input is one profile, whose run and host no name tells; leave it out",
                               options_.selection.run ? "run" : "host"));
    }
    if (options_.command == CommandId::kEvents && reads_pipe && !options_.outputs.empty()) {
      return Usage(
          "--output: events are read anew for each output, and standard input can be read only once; name a file");
    }
    return kOk;
  }

  Status FinishComparing() {
    if (options_.help || options_.short_help || options_.version) return kOk;
    if (options_.command == CommandId::kDiff)
      return SplitSides(sort_, separator_, &options_.inputs, &options_.comparing);
    if (options_.command == CommandId::kCheck && !options_.inputs.empty()) {
      return CheckSides(options_.inputs, options_.comparing);
    }
    if (options_.command == CommandId::kBaseline) return TakeAction(&options_.inputs, &options_.comparing);
    return kOk;
  }

  Options options_;
  std::string sort_, columns_;
  std::optional<size_t> separator_;  // inputs before `--`, in `diff`
};

}  // namespace

Result<Options> MakeOptions(const CommandLine& line) { return Maker().Make(line); }

}  // namespace tfprof::cli
