// JSON and JSON Lines.
//
// Strings are valid UTF-8 with U+FFFD for each bad byte; numbers are exact decimals or shortest doubles, and what is no
// number is null. One layout for every document: a row of a table, and anything that holds only scalars, stands on one
// line; whatever holds more is broken, two spaces a level. So a document can be read, and diffed line by line.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "report/byte_sink.h"
#include "report/document.h"

namespace tfprof::report {

// `tail`, where there is one, gives the last members, once all the others are written.
void WriteJson(const Value::Object& document, ByteSink* sink, const std::function<Value::Object()>& tail = nullptr);
// A document that is no object.
void WriteJsonArray(const Value::Array& array, ByteSink* sink);
// One object a line, the row of the others among them.
void WriteJsonLines(const Table& table, ByteSink* sink);

void AppendJsonString(std::string_view text, std::string* out);

}  // namespace tfprof::report
