// A gzip file: the bytes stand behind a gzip header, deflate data and trailer are the fuzzer's.
#include "fuzz/run_on_bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tfprof::fuzz::RunOnBytes(data, size, "\x1f\x8b\x08\x01\x01\x01\x01\x01\x01\x03");
  return 0;
}
