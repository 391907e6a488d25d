// What every command that reads profiles needs around its analysis: outputs that are opened before hours of reading (so
// that a bad name is told at once), progress, an end in order when interrupted, the writing, and the messages.
//
// One at a time in a process; made before any other thread, for it decides who receives signals.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/status.h"
#include "cli/flags/options.h"
#include "cli/io.h"
#include "cli/output_file.h"
#include "cli/pipeline.h"
#include "cli/term/interrupts.h"
#include "cli/term/lost_input.h"
#include "cli/term/messages.h"
#include "cli/term/out_of_memory.h"
#include "cli/term/progress.h"
#include "input/discover.h"
#include "report/write.h"

namespace tfprof::cli {

// On disk; none: the size of some input isn't known before it was read.
std::optional<uint64_t> BytesOf(const std::vector<input::InputFile>& files);

class Session {
 public:
  Session(const Options& options, Io& io);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Messages& messages() { return messages_; }

  // Those that the options name. An Error: one can't be written, is named twice, or is an input.
  Status OpenOutputs(const std::vector<input::InputFile>& inputs);
  // Whether any output is meant for people.
  bool ForPeople() const;

  // A request for these files, with all of it that isn't the command's affair.
  AnalysisRequest RequestFor(std::vector<input::InputFile> files);
  // Reads, with progress where it is shown.
  AnalysisOutcome Read(AnalysisRequest request);

  // Writes the document that `make` gives for a format to each output and to standard output, as much as can be
  // written. False: something couldn't, and was told.
  using MakeDocument = std::function<report::Document(report::Format)>;
  bool Write(const MakeDocument& make);
  // Writes a text to each output, or, if there is none, to standard output. False: as above.
  bool WriteText(std::string_view text);
  bool WriteToStandardOutput(const report::Document& document);
  void Say(const Diagnostics& diagnostics);

 private:
  bool SayLostInput(uintptr_t address);
  bool Commit(OutputFile* file);
  bool StandardOutputTookAll();
  bool ShowsProgress() const;

  const Options& options_;
  Io& io_;
  Messages messages_;
  StatusLine status_line_;
  TemporaryFiles temporary_files_;
  MappedInputs mapped_inputs_;
  std::unique_ptr<Interrupts> interrupts_;  // its thread uses those above
  std::unique_ptr<OutOfMemory> out_of_memory_;
  std::vector<OutputFile> output_files_;
  std::vector<std::string> places_;  // of these, spelled out
};

}  // namespace tfprof::cli
