// tfprof-analyze: where the time of a TensorFlow or JAX run went. Everything happens in cli::Run.
#include <unistd.h>

#include <string>
#include <vector>

#include "cli/process_io.h"
#include "cli/run.h"

int main(int argc, char** argv) {
  tfprof::cli::DescriptorStream out(STDOUT_FILENO);
  tfprof::cli::DescriptorStream err(STDERR_FILENO);
  tfprof::cli::Io io = tfprof::cli::ProcessIo(&out, &err);
  return tfprof::cli::Run(std::vector<std::string>(argv + (argc > 0), argv + argc), io);
}
