"""Random Chrome timelines from a seed, how to write them as JSON, and an XSpace as the trace.json that TensorFlow makes of it.

A timeline is {"dialect", "top": {key: value}, "names": [M events], "events": [X events]}, its events dicts with `ts_ps` and
`dur_ps` in integer picoseconds. On a lane no two events have both start and duration in common, so that the order of the
events in the file says nothing. Formats: docs/formats.md; Trace Event Format.
"""

import json
import random

from generate import KERNELS, op_names

PS_IN_US = 10**6
EPOCH_PS = 1_712_195_495_519_689_047_000 * 1000  # what a writer without a base time of its own begins at
ODD_TEXTS = (
    "",
    "plain",
    'a "quoted" b',
    "back\\slash",
    "tab\there",
    "é/ü",
    "a:B:c",
    "x" * 300,
    "{[,]}",
    "/",
    "line\nbreak",
)
ESCAPED = 0.1  # of the texts, where the layout is odd, are written in escapes altogether: values and keys alike


def metadata(what, pid, name, tid=None):
    made = {"ph": "M", "name": what, "pid": pid, "args": {"name": name}}
    if tid is not None:
        made["tid"] = tid
    return made


def complete(pid, tid, ts_ps, dur_ps, name, cat=None, args=None):
    made = {"ph": "X", "pid": pid, "tid": tid, "ts_ps": ts_ps, "dur_ps": dur_ps, "name": name}
    if cat is not None:
        made["cat"] = cat
    if args:
        made["args"] = args
    return made


def times(rng, count, base_ps, unit_ps):
    """Starts and durations of a lane, all different; many overlap."""
    found = set()
    for _ in range(count):
        start = rng.choice((rng.randrange(10), rng.randrange(1000), rng.randrange(10**6)))
        found.add(
            (
                base_ps + start * unit_ps,
                rng.choice((0, rng.randrange(10), rng.randrange(2000), rng.randrange(10**5))) * unit_ps,
            )
        )
    return sorted(found, key=lambda t: (t[0], -t[1]))


def generic(rng, base_ps, processes=("app", "GPU Process")):
    """Processes and threads without a mark of TensorFlow or PyTorch; ids are numbers or texts."""
    ids = [0, 1, 7, -3, 2**32 + 5, "main", 'worker "2"']
    names, events = [], []
    for pid in rng.sample(ids, rng.randrange(1, 4)):
        if rng.random() < 0.7:
            names.append(metadata("process_name", pid, rng.choice(processes)))
        for tid in rng.sample(ids, rng.randrange(1, 4)):
            if rng.random() < 0.7:
                names.append(metadata("thread_name", pid, f"thread {tid}", tid))
            for ts, dur in times(rng, rng.choice((1, 5, 40, 200)), base_ps, rng.choice((1, 1000, PS_IN_US))):
                events.append(
                    complete(
                        pid, tid, ts, dur, rng.choice(ODD_TEXTS + ("f", "g")), rng.choice((None, "toplevel", "gc,v8"))
                    )
                )
    return {}, names, events


def tf2(rng, base_ps):
    """What TensorFlow's exporter writes of a host and GPUs; no duration of 1 ps, which it writes for 0."""
    ops = op_names(rng, rng.randrange(1, 30))
    names, events = [metadata("process_name", 701, "/host:CPU")], []
    for tid in range(1, rng.randrange(2, 5)):
        names.append(metadata("thread_name", 701, f"tf_Compute/{tid}", tid))
        for ts, dur in times(rng, rng.choice((1, 20, 150)), base_ps, 1000):
            op = rng.choice(ops + ["$frame.py:12 step", "Session::Run"])
            args = {"group_id": "1"}
            if op in ops:
                args["long_name"] = op
            if rng.random() < 0.1:
                args["is_eager"] = rng.choice(("0", "1"))
            events.append(complete(701, tid, ts, dur, op.rpartition(":")[2], None, args))
    for gpu in range(rng.randrange(3)):
        names.append(metadata("process_name", 1 + gpu, f"/device:GPU:{gpu}"))
        for tid, title in ((13, "Stream #13(Compute)"), (14, "Stream #14(MemcpyH2D)"), (3735928560, "TensorFlow Ops")):
            names.append(metadata("thread_name", 1 + gpu, title, tid))
            for ts, dur in times(rng, rng.choice((0, 3, 100)), base_ps, rng.choice((7, 1000))):
                owner = rng.choice(
                    (("tf_op", rng.choice(ops)), ("annotation", rng.choice(ops) + "#id=1#::x:Y"), ("bytes", "4"))
                )
                events.append(complete(1 + gpu, tid, ts, dur, rng.choice(KERNELS), None, dict([owner])))
    return {"displayTimeUnit": "ns", "metadata": {"highres-ticks": True}}, names, events


