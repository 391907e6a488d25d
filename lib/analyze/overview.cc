#include "analyze/overview.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/counted.h"
#include "base/units.h"

namespace tfprof::analyze {
namespace {

constexpr size_t kTopOps = 10;
// Percent below or above which there is advice (XProf's).
constexpr double kLittle16Bit = 10, kMuchEager = 10;
// Percent of what an advice is about, from which on it names an op.
constexpr double kGoodPart = 25;
constexpr double kLargeOp = 20;

double Percent(double part, double whole) { return std::fabs(whole) < 1e-10 ? 0 : 100.0 * part / whole; }

struct SideSums {
  double occurrences = 0, self_ps = 0, eager_ps = 0;
  double gain_ps = 0;                     // of eager_ps, that of ops which tf.function would make faster
  const OpsRow* largest_gain = nullptr;  // of these the one with most self time
};

// Summaries and checkpoints run eagerly by nature: no tf.function would make them faster.
bool WouldGain(const OpsRow& op) {
  const auto in_type = [&op](std::string_view part) { return op.op_type.find(part) != std::string::npos; };
  return !in_type("Summary") && !in_type("Save") && !in_type("Checkpoint") && !in_type("Restore");
}

SideSums SumsOf(const OpsResult& ops, Side side) {
  SideSums sums;
  for (const OpsRow& op : ops.rows) {
    if (op.side != side || op.idle) continue;
    const auto self_ps = static_cast<double>(op.self_ps);
    sums.occurrences += static_cast<double>(op.occurrences);
    sums.self_ps += self_ps;
    if (!op.eager) continue;
    sums.eager_ps += self_ps;
    if (!WouldGain(op)) continue;
    sums.gain_ps += self_ps;
    if (sums.largest_gain == nullptr || op.self_ps > sums.largest_gain->self_ps) sums.largest_gain = &op;
  }
  return sums;
}

OverviewShares XprofShares(const OpsResult& ops, const StepsResult& steps) {
  OverviewShares shares;
  const SideSums host = SumsOf(ops, Side::kHost), device = SumsOf(ops, Side::kDevice);
  // Only of TPUs are these computed; elsewhere they read 0.
  const auto idle = [&](const SideTotals& side) {
    if (!steps.has_tpu) return 0.0;
    return 100.0 - Percent(static_cast<double>(side.busy_ps), static_cast<double>(side.span_ps));
  };
  shares.device_idle = idle(ops.device);
  shares.host_idle = idle(ops.host);
  shares.host_tf_op = Percent(host.occurrences, host.occurrences + device.occurrences);
  shares.device_tf_op = Percent(device.occurrences, host.occurrences + device.occurrences);
  shares.host_eager = Percent(host.eager_ps, host.self_ps);
  shares.device_eager = Percent(device.eager_ps, device.self_ps);
  const Precision& precision = steps.precision;
  const auto both = static_cast<double>(precision.bits16_ps + precision.bits32_ps);
  shares.compute_16bit = Percent(static_cast<double>(precision.bits16_ps), both);
  shares.compute_32bit = Percent(static_cast<double>(precision.bits32_ps), both);
  return shares;
}

OverviewShares StrictShares(const OpsResult& ops, const StepsResult& steps) {
  OverviewShares shares;
  const SideSums host = SumsOf(ops, Side::kHost), device = SumsOf(ops, Side::kDevice);
  const auto share = [](double part, double whole) {
    return whole > 0 ? std::optional(100.0 * part / whole) : std::nullopt;
  };
  shares.device_idle = share(static_cast<double>(ops.device.idle_ps), static_cast<double>(ops.device.span_ps));
  shares.host_idle = share(static_cast<double>(ops.host.idle_ps),
                           static_cast<double>(ops.host.idle_ps) + static_cast<double>(ops.host.sum_self_ps));
  if (device.occurrences > 0) {  // without a device there is nothing to compare with
    shares.host_tf_op = share(host.occurrences, host.occurrences + device.occurrences);
    shares.device_tf_op = share(device.occurrences, host.occurrences + device.occurrences);
  }
  shares.host_eager = share(host.eager_ps, host.self_ps);
  shares.device_eager = share(device.eager_ps, device.self_ps);
  const Precision& precision = steps.precision;
  const auto compute = static_cast<double>(precision.known_ps() + precision.unknown_ps);
  shares.compute_unknown = share(static_cast<double>(precision.unknown_ps), compute);
  if (precision.known_ps() == 0) return shares;
  shares.compute_8bit = share(static_cast<double>(precision.bits8_ps), compute);
  shares.compute_16bit = share(static_cast<double>(precision.bits16_ps), compute);
  shares.compute_32bit = share(static_cast<double>(precision.bits32_ps), compute);
  return shares;
}

void AddXprofAdvice(const StepsResult& steps, Overview* overview) {
  const double all = static_cast<double>(steps.precision.bits16_ps + steps.precision.bits32_ps);
  const double half = overview->shares.compute_16bit.value_or(0);
  if (all > 0 && half < kLittle16Bit) {
    overview->recommendations.push_back(
        {"precision",
         fmt::format("Only {:.1f}% of device computation is 16 bit. So you might want to replace more 32-bit Ops by "
                     "16-bit Ops to improve performance (if the reduced accuracy is acceptable).",
                     half)});
  }
}

// What ran eagerly on the host, and whether compiling it would help; "": too little to speak of.
std::string EagerText(const SideSums& host) {
  const double eager = Percent(host.eager_ps, host.self_ps), gain = Percent(host.gain_ps, host.self_ps);
  if (eager <= kMuchEager) return "";
  std::string text = fmt::format("{:.1f}% of the host's op time ran eagerly", eager);
  if (gain <= kMuchEager) {
    return text + fmt::format(
                      ", {:.1f}% of that in summaries and checkpoints, which run eagerly by nature: tf.function would "
                      "not make them faster.",
                      Percent(host.eager_ps - host.gain_ps, host.eager_ps));
  }
  if (gain < eager) text += fmt::format(" ({:.1f}% without summaries and checkpoints)", gain);
  text += "; tf.function would compile it";
  const auto largest_ps = static_cast<double>(host.largest_gain->self_ps);
  if (const double part = Percent(largest_ps, host.gain_ps); part >= kGoodPart) {
    text += fmt::format(", above all {}, {} ({:.1f}% of it)", host.largest_gain->op_name, ShortTime(largest_ps), part);
  }
  return text + ".";
}

void AddStrictAdvice(const OpsResult& ops, const StepsResult& steps, const InputOps& input, Overview* overview) {
  std::vector<Recommendation>& advice = overview->recommendations;
  if ((overview->verdict.bottleneck == "host" || overview->verdict.bottleneck == "both") && !input.ops.empty()) {
    const InputOp& first = input.ops.front();
    const double part = 100 * first.self_fraction;
    std::string text = "Speed up the input first: ";
    text += part >= kGoodPart ? fmt::format("{} has most self time of the input ops, {} ({:.1f}% of theirs).",
                                            first.op->op_name, ShortTime(static_cast<double>(first.op->self_ps)), part)
                              : fmt::format("no input op stands out, the largest takes {:.1f}% of their time.", part);
    advice.insert(advice.begin(), {"input", std::move(text)});
  }
  if (!overview->top_ops.empty() && 100 * overview->top_ops.front()->self_fraction >= kLargeOp) {
    const OpsRow& op = *overview->top_ops.front();
    advice.push_back(
        {"top_op", fmt::format("{} ({}) takes {:.1f}% of the op time of the {}: {} in {}.", op.op_name, op.op_type,
                               100 * op.self_fraction, overview->top_side == Side::kDevice ? "device" : "host",
                               ShortTime(static_cast<double>(op.self_ps)), Counted(op.occurrences, "run", "runs"))});
  }
  if (steps.coverage.misses_the_work()) {
    advice.push_back(
        {"step_coverage", fmt::format("Step times are not those of the work ({} of it lies outside of the steps). To "
                                      "measure steps, wait for the work within each: in JAX, "
                                      "jax.block_until_ready(result) before the step's marker ends.",
                                      ShortTime(static_cast<double>(steps.coverage.work_outside_ps)))});
  }
  if (std::string text = EagerText(SumsOf(ops, Side::kHost)); !text.empty()) {
    advice.push_back({"eager", std::move(text)});
  }
  const OverviewShares& shares = overview->shares;
  if (shares.compute_32bit.value_or(0) > 50) {
    advice.push_back(
        {"precision", fmt::format("{:.1f}% of the device's compute time is in kernels whose names tell of 32 bit "
                                  "({:.1f}%: 16 bit, {:.1f}%: unknown).",
                                  *shares.compute_32bit, shares.compute_16bit.value_or(0),
                                  shares.compute_unknown.value_or(0))});
  }
}

}  // namespace

OverviewShares SharesOfRun(const OpsResult& ops, const StepsResult& steps) {
  return steps.compat == Compat::kNone ? StrictShares(ops, steps) : XprofShares(ops, steps);
}

Overview MakeOverview(const OpsResult& ops, const StepsResult& steps) {
  Overview overview;
  const bool strict = steps.compat == Compat::kNone;
  const InputOps input = FindInputOps(ops, steps);
  overview.shares = SharesOfRun(ops, steps);
  overview.verdict = JudgeInput(steps, input.uses_tf_data());
  if (!strict && steps.has_tpu && !steps.rows.empty()) overview.verdict = {"", "", {"", ""}, {"", ""}, {"", ""}};
  const bool device_ops = std::any_of(ops.rows.begin(), ops.rows.end(),
                                      [](const OpsRow& op) { return op.side == Side::kDevice && !op.idle; });
  if (strict && !device_ops) overview.top_side = Side::kHost;
  for (const OpsRow& op : ops.rows) {
    if (op.side == overview.top_side && !op.idle && overview.top_ops.size() < kTopOps) overview.top_ops.push_back(&op);
  }
  for (const auto& [kind, level] :
       {std::pair{"kernel_launch", &overview.verdict.kernel_launch}, std::pair{"all_other", &overview.verdict.other},
        std::pair{"collectives", &overview.verdict.collectives}}) {
    if (!level->statement.empty()) overview.recommendations.push_back({kind, level->statement});
  }
  strict ? AddStrictAdvice(ops, steps, input, &overview) : AddXprofAdvice(steps, &overview);
  return overview;
}

}  // namespace tfprof::analyze
