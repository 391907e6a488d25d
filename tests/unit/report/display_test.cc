#include "report/display.h"

#include <catch2/catch.hpp>
#include <random>

#include "base/utf8.h"

namespace tfprof::report {
namespace {

TEST_CASE("Nothing in a name reaches the terminal as a command") {
  CHECK(Displayable("a\nb\tc\rd") == "a\\nb\\tc\\rd");
  CHECK(Displayable("\x1b[31mred") == "\\x1b[31mred");
  CHECK(Displayable("del\x7f") == "del\\x7f");
  CHECK(Displayable("c1 \xc2\x9b") == "c1 \\x9b");
  CHECK(Displayable("bidi \u202e") == "bidi \\u202e");
  CHECK(Displayable("line \u2028") == "line \\u2028");
  CHECK(Displayable("bad \xff") == "bad \uFFFD");
  CHECK(Displayable("ünïcode 日本") == "ünïcode 日本");
}

TEST_CASE("Width counts columns, not bytes") {
  CHECK(DisplayWidth("") == 0);
  CHECK(DisplayWidth("abc") == 3);
  CHECK(DisplayWidth("µs…█") == 4);
  CHECK(DisplayWidth("日本") == 4);
  CHECK(DisplayWidth("e\u0301") == 1);  // with a combining accent
}

TEST_CASE("Names are elided in the middle") {
  CHECK(ElideMiddle("short", 5) == "short");
  CHECK(ElideMiddle("abcdefghij", 6) == "ab…hij");
  CHECK(ElideMiddle("abcdefghij", 1) == "…");
  CHECK(ElideMiddle("日本語日本語", 7) == "日…語");  // 3 columns on each side hold one wide character
  CHECK(ElideMiddle("abce\u0301fgh", 4) == "a…gh");  // no accent without its letter
}

TEST_CASE("Of a path the long parts are elided, so that the inner ones still tell ops apart") {
  const std::string name = "gradient_tape/model/up0_conv1/Conv2D/Conv2DBackpropFilter";
  CHECK(ElideName(name, 80) == name);
  CHECK(ElideName(name, 36) == "gra…ape/model/up0…nv1/Conv2D/Con…ter");
  CHECK(ElideName("replica_6/bert_span_labeler/bert_encoder_1/word_embeddings/GatherV2/Cast", 34) ==
        "rep…ca_6/…/word…ings/GatherV2/Cast");
  CHECK(ElideName("gradients/mask_head/mask1/Conv2D_grad/Conv2DBackpropFilter", 34) ==
        "gra…ents/…/mask1/Con…grad/Con…lter");
  CHECK(ElideName("a_very_long_first_part_of_a_path/b/c/d/e/f/g/h", 20) == "a_v…path/…/d/e/f/g/h");
  CHECK(ElideName("a/bbbbbbbbbb/cccccccccc/dddddddddd/e", 12) == "a/…/e");  // room is left over
  CHECK(ElideName("no_path_but_a_long_name", 11) == "no_pa…_name");
}

TEST_CASE("The lines of a tree stay before a name that is elided, the last ones where there is no room for all") {
  CHECK(ElideName("│  ├─ cudaLaunchKernelWithALongName", 24) == "│  ├─ cudaLaun…ALongName");
  CHECK(ElideName("│  │  │  │  │  └─ a_name", 16) == "…│  │  └─ a_name");
  CHECK(ElideName("│  │  └─ a_name", 7) == "…a_name");
  CHECK(ElideName("│  │  └─ a_name", 3) == "a…e");
}

TEST_CASE("Names that are elided alike are told apart") {
  const std::vector<std::string> names = {"gradient_tape/a_very_long_layer/conv_a/something/Conv2DBackpropFilter",
                                          "gradient_tape/a_very_long_layer/conv_b/something/Conv2DBackpropFilter"};
  CHECK(ElideName(names[0], 24) == ElideName(names[1], 24));
  CHECK(ElideApart(names, 24) == std::vector<std::string>{"…/conv_a/som…kpropFilter", "…/conv_b/som…kpropFilter"});
  CHECK(ElideApart({"│  ├─ " + names[0], "│  ├─ " + names[1]}, 30) ==
        std::vector<std::string>{"│  ├─ …/conv_a/som…kpropFilter", "│  ├─ …/conv_b/som…kpropFilter"});
  CHECK(ElideApart({"a_first_and_long", "b_first_and_long"}, 8) == std::vector<std::string>{"a_f…long", "b_f…long"});
}

TEST_CASE("An elided text never takes more than its width") {
  std::mt19937 random(3);
  const std::string_view letters[] = {"a", "B", "/", "_", "日", "é", "e\u0301", "🚀", "│  ", "└─ "};
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (unsigned n = random() % 60; n > 0; --n) text += letters[random() % std::size(letters)];
    const size_t width = 1 + random() % 40;
    for (const std::string& elided : {ElideMiddle(text, width), ElideName(text, width)}) {
      CAPTURE(text, width, elided);
      CHECK(DisplayWidth(elided) <= width);
      CHECK(IsValidUtf8(elided));
      CHECK((elided == text) == (DisplayWidth(text) <= width));
    }
  }
}

TEST_CASE("Words wrap at spaces") {
  CHECK(WrapWords("one two three", 7) == std::vector<std::string>{"one two", "three"});
  CHECK(WrapWords("averylongword b", 4) == std::vector<std::string>{"averylongword", "b"});
  CHECK(WrapWords("", 4) == std::vector<std::string>{""});
}

}  // namespace
}  // namespace tfprof::report