def kineto(rng, base_ps):
    """cpu_ops, launches around kernels and kernels without a launch, joined by correlation."""
    names = [metadata("process_name", pid, "python") for pid in (0, 4242)]
    events, correlation = [], 0
    for tid in range(1, rng.randrange(2, 4)):
        for ts, dur in times(rng, rng.choice((1, 10, 80)), base_ps, 1000):
            correlation += 1
            kind = rng.random()
            if kind < 0.6:
                events.append(
                    complete(
                        4242,
                        tid,
                        ts,
                        dur,
                        f"aten::op{rng.randrange(9)}",
                        "cpu_op",
                        {"External id": correlation + 10**6},
                    )
                )
            elif kind < 0.8:
                events.append(
                    complete(4242, tid, ts, dur, "cudaLaunchKernel", "cuda_runtime", {"correlation": correlation})
                )
            else:
                events.append(complete(4242, tid, ts, dur, "step", "user_annotation"))
            if kind > 0.5:
                args = {"correlation": correlation, "device": 0, "stream": 7}
                events.append(complete(0, 7 + tid, ts + 5000, dur, rng.choice(KERNELS), "kernel", args))
    return (
        {"schemaVersion": 1, "deviceProperties": [{"id": 0, "traceEvents": []}], "traceName": "t.json"},
        names,
        events,
    )


def in_a_row(rng, count, begin_us):
    """Starts and durations in ps, whole microseconds, one behind the other with a gap: what a row of tf.timeline holds."""
    at = begin_us
    for _ in range(count):
        at, dur = at + rng.randrange(1, 50), rng.choice((0, 1, rng.randrange(300)))
        yield at * PS_IN_US, dur * PS_IN_US
        at += dur


def tf1(rng, base_ps):
    """What tf.timeline writes of a CPU and perhaps a GPU, whose kernels and copies it shows up to three times."""
    ops, job, begin_us = op_names(rng, rng.randrange(1, 20)), "/job:localhost/replica:0/task:0", base_ps // PS_IN_US
    names, events = [metadata("process_name", 0, "Allocators")], []

    def process(title):
        pid = len(names)
        names.append(metadata("process_name", pid, title))
        return pid

    def add(pid, tid, ts_ps, dur_ps, op):
        node, _, kind = op.rpartition(":")
        events.append(complete(pid, tid, ts_ps, dur_ps, kind, "Op", {"name": node, "op": kind, "input0": "x"}))

    def fill(pid):
        for tid in range(rng.randrange(1, 4)):
            for ts, dur in in_a_row(rng, rng.choice((1, 8, 60)), begin_us):
                add(pid, tid, ts, dur, rng.choice(ops))

    fill(process(f"{job}/device:CPU:0 Compute"))
    process(f"{job}/device:CPU:0 Tensors")
    if rng.random() < 0.6:
        fill(process(f"{job}/device:GPU:0 Compute"))  # launches, on the host
        kernels, stream = process("/device:GPU:0/stream:all Compute"), process("/device:GPU:0/stream:13 Compute")
        for ts, dur in in_a_row(rng, rng.choice((1, 40)), begin_us):
            op = rng.choice([*ops, "void kernel<int>:unknown"])
            for pid in (kernels, stream):
                add(pid, 0, ts, dur, op)
        copies = process("/device:GPU:0/memcpy Compute")
        twins = [stream, process("/device:GPU:0/stream:14<MemcpyH2D> Compute")]
        for ts, dur in in_a_row(rng, rng.choice((0, 1, 10)), begin_us):
            for pid in (copies, rng.choice(twins)):
                add(pid, 1, ts, dur, "edge_5_x:MEMCPYHtoD")
    return {}, names, events


