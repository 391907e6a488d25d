#!/usr/bin/env python3
"""Properties that hold for any Chrome timeline, checked with the real program on random ones.

    timeline_property.py BINARY [--seeds N] [--first SEED] [--only NAME] [--keep DIR]

As property.py: a property is a function with the seed of a timeline. The last line is `N passed, N failed`.
"""

import gzip
import json
import random
import sys
from decimal import Decimal

import generate
import property as harness
import timelines
from property import Problem, essence, expect_same, run_cases, self_us
from timelines import Writer, timeline
from wire import Encoder


def written(bench, name, made, **how):
    return bench.write(name, Writer(**how).document(made))


def plain_answer(bench, made):
    return essence(bench.ops(written(bench, "a.json", made)))


# --------------------------------------------------------------------------- properties


def timeline_invariants(bench, seed):
    """The contract and the invariants of tests/cases/README.md hold; rows and the sum of self times are those of the totals."""
    made = timeline(seed)
    name = written(bench, "a.json", made)
    for flags in ([], ["--no-idle"]):
        doc, problems = bench.ops(name, *flags), []
        plain = json.loads(bench.run(["ops", name, "--format", "json", *flags], codes=(0, 4)).stdout)
        if run_cases.check_shape(plain, problems):
            run_cases.check_invariants(plain, False, problems)
        if problems:
            raise Problem(f"{made['dialect']} {flags}: {'; '.join(problems[:3])}")
        for side in ("Host", "Device"):
            total = doc["totals"][side.lower()]
            want = Decimal(total["sum_self_us"]) + (Decimal(total["idle_us"]) if "--no-idle" not in flags else 0)
            if side in {r["side"] for r in doc["rows"]} and self_us(doc, side) != want:
                raise Problem(f"{made['dialect']} {flags}: {side} rows add up to {self_us(doc, side)}, not {want}")


def every_event_counts(bench, seed):
    """Occurrences and device times are those of a plain count of the events."""
    made = timelines.generic_with_devices(seed)
    device = {n["pid"] for n in made["names"] if n["name"] == "process_name" and "/device:" in n["args"]["name"]}
    want = {}
    for event in made["events"]:
        side = "Device" if event["pid"] in device else "Host"
        count, self_ps = want.get((side, event.get("cat") or "Unknown", event["name"] or "<unnamed>"), (0, 0))
        want[side, event.get("cat") or "Unknown", event["name"] or "<unnamed>"] = (count + 1, self_ps + event["dur_ps"])
    doc = bench.ops(written(bench, "a.json", made), "--no-idle", "--format-in", "chrome-trace")
    got = {(r["side"], r["op_type"], r["op_name"]): (r["occurrences"], r["self_us"] * 10**6) for r in doc["rows"]}
    for key, (count, total_ps) in want.items():
        if key not in got or got[key][0] != count or (key[0] == "Device" and got[key][1] != total_ps):
            raise Problem(f"{key}: {got.get(key)}, not {count} of {total_ps} ps")
    if len(got) != len(want):
        raise Problem(f"{len(got)} rows, not {len(want)}")


def timeline_shuffled(bench, seed):
    """The order of the events in the file changes nothing, where no two of a lane have equal times."""
    made = timeline(seed)
    want = plain_answer(bench, made)
    for again in range(3):
        name = written(bench, "b.json", made, events="shuffled", seed=seed * 3 + again)
        expect_same(want, essence(bench.ops(name)), f"{made['dialect']} shuffled")


def other_numbers(bench, seed):
    """1.5, 1.500, 15e-1 and "1.5" are one number, 7 and "7" one id."""
    made = timeline(seed)
    name = written(bench, "b.json", made, numbers="other", seed=seed)
    expect_same(plain_answer(bench, made), essence(bench.ops(name)), f"{made['dialect']}, other spellings")


def other_layouts(bench, seed):
    """White space, the order of keys, escapes, unknown keys, more commas and (where the keys beside the events tell nothing) the array
    form change nothing."""
    made = timeline(seed)
    want = plain_answer(bench, made)
    forms = ("object", "array") if made["dialect"] == "generic" else ("object",)
    for form in forms:
        name = written(bench, "b.json", made, layout="odd", form=form, seed=seed)
        expect_same(want, essence(bench.ops(name)), f"{made['dialect']}, {form}")
    name = bench.write("b.json", b"\xef\xbb\xbf" + Writer().document(made) + b" \n")
    expect_same(want, essence(bench.ops(name)), f"{made['dialect']}, byte order mark")


def metadata_anywhere(bench, seed):
    """M events before, behind and between the others are read alike."""
    made = timeline(seed)
    want = plain_answer(bench, made)
    for names in ("last", "mixed"):
        name = written(bench, "b.json", made, names=names, seed=seed)
        expect_same(want, essence(bench.ops(name)), f"{made['dialect']}, metadata {names}")
        expect_same(want, essence(bench.ops("-", stdin=name)), f"{made['dialect']}, metadata {names}, pipe")


