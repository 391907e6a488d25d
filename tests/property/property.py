#!/usr/bin/env python3
"""Properties that hold for any XSpace, checked with the real program on random ones.

    property.py BINARY [--seeds N] [--first SEED] [--only NAME] [--keep DIR]

A property is a function below with the seed of a space; what it says is in its docstring. --keep writes the files of the
failing checks. The last line is `N passed, N failed`, one check a property and seed.
"""

import argparse
import concurrent.futures
import copy
import gzip
import json
import os
import random
import shutil
import sys
import tempfile
from decimal import Decimal

import generate
from wire import Encoder, top_level_ends

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cases"))
import run_cases  # noqa: E402

TIME_LIMIT_S = 30.0
PLAIN = Encoder()


class Problem(Exception):
    """The property does not hold."""


class Bench:
    """A folder of its own for one check, and the program."""

    def __init__(self, binary, folder):
        self.binary, self.folder = binary, folder

    def write(self, name, data):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as handle:
            handle.write(data)
        return name

    def run(self, args, stdin=None, codes=(0, 3, 4)):
        """Output of `ops`; its exit code must be one of `codes`."""
        argv = [self.binary, *args]
        if stdin is not None:
            argv = ["sh", "-c", 'file=$1; shift; cat "$file" | "$@"', "sh", stdin, *argv]
        outcome = run_cases.start(argv, self.folder, TIME_LIMIT_S)
        if outcome.timed_out or outcome.code not in codes:
            said = "no end" if outcome.timed_out else f"exit {outcome.code}"
            raise Problem(f"{' '.join(args)}: {said}: {outcome.stderr[-300:].decode('utf-8', 'replace')}")
        return outcome

    def ops(self, name, *flags, stdin=None, codes=(0, 4)):
        """The JSON document of `ops`, with exact numbers; None when nothing could be opened."""
        out = self.run(["ops", name, "--format", "json", *flags], stdin, codes).stdout
        return json.loads(out, parse_float=Decimal, parse_constant=run_cases.reject_constant) if out else None


def essence(doc):
    """What an answer says about the profile, without saying where that was read."""
    codes = sorted((d["code"], d["count"]) for d in doc["diagnostics"])
    return {"rows": doc["rows"], "totals": doc["totals"], "others": doc["others"], "diagnostics": codes}


def expect_same(want, got, what):
    for key, value in want.items():
        if value == got[key]:
            continue
        if key == "rows":
            pairs = [(a, b) for a, b in zip(value, got["rows"]) if a != b]
            raise Problem(f"{what}: {len(value)} rows and {len(got['rows'])}; first difference {pairs[:1]}")
        raise Problem(f"{what}: {key} {value} and {got[key]}")


def any_space(seed):
    """Spaces of all kinds, by the seed."""
    if seed % 3 == 0:
        return generate.well_formed(seed)
    return generate.wild(seed, unique_times=seed % 3 == 1)


def tame_space(seed):
    """Spaces where the order of planes, lines and events in the file says nothing."""
    return generate.well_formed(seed) if seed % 2 == 0 else generate.wild(seed, unique_times=True)


# --------------------------------------------------------------------------- properties

def invariants(bench, seed):
    """The contract and the invariants of tests/cases/README.md hold; the rows add up to the totals."""
    space = any_space(seed)
    name = bench.write("a.xplane.pb", PLAIN.space(space))
    aggregates = any("num_occurrences" in e for p in space["planes"] for line in p["lines"] for e in line["events"])
    for flags in ([], ["--no-idle"], ["--compat", "xprof"]):
        out = bench.run(["ops", name, "--format", "json", *flags], codes=(0, 4)).stdout
        doc, problems = json.loads(out, parse_constant=run_cases.reject_constant), []
        if run_cases.check_shape(doc, problems):
            run_cases.check_invariants(doc, "--compat" in flags, problems)
        if aggregates:  # they have a duration and no place in time, so that self times exceed what is busy
            problems = [p for p in problems if "sum of self" not in p]
        if problems:
            raise Problem(f"{flags}: {'; '.join(problems[:3])}")


def strict_is_compatible(bench, seed):
    """On well-formed traces the default and --compat xprof give the same rows."""
    name = bench.write("a.xplane.pb", PLAIN.space(generate.well_formed(seed)))
    for flags in ([], ["--no-idle"]):
        strict, compat = bench.ops(name, *flags), bench.ops(name, "--compat", "xprof", *flags)
        ours, theirs = {"rows": round_shares(strict["rows"])}, {"rows": round_shares(compat["rows"])}
        expect_same(theirs, ours, f"{flags}: compatible and strict")


