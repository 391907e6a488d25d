// `events`: reads the inputs once for each output, while that output is written.
#pragma once

#include "cli/flags/options.h"
#include "cli/pipeline.h"
#include "report/document.h"
#include "report/envelope.h"
#include "report/events_report.h"

namespace tfprof::cli {

class EventsReading {
 public:
  // `request` names files and threads; what is wanted of them is set here.
  EventsReading(const Options& options, AnalysisRequest request, report::ReportContext context);

  // Whether any file is a profile; found by a look at their first bytes. Else nothing is to be written.
  bool anything_opens() const { return anything_opens_; }
  // For people the inputs are read now, else when the document is written. One document at a time.
  report::Document MakeDocument(report::Format format);
  // Of the last reading; makes one if there was none.
  const AnalysisOutcome& Outcome();

 private:
  // Gives the first `limit` rows (0: all) and counts the others.
  void Read(uint64_t limit, const std::function<bool(const analyze::EventRow&)>& take);
  void LookAtFiles();
  // As the document names it; "": it is no profile.
  std::string KindOf(const std::string& path) const;

  const Options& options_;
  AnalysisRequest request_;
  report::ReportContext context_;
  Progress progress_;
  bool anything_opens_ = false, was_read_ = false;
  uint64_t returned_ = 0, total_ = 0;
  AnalysisOutcome outcome_;
};

}  // namespace tfprof::cli
