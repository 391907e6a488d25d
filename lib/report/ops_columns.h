// The columns of the op table: what each is called, means and holds, and which of them a user chooses (--columns).
//
// Ids are the fields of the JSON contract (schemas/ops-1.schema.json) and the header of the CSV. With --by the key of
// the grouping takes the place of op_type and op_name, under the name of the grouping (`type`, `scope`, …).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyze/ops_result.h"
#include "base/status.h"
#include "report/table.h"

namespace tfprof::report {

struct OpsColumn {
  enum class Presence { kDefault, kOnRequest };      // in machine formats
  enum class Grouping { kAny, kOpOnly, kKeyOnly };   // with which --by it is there
  static constexpr std::string_view kKeyId = "key";  // stands for the name of the grouping

  std::string_view id;
  std::string_view label;
  std::string_view unit;  // "" for texts and counts
  std::string_view meaning;
  Kind kind;
  Presence presence;
  Grouping grouping;
  Cell (*get)(const analyze::OpsRow&);
  int people = 0;     // place in the default table for people; 0: not there
  int leave_out = 0;  // see Column
  TimeGroup time_group = TimeGroup::kSums;
};

// By id or what people type for it (`self` for `self_us`, `name`, `count`, …); null: there is none with that --by.
const OpsColumn* FindOpsColumn(std::string_view name, analyze::OpsBy by);
std::string OpsColumnId(const OpsColumn& column, analyze::OpsBy by);

// All columns there are with that --by, in the order of the contract, for --list-columns.
std::vector<const OpsColumn*> AllOpsColumns(analyze::OpsBy by);

// The chosen columns, as ids; for machines and for people, whose defaults differ.
struct OpsColumnChoice {
  std::vector<std::string> machine, people;
  std::vector<std::string> requested;  // named by the user: never left out for want of room
  bool changed = false;                // --columns was given
  bool needs_distribution = false;     // min, max or quantiles are among them
  bool needs_step_means = false;       // means by step are
};

// `text` is a list of ids separated by commas. Names with `+` are added to the default columns, those with `-` taken
// away, and a sign holds for the names behind it; without one the list is the whole choice, but names that all lie
// outside the default (min, max, p50, p90, p99, …) are added to it. An empty text is the default. Errors name the
// nearest column.
Result<OpsColumnChoice> ChooseOpsColumns(std::string_view text, analyze::OpsBy by);

// Name of the grouping: "op", "type", "scope", "host", "device", "lane".
std::string_view ByName(analyze::OpsBy by);

}  // namespace tfprof::report
