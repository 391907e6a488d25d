#!/usr/bin/env python3
"""Several processes that write one baseline lose no run; a run of several is called by its name.

    baseline.py BINARY
"""

import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import support  # noqa: E402
from support import LIMIT_S, environment, run


class Runs:
    """A folder with copies of a small run under names of their own, and a baseline of the first."""

    def __init__(self, binary, count):
        self.binary, self.folder = binary, tempfile.TemporaryDirectory()
        self.runs = [self.path("r%d.xplane.pb" % i) for i in range(count)]
        for path in self.runs:
            shutil.copy(support.DEVICE, path)
        self.baseline = self.path("main.json")
        done = run(binary, "baseline", "save", self.runs[0], "-o", self.baseline)
        assert done.returncode == 0, done

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def start(self, action, *words):
        return subprocess.Popen([self.binary, "baseline", action, *words], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())

    def labels(self):
        with open(self.baseline, encoding="utf-8") as file:
            return sorted(os.path.basename(entry["label"]) for entry in json.load(file)["runs"])


def test_runs_added_at_once_are_all_kept(binary):
    with Runs(binary, 9) as runs:
        adding = [runs.start("add", path, "-o", runs.baseline) for path in runs.runs[1:]]
        for process in adding:
            _, error = process.communicate(timeout=LIMIT_S)
            assert process.returncode == 0, error
        assert runs.labels() == sorted(map(os.path.basename, runs.runs)), runs.labels()
        assert len(os.listdir(runs.folder.name)) == 10, os.listdir(runs.folder.name)


def test_who_waited_reads_what_the_other_wrote(binary):
    with Runs(binary, 3) as runs:
        other = runs.path("other.json")
        assert run(binary, "baseline", "save", *runs.runs[:2], "-o", other).returncode == 0
        with open(runs.baseline, encoding="utf-8") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            process = runs.start("add", runs.runs[2], "-o", runs.baseline)
            assert b"main.json: waiting for another process" in process.stderr.readline()
            os.replace(other, runs.baseline)
        _, error = process.communicate(timeout=LIMIT_S)
        assert process.returncode == 0, error
        assert runs.labels() == ["r0.xplane.pb", "r1.xplane.pb", "r2.xplane.pb"], runs.labels()


def test_headings_name_the_run_that_was_taken_of_several(binary):
    with tempfile.TemporaryDirectory() as folder:
        for side in ("old", "new"):
            for name in ("r1", "r2"):
                os.makedirs(os.path.join(folder, side, name))
                shutil.copy(support.DEVICE, os.path.join(folder, side, name, "h.xplane.pb"))
        for args in (("diff", "old", "--", "new"), ("check", "new", "--baseline", "old")):
            page = run(binary, *args, "--run", "r1", cwd=folder).stdout.decode()
            assert "old (r1, one of 2 runs)" in page and "new (r1, one of 2 runs)" in page, page
            done = run(binary, *args, "-f", "json", cwd=folder)
            document = json.loads(done.stdout)
            for side, key in (("old", "base_runs"), ("new", "new_runs")):
                assert document[key][0].startswith(side + " (r") and "the newest of 2 runs)" in document[key][0], document
                assert (side + ": using run ").encode() in done.stderr, done.stderr


if __name__ == "__main__":
    sys.exit(support.main(dict(globals())))
