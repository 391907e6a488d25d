#!/usr/bin/env python3
"""Runs the program as tests/golden/cases.txt says and compares with what it printed when that was last looked at.

    golden.py BINARY [--update] [--only TEXT]

Every line of cases.txt is `COMMAND FLAGS... | INPUT...`; inputs are paths from the project's folder, where the program is
started. A case is named after its flags and inputs: expected/<name>.stdout, .stderr and .exit. Unexpected stderr fails as
well. Every JSON document is validated against schemas/<command>-<version>.schema.json. --update rewrites the files: look at
the difference before you commit it. The last line is `N passed, N failed`.
"""

import argparse
import difflib
import json
import os
import re
import shlex
import subprocess
import sys

import jsonschema  # Debian: python3-jsonschema

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
EXPECTED = os.path.join(HERE, "expected")
PARTS = ("stdout", "stderr", "exit")
TIME_LIMIT_S = 60


def read_cases():
    """[(name, arguments)]; a name that two cases share is an error."""
    cases = {}
    with open(os.path.join(HERE, "cases.txt"), encoding="utf-8") as handle:
        for line in handle:
            line = line.split("#")[0].strip()
            if not line:
                continue
            flags, _, inputs = line.partition("|")
            flags, inputs = shlex.split(flags), shlex.split(inputs)
            name = case_name(flags, inputs)
            if name in cases:
                sys.exit(f"cases.txt: two cases are named {name}")
            cases[name] = flags + inputs
    return list(cases.items())


def case_name(flags, inputs):
    """`ops --by type -n 3 | samples/unet_fit` is unet_fit.ops.by-type.n-3."""
    words = []
    for flag in flags:
        if flag.startswith("-") or not words:
            words.append(flag.lstrip("-"))
        else:
            words[-1] += "-" + flag if words[-1] != flags[0] else "." + flag
    stem = "+".join(re.sub(r"^(samples|tests/traces|tests/cases/suite)/", "", i) for i in inputs) or "none"
    return re.sub(r"[^A-Za-z0-9_.+=,:-]", "_", ".".join([stem] + words))


def run(binary, args):
    """{part: bytes} of one start; without what the caller's terminal and language would change."""
    keep = {k: v for k, v in os.environ.items() if k in ("PATH", "HOME", "TMPDIR", "ASAN_OPTIONS", "UBSAN_OPTIONS")}
    done = subprocess.run([binary, *args], cwd=ROOT, env=dict(keep, LC_ALL="C"), stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=TIME_LIMIT_S)
    return {"stdout": done.stdout, "stderr": done.stderr, "exit": b"%d\n" % done.returncode}


def check_schema(stdout):
    """What a JSON document says against its schema; "" if it is none or keeps it."""
    if not stdout.startswith(b"{\n"):
        return ""
    document = json.loads(stdout)
    if "schema" not in document:
        return ""  # SARIF: tests/ci holds it against its own
    name, command, version = document["schema"].split("/")
    with open(os.path.join(ROOT, "schemas", f"{command}-{version.lstrip('v')}.schema.json"), encoding="utf-8") as handle:
        schema = json.load(handle)
    errors = list(jsonschema.Draft202012Validator(schema).iter_errors(document))
    return "; ".join(f"{'/'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in errors[:3])


def compare(name, got):
    """Lines that tell what differs."""
    said = []
    for part in PARTS:
        path = os.path.join(EXPECTED, f"{name}.{part}")
        try:
            with open(path, "rb") as handle:
                want = handle.read()
        except FileNotFoundError:
            said.append(f"expected/{name}.{part} is missing (--update writes it)")
            continue
        if want != got[part]:
            lines = difflib.unified_diff(want.decode("utf-8", "replace").splitlines(), got[part].decode("utf-8", "replace").splitlines(),
                                         f"expected {part}", f"got {part}", lineterm="", n=0)
            said += list(lines)[:20]
    return said


def update(name, got):
    for part in PARTS:
        with open(os.path.join(EXPECTED, f"{name}.{part}"), "wb") as handle:
            handle.write(got[part])


def stale_files(cases):
    wanted = {f"{name}.{part}" for name, _ in cases for part in PARTS}
    return sorted(set(os.listdir(EXPECTED)) - wanted)


def main():
    parser = argparse.ArgumentParser(description="Compare the program's output with golden files.")
    parser.add_argument("binary")
    parser.add_argument("--update", action="store_true", help="write the golden files anew")
    parser.add_argument("--only", default="", help="only cases whose name holds this text")
    options = parser.parse_args()
    binary = os.path.abspath(options.binary)
    os.makedirs(EXPECTED, exist_ok=True)
    cases = read_cases()
    passed = failed = 0
    for name, args in cases:
        if options.only not in name:
            continue
        got = run(binary, args)
        if options.update:
            update(name, got)
        said = compare(name, got)
        problem = check_schema(got["stdout"])
        said += [f"schema: {problem}"] if problem else []
        passed, failed = passed + (not said), failed + bool(said)
        if said:
            print(f"FAIL {name}\n     " + "\n     ".join(said))
    for stale in stale_files(cases):
        if options.update:
            os.remove(os.path.join(EXPECTED, stale))
        else:
            failed += 1
            print(f"FAIL expected/{stale} belongs to no case")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
