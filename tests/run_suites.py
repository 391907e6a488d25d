#!/usr/bin/env python3
"""Runs every test suite of a build and adds up their counts.

    run_suites.py BUILD_DIR [--only TEXT] [-j N] [-v]

The suites are those that tests/CMakeLists.txt registers with ctest. A suite's last line is `N passed, N failed`
(`, N skipped` may follow); one that ends otherwise, or with another exit code than its counts call for, counts as one more
failure. What failing suites said is printed; -v prints what all said. The last line is `N passed, N failed` over all.
"""

import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import time

COUNTS = re.compile(r"(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$")


def suites_of(build_dir):
    """[(name, command, working directory, time limit in s)] of the tests that ctest knows."""
    text = subprocess.run(["ctest", "--show-only=json-v1"], cwd=build_dir, check=True, capture_output=True).stdout
    found = []
    for test in json.loads(text)["tests"]:
        properties = {p["name"]: p["value"] for p in test.get("properties", [])}
        found.append((test["name"], test.get("command"), properties.get("WORKING_DIRECTORY", build_dir),
                      properties.get("TIMEOUT", 1800)))
    return found


def run(suite):
    """Runs one suite. Returns (name, passed, failed, skipped, seconds, output)."""
    name, command, folder, limit_s = suite
    start = time.monotonic()
    if command is None:
        return name, 0, 1, 0, 0.0, "the program of this suite was not built"
    try:
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=limit_s)
        output, code = done.stdout.decode("utf-8", "replace"), done.returncode
    except subprocess.TimeoutExpired as error:
        output, code = (error.stdout or b"").decode("utf-8", "replace") + f"\nno end within {limit_s} s", None
    lines = output.rstrip().splitlines()
    counts = COUNTS.search(lines[-1]) if lines else None
    passed, failed, skipped = (int(n or 0) for n in counts.groups()) if counts else (0, 0, 0)
    if not counts or code is None or (code != 0) != (failed > 0) or passed + failed + skipped == 0:
        output += f"\n{name}: exit code {code}, and the last line does not say why"
        failed += 1
    return name, passed, failed, skipped, time.monotonic() - start, output


def main():
    parser = argparse.ArgumentParser(description="Run all test suites of a build.")
    parser.add_argument("build_dir")
    parser.add_argument("--only", default="", help="only suites whose name holds this text")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1, help="suites at a time")
    parser.add_argument("-v", "--verbose", action="store_true", help="print what passing suites said, too")
    options = parser.parse_args()
    suites = [s for s in suites_of(options.build_dir) if options.only in s[0]]
    total_passed = total_failed = total_skipped = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for job in concurrent.futures.as_completed([pool.submit(run, suite) for suite in suites]):
            name, passed, failed, skipped, seconds, output = job.result()
            total_passed, total_failed, total_skipped = total_passed + passed, total_failed + failed, total_skipped + skipped
            notes = [line for line in output.splitlines() if line.startswith("skipped:")]
            if failed or options.verbose:
                print(f"--- {name}\n{output.rstrip()}")
            print("\n".join([f"{'FAIL' if failed else 'ok':4} {name:20} {passed:6} passed {failed:4} failed {seconds:6.1f} s"]
                            + [f"     {note}" for note in notes]), flush=True)
    if total_skipped:
        print(f"{total_skipped} skipped")
    print(f"{total_passed} passed, {total_failed} failed")
    return 1 if total_failed or not total_passed else 0


if __name__ == "__main__":
    sys.exit(main())