def round_shares(rows):
    """Shares and averages to 12 digits: the compatible ones come from doubles, as the official tool's do."""
    return [{k: float(f"{v:.12g}") if isinstance(v, Decimal) else v for k, v in row.items()} for row in rows]


def shuffled(bench, seed):
    """The order of planes, of lines in a plane and of events in a line changes nothing."""
    space = tame_space(seed)
    want = essence(bench.ops(bench.write("a.xplane.pb", PLAIN.space(space))))
    rng = random.Random(seed)
    for _ in range(3):
        other = copy.deepcopy(space)
        rng.shuffle(other["planes"])
        for plane in other["planes"]:
            rng.shuffle(plane["lines"])
            for line in plane["lines"]:
                rng.shuffle(line["events"])
        expect_same(want, essence(bench.ops(bench.write("b.xplane.pb", PLAIN.space(other)))), "shuffled")


def names_anywhere(bench, seed):
    """Names before, behind and between the lines, and fields of small messages in falling order, are read alike."""
    space = any_space(seed)
    want = essence(bench.ops(bench.write("a.xplane.pb", PLAIN.space(space))))
    for order in ("names first", "mixed"):
        data = Encoder(order=order, seed=seed).space(space)
        expect_same(want, essence(bench.ops(bench.write("b.xplane.pb", data))), order)
    backwards = Encoder(reverse=True).space(space)
    expect_same(want, essence(bench.ops(bench.write("b.xplane.pb", backwards))), "heads behind the events")


def unknown_fields(bench, seed):
    """Unknown fields of every wire type, and groups, anywhere, change nothing."""
    space = any_space(seed)
    want = essence(bench.ops(bench.write("a.xplane.pb", PLAIN.space(space))))
    data = Encoder(unknown=True, seed=seed).space(space)
    expect_same(want, essence(bench.ops(bench.write("b.xplane.pb", data))), "unknown fields")


def same_bytes_any_way(bench, seed):
    """A gzip of it, several gzip members and a pipe of either give the numbers of the file."""
    data = Encoder(order=("names first", "names last", "mixed")[seed % 3], seed=seed).space(any_space(seed))
    want = essence(bench.ops(bench.write("a.xplane.pb", data)))
    middle = len(data) // 2
    packed = {"one.xplane.pb.gz": gzip.compress(data, 1),
              "two.xplane.pb.gz": gzip.compress(data[:middle]) + gzip.compress(data[middle:])}
    for name, content in packed.items():
        bench.write(name, content)
        expect_same(want, essence(bench.ops(name)), name)
        expect_same(want, essence(bench.ops("-", stdin=name)), f"pipe of {name}")
    expect_same(want, essence(bench.ops("-", stdin="a.xplane.pb")), "pipe")


def threads(bench, seed):
    """Any number of threads gives the same bytes."""
    name = bench.write("a.xplane.pb", PLAIN.space(any_space(seed)))
    for flags in (["--format", "json"], ["--format", "csv", "--compat", "xprof"]):
        want = bench.run(["ops", name, *flags, "-j", "1"]).stdout
        for count in ("2", "3", "16"):
            if bench.run(["ops", name, *flags, "-j", count]).stdout != want:
                raise Problem(f"{flags}: -j 1 and -j {count} differ")


def concatenated(bench, seed):
    """Several XSpaces in one file are one: planes apart, a plane in two pieces, a line in two pieces."""
    space = tame_space(seed)
    want = essence(bench.ops(bench.write("a.xplane.pb", PLAIN.space(space))))
    first, second = copy.deepcopy(space), copy.deepcopy(space)
    first["hostnames"], first["errors"], first["warnings"] = [], [], []
    rng = random.Random(seed)
    for one, other in zip(first["planes"], second["planes"]):
        for line, rest in zip(one["lines"], other["lines"]):
            at = rng.randrange(len(line["events"]) + 1)
            line["events"], rest["events"] = line["events"][:at], line["events"][at:]
        if rng.random() < 0.5:  # whole lines here or there
            at = rng.randrange(len(one["lines"]) + 1)
            one["lines"], other["lines"] = space_lines(space, one)[:at], space_lines(space, one)[at:]
        other["stats"] = []
    data = PLAIN.space(first) + PLAIN.space(second)
    got = essence(bench.ops(bench.write("b.xplane.pb", data)))
    expect_same(want, got, "concatenated")


def space_lines(space, plane):
    return next(p["lines"] for p in space["planes"] if p["name"] == plane["name"])