WORLDS = {"generic": generic, "tf2": tf2, "kineto": kineto, "tf1": tf1}


def timeline(seed):
    """A timeline of one of these dialects."""
    rng = random.Random(seed)
    dialect = tuple(WORLDS)[seed % len(WORLDS)]
    top, names, events = WORLDS[dialect](rng, rng.choice((0, 36_757_863_104_191_620_000, EPOCH_PS)))
    return {"dialect": dialect, "top": top, "names": names, "events": events}


def generic_with_devices(seed):
    """Processes called as TensorFlow calls devices: generic only where that reading is asked for."""
    _, names, events = generic(random.Random(seed), 0, ("app", "/device:GPU:0", "host1 /device:TPU:2", "GPU Process"))
    return {"dialect": "generic", "top": {}, "names": names, "events": events}


# --------------------------------------------------------------------------- writing


def microseconds(ps):
    """The decimal text of a number of picoseconds, in us, with as few digits as it needs."""
    sign, ps = ("-", -ps) if ps < 0 else ("", ps)
    whole, rest = divmod(ps, PS_IN_US)
    return f"{sign}{whole}" + (f".{rest:06d}".rstrip("0") if rest else "")


def other_number(ps, rng):
    """The same number in another spelling: more zeros, an exponent, as text."""
    plain, digits = microseconds(ps), str(abs(ps))
    sign = "-" if ps < 0 else ""
    spellings = [
        plain,
        plain + ("0" * rng.randrange(1, 30) if "." in plain else ".000"),
        f"{sign}{digits}e-6",
        f"{sign}{digits}E-06",
        f"{sign}{digits}000e-9",
        f"{sign}0.{digits}e{len(digits) - 6}",
        f"{sign}{digits[0]}.{digits[1:] or '0'}E{len(digits) - 7:+d}",
    ]
    text = rng.choice(spellings)
    return json.dumps(rng.choice((text, f" {text} "))) if rng.random() < 0.4 else text


