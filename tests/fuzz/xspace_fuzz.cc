// An XSpace (or whatever detection takes the bytes for).
#include "fuzz/run_on_bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tfprof::fuzz::RunOnBytes(data, size, "");
  return 0;
}
