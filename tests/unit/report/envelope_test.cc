#include "report/envelope.h"

#include <catch2/catch.hpp>

namespace tfprof::report {
namespace {

TEST_CASE("Data quality is one sentence, worst first, without notes") {
  Diagnostics diagnostics;
  CHECK(DataQuality(diagnostics).text == "Data quality: nothing missing, nothing odd.");
  CHECK(DataQuality(diagnostics).tone == Tone::kGood);

  diagnostics.Add(DiagCode::kRowsLimited, "cut", 5);  // a note
  CHECK(DataQuality(diagnostics).tone == Tone::kGood);

  diagnostics.Add(DiagCode::kTimeOutlier, "far away", 1200);
  diagnostics.Add(DiagCode::kTimeOutlier, "far away too", 34);
  CHECK(DataQuality(diagnostics).text == "Data quality: look closer – time-outlier ×1,234.");
  CHECK(DataQuality(diagnostics).tone == Tone::kWarning);

  diagnostics.Add(DiagCode::kTruncatedInput, "cut");
  CHECK(DataQuality(diagnostics).text ==
        "Data quality: part of the input is lost – truncated-input, time-outlier ×1,234.");
  CHECK(DataQuality(diagnostics).tone == Tone::kError);
}

}  // namespace
}  // namespace tfprof::report
