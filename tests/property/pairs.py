#!/usr/bin/env python3
"""The same real run read twice: as XSpace and as the trace.json that the profiler wrote beside it.

    pairs.py BINARY FOLDER...

Every `*.trace.json(.gz)` below the folders that has one `*.xplane.pb` beside it, or for which a PAIRS.tsv beside it names the
XSpace that it was made of, must give the same op table, up to what the JSON rounds away (at most a nanosecond for each occurrence and gap) and what it can't tell: the framework names of XLA's
instructions on a CPU, whose rows are then those of the instructions, with the same sums. A folder that isn't there is said.
The last line is `N passed, N failed`.
"""

import glob
import json
import os
import subprocess
import sys
from decimal import Decimal

PROJECT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
ROUNDED_US = Decimal("0.001")
TIMES = ("total_us", "self_us")


def ops(binary, path):
    done = subprocess.run([binary, "ops", path, "--format", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode not in (0, 4):
        raise ValueError(f"exit {done.returncode}: {done.stderr[-200:].decode('utf-8', 'replace')}")
    return json.loads(done.stdout, parse_float=Decimal)


def by_key(doc):
    return {(r["side"], r["op_type"], r["op_name"]): r for r in doc["rows"]}


def differences(space, timeline):
    """What the second document says otherwise than the first."""
    found, events = [], 1 + sum(r["occurrences"] for r in space["rows"])
    for side, totals in space["totals"].items():
        for key, value in totals.items():
            slack = 0 if key == "lanes" else ROUNDED_US * events
            if abs(value - timeline["totals"][side][key]) > slack:
                found.append(f"{side} {key} {timeline['totals'][side][key]}, not {value}")
    ours, theirs = by_key(timeline), by_key(space)
    # XLA on the CPU: what has a framework name there has the instruction's name here, type Unknown.
    renamed = [key for key in ours.keys() - theirs.keys() if key[:2] == ("Host", "Unknown")]
    resolved = [key for key in theirs.keys() - ours.keys() if key[0] == "Host"] if renamed else []
    for field in ("occurrences", "self_us") if renamed else ():
        here, there = (sum(r[field] for r in rows if r["side"] == "Host") for rows in (timeline["rows"], space["rows"]))
        if abs(here - there) > ROUNDED_US * events:
            found.append(f"{field} of the host {here}, not {there}")
    for key in (ours.keys() | theirs.keys()) - set(renamed) - set(resolved):
        here, there = ours.get(key), theirs.get(key)
        if here is None or there is None:
            found.append(f"{key} only in one")
        elif renamed and key[:2] == ("Host", "Unknown"):
            continue  # it may hold instructions that only one of them could name; in the sums above
        elif here["occurrences"] != there["occurrences"] or here["eager"] != there["eager"]:
            found.append(f"{key}: {here}, not {there}")
        elif any(abs(here[t] - there[t]) > ROUNDED_US * (here["occurrences"] or events) for t in TIMES):
            found.append(f"{key}: {here}, not {there}")
    return found


def pairs(folder):
    for root, folders, files in os.walk(folder):
        folders.sort()
        if "PAIRS.tsv" in files:
            with open(os.path.join(root, "PAIRS.tsv"), encoding="utf-8") as file:
                for line in file:
                    path, space = line.rstrip("\n").split("\t")
                    yield os.path.join(PROJECT, space), os.path.join(root, path)
        spaces = glob.glob(os.path.join(glob.escape(root), "*.xplane.pb"))
        if len(spaces) == 1:
            for path in sorted(glob.glob(os.path.join(glob.escape(root), "*trace.json*"))):
                yield spaces[0], path


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    binary, passed, failed, skipped = os.path.abspath(sys.argv[1]), 0, 0, 0
    for folder in sys.argv[2:]:
        if not os.path.isdir(folder):
            print(f"skipped: {folder} is not here; it holds real public traces that are not part of the project")
            skipped += 1
            continue
        for space, path in pairs(folder):
            try:
                found = differences(ops(binary, space), ops(binary, path))
            except ValueError as error:
                found = [str(error)]
            passed, failed = passed + (not found), failed + bool(found)
            if found:
                print(f"FAIL {path}: {'; '.join(found[:3])}"[:900])
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
