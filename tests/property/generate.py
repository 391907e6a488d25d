"""Random XSpaces from a seed.

`well_formed`: strict and compatible numbers agree on them: one `/host:CPU`, unique line ids, equal line starts; on a lane
proper nesting, no two events that end together, no recursion; at most one stream busy at a time on a device; every kernel
with `tf_op`, one type per op name; no stage, `tf_op` or `hlo_op` stat on the host; at most 500 rows a side.
`wild`: overlaps, equal times, recursion, kernels without an op, memory events, aggregates, several planes, empty lines, odd
names, missing metadata, two planes or lines of one name. Nothing in it is damaged.
"""

import random

TYPES = ("MatMul", "Conv2D", "Relu", "AddV2", "BiasAdd", "Softmax", "Cast")
LAYERS = ("dense", "conv2d", "model/block1/conv", "model/block2/attention", "loss", "gradient_tape/model/dense")
KERNELS = ("sgemm_128x64_nn", "void relu_kernel<float, 4>(float*)", "volta_scudnn_128x32", "MemcpyH2D", "reduce_1Block")
NS = 1000  # ps; host clocks tick in ns


class Names:
    """The metadata map of a plane: one key for each text."""

    def __init__(self, rng, huge_keys=False):
        self.rng, self.huge_keys, self.key_of = rng, huge_keys, {}

    def key(self, name):
        if name not in self.key_of:
            huge = self.huge_keys and self.rng.random() < 0.1
            self.key_of[name] = self.rng.getrandbits(63) if huge else len(self.key_of) + 1
        return self.key_of[name]

    def map(self):
        return {key: name for name, key in self.key_of.items()}


def plane(ordinal, name, lines, events, stats):
    return {"id": ordinal, "name": name, "lines": lines, "event_metadata": events.map(), "stat_metadata": stats.map(),
            "stats": []}


def event(metadata_id, offset_ps, duration_ps, stats=()):
    return {"metadata_id": metadata_id, "offset_ps": offset_ps, "duration_ps": duration_ps, "stats": list(stats)}


def line(line_id, name, timestamp_ns, events):
    return {"id": line_id, "name": name, "timestamp_ns": timestamp_ns, "events": events}


def op_names(rng, count):
    """Different op names with their types: `name:Type`."""
    return [f"{rng.choice(LAYERS)}/op_{i}:{rng.choice(TYPES)}" for i in range(count)]


# --------------------------------------------------------------------------- well-formed

