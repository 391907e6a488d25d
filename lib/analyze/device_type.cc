#include "analyze/device_type.h"

#include <string_view>

namespace tfprof::analyze {
namespace {

std::string_view NvidiaGeneration(uint64_t major, uint64_t minor) {
  switch (major) {
    case 2:
      return "Fermi";
    case 3:
      return "Kepler";
    case 5:
      return "Maxwell";
    case 6:
      return "Pascal";
    case 7:
      return minor >= 5 ? "Turing" : "Volta";
    case 8:
      return minor >= 9 ? "Ada Lovelace" : "Ampere";
    case 9:
      return "Hopper";
    case 10:
      return "Blackwell";
    default:
      return "";
  }
}

std::string AmdName(std::string_view own, uint64_t major, uint64_t minor) {
  std::string_view name = own.substr(0, own.find(':'));
  if (name.empty() && major == 9) name = minor == 4 ? "gfx942" : minor == 5 ? "gfx950" : "gfx-9XX series";
  if (name.empty() && major == 10) name = "gfx-10XX series";
  if (name.empty() && major == 11) name = "gfx-11XX series";
  return name.empty() ? "AMD GPU" : "AMD GPU - " + std::string(name);
}

}  // namespace

std::string DeviceTypeOf(const trace::StreamPlane& plane, trace::NumberSlots numbers) {
  if (plane.kind == trace::StreamPlaneKind::kTpu) return std::string(plane.stat("device_type_string").text);
  const std::string_view vendor = plane.stat("device_vendor").text;
  const auto number = [&](std::string_view stat) {
    const trace::StatValue stored = plane.stat(stat);
    return (numbers == trace::NumberSlots::kAny ? stored.whole_number() : stored).int_or_uint();
  };
  const uint64_t major = number("compute_cap_major"), minor = number("compute_cap_minor");
  if (vendor == "AMD") return AmdName(plane.stat("gpu_device_name").text, major, minor);
  if (vendor != "Nvidia") return "GPU";
  const std::string_view generation = NvidiaGeneration(major, minor);
  return generation.empty() ? "Nvidia GPU" : "Nvidia GPU (" + std::string(generation) + ")";
}

}  // namespace tfprof::analyze
