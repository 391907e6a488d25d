// A Chrome timeline: the bytes stand behind the beginning of one.
#include "fuzz/run_on_bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tfprof::fuzz::RunOnBytes(data, size, "{\"traceEvents\":[");
  return 0;
}
