#include "cli/commands/session.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "cli/term/style.h"

namespace tfprof::cli {
namespace {

unsigned CoresOfThisProcess() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return 1;
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&cores)));
}

// One spelling of a file that need not exist yet.
std::string PlaceOf(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path place = std::filesystem::weakly_canonical(path, failed);
  return failed ? path : place.string();
}

bool IsForPeople(report::Format format) {
  return format == report::Format::kTable || format == report::Format::kMarkdown;
}

}  // namespace

std::optional<uint64_t> BytesOf(const std::vector<input::InputFile>& files) {
  uint64_t bytes = 0;
  for (const input::InputFile& file : files) {
    if (file.bytes == 0) return std::nullopt;
    bytes += file.bytes;
  }
  return bytes;
}

Session::Session(const Options& options, Io& io)
    : options_(options),
      io_(io),
      messages_(io.err, UseColor(options.color, io.err_is_terminal, io), options.quiet),
      status_line_(io.err) {
  if (!io.handles_signals) return;
  interrupts_ = std::make_unique<Interrupts>(
      [this] {
        temporary_files_.RemoveAll();
        status_line_.Erase(true);
      },
      [this](uintptr_t address) { return SayLostInput(address); });
  out_of_memory_ = std::make_unique<OutOfMemory>([this] { temporary_files_.RemoveAll(); });
}

// On the thread of the interrupts.
bool Session::SayLostInput(uintptr_t address) {
  const std::optional<MappedInputs::Place> place = mapped_inputs_.Find(address);
  if (!place) return false;
  messages_.Say(Severity::kError,
                fmt::format("{}: byte {}: the file became shorter while it was read, or its disk failed; the answer "
                            "can't be finished, what was written of it is no whole; try again when nobody writes to "
                            "the file",
                            place->path, place->offset));
  return true;
}

Status Session::OpenOutputs(const std::vector<input::InputFile>& inputs) {
  for (const OutputTarget& target : options_.outputs) {
    Result<OutputFile> file = OutputFile::Create(target.path, &temporary_files_);
    if (!file) return file.error();
    for (const input::InputFile& input : inputs) {
      struct stat info = {};
      const int known = input.path == "-" ? fstat(STDIN_FILENO, &info) : stat(input.path.c_str(), &info);
      if (file->replaced() && known == 0 && *file->replaced() == std::pair(info.st_dev, info.st_ino)) {
        return Error{DiagCode::kUnreadableInput,
                     fmt::format("{}: is an input; --output would destroy it", target.path)};
      }
    }
    for (const std::string& other : places_) {
      if (other == PlaceOf(target.path)) {
        return Error{DiagCode::kUnreadableInput,
                     fmt::format("--output: {} is named twice; give each output a file of its own", target.path)};
      }
    }
    places_.push_back(PlaceOf(target.path));
    output_files_.push_back(std::move(*file));
  }
  return kOk;
}

bool Session::ForPeople() const {
  return IsForPeople(options_.format) ||
         std::any_of(options_.outputs.begin(), options_.outputs.end(),
                     [](const OutputTarget& target) { return IsForPeople(target.format); });
}

AnalysisRequest Session::RequestFor(std::vector<input::InputFile> files) {
  AnalysisRequest request;
  request.files = std::move(files);
  request.threads = options_.threads.value_or(CoresOfThisProcess());
  request.format_in = options_.format_in;
  request.mapped = &mapped_inputs_;
  request.temp_dir = io_.env("TMPDIR").value_or("");
  if (request.temp_dir.empty()) request.temp_dir = "/tmp";
  return request;
}

AnalysisOutcome Session::Read(AnalysisRequest request) {
  Progress progress;
  progress.bytes_total = BytesOf(request.files).value_or(0);
  request.progress = &progress;
  std::optional<ProgressDisplay> display;
  if (ShowsProgress()) display.emplace(progress, io_, &status_line_);
  return Analyze(request);
}

bool Session::ShowsProgress() const {
  if (options_.progress != When::kAuto) return options_.progress == When::kAlways;
  return io_.err_is_terminal && !options_.quiet && io_.env("TERM").value_or("") != "dumb";
}

bool Session::Commit(OutputFile* file) {
  const Status bad = file->Commit();
  if (bad) messages_.Say(Severity::kError, bad->message);
  return !bad;
}

bool Session::StandardOutputTookAll() {
  const int error = io_.out->error();
  if (error == 0 || error == EPIPE) return true;  // a reader that has seen enough is no failure
  messages_.Say(Severity::kError, fmt::format("standard output: cannot be written: {}", std::strerror(error)));
  return false;
}

bool Session::Write(const MakeDocument& make) {
  bool written = true;
  for (size_t i = 0; i < output_files_.size(); ++i) {
    const report::Format format = options_.outputs[i].format;
    report::Write(make(format), format, FileStyle(options_), output_files_[i].stream());
    written &= Commit(&output_files_[i]);
  }
  return WriteToStandardOutput(make(options_.format)) && written;
}

bool Session::WriteToStandardOutput(const report::Document& document) {
  report::Write(document, options_.format, StandardOutputStyle(options_, io_), io_.out);
  return StandardOutputTookAll();
}

bool Session::WriteText(std::string_view text) {
  bool written = true;
  for (OutputFile& file : output_files_) {
    file.stream()->Append(text);
    written &= Commit(&file);
  }
  if (!output_files_.empty()) return written;
  io_.out->Append(text);
  return StandardOutputTookAll();
}

void Session::Say(const Diagnostics& diagnostics) {
  const bool nobody_reads = io_.out->error() == EPIPE;  // `| head`: enough was seen, notes on it would be noise
  for (const Diagnostic& item : diagnostics.Sorted()) {
    const Severity severity = SeverityOf(item.code);
    // People see the row of the others, and asked for it.
    if (item.code == DiagCode::kRowsLimited && IsForPeople(options_.format)) continue;
    if (severity == Severity::kNote && nobody_reads) continue;
    messages_.Say(severity, item.message);
  }
}

}  // namespace tfprof::cli
