#include "report/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/utf8.h"
#include "report/number.h"

namespace tfprof::report {
namespace {

bool NeedsEscape(char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\'; }

void AppendEscaped(char c, std::string* out) {
  switch (c) {
    case '"':
    case '\\':
      out->push_back('\\');
      out->push_back(c);
      return;
    case '\n':
      out->append("\\n");
      return;
    case '\r':
      out->append("\\r");
      return;
    case '\t':
      out->append("\\t");
      return;
    default:
      fmt::format_to(std::back_inserter(*out), "\\u{:04x}", static_cast<unsigned>(c));
  }
}

struct ScalarPrinter {
  std::string* out;

  void operator()(std::nullptr_t) const { out->append("null"); }
  void operator()(Missing) const { out->append("null"); }
  void operator()(bool value) const { out->append(value ? "true" : "false"); }
  void operator()(uint64_t value) const { out->append(std::to_string(value)); }
  void operator()(double value) const { AppendDouble(value, "null", out); }
  void operator()(Picoseconds time) const { AppendMicroseconds(time.value, out); }
  void operator()(std::string_view text) const { AppendJsonString(text, out); }
  void operator()(const Dimensions& d) const {
    fmt::format_to(std::back_inserter(*out), "[{},{},{}]", d.xyz[0], d.xyz[1], d.xyz[2]);
  }
};

bool IsContainer(const Value& value) { return value.get().index() >= 6; }
static_assert(std::is_same_v<std::variant_alternative_t<6, Value::Variant>, Value::Array>);

void AppendRow(const Table& table, const Row& row, std::string* out) {
  out->push_back('{');
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if (i > 0) out->push_back(',');
    AppendJsonString(table.columns[i].id, out);
    out->push_back(':');
    std::visit(ScalarPrinter{out}, row.cells[i]);
  }
  out->push_back('}');
}

class Writer {
 public:
  explicit Writer(ByteSink* sink) : out_(sink) {}

  void WriteDocument(const Value::Object& document, const std::function<Value::Object()>& tail) {
    text() += '{';
    bool first = true;
    WriteMemberList(document, true, 0, &first);
    if (tail) WriteMemberList(tail(), true, 0, &first);
    text() += "\n}\n";
  }

  void WriteTopArray(const Value::Array& array) {
    WriteArray(array, 0);
    text() += '\n';
  }

 private:
  std::string& text() { return out_.text; }

  void Indent(size_t level) { text().append("\n").append(2 * level, ' '); }

  void WriteValue(const Value& value, size_t level) {
    const Value::Variant& v = value.get();
    if (const auto* object = std::get_if<Value::Object>(&v)) {
      const bool broken =
          std::any_of(object->begin(), object->end(), [](const Member& m) { return IsContainer(m.value); });
      WriteMembers(*object, broken, level);
    } else if (const auto* array = std::get_if<Value::Array>(&v)) {
      WriteArray(*array, level);
    } else if (const auto* table = std::get_if<TablePtr>(&v)) {
      WriteRows(**table, level);
    } else if (const auto* string = std::get_if<std::string>(&v)) {
      AppendJsonString(*string, &text());
    } else {
      std::visit(
          [this]<typename T>(const T& scalar) {
            if constexpr (std::is_invocable_v<ScalarPrinter, T>) ScalarPrinter{&text()}(scalar);
          },
          v);
    }
  }

  void WriteMembers(const Value::Object& object, bool broken, size_t level) {
    text() += '{';
    bool first = true;
    WriteMemberList(object, broken, level, &first);
    if (broken && !object.empty()) Indent(level);
    text() += '}';
  }

  void WriteMemberList(const Value::Object& object, bool broken, size_t level, bool* first) {
    for (const Member& member : object) {
      if (!*first) text() += ',';
      *first = false;
      if (broken) Indent(level + 1);
      AppendJsonString(member.key, &text());
      text() += ':';
      WriteValue(member.value, level + 1);
    }
  }

  void WriteArray(const Value::Array& array, size_t level) {
    const bool broken = std::any_of(array.begin(), array.end(), IsContainer);
    text() += '[';
    bool first = true;
    for (const Value& value : array) {
      if (!first) text() += ',';
      first = false;
      if (broken) Indent(level + 1);
      WriteValue(value, level + 1);
      if (!out_.Pass()) return;
    }
    if (broken) Indent(level);
    text() += ']';
  }

  void WriteRows(const Table& table, size_t level) {
    text() += '[';
    bool first = true;
    ForEachRow(table, [&](const Row& row) {
      if (row.kind == RowKind::kOthers) return true;
      if (!first) text() += ',';
      first = false;
      Indent(level + 1);
      AppendRow(table, row, &text());
      return out_.Pass();
    });
    if (!first) Indent(level);
    text() += ']';
  }

  BufferedSink out_;
};

}  // namespace

void AppendJsonString(std::string_view text, std::string* out) {
  out->push_back('"');
  while (!text.empty()) {
    const auto end = std::find_if(text.begin(), text.end(), NeedsEscape);
    const auto plain = static_cast<size_t>(end - text.begin());
    AppendValidUtf8(text.substr(0, plain), out);
    text.remove_prefix(plain);
    if (text.empty()) break;
    AppendEscaped(text.front(), out);
    text.remove_prefix(1);
  }
  out->push_back('"');
}

void WriteJson(const Value::Object& document, ByteSink* sink, const std::function<Value::Object()>& tail) {
  Writer(sink).WriteDocument(document, tail);
}

void WriteJsonArray(const Value::Array& array, ByteSink* sink) { Writer(sink).WriteTopArray(array); }

void WriteJsonLines(const Table& table, ByteSink* sink) {
  BufferedSink out(sink);
  ForEachRow(table, [&](const Row& row) {
    AppendRow(table, row, &out.text);
    out.text += '\n';
    return out.Pass();
  });
}

}  // namespace tfprof::report
