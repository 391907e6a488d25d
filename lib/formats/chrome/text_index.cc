#include "formats/chrome/text_index.h"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tfprof::chrome {
namespace {

constexpr size_t kBlockBytes = 64;
constexpr char kBracketBit = 0x20;  // `[` and `{`, `]` and `}` differ in this bit only

// One bit for each byte of `word` that equals `c`.
uint64_t EqualBytes(uint64_t word, char c) {
  constexpr uint64_t kOnes = 0x0101010101010101, kLow = 0x7f7f7f7f7f7f7f7f;
  const uint64_t difference = word ^ (kOnes * static_cast<uint8_t>(c));
  const uint64_t zero = ~(((difference & kLow) + kLow) | difference | kLow);  // 0x80 where a byte is equal
  return ((zero >> 7) * 0x0102040810204080) >> 56;
}

void MarkPlain(const char* text, size_t count, BlockMarks* marks) {
  for (size_t block = 0; block < count; ++block) {
    BlockMarks found;
    for (size_t i = 0; i < kBlockBytes; i += 8) {
      uint64_t word = 0;
      std::memcpy(&word, text + block * kBlockBytes + i, sizeof word);
      found.quotes |= (EqualBytes(word, '"') | EqualBytes(word, '\\')) << i;
      found.brackets |= (EqualBytes(word, '{') | EqualBytes(word, '}') | EqualBytes(word, '[') | EqualBytes(word, ']'))
                        << i;
    }
    marks[block] = found;
  }
}

#if defined(__x86_64__)

void MarkSse2(const char* text, size_t count, BlockMarks* marks) {
  const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
  const __m128i open = _mm_set1_epi8('{'), close = _mm_set1_epi8('}'), bit = _mm_set1_epi8(kBracketBit);
  for (size_t block = 0; block < count; ++block) {
    BlockMarks found;
    for (size_t i = 0; i < kBlockBytes; i += 16) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + block * kBlockBytes + i));
      const __m128i folded = _mm_or_si128(bytes, bit);
      const __m128i quotes = _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash));
      const __m128i brackets = _mm_or_si128(_mm_cmpeq_epi8(folded, open), _mm_cmpeq_epi8(folded, close));
      found.quotes |= static_cast<uint64_t>(static_cast<uint32_t>(_mm_movemask_epi8(quotes))) << i;
      found.brackets |= static_cast<uint64_t>(static_cast<uint32_t>(_mm_movemask_epi8(brackets))) << i;
    }
    marks[block] = found;
  }
}

__attribute__((target("avx2"))) void MarkAvx2(const char* text, size_t count, BlockMarks* marks) {
  const __m256i quote = _mm256_set1_epi8('"'), backslash = _mm256_set1_epi8('\\');
  const __m256i open = _mm256_set1_epi8('{'), close = _mm256_set1_epi8('}'), bit = _mm256_set1_epi8(kBracketBit);
  for (size_t block = 0; block < count; ++block) {
    BlockMarks found;
    for (size_t i = 0; i < kBlockBytes; i += 32) {
      const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + block * kBlockBytes + i));
      const __m256i folded = _mm256_or_si256(bytes, bit);
      const __m256i quotes = _mm256_or_si256(_mm256_cmpeq_epi8(bytes, quote), _mm256_cmpeq_epi8(bytes, backslash));
      const __m256i brackets = _mm256_or_si256(_mm256_cmpeq_epi8(folded, open), _mm256_cmpeq_epi8(folded, close));
      found.quotes |= static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_epi8(quotes))) << i;
      found.brackets |= static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_epi8(brackets))) << i;
    }
    marks[block] = found;
  }
}

constexpr MarkKernel kKernels[] = {{"avx2", MarkAvx2}, {"sse2", MarkSse2}, {"plain", MarkPlain}};

std::span<const MarkKernel> Runnable() {
  const std::span<const MarkKernel> all = kKernels;
  return __builtin_cpu_supports("avx2") ? all : all.subspan(1);
}

#else

constexpr MarkKernel kKernels[] = {{"plain", MarkPlain}};

std::span<const MarkKernel> Runnable() { return kKernels; }

#endif

}  // namespace

std::span<const MarkKernel> MarkKernels() { return Runnable(); }

void TextIndex::Mark(const char* p, const char* end) {
  // What comes next is fetched while this window is read: a reader that stops at each page gives the machine's own
  // prefetcher nothing to follow.
  const auto ahead = std::min<size_t>(2 * kBlocks * kBlock, static_cast<size_t>(end - p));
  for (size_t i = kBlocks * kBlock; i < ahead; i += kBlock) __builtin_prefetch(p + i);
  begin_ = reinterpret_cast<uintptr_t>(p);
  size_ = std::min<size_t>(kBlocks * kBlock, static_cast<size_t>(end - p));
  const size_t whole = size_ / kBlock;
  kernel_.mark(p, whole, marks_.data());
  if (const size_t rest = size_ % kBlock; rest > 0) {
    char padded[kBlock] = {};
    std::memcpy(padded, p + whole * kBlock, rest);
    kernel_.mark(padded, 1, &marks_[whole]);
  }
  marks_[(size_ + kBlock - 1) / kBlock] = BlockMarks();
}

}  // namespace tfprof::chrome