def snapshots_add_up(bench, seed):
    """Several timelines of a ProfilerHook in one folder are one run: each op's counts and times are the sums of the files'."""
    rng, want = random.Random(seed), {}
    fields = ("occurrences", "total_us", "self_us")
    for step in (10, 20, 30)[: rng.randrange(2, 4)]:
        top, names, events = timelines.tf1(rng, timelines.EPOCH_PS // 10**6 * 10**6 + step * 10**14)
        made = {"dialect": "tf1", "top": top, "names": names, "events": events}
        doc = bench.ops(written(bench, f"hook/timeline-{step}.json", made), "--no-idle")
        for row in doc["rows"]:
            key = row["side"], row["op_type"], row["op_name"]
            want[key] = [a + row[f] for a, f in zip(want.get(key, (0, 0, 0)), fields)]
    doc = bench.ops("hook", "--no-idle")
    got = {(r["side"], r["op_type"], r["op_name"]): [r[f] for f in fields] for r in doc["rows"]}
    for key in want.keys() | got.keys():
        if want.get(key) != got.get(key):
            raise Problem(f"{key}: {got.get(key)}, not {want.get(key)}")


def streams_count_once(bench, seed):
    """A GPU's numbered streams say nothing that `stream:all` and `memcpy` don't: without their events the device's rows are the
    same, and every kernel and copy counts."""
    top, names, events = timelines.tf1(random.Random(seed), 0)
    title = {n["pid"]: n["args"]["name"] for n in names}
    device = [e for e in events if title[e["pid"]].endswith(("stream:all Compute", "memcpy Compute"))]
    made = {"dialect": "tf1", "top": top, "names": names, "events": events}
    rows = [r for r in bench.ops(written(bench, "a.json", made), "--no-idle")["rows"] if r["side"] == "Device"]
    if sum(r["self_us"] for r in rows) * 10**6 != sum(e["dur_ps"] for e in device):
        raise Problem(f"device self {sum(r['self_us'] for r in rows)}")
    fewer = dict(made, events=[e for e in events if "/stream:1" not in title[e["pid"]]])
    without = bench.ops(written(bench, "b.json", fewer), "--no-idle")["rows"]
    expect_same({"rows": rows}, {"rows": [r for r in without if r["side"] == "Device"]}, "without numbered streams")


def silent_events(bench, seed):
    """Flows, counters, objects, async events, marks, samples and empty elements take no time."""
    made = timeline(seed)
    name = written(bench, "b.json", made, noise=True, names=("first", "mixed")[seed % 2], seed=seed)
    expect_same(plain_answer(bench, made), essence(bench.ops(name)), f"{made['dialect']}, with events of other phases")


def same_text_any_way(bench, seed):
    """A gzip of it, several gzip members, padding behind, a pipe and any number of threads give the numbers of the file."""
    made = timeline(seed)
    data = Writer(names=("first", "last", "mixed")[seed % 3], seed=seed).document(made)
    want = essence(bench.ops(bench.write("a.json", data)))
    middle = len(data) // 3
    packed = {
        "one.json.gz": gzip.compress(data, 1),
        "padded.json.gz": gzip.compress(data) + b"\0" * 512,
        "two.json.gz": gzip.compress(data[:middle]) + gzip.compress(data[middle:]),
    }
    for name, content in packed.items():
        bench.write(name, content)
        expect_same(want, essence(bench.ops(name)), name)
        expect_same(want, essence(bench.ops("-", stdin=name)), f"pipe of {name}")
    expect_same(want, essence(bench.ops("-", stdin="a.json")), "pipe")
    for name in ("a.json", "two.json.gz"):
        for flags in (["--format", "json"], ["--format", "csv"]):
            one = bench.run(["ops", name, *flags, "-j", "1"], codes=(0, 4)).stdout
            for count in ("2", "3", "16"):
                if bench.run(["ops", name, *flags, "-j", count], codes=(0, 4)).stdout != one:
                    raise Problem(f"{name} {flags}: -j 1 and -j {count} differ")


def moved_in_time(bench, seed):
    """All times later by a day, or by decades, with picoseconds: the same table."""
    made = timeline(seed)
    want = plain_answer(bench, made)
    for shift_ps in (86_400 * 10**12 + 1, timelines.EPOCH_PS + 123_457):
        moved = dict(made, events=[dict(e, ts_ps=e["ts_ps"] + shift_ps) for e in made["events"]])
        expect_same(
            want, essence(bench.ops(written(bench, "b.json", moved))), f"{made['dialect']}, {shift_ps} ps later"
        )


def nested_events(rng, begin, end, depth, out):
    """Complete events of one thread in [begin, end) ns, parents first; none begins or ends with another."""
    at = begin + 1
    while at + 8 < end and rng.random() < 0.9:
        stop = rng.randrange(at + 2, min(end - 1, at + 2 + (end - begin) // 2) + 1)
        out.append(timelines.complete(1, 1, at * 1000, (stop - at) * 1000, rng.choice("abcd"), rng.choice(("x", None))))
        if depth > 0:
            nested_events(rng, at, stop, depth - 1, out)
        at = stop + rng.randrange(1, 4)


def begins_and_ends(bench, seed):
    """Begins and ends, with names or without, make the table of the complete events that they stand for."""
    rng, events = random.Random(seed), []
    nested_events(rng, 0, rng.randrange(50, 5000), rng.randrange(5), events)
    events = events or [timelines.complete(1, 1, 5000, 1000, "a")]
    want = essence(
        bench.ops(
            bench.write("a.json", Writer().document({"dialect": "generic", "top": {}, "names": [], "events": events}))
        )
    )
    edges = []
    for event in events:
        begin = {k: v for k, v in event.items() if k != "dur_ps"} | {"ph": "B"}
        end = {"ph": "E", "pid": 1, "tid": 1, "ts_ps": event["ts_ps"] + event["dur_ps"]}
        edges += [begin, end | ({"name": event["name"]} if rng.random() < 0.5 else {})]
    edges.sort(key=lambda e: e["ts_ps"])
    made = {"dialect": "generic", "top": {}, "names": [], "events": edges}
    expect_same(want, essence(bench.ops(written(bench, "b.json", made))), "begins and ends")


def timeline_cut_anywhere(bench, seed):
    """Cut at any byte: said, exit 3 (0 right behind an event, 4 where no event is left), never more busy time than the whole has."""
    made = timeline(seed)
    made["events"] = made["events"][:6]
    data = Writer(layout=("dense", "odd")[seed % 2], seed=seed).document(
        dict(made, top=made["top"] if seed % 2 == 0 else {})
    )
    whole = bench.ops(bench.write("a.json", data))["totals"] if seed % 2 == 0 else None
    rng = random.Random(seed)
    for size in sorted(rng.sample(range(1, len(data)), min(300, len(data) - 1))):
        name = bench.write("b.json", data[:size])
        try:
            doc = bench.ops(name, codes=(0, 3, 4))
        except Problem as problem:
            raise Problem(f"cut at {size} of {len(data)}: {problem}") from problem
        if doc is None:
            continue
        said = {d["code"] for d in doc["diagnostics"]}
        closed = b"]" in data[size - 2 : size] or not said.isdisjoint({"not-a-profile", "empty-profile"})
        if not closed and said.isdisjoint({"truncated-input", "unterminated-array"}):
            raise Problem(f"cut at {size} of {len(data)}: not said; {said}")
        for side in ("host", "device") if whole else ():
            if doc["totals"][side]["busy_us"] > whole[side]["busy_us"]:
                raise Problem(
                    f"cut at {size} of {len(data)}: {side} busy {doc['totals'][side]['busy_us']}, whole {whole[side]['busy_us']}"
                )


def xspace_as_timeline(bench, seed):
    """A well-formed XSpace and the trace.json that TensorFlow makes of it give the same table."""
    space = generate.well_formed(seed)
    want = essence(bench.ops(bench.write("a.xplane.pb", Encoder().space(space))))
    made = timelines.from_space(space)
    for how in ({}, {"names": "mixed", "numbers": "other", "layout": "odd", "events": "shuffled", "seed": seed}):
        if how and has_equal_times(made):
            continue
        got = essence(bench.ops(written(bench, "b.json", made, **how)))
        for part in ("rows", "totals", "others"):
            expect_same({part: want[part]}, got, f"as trace.json, {how or 'plain'}")


def has_equal_times(made):
    seen = [(e["pid"], e["tid"], e["ts_ps"], e["dur_ps"]) for e in made["events"]]
    return len(seen) != len(set(seen))


# How often each is checked; those that start the program many times less often.
PROPERTIES = {
    timeline_invariants: 1.0,
    every_event_counts: 0.5,
    timeline_shuffled: 1.0,
    other_numbers: 1.0,
    other_layouts: 1.0,
    metadata_anywhere: 1.0,
    snapshots_add_up: 0.5,
    streams_count_once: 0.5,
    silent_events: 1.0,
    same_text_any_way: 0.3,
    moved_in_time: 1.0,
    begins_and_ends: 1.0,
    timeline_cut_anywhere: 0.1,
    xspace_as_timeline: 1.0,
}

if __name__ == "__main__":
    sys.exit(harness.main(PROPERTIES, "Check properties of the op table on random timelines."))
