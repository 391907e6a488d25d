#!/usr/bin/env python3
"""Checks the walls between the parts of the program (docs/architecture.md).

    include_arrows.py

- Includes go one way: base <- input, wire <- formats -> trace <- analyze <- compare <- report <- cli. What a folder may include is in
  MAY_INCLUDE; nothing else.
- lib/ never prints, exits, reads the environment or the clock: that is cli's.
- Every header says `#pragma once` and starts with a paragraph that tells what it is.
The last line is `N passed, N failed`, one check a file.
"""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# folder of lib/ -> folders of lib/ that it may include (itself always)
MAY_INCLUDE = {
    "base": set(),
    "input": {"base"},
    "wire": {"base"},
    "trace": {"base"},
    "formats": {"base", "input", "wire", "trace"},
    "analyze": {"base", "trace"},
    "compare": {"base", "trace", "analyze"},
    "report": {"base", "trace", "analyze", "compare"},
}

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
SYSTEM_INCLUDE = re.compile(r"^\s*#\s*include\s+<([^>]+)>", re.M)
# Streams of the process, the end of the process, its environment, the clock.
FORBIDDEN = re.compile(
    r"std::(?:cout|cerr|clog)\b|(?<![\w.>])(?:std::)?(?:f?printf|puts|putchar|perror|fputs|fwrite)\s*\("
    r"|\b(?:stdout|stderr|STDOUT_FILENO|STDERR_FILENO)\b|(?<![\w.>])(?:std::|::)?(?:exit|_exit|abort|quick_exit)\s*\("
    r"|\b(?:secure_)?getenv\s*\(|\b(?:system|steady|high_resolution)_clock\b|\b(?:clock_gettime|gettimeofday)\s*\(|(?<![\w.>])(?:std::|::)?time\s*\(\s*(?:nullptr|NULL|0|&)")
FORBIDDEN_HEADERS = {"iostream", "chrono", "ctime"}


def without_comments_and_strings(text):
    """The code alone, line structure kept."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|R"\((?:.*?)\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.S)
    return pattern.sub(lambda m: "\n" * m.group().count("\n") or " ", text)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def check_includes(path, text, problems):
    """`path` is relative to the project: lib/<part>/… or cli/…"""
    parts = path.split("/")
    for match in INCLUDE.finditer(text):
        included = match.group(1)
        where = f"{path}:{line_of(text, match.start())}"
        target = included.split("/")[0]
        if target == "cli" or (target not in MAY_INCLUDE and os.path.exists(os.path.join(ROOT, "cli", included))):
            if parts[0] != "cli":
                problems.append(f"{where}: lib/ must not include {included}")
        elif target not in MAY_INCLUDE:
            problems.append(f"{where}: {included} is no path below lib/ or cli/")
        elif not os.path.exists(os.path.join(ROOT, "lib", included)):
            problems.append(f"{where}: {included} does not exist")
        elif parts[0] == "lib" and target != parts[1] and target not in MAY_INCLUDE[parts[1]]:
            problems.append(f"{where}: {parts[1]} must not include {target} ({included})")


def check_purity(path, text, problems):
    code = without_comments_and_strings(text)
    for match in FORBIDDEN.finditer(code):
        problems.append(f"{path}:{line_of(code, match.start())}: lib/ must not use {match.group().strip()}")
    for match in SYSTEM_INCLUDE.finditer(code):
        if match.group(1) in FORBIDDEN_HEADERS:
            problems.append(f"{path}:{line_of(code, match.start())}: lib/ must not include <{match.group(1)}>")


def check_header(path, text, problems):
    if not re.match(r"// \S", text):
        problems.append(f"{path}:1: a header starts with a paragraph that says what it is")
    if "#pragma once" not in text:
        problems.append(f"{path}: no #pragma once")


def check_file(path):
    problems = []
    with open(os.path.join(ROOT, path), encoding="utf-8") as handle:
        text = handle.read()
    if path.startswith("lib/") and path.split("/")[1] not in MAY_INCLUDE:
        problems.append(f"{path}: no rule for this folder")
        return problems
    check_includes(path, text, problems)
    if path.startswith("lib/"):
        check_purity(path, text, problems)
    if path.endswith(".h"):
        check_header(path, text, problems)
    return problems


def main():
    paths = sorted(
        os.path.relpath(os.path.join(folder, name), ROOT)
        for top in ("lib", "cli")
        for folder, _, names in os.walk(os.path.join(ROOT, top))
        for name in names
        if name.endswith((".h", ".cc")))
    failed = 0
    for path in paths:
        problems = check_file(path)
        failed += bool(problems)
        for problem in problems:
            print(f"FAIL {problem}")
    print(f"{len(paths) - failed} passed, {failed} failed")
    return 1 if failed or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