def grouped(bench, seed):
    """--by anything, --side and --limit divide the same self time; cut rows are summed."""
    name = bench.write("a.xplane.pb", PLAIN.space(any_space(seed)))
    whole = bench.ops(name, "--no-idle")
    for flags in (["--by", "type"], ["--by", "scope"], ["--by", "host"], ["--by", "device"], ["--by", "lane"],
                  ["--limit", "2"], ["--sort", "total:asc", "--limit", "1"]):
        doc = bench.ops(name, "--no-idle", *flags)
        for side in ("Host", "Device"):
            want, got = self_us(whole, side), self_us(doc, side)
            if want != got:
                raise Problem(f"{flags}: {side} self times add up to {got}, not {want}")
        if doc["totals"] != whole["totals"]:
            raise Problem(f"{flags}: other totals: {doc['totals']}, not {whole['totals']}")
    for side in ("host", "device"):
        rows = [r for r in bench.ops(name, "--no-idle", "--side", side)["rows"]]
        want = [dict(r, rank=0) for r in whole["rows"] if r["side"].lower() == side]
        if [dict(r, rank=0) for r in rows] != want:
            raise Problem(f"--side {side}: other rows than those of that side")


def self_us(doc, side):
    others = (doc["others"] or {}).get(side.lower()) or {}
    return sum((Decimal(r["self_us"]) for r in doc["rows"] if r["side"] == side), Decimal(others.get("self_us", 0)))


def time_ranges(bench, seed):
    """Two parts of the time have the self times of the whole."""
    name = bench.write("a.xplane.pb", PLAIN.space(generate.well_formed(seed)))
    whole = bench.ops(name, "--no-idle")
    for cut in ("0us", "1us", "0.7us", "1ms"):
        parts = [bench.ops(name, "--no-idle", "--time", span) for span in (f":{cut}", f"{cut}:")]
        for side in ("Host", "Device"):
            want, got = self_us(whole, side), sum(self_us(part, side) for part in parts)
            if want != got:
                raise Problem(f"--time :{cut} and {cut}: have {side} self times of {got}, not {want}")


def cut_anywhere(bench, seed):
    """Cut at any byte: exit 3, or 4 if nothing is left to analyse; 0 only where a whole XSpace is left. Never a crash."""
    space = generate.well_formed(seed) if seed % 2 == 0 else generate.wild(seed)
    for plane in space["planes"]:
        plane["lines"] = plane["lines"][:2]
        for line in plane["lines"]:
            line["events"] = line["events"][:4]
    data = Encoder(order=("names first", "names last")[seed % 2], seed=seed).space(space)
    ends = set(top_level_ends(data))
    rng = random.Random(seed)
    places = range(len(data)) if len(data) < 400 else sorted(rng.sample(range(len(data)), 400))
    for size in places:
        name = bench.write("a.xplane.pb", data[:size])
        codes = (0, 4) if size in ends else (3, 4)
        try:
            doc = bench.ops(name, codes=codes)
        except Problem as problem:
            raise Problem(f"cut at {size} of {len(data)}: {problem}") from problem
        if size not in ends and doc is not None and "truncated-input" not in {d["code"] for d in doc["diagnostics"]}:
            raise Problem(f"cut at {size} of {len(data)}: not said; {doc['diagnostics']}")


# How often each is checked; those that start the program many times less often.
PROPERTIES = {invariants: 1.0, strict_is_compatible: 1.0, shuffled: 1.0, names_anywhere: 1.0, unknown_fields: 1.0,
              same_bytes_any_way: 0.5, threads: 0.7, concatenated: 1.0, grouped: 0.5, time_ranges: 0.5, cut_anywhere: 0.1}


def check(binary, prop, seed, keep):
    """What is wrong, or ""."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            prop(Bench(binary, folder), seed)
            return ""
        except (Problem, ValueError, KeyError, TypeError) as error:
            if keep:
                shutil.copytree(folder, os.path.join(keep, f"{prop.__name__}-{seed}"), dirs_exist_ok=True)
            return f"{prop.__name__}, seed {seed}: {type(error).__name__}: {str(error)[:600]}"


def main(properties, description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("binary")
    parser.add_argument("--seeds", type=int, default=60, help="inputs for each property")
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--only", default="", help="only properties whose name holds this text")
    parser.add_argument("--keep", help="folder for the files of failing checks")
    options = parser.parse_args()
    binary = os.path.abspath(options.binary)
    jobs = [(prop, options.first + i) for prop, share in properties.items() if options.only in prop.__name__
            for i in range(max(1, int(options.seeds * share)))]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for said in pool.map(lambda job: check(binary, *job, options.keep), jobs):
            if said:
                failed += 1
                print(f"FAIL {said}", flush=True)
    print(f"{len(jobs) - failed} passed, {failed} failed")
    return 1 if failed or not jobs else 0


if __name__ == "__main__":
    sys.exit(main(PROPERTIES, "Check properties of the op table on random XSpaces."))
