#!/usr/bin/env python3
"""Runs every command that README.md, docs/*.md and samples/README.md show, and compares what it prints with what they show.

    run_docs.py BINARY [--update] [--only TEXT]

Commands stand in ```console blocks, after `$ `; a line that ends in a backslash goes on in the next. What follows up to the
next command is the output, stdout and stderr as a terminal shows them; a line `…` stands for any lines. They run in a
copy of the project in a temporary folder, with `tfprof-analyze` in the PATH. `scripts/try` is shortened to its last line,
since the program is built already. ```sh blocks are for what can't be run here (SET_UP below); any other command in one
fails. --update writes the output that there is now into the documents, where the shown one has no `…`.
The last line is `N passed, N failed`, one check a block.
"""

import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COPIED = ("README.md", "docs", "samples", "scripts", "schemas", "tests")
# Installing, building and testing the project, making big files, and TensorFlow: tests/fresh and people run these.
SET_UP = ("git ", "cd ", "sudo ", "apt-get ", "scripts/", ".ci/run", "cmake ", "ctest ", "python3 tests/", "python3.11 ", "VENV/",
          "build/", "tests/fresh/run.sh ", "clang-format ", "clang-tidy ", "#")
ELLIPSIS = "…"
TIME_LIMIT_S = 120
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


def documents():
    return ["README.md", "samples/README.md", *sorted(os.path.relpath(p, ROOT) for p in glob.glob(os.path.join(ROOT, "docs", "*.md")))]


def parse(block):
    """[(command, shown output lines)]."""
    pairs, lines = [], block.splitlines()
    while lines:
        line = lines.pop(0)
        if line.startswith("$ "):
            command = line[2:]
            while command.endswith("\\") and lines:
                command += "\n" + lines.pop(0)
            pairs.append((command, []))
        elif pairs:
            pairs[-1][1].append(line)
        else:
            pairs.append(("false # a console block starts with a command", [line]))
    return pairs


def real_command(command):
    if command == "scripts/try":
        with open(os.path.join(ROOT, "scripts", "try"), encoding="utf-8") as handle:
            return handle.read().rstrip().splitlines()[-1].replace("exec build/release/", "")
    return command


def run_block(pairs, folder, path):
    """The output lines of each command; all run in one shell, so that `$?` and variables mean what they should."""
    mark = "@@@ end of command @@@"
    script = "".join(f"{{ {real_command(command)}\n}} 2>&1\n_s=$?; echo; echo '{mark}'; (exit $_s)\n" for command, _ in pairs)
    env = {k: v for k, v in os.environ.items() if k in ("HOME", "TMPDIR", "ASAN_OPTIONS", "UBSAN_OPTIONS")}
    done = subprocess.run(["bash", "-c", script], cwd=folder, env=dict(env, PATH=path, LC_ALL="C.UTF-8"),
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIME_LIMIT_S)
    parts = done.stdout.decode("utf-8", "replace").split(f"\n{mark}\n")
    return [part.splitlines() for part in parts[:len(pairs)]]


def matches(shown, got):
    """Whether lines are as shown, where a shown line `…` stands for any number of lines."""
    if ELLIPSIS not in shown:
        return shown == got
    pieces, piece = [], []
    for line in [*shown, ELLIPSIS]:
        if line == ELLIPSIS:
            pieces.append(piece)
            piece = []
        else:
            piece.append(line)
    first, *middle = pieces
    last = [] if shown[-1] == ELLIPSIS else middle.pop() if middle else []
    if got[:len(first)] != first:
        return False
    at = len(first)
    for piece in middle:
        while got[at:at + len(piece)] != piece:
            at += 1
            if at + len(piece) > len(got):
                return False
        at += len(piece)
    return len(got) - len(last) >= at and got[len(got) - len(last):] == last


def check_console(block, folder, path):
    """(what differs or "", the block as it should be)."""
    pairs = parse(block)
    outputs = run_block(pairs, folder, path)
    said, lines = [], []
    for (command, shown), got in zip(pairs, outputs + [["(the shell ended)"]] * len(pairs)):
        while got and got[-1] == "":
            got.pop()
        fits = matches(shown, got)
        if not fits:
            said.append(f"$ {command}\n  shown:\n    " + "\n    ".join(shown) + "\n  got:\n    " + "\n    ".join(got[:60]))
        lines += [f"$ {command}", *(got if not fits and ELLIPSIS not in shown else shown)]
    return "\n".join(said), "\n".join(lines) + "\n"


def check_shell(block):
    """Lines of a block that is not run and should be."""
    stray = [line for line in block.splitlines() if line.strip() and not line.strip().startswith(SET_UP)]
    return f"not run, though it could be: {stray}" if stray else ""


def check_document(name, folder, path, options):
    passed = failed = 0
    with open(os.path.join(ROOT, name), encoding="utf-8") as handle:
        text = handle.read()
    new, end = [], 0
    for match in FENCE.finditer(text):
        kind, block = match.groups()
        replacement = block
        if kind == "console" and options.only in block:
            said, replacement = check_console(block, folder, path)
        elif kind in ("sh", "bash", "shell"):
            said = check_shell(block)
        else:
            continue
        new += [text[end:match.start(2)], replacement]
        end = match.end(2)
        line = text.count("\n", 0, match.start()) + 1
        if said:
            print(f"FAIL {name}:{line}: {said}")
        passed, failed = passed + (not said), failed + bool(said)
    if options.update:
        with open(os.path.join(ROOT, name), "w", encoding="utf-8") as handle:
            handle.write("".join(new) + text[end:])
    return passed, failed


def main():
    parser = argparse.ArgumentParser(description="Run the commands of the documents.")
    parser.add_argument("binary")
    parser.add_argument("--update", action="store_true", help="write the output that there is now into the documents")
    parser.add_argument("--only", default="", help="only console blocks that hold this text")
    options = parser.parse_args()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as temp:
        folder, programs = os.path.join(temp, "tfprof-analyze"), os.path.join(temp, "bin")
        for part in (folder, programs):
            os.mkdir(part)
        for name in COPIED:
            source = os.path.join(ROOT, name)
            if os.path.isdir(source):
                shutil.copytree(source, os.path.join(folder, name), ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, folder)
        os.symlink(os.path.abspath(options.binary), os.path.join(programs, "tfprof-analyze"))
        for name in documents():
            p, f = check_document(name, folder, f"{programs}:{os.environ['PATH']}", options)
            passed, failed = passed + p, failed + f
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
