#!/usr/bin/env python3
"""Tests with the real public traces in SHARED/traces, which are not part of the project.

    real.py BINARY SHARED

- tests/expect/check.py with the official tool's answers: --compat xprof number for number, JSON and CSV;
- tests/expect/check_json.py: default numbers of timelines and XSpace files against independently computed ones;
- tests/traces/invariants.py over every XSpace file.
Where SHARED/traces is missing they are skipped, and that is said. The last line is `N passed, N failed`.
"""

import os
import re
import subprocess
import sys

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    binary, shared = sys.argv[1:]
    traces, expect = os.path.join(shared, "traces"), os.path.join(shared, "expect")
    if not os.path.isdir(traces):
        print("skipped: the real public traces (a folder `shared` beside the clone) are not here")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    official = ["expect/check.py", binary, "--set", f"{expect}/xprof", "--traces", traces, "--tools", "ops,csv", "--only"]
    runs = [
        [*official, "xplane__"],
        [*official, "ours__"],
        ["expect/check_json.py", binary, "--set", f"{expect}/json", "--traces", traces],
        ["traces/invariants.py", binary, f"{traces}/xplane", f"{traces}/ours", f"{traces}/edge_json"],
    ]
    passed = failed = 0
    for script, *args in runs:
        done = subprocess.run([sys.executable, os.path.join(TESTS, script), *args], stdout=subprocess.PIPE)
        text = done.stdout.decode("utf-8", "replace").rstrip()
        counts = re.search(r"(\d+) passed, (\d+) failed$", text)
        passed += int(counts.group(1)) if counts else 0
        failed += int(counts.group(2)) if counts else 1
        print(f"{script} {' '.join(args[1:])}\n{text}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
