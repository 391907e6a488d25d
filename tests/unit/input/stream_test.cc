#include "input/stream.h"

#include <catch2/catch.hpp>
#include <string>

#include "support/gzip.h"

namespace tfprof::input {
namespace {

using tfprof::testing::Gzip;

// Gives its bytes in pieces of a fixed size.
class PieceStream : public ByteStream {
 public:
  PieceStream(std::string bytes, size_t piece) : bytes_(std::move(bytes)), piece_(piece) {}
  Result<std::string_view> Next() override {
    const std::string_view piece = std::string_view(bytes_).substr(at_, piece_);
    at_ += piece.size();
    return piece;
  }
  const Diagnostics& diagnostics() const override { return none_; }

 private:
  std::string bytes_;
  size_t piece_, at_ = 0;
  Diagnostics none_;
};

std::string Drain(ByteStream* stream) {
  std::string out;
  for (;;) {
    Result<std::string_view> more = stream->Next();
    REQUIRE(more.ok());
    if (more->empty()) return out;
    out += *more;
  }
}

std::string Inflate(const std::string& bytes, size_t piece, Diagnostics* diagnostics) {
  const auto stream = MakeGzipStream(std::make_unique<PieceStream>(bytes, piece), "x.gz");
  std::string out = Drain(stream.get());
  *diagnostics = stream->diagnostics();
  return out;
}

std::string Text() {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += std::to_string(i * 2654435761u) + ",";
  return text;
}

TEST_CASE("gzip members follow each other, padded or not, in pieces of any size") {
  const std::string text = Text();
  const std::string bytes = Gzip(text) + Gzip("tail") + std::string(512, '\0');
  for (const size_t piece : {size_t{1}, size_t{7}, size_t{4096}, bytes.size()}) {
    Diagnostics diagnostics;
    CHECK(Inflate(bytes, piece, &diagnostics) == text + "tail");
    CHECK(diagnostics.Empty());
  }
}

TEST_CASE("a cut gzip file gives what came before the cut") {
  const std::string text = Text();
  const std::string bytes = Gzip(text);
  for (const size_t size : {bytes.size() / 3, bytes.size() - 9, bytes.size() - 1}) {
    Diagnostics diagnostics;
    const std::string out = Inflate(bytes.substr(0, size), 1000, &diagnostics);
    CHECK(text.starts_with(out));
    CHECK(diagnostics.Has(DiagCode::kTruncatedInput));
  }
}

TEST_CASE("a wrong checksum and what is no gzip behind the data are told") {
  const std::string text = Text();
  std::string bytes = Gzip(text);
  bytes[bytes.size() - 6] ^= 1;
  Diagnostics diagnostics;
  CHECK(Inflate(bytes, 1 << 20, &diagnostics) == text);
  CHECK(diagnostics.Has(DiagCode::kBadChecksum));
  CHECK(Inflate(Gzip(text) + "rubbish", 1 << 20, &diagnostics) == text);
  CHECK(diagnostics.Has(DiagCode::kBadChecksum));
}

TEST_CASE("read ahead, a stream gives the same bytes and tells the same") {
  const std::string text = Text();
  const std::string bytes = Gzip(text);
  const auto ahead = [](const std::string& from) {
    return MakeAheadStream(MakeGzipStream(std::make_unique<PieceStream>(from, 1000), "x.gz"));
  };
  const auto whole = ahead(bytes);
  CHECK(Drain(whole.get()) == text);
  CHECK(whole->diagnostics().Empty());
  CHECK(Drain(whole.get()).empty());  // the end stays the end
  const auto cut = ahead(bytes.substr(0, bytes.size() / 2));
  CHECK(text.starts_with(Drain(cut.get())));
  CHECK(cut->diagnostics().Has(DiagCode::kTruncatedInput));
  CHECK(ahead(bytes)->Next().ok());  // and may be left at any time
}

// Fails after one piece.
class FailingStream : public ByteStream {
 public:
  Result<std::string_view> Next() override {
    if (given_) return Error{DiagCode::kUnreadableInput, "no more"};
    given_ = true;
    return std::string_view("bytes");
  }
  const Diagnostics& diagnostics() const override { return none_; }

 private:
  bool given_ = false;
  Diagnostics none_;
};

TEST_CASE("read ahead, an error comes after what was read before it") {
  const auto stream = MakeAheadStream(std::make_unique<FailingStream>());
  Result<std::string_view> first = stream->Next();
  REQUIRE(first.ok());
  CHECK(*first == "bytes");
  for (int i = 0; i < 2; ++i) {
    Result<std::string_view> second = stream->Next();
    REQUIRE_FALSE(second.ok());
    CHECK(second.error().message == "no more");
  }
}

}  // namespace
}  // namespace tfprof::input
