// Text on a terminal: what characters are shown, how many columns they take, how a text is made to fit.
//
// Everything printed for people passes through here, so nothing in a profile can send control sequences to a terminal.
// Widths are display columns (East Asian wide and emoji 2, combining marks 0), not bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tfprof::report {

// Appends `text` as valid UTF-8; control characters and those that reorder text are shown as escapes (`\n`, `\x1b`,
// `\u202e`).
void AppendDisplayable(std::string_view text, std::string* out);
std::string Displayable(std::string_view text);

// Columns that displayable text takes.
size_t DisplayWidth(std::string_view displayable);

// The text, or its beginning and end with `…` between them, in at most `width` columns (at least 1).
std::string ElideMiddle(std::string_view displayable, size_t width);

// As ElideMiddle; but of a path (`model/up0_conv1/Conv2D`) the longest parts are elided, each in its middle, or where
// there are many, whole parts in the middle: it is mostly the inner parts that tell one op from the next. Of a name
// behind the lines of a tree (`│  └─ name`) the lines stay as long as there is room.
std::string ElideName(std::string_view displayable, size_t width);

// Of names that ElideName makes alike: without their common beginning, so that where they differ is seen. `width` is at
// least 2.
std::vector<std::string> ElideApart(const std::vector<std::string>& names, size_t width);

// Lines of at most `width` columns, broken at spaces; a longer word stands on a line of its own.
std::vector<std::string> WrapWords(std::string_view displayable, size_t width);

}  // namespace tfprof::report
