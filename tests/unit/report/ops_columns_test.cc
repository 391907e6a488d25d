#include "report/ops_columns.h"

#include <catch2/catch.hpp>
#include <set>

namespace tfprof::report {
namespace {

using analyze::OpsBy;
using Ids = std::vector<std::string>;

OpsColumnChoice Choose(std::string_view text, OpsBy by = OpsBy::kOp) {
  const Result<OpsColumnChoice> choice = ChooseOpsColumns(text, by);
  REQUIRE(choice.ok());
  return choice.value();
}

const Ids kContract = {"rank",
                       "side",
                       "op_type",
                       "op_name",
                       "occurrences",
                       "total_us",
                       "avg_us",
                       "self_us",
                       "avg_self_us",
                       "device_self_fraction",
                       "device_cumulative_fraction",
                       "host_self_fraction",
                       "host_cumulative_fraction",
                       "eager"};

Ids With(Ids ids, const Ids& more) {
  ids.insert(ids.end(), more.begin(), more.end());
  return ids;
}

TEST_CASE("The default is the contract, in its order") {
  const OpsColumnChoice choice = Choose("");
  CHECK(choice.machine == kContract);
  CHECK_FALSE(choice.changed);
  CHECK_FALSE(choice.needs_distribution);
  CHECK(choice.people == Ids{"rank", "self_fraction", "cumulative_fraction", "self_us", "total_us", "occurrences",
                             "avg_us", "op_type", "op_name"});
}

TEST_CASE("With --by the key stands where type and name were") {
  const OpsColumnChoice choice = Choose("", OpsBy::kScope);
  CHECK(choice.machine[2] == "scope");
  CHECK(choice.machine.size() == kContract.size() - 1);
  CHECK(choice.people.back() == "scope");
  CHECK_FALSE(ChooseOpsColumns("op_name", OpsBy::kScope).ok());
}

TEST_CASE("Quantiles are added to the default") {
  const OpsColumnChoice choice = Choose("min,p99");
  CHECK(choice.machine == With(kContract, {"min_us", "p99_us"}));
  CHECK(choice.needs_distribution);
  CHECK(choice.requested == Ids{"min_us", "p99_us"});
  // For people numbers stand together, before the texts.
  CHECK(choice.people == Ids{"rank", "self_fraction", "cumulative_fraction", "self_us", "total_us", "occurrences",
                             "avg_us", "min_us", "p99_us", "op_type", "op_name"});
}

TEST_CASE("A list is the whole choice, in its order") {
  const OpsColumnChoice choice = Choose("name, self,p50,count");
  CHECK(choice.machine == Ids{"op_name", "self_us", "p50_us", "occurrences"});
  CHECK(choice.people == choice.machine);
  CHECK(choice.changed);
}

TEST_CASE("Signs change the default and hold for the names behind them") {
  const OpsColumnChoice choice = Choose("+p50,p90,-eager,rank");
  CHECK(choice.machine == With(Ids(kContract.begin() + 1, kContract.end() - 1), {"p50_us", "p90_us"}));
  CHECK(choice.people.front() == "self_fraction");
  CHECK(choice.requested == Ids{"p50_us", "p90_us"});
  CHECK(Choose("-eager").changed);
}

TEST_CASE("A column named twice is there once") {
  CHECK(Choose("self,self_us").machine == Ids{"self_us"});
  CHECK(Choose("+self").machine == kContract);
}

TEST_CASE("Errors name the nearest column") {
  CHECK(ChooseOpsColumns("p98", OpsBy::kOp).error().message == "there is no column \"p98\"; did you mean \"p90\"?");
  CHECK(ChooseOpsColumns("occurences", OpsBy::kOp).error().message ==
        "there is no column \"occurences\"; did you mean \"occurrences\"?");
  CHECK(ChooseOpsColumns("nonsense", OpsBy::kOp).error().message.find("the columns are rank, side, op_type") !=
        std::string::npos);
  CHECK_FALSE(ChooseOpsColumns("self,", OpsBy::kOp).ok());
  CHECK_FALSE(ChooseOpsColumns("self,+p99", OpsBy::kOp).ok());
  CHECK(ChooseOpsColumns("-rank,side,type,name,count,total,avg,self,avg_self,device_self_fraction,"
                         "device_cumulative_fraction,host_self_fraction,host_cumulative_fraction,eager",
                         OpsBy::kOp)
            .error()
            .message == "no column is left to print");
}

TEST_CASE("Every column has an id of its own, a label and a meaning") {
  for (const OpsBy by : {OpsBy::kOp, OpsBy::kType, OpsBy::kScope, OpsBy::kHost, OpsBy::kDevice, OpsBy::kLane}) {
    std::set<std::string> ids;
    for (const OpsColumn* column : AllOpsColumns(by)) {
      const std::string id = OpsColumnId(*column, by);
      CHECK(ids.insert(id).second);
      CHECK(FindOpsColumn(id, by) == column);
      CHECK_FALSE(column->meaning.empty());
      CHECK((id.ends_with("_us") == (column->unit == "us")));
    }
    CHECK(ids.contains(by == OpsBy::kOp ? "op_name" : std::string(ByName(by))));
  }
}

}  // namespace
}  // namespace tfprof::report
