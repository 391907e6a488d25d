#!/usr/bin/env python3
"""Runs tfprof-analyze over every XSpace file and timeline below some paths and checks what must hold for any profile.

    invariants.py BINARY PATH...

For each file: `ops` ends with exit 0, 3 or 4 within the time limit and never by a signal; its JSON keeps the contract and
the invariants of tests/cases/README.md, in the default mode and with --compat xprof, with idle and without; idle changes
no row but IDLE; one thread and three give the same bytes; CSV holds the rows of the JSON; `info` counts the same lanes or
more; the op trees hold the self times of the table (of timelines that
alone). The last line is `N passed, N failed`, one check a file.
"""

import csv
import io
import json
import os
import sys
from decimal import Decimal

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cases"))
import run_cases  # noqa: E402

TIME_LIMIT_S = 60.0
TIMELINES = (".json", ".json.gz")
SUFFIXES = (".xplane.pb", ".xplane.pb.gz", *TIMELINES)


# Synthetic runs that pin an oddity which no invariant allows; their exact answers are checked by expect/check.py.
ODD_IN_XPROF = {
    "gpu_neg_duration": "times are unsigned: a negative one is 18446744 s, and so are the shares",
    "host_wrap": "likewise",
    "stage_ops": "ops of one name under two input pipeline stages are two rows",
    "stage_same_name_two_ids": "likewise",
    "tpu_meta_types": "an op without a category shares the IDLE row",
    "op_named_idle": "an op called IDLE shares the IDLE row",
}
ODD_BY_DEFAULT = {
    "num_occurrences_host": "an aggregated event has no place in time, so it is in the sum but not in the union",
    "op_named_idle": "an op of the name and type IDLE is a row like any other, beside the IDLE row",
}


class Problem(Exception):
    """What a run of the program did wrong."""


def run(binary, args, codes=(0, 3, 4)):
    """Output of a run whose exit code must be one of `codes`."""
    outcome = run_cases.start([binary, *args], None, TIME_LIMIT_S)
    if outcome.timed_out:
        raise Problem(f"{args}: no end within {TIME_LIMIT_S} s")
    if outcome.code not in codes:
        raise Problem(f"{args}: exit {outcome.code}: {outcome.stderr[-300:].decode('utf-8', 'replace')}")
    return outcome.stdout


def document(binary, args):
    """The JSON document of a run; None if the program could open nothing."""
    text = run(binary, [*args, "--format", "json"]).decode("utf-8")
    return json.loads(text, parse_constant=run_cases.reject_constant) if text else None


def op_rows(doc):
    """Rows without shares and ranks, IDLE left out: what must not depend on --idle."""
    keys = ("side", "op_type", "op_name", "occurrences", "total_us", "self_us", "eager")
    return [tuple(row[k] for k in keys) for row in doc["rows"] if not run_cases.is_idle(row)]


def check_table(binary, path, mode):
    docs = {}
    for idle in ("--idle", "--no-idle"):
        doc = document(binary, ["ops", path, idle, *mode])
        if doc is None:
            return None
        problems = []
        odd = os.path.basename(os.path.dirname(path)) in (ODD_IN_XPROF if mode else ODD_BY_DEFAULT)
        if run_cases.check_shape(doc, problems) and not odd:
            run_cases.check_invariants(doc, bool(mode), problems)
        if problems:
            raise Problem(f"{' '.join([idle, *mode])}: " + "; ".join(problems[:3]))
        if doc["include_idle"] != (idle == "--idle"):
            raise Problem(f"{idle}: include_idle is {doc['include_idle']}")
        docs[idle] = doc
    if not mode and op_rows(docs["--idle"]) != op_rows(docs["--no-idle"]):
        raise Problem("--no-idle changes other rows than IDLE")
    return docs["--idle"]


def check_csv(binary, path, doc):
    records = list(csv.DictReader(io.StringIO(run(binary, ["ops", path, "--format", "csv"]).decode("utf-8"), newline="")))
    if len(records) != len(doc["rows"]):
        raise Problem(f"CSV has {len(records)} rows, JSON {len(doc['rows'])}")
    for record, row in zip(records, doc["rows"]):
        for key in ("side", "op_type", "op_name"):
            if record[key] != row[key]:
                raise Problem(f"CSV says {key} {record[key]!r}, JSON {row[key]!r}")
        for key in ("rank", "occurrences", "total_us", "self_us", "host_cumulative_fraction"):
            if float(record[key] or 0) != float(row[key] or 0):
                raise Problem(f"CSV says {key} {record[key]} of {row['op_name']!r}, JSON {row[key]}")


def check_info(binary, path, doc):
    info = document(binary, ["info", path])
    lanes = sum(plane["lanes"] if isinstance(plane["lanes"], int) else len(plane["lanes"])
                for file in info["files"] for plane in file["planes"])
    counted = doc["totals"]["host"]["lanes"] + doc["totals"]["device"]["lanes"]
    if lanes < counted:
        raise Problem(f"info tells of {lanes} lanes, ops counted {counted}")


def check_tree(binary, path, doc):
    """Self times of each tree add up to those of the op table; a node's total is its own and its children's."""
    for by in ("scope", "call", "type"):
        tree = document(binary, ["tree", path, "--by", by])
        for side in ("host", "device"):
            expected = Decimal(str(doc["totals"][side]["sum_self_us"]))
            got = sum(Decimal(str(row[f"{side}_self_us"])) for row in tree["rows"])
            if abs(got - expected) > abs(expected) * Decimal("1e-9") + Decimal("1e-6"):
                raise Problem(f"tree --by {by}: self times on the {side} add up to {got} us, in ops to {expected}")
            totals = [Decimal(str(row[f"{side}_self_us"])) for row in tree["rows"]]
            for row in reversed(tree["rows"]):
                if row["parent"] is not None:
                    totals[row["parent"]] += totals[row["id"]]
                if abs(totals[row["id"]] - Decimal(str(row[f"{side}_total_us"]))) > Decimal("1e-3") + expected * Decimal("1e-9"):
                    raise Problem(f"tree --by {by}: {row['name']!r}: {side} total isn't its own and its children's")
        if run(binary, ["tree", path, "--by", by, "-f", "csv", "-j", "1"]) != run(
                binary, ["tree", path, "--by", by, "-f", "csv", "-j", "3"]):
            raise Problem(f"tree --by {by}: -j 1 and -j 3 differ")


def check(binary, path):
    if path.endswith(TIMELINES):
        doc = document(binary, ["ops", path])
    else:
        doc = check_table(binary, path, [])
    if doc is None:
        return
    check_tree(binary, path, doc)
    if path.endswith(TIMELINES):
        return
    check_table(binary, path, ["--compat", "xprof"])
    if run(binary, ["ops", path, "--format", "json", "-j", "1"]) != run(binary, ["ops", path, "--format", "json", "-j", "3"]):
        raise Problem("-j 1 and -j 3 differ")
    check_csv(binary, path, doc)
    check_info(binary, path, doc)
    run(binary, [path])


def files_below(paths):
    for path in paths:
        if os.path.isfile(path):
            yield path
        for folder, _, names in sorted(os.walk(path)):
            yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith(SUFFIXES))


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    passed = failed = 0
    for path in files_below(sys.argv[2:]):
        try:
            check(sys.argv[1], path)
            passed += 1
        except (Problem, ValueError, KeyError, TypeError) as error:
            failed += 1
            print(f"FAIL {path}: {type(error).__name__}: {error}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