def nest(rng, names, ops, begin, end, depth, used, out):
    """Fills [begin, end) ns with nested events in file order; no op inside itself, no two that end together."""
    at = begin + rng.randrange(3)
    while at + 4 < end and rng.random() < 0.85:
        stop = rng.randrange(at + 2, min(end - 1, at + 2 + (end - begin) // 2) + 1)
        name = rng.choice([op for op in ops if op not in used] + ["$frame.py:12 step", "Session::Run"])
        out.append(event(names.key(name), at * NS, (stop - at) * NS))
        if depth > 0 and stop - at > 8:
            nest(rng, names, ops, at, stop - 1, depth - 1, used | {name}, out)
        at = stop + rng.choice((0, 0, 1, rng.randrange(1, 50)))


def well_formed_host(rng, ops, start_ns):
    names, stats = Names(rng), Names(rng)
    lines = []
    for i in range(rng.randrange(1, 5)):
        events = []
        nest(rng, names, ops, rng.randrange(100), rng.randrange(200, 3000), rng.randrange(4), frozenset(), events)
        lines.append(line(i + 100, f"tf_Compute/{i}", start_ns, events))
    return plane(0, "/host:CPU", lines, names, stats)


def well_formed_device(rng, ops, ordinal, start_ns):
    """Kernels one after the other, each on a stream of chance."""
    names, stats = Names(rng), Names(rng)
    lines = [line(7 + i, f"Stream #{7 + i}(Compute)", start_ns, []) for i in range(rng.randrange(1, 4))]
    at_ps = rng.randrange(10**6)
    for _ in range(rng.randrange(1, 120)):
        duration_ps = rng.randrange(0, 10**6)
        stat = (stats.key("tf_op"), *rng.choice((("str", rng.choice(ops)), ("ref", stats.key(rng.choice(ops))))))
        more = [(stats.key("correlation_id"), "uint64", rng.randrange(1000))] if rng.random() < 0.5 else []
        rng.choice(lines)["events"].append(event(names.key(rng.choice(KERNELS)), at_ps, duration_ps, [stat, *more]))
        at_ps += duration_ps + rng.choice((0, rng.randrange(10**5)))
    return plane(ordinal, f"/device:GPU:{ordinal}", lines, names, stats)


def well_formed(seed):
    rng = random.Random(seed)
    ops = op_names(rng, rng.randrange(1, 60))
    start_ns = rng.choice((0, 12345, 1_700_000_000_000_000_000))
    planes = [well_formed_host(rng, ops, start_ns)]
    planes += [well_formed_device(rng, ops, i, start_ns) for i in range(rng.randrange(0, 3))]
    rng.shuffle(planes)
    return {"planes": planes, "errors": [], "warnings": [], "hostnames": ["host"]}


# --------------------------------------------------------------------------- wild

ODD_NAMES = ("", " ", "a:B:c", "Iterator::Batch::Map", "jit(f)/dot_general:", "x\ty", "é/ü:Add", '"quoted",comma:Mul', "std::string",
             "MEMCPYHtoD", "=cmd:Sub", "very/" * 60 + "deep:Neg")


def wild_stats(rng, stats, ops):
    found = []
    for name, slot, value in (("tf_op", "str", rng.choice(ops)), ("level 0", "str", rng.choice(ops)), ("hlo_op", "str", "fusion.1"),
                              ("hlo_module", "str", "jit_f"), ("correlation_id", "uint64", rng.getrandbits(32)),
                              ("group_id", "int64", rng.randrange(3)), ("is_eager", "int64", rng.randrange(2)),
                              ("kernel_details", "str", "regs:32 grid:1,1,1 block:64,1,1"), ("_p", "uint64", rng.getrandbits(64)),
                              ("bytes", "int64", -rng.getrandbits(40)), ("x", "double", rng.random())):
        if rng.random() < 0.15:
            ref = slot == "str" and rng.random() < 0.5
            found.append((stats.key(name), "ref" if ref else slot, stats.key(value) if ref else value))
    return found


def wild_line(rng, names, stats, ops, line_id, name, start_ns, unique_times):
    """`unique_times`: no two events of equal start and duration, so that their order in the file says nothing."""
    events, seen = [], set()
    for _ in range(rng.choice((0, 1, 5, 40, 200))):
        offset = rng.randrange(10**9) if unique_times else rng.choice((0, 1000, rng.randrange(20) * 1000, rng.randrange(10**7)))
        duration = rng.choice((0, 1000, rng.randrange(10**6), rng.randrange(10**7), rng.randrange(30) * 1000))
        if unique_times and (offset, duration) in seen:
            continue
        seen.add((offset, duration))
        key = names.key(rng.choice(ops)) if rng.random() < 0.97 else rng.getrandbits(20) + 10**6  # the latter is nowhere
        one = event(key, offset, duration, wild_stats(rng, stats, ops))
        if rng.random() < 0.02:
            del one["offset_ps"]
            one["num_occurrences"] = rng.randrange(1, 50)
        events.append(one)
    if rng.random() < 0.7:
        events.sort(key=lambda e: (e.get("offset_ps", 0), -e["duration_ps"]))
    return line(line_id, name, start_ns, events)


def wild_plane(rng, ops, name, ordinal, start_ns, unique_times):
    names, stats = Names(rng, huge_keys=True), Names(rng, huge_keys=True)
    lines = []
    for i in range(rng.randrange(0, 5)):
        line_id = rng.choice((i, i, rng.getrandbits(64), -i, 3735928559 + i, -559038737 + i))
        if unique_times and line_id in [other["id"] for other in lines]:
            continue
        title = rng.choice(("python", f"Stream #{i}(Compute,MemcpyH2D)", "XLA Ops", "Steps", "", f"tf_Compute/{i}", "XLA Modules"))
        lines.append(wild_line(rng, names, stats, ops, line_id, title, rng.choice((start_ns, start_ns + rng.randrange(5000))),
                               unique_times))
    made = plane(ordinal, name, lines, names, stats)
    if rng.random() < 0.3:
        made["stats"].append((stats.key("core_count"), "uint64", 80))
        made["stat_metadata"] = stats.map()
    return made


def wild(seed, unique_times=False):
    rng = random.Random(seed)
    ops = op_names(rng, rng.randrange(1, 30)) + list(ODD_NAMES) + list(KERNELS) + ["EagerExecute", "$script.py:3 f"]
    start_ns = rng.choice((0, 12345, 1_700_000_000_000_000_000))
    choices = ["/host:CPU", "/host:CPU", "/device:GPU:0", "/device:GPU:1", "/device:TPU:0", "/device:CUSTOM:x", "/host:metadata",
               "Task Environment", "/host:CPU [12]", "", "#Chip0", "/host:CUPTI"]
    picked = rng.sample(choices[1:], rng.randrange(1, 5)) if unique_times else rng.choices(choices, k=rng.randrange(0, 6))
    planes = [wild_plane(rng, ops, name, i, start_ns, unique_times) for i, name in enumerate(picked)]
    texts = lambda: ["text"] if rng.random() < 0.2 else []  # noqa: E731
    return {"planes": planes, "errors": texts(), "warnings": texts(), "hostnames": texts()}
