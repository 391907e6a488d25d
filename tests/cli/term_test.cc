// Colour, width, progress and messages.
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "cli/term/messages.h"
#include "cli/term/progress.h"
#include "cli/term/style.h"
#include "memory_io.h"

namespace tfprof::cli {

TEST_CASE("when output is coloured") {
  using Env = std::map<std::string, std::string>;
  struct Row {
    Env env;
    When flag;
    bool terminal, color;
  };
  const Row rows[] = {
      {{}, When::kAuto, true, true},
      {{}, When::kAuto, false, false},
      {{{"TERM", "xterm"}}, When::kAuto, true, true},
      {{{"TERM", "dumb"}}, When::kAuto, true, false},
      {{{"NO_COLOR", "1"}}, When::kAuto, true, false},
      {{{"NO_COLOR", ""}}, When::kAuto, true, true},
      {{{"CLICOLOR", "0"}}, When::kAuto, true, false},
      {{{"CLICOLOR_FORCE", "1"}}, When::kAuto, false, true},
      {{{"CLICOLOR_FORCE", "0"}}, When::kAuto, false, false},
      {{{"CLICOLOR_FORCE", ""}}, When::kAuto, false, false},
      {{{"CLICOLOR_FORCE", "1"}, {"TERM", "dumb"}}, When::kAuto, true, true},
      {{{"CLICOLOR_FORCE", "1"}, {"NO_COLOR", "1"}}, When::kAuto, true, false},
      {{{"NO_COLOR", "1"}}, When::kAlways, false, true},
      {{{"TERM", "dumb"}}, When::kAlways, true, true},
      {{{"CLICOLOR_FORCE", "1"}}, When::kNever, true, false},
  };
  for (const Row& row : rows) {
    MemoryRun run;
    run.env = row.env;
    for (const auto& [name, value] : row.env) UNSCOPED_INFO(name << "=" << value);
    CHECK(UseColor(row.flag, row.terminal, run.io) == row.color);
  }
}

TEST_CASE("how wide standard output is") {
  MemoryRun run;
  Options options;
  CHECK(StandardOutputStyle(options, run.io).wide);  // a pipe: nothing is shortened
  run.io.out_is_terminal = true;
  CHECK(StandardOutputStyle(options, run.io).width == 80);
  run.io.terminal_width = 123;
  CHECK(StandardOutputStyle(options, run.io).width == 123);
  CHECK_FALSE(StandardOutputStyle(options, run.io).wide);
  options.width = 60;
  CHECK(StandardOutputStyle(options, run.io).width == 60);
  CHECK(FileStyle(options).width == 60);
  CHECK_FALSE(FileStyle(options).wide);
  options.wide = true;
  CHECK(StandardOutputStyle(options, run.io).wide);
  options.color = When::kAlways;
  CHECK(StandardOutputStyle(options, run.io).color);
  CHECK_FALSE(FileStyle(options).color);
}

TEST_CASE("the progress line") {
  CHECK(ProgressText(1'200'000'000, 3'400'000'000, 1.5, 79) == "reading 1.2 GB of 3.4 GB (35%), 800 MB/s, 3 s left");
  CHECK(ProgressText(1'000'000, 1'000'000'000, 1, 79) == "reading 1.0 MB of 1.0 GB (0%), 1.0 MB/s, 16 min 39 s left");
  CHECK(ProgressText(1'000'000, 20'000'000'000, 1, 79) == "reading 1.0 MB of 20 GB (0%), 1.0 MB/s, 5 h 33 min left");
  CHECK(ProgressText(5'000'000, 0, 2, 79) == "reading 5.0 MB, 2.5 MB/s");
  CHECK(ProgressText(0, 5'000'000, 2, 79) == "reading 0 bytes of 5.0 MB (0%)");
  CHECK(ProgressText(7'000'000, 5'000'000, 2, 79) == "reading 7.0 MB, 3.5 MB/s");  // unpacked
  for (size_t width = 1; width < 60; ++width) {
    CHECK(ProgressText(1'200'000'000, 3'400'000'000, 1.5, width).size() <= width);
  }
  CHECK(ProgressText(1'200'000'000, 3'400'000'000, 1.5, 35) == "reading 1.2 GB of 3.4 GB (35%)");
}

TEST_CASE("progress appears after half a second and is taken away") {
  for (const double elapsed_s : {0.4, 0.6}) {
    MemoryRun run;
    int calls = 0;
    run.io.clock_s = [&calls, elapsed_s] { return calls++ == 0 ? 100.0 : 100.0 + elapsed_s; };
    Progress progress;
    progress.bytes_done = 10;
    progress.bytes_total = 100;
    StatusLine line(&run.err);
    {
      const ProgressDisplay display(progress, run.io, &line);
      std::this_thread::sleep_for(std::chrono::milliseconds(250));
    }
    if (elapsed_s < 0.5) {
      CHECK(run.err.text.empty());
    } else {
      CHECK_THAT(run.err.text, Catch::StartsWith("\rreading 10 bytes of 100 bytes (10%)"));
      CHECK_THAT(run.err.text, Catch::EndsWith("\x1b[K\r\x1b[K"));
    }
  }
}

TEST_CASE("a status line that has ended isn't drawn again") {
  MemoryStream err;
  StatusLine line(&err);
  line.Erase();
  CHECK(err.text.empty());
  line.Draw("x");
  line.Erase(true);
  line.Draw("y");
  CHECK(err.text == "\rx\x1b[K\r\x1b[K");
}

TEST_CASE("messages are one line each, whatever names they hold") {
  MemoryStream err;
  Messages plain(&err, false, false);
  plain.Say(Severity::kWarning, "a\nb\x1b[31m: cut\xff");
  CHECK(err.text == "tfprof-analyze: warning: a\\nb\\x1b[31m: cut\uFFFD\n");
  err.text.clear();
  Messages(&err, true, false).Say(Severity::kError, "x");
  CHECK(err.text == "tfprof-analyze: \x1b[1;31merror:\x1b[0m x\n");
  err.text.clear();
  Messages quiet(&err, false, true);
  quiet.Say(Severity::kWarning, "x");
  quiet.Say(Severity::kNote, "x");
  quiet.Inform("x");
  CHECK(err.text.empty());
  quiet.Say(Severity::kError, "x");
  CHECK(err.text == "tfprof-analyze: error: x\n");
}

}  // namespace tfprof::cli
