// Where quotes, backslashes and brackets stand in a text: bitmaps of a window that moves along with the reader.
//
// A window of 4 KiB is indexed at a time, 64 bytes to a word, by the fastest kernel that the machine has (chosen at run
// time; all give the same bits). Nothing outside [p, end) is ever read. One instance serves one text at a time: call Reset
// when the text changes, even where the new one stands in the same memory.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tfprof::chrome {

// Marks of 64 bytes: bit i tells of byte i.
struct BlockMarks {
  uint64_t quotes = 0;    // `"` and `\`
  uint64_t brackets = 0;  // `{`, `}`, `[` and `]`
};

// Fills the marks of `count` blocks of 64 bytes.
struct MarkKernel {
  std::string_view name;
  void (*mark)(const char* text, size_t count, BlockMarks* marks);
};

// What this machine can run, fastest first; the last one is plain C++.
std::span<const MarkKernel> MarkKernels();

class TextIndex {
 public:
  TextIndex() : kernel_(MarkKernels().front()) {}

  void Reset() { begin_ = size_ = 0; }

  // The first `"` or `\` in [p, end), else end.
  const char* FindQuote(const char* p, const char* end) {
    return Find(p, end, [](const BlockMarks& marks) { return marks.quotes; });
  }
  // The first of `"`, `\` and the brackets in [p, end), else end.
  const char* FindStructure(const char* p, const char* end) {
    return Find(p, end, [](const BlockMarks& marks) { return marks.quotes | marks.brackets; });
  }

 private:
  static constexpr size_t kBlock = 64;
  static constexpr size_t kBlocks = 64;

  template <typename Wanted>
  const char* Find(const char* p, const char* end, Wanted wanted) {
    while (p < end) {
      size_t at = reinterpret_cast<uintptr_t>(p) - begin_;
      if (at >= size_) [[unlikely]] {
        Mark(p, end);
        at = 0;
      }
      // The 64 bits from `at` on, of two words: no branch depends on where in a block the text stands.
      const BlockMarks* marks = &marks_[at / kBlock];
      const uint64_t bits = wanted(marks[0]) >> (at % kBlock) | wanted(marks[1]) << 1 << (~at % kBlock);
      if (bits != 0) return p + std::countr_zero(bits);
      p += at + kBlock < size_ ? kBlock : size_ - at;
    }
    return end;
  }

  // Indexes what begins at p.
  void Mark(const char* p, const char* end);

  MarkKernel kernel_;
  uintptr_t begin_ = 0;  // of the window
  size_t size_ = 0;      // bytes of it
  std::array<BlockMarks, kBlocks + 1> marks_;  // one without marks behind the last
};

}  // namespace tfprof::chrome