class Writer:
    """How a timeline is written. `names`: M events "first", "last" or "mixed" with the others; `events`: "in order" or
    "shuffled"; `numbers`: "plain" or "other" spellings; `layout`: "dense" or "odd" (blanks, falling key order, escapes, unknown keys,
    superfluous commas, `\\r\\n`); `form`: "object" or "array"; `noise`: events of phases without a time of their own between.
    """

    def __init__(
        self, names="first", events="in order", numbers="plain", layout="dense", form="object", noise=False, seed=0
    ):
        self.names, self.events, self.numbers, self.layout = names, events, numbers, layout
        self.form, self.noise, self.rng = form, noise, random.Random(seed)

    def number(self, ps):
        return other_number(ps, self.rng) if self.numbers == "other" else microseconds(ps)

    def blank(self):
        return self.rng.choice(("", " ", "\n", "\t", "\r\n  ")) if self.layout == "odd" else ""

    def text(self, value):
        if self.layout == "odd" and self.rng.random() < ESCAPED:
            return '"' + "".join("\\u%04x" % ord(c) if ord(c) < 0x10000 else c for c in value) + '"'
        return json.dumps(value, ensure_ascii=self.layout != "odd")

    def value(self, value):
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return self.members(list(value.items()))
        return json.dumps(value)

    def members(self, pairs):
        """An object of these members; values that are `Raw` are written as they are."""
        if self.layout == "odd":
            self.rng.shuffle(pairs)
        between = lambda text: self.blank() + text + self.blank()  # noqa: E731
        shown = [
            f"{between(self.text(key))}:{between(value if isinstance(value, Raw) else self.value(value))}"
            for key, value in pairs
        ]
        return "{" + ",".join(shown) + "}"

    def event(self, event):
        pairs = []
        for key, value in event.items():
            if key in ("ts_ps", "dur_ps"):
                pairs.append((key[:-3], Raw(self.number(value))))
            elif (
                key in ("pid", "tid") and isinstance(value, int) and self.numbers == "other" and self.rng.random() < 0.3
            ):
                pairs.append((key, str(value)))
            else:
                pairs.append((key, value))
        if self.layout == "odd" and self.rng.random() < 0.3:
            pairs.append(
                (self.rng.choice(("cname", "tts", "traceEvents", "s")), {"deep": [[{"ts": 1, "}": "]"}], None, True]})
            )
        return self.members(pairs)

    def silent(self, like):
        """Events that have no time on a lane."""
        rng, where = self.rng, {"pid": like["pid"], "tid": like["tid"], "ts_ps": like["ts_ps"]}
        return [
            rng.choice(
                (
                    {"ph": "s", "id": 7, "name": "flow", "cat": "c", **where},
                    {"ph": "f", "id": 7, "name": "flow", "cat": "c", **where},
                    {"ph": "C", "name": "bytes", "args": {"name": 3}, **where},
                    {"ph": "b", "id": "0x1", "cat": "a", "name": "n", **where},
                    {"ph": "e", "id": "0x1", "cat": "a", "name": "n", **where},
                    {"ph": "N", "id": 1, "name": "o", **where},
                    {"ph": "I", "name": "mark", **where},
                    {"ph": "P", "name": "sample", **where},
                    {},
                )
            )
        ]

    def elements(self, timeline):
        names, events = list(timeline["names"]), list(timeline["events"])
        if self.events == "shuffled":
            self.rng.shuffle(names)
            self.rng.shuffle(events)
        if self.noise:
            events = [
                e for event in events for e in ([event] + (self.silent(event) if self.rng.random() < 0.4 else []))
            ]
        if self.names == "first":
            return names + events
        if self.names == "last":
            return events + names
        for name in names:
            events.insert(self.rng.randrange(len(events) + 1), name)
        return events

    def document(self, timeline):
        shown = [self.blank() + self.event(e) + self.blank() for e in self.elements(timeline)]
        if timeline["dialect"] == "tf2":
            shown.append("{}")
        comma = "," if self.layout != "odd" else ",\n,"
        array = "[" + comma.join(shown) + (",]" if self.layout == "odd" else "]")
        if self.form == "array":
            return array.encode("utf-8")
        return self.members([*timeline["top"].items(), ("traceEvents", Raw(array))]).encode("utf-8")


class Raw(str):
    """JSON text, as it shall stand in the file."""


# --------------------------------------------------------------------------- an XSpace as trace.json


def stat_value(stat, plane):
    _, slot, value = stat
    return plane["stat_metadata"][value] if slot == "ref" else str(value)


def from_space(space):
    """What TensorFlow's exporter makes of a well-formed space: the type as an op's name and the whole text in `long_name`,
    all arguments as text, no duration below 1 ps. Processes: 701 for the host, 1 + k for GPU k; tid = line id."""
    names, events = [], []
    for plane in space["planes"]:
        host = plane["name"] == "/host:CPU"
        pid = 701 if host else 1 + int(plane["name"].rpartition(":")[2])
        names.append(metadata("process_name", pid, plane["name"]))
        for line in plane["lines"]:
            tid = line["id"] & 0xFFFFFFFF
            names.append(metadata("thread_name", pid, line["name"], tid))
            for event in line["events"]:
                full = plane["event_metadata"][event["metadata_id"]]
                args = {plane["stat_metadata"][s[0]]: stat_value(s, plane) for s in event["stats"]}
                is_op = host and ":" in full and "::" not in full and not full.startswith("$")
                if is_op:
                    args["long_name"] = full
                events.append(
                    complete(
                        pid,
                        tid,
                        line["timestamp_ns"] * 1000 + event["offset_ps"],
                        max(event["duration_ps"], 1),
                        full.rpartition(":")[2] if is_op else full,
                        None,
                        args,
                    )
                )
    return {
        "dialect": "tf2",
        "top": {"displayTimeUnit": "ns", "metadata": {"highres-ticks": True}},
        "names": names,
        "events": events,
    }
