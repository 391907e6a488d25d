#!/usr/bin/env python3
"""The program on pipes and in scripts: closed pipes, interrupts, outputs that are whole or not there, exit codes.

    pipes.py BINARY
"""

import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import support  # noqa: E402
from support import (CUT, DEVICE, EMPTY, LIMIT_S, NO_PROFILE, NOT_A_PROFILE, ROOT, SAMPLE, environment, run, wait_for)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def snapshot(folder):
    """Every entry below with its size and times."""
    found = {}
    for place, folders, files in os.walk(folder):
        for name in folders + files:
            info = os.lstat(os.path.join(place, name))
            found[os.path.relpath(os.path.join(place, name), folder)] = (info.st_size, info.st_mtime_ns, info.st_mode)
    return found


def test_exit_codes(binary):
    good, missing = DEVICE, "nowhere.xplane.pb"
    table = [
        (["ops", good], 0), ([good], 0), (["info", good], 0), (["ops", good, "--strict"], 0),
        (["--version"], 0), (["--help"], 0), (["help", "ops"], 0),
        ([], 2), (["ops"], 2), (["ops", good, "--no-such-option"], 2), (["ops", good, "-n", "x"], 2),
        (["opps", good], 2), (["ops", good, "-o", "csv:" + os.path.join(missing, "x")], 2),
        (["ops", CUT], 3), (["ops", CUT, "--allow-partial"], 0), (["ops", CUT, "--strict"], 3),
        (["ops", missing], 3), (["ops", good, missing], 3), (["ops", missing, "--allow-partial"], 3),
        (["ops", good, missing, "--allow-partial"], 0),
        (["ops", NOT_A_PROFILE], 3), (["ops", NOT_A_PROFILE, "--allow-partial"], 3),
        (["ops", SAMPLE, "--run", "2000_01_01_00_00_00"], 3), (["ops", SAMPLE, "--host", "nobody"], 3),
        (["ops", EMPTY], 4), (["ops", EMPTY, "--allow-partial"], 4), (["ops", NO_PROFILE], 4), ([NO_PROFILE], 4),
        (["info", EMPTY], 4), (["ops", good, NO_PROFILE], 3),
    ]
    for args, expected in table:
        done = run(binary, *args)
        assert done.returncode == expected, (args, done.returncode, done.stderr)
        assert bool(done.stderr) == (expected != 0) or expected == 0, (args, done.stderr)
        if expected == 2:
            assert done.stdout == b"", args
        for line in done.stderr.splitlines():
            assert line.startswith(b"tfprof-analyze: "), (args, line)


def test_a_reader_that_closes_the_pipe_is_no_failure(binary):
    for command in (["ops", SAMPLE], ["ops", SAMPLE, "-f", "csv"], ["ops", SAMPLE, "-f", "json"], ["--help"]):
        process = subprocess.Popen([binary, *command, *([] if command == ["--help"] else ["-q"])],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=environment())
        first = process.stdout.read(10)
        process.stdout.close()
        error = process.stderr.read()
        assert process.wait(LIMIT_S) == 0 and len(first) == 10 and error == b"", (command, error)
    # Closed before anything is written.
    reader, writer = os.pipe()
    os.close(reader)
    done = run(binary, "ops", DEVICE, stdout=writer)
    os.close(writer)
    assert done.returncode == 0 and done.stderr == b"", done.stderr


def test_output_that_cannot_be_written(binary):
    for command in (["ops", DEVICE], ["--help"], ["--version"]):
        with open("/dev/full", "wb") as full:
            done = run(binary, *command, stdout=full)
        assert done.returncode == 2 and b"standard output: cannot be written: No space left" in done.stderr, done
    closed = subprocess.run(["sh", "-c", 'exec "$0" ops "$1" >&-', binary, DEVICE], stderr=subprocess.PIPE,
                            timeout=LIMIT_S, check=False)
    assert closed.returncode == 2 and b"standard output" in closed.stderr, closed


def test_a_closed_standard_output_does_not_become_a_file(binary):
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "a.csv")
        subprocess.run(["sh", "-c", 'exec "$0" ops "$1" -f json -o "csv:$2" >&- 2>&-', binary, DEVICE, target],
                       timeout=LIMIT_S, check=False)
        assert read(target) == run(binary, "ops", DEVICE, "-f", "csv").stdout


class Waiting:
    """The program, waiting for its input to go on, with an output file open in `folder`."""

    def __init__(self, binary, folder, *flags, source="-", before_exec=None):
        self.target = os.path.join(folder, "out.csv")
        with open(self.target, "w", encoding="ascii") as file:
            file.write("old")
        self.process = subprocess.Popen([binary, "ops", source, "-o", "csv:" + self.target, *flags],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env=environment(), preexec_fn=before_exec)
        self.folder = folder
        wait_for(lambda: len(os.listdir(folder)) == 2 + (source != "-"), "a temporary file beside the target")

    def end(self, data=b""):
        out, error = self.process.communicate(data, timeout=LIMIT_S)
        return self.process.returncode, out, error


def test_an_interrupt_ends_it_at_once_and_leaves_nothing_half_written(binary):
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
        with tempfile.TemporaryDirectory() as folder:
            waiting = Waiting(binary, folder)
            waiting.process.send_signal(number)
            returned = waiting.process.wait(LIMIT_S)  # although standard input stays open
            assert returned == code, (number, returned)
            assert os.listdir(folder) == ["out.csv"] and read(waiting.target) == b"old"
            assert waiting.end()[1:] == (b"", b"")


def test_an_interrupt_while_a_pipe_has_no_writer_yet(binary):
    with tempfile.TemporaryDirectory() as folder:
        pipe = os.path.join(folder, "pipe")
        os.mkfifo(pipe)
        waiting = Waiting(binary, folder, source=pipe)
        waiting.process.send_signal(signal.SIGINT)
        assert waiting.process.wait(LIMIT_S) == 130
        waiting.end()
        assert sorted(os.listdir(folder)) == ["out.csv", "pipe"]


def test_a_signal_that_is_ignored_stays_ignored(binary):
    with tempfile.TemporaryDirectory() as folder:
        waiting = Waiting(binary, folder, before_exec=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        waiting.process.send_signal(signal.SIGHUP)
        code, _, _ = waiting.end(read(DEVICE))
        assert code == 0
        assert read(waiting.target).startswith(b"rank,")


def test_an_output_is_replaced_when_it_is_whole(binary):
    with tempfile.TemporaryDirectory() as folder:
        waiting = Waiting(binary, folder)
        assert read(waiting.target) == b"old"
        code, _, _ = waiting.end(read(DEVICE))
        assert code == 0
        assert read(waiting.target) == run(binary, "ops", DEVICE, "-f", "csv").stdout
        assert os.listdir(folder) == ["out.csv"]


def test_several_outputs_at_once_are_those_of_single_runs(binary):
    with tempfile.TemporaryDirectory() as folder:
        targets = {form: os.path.join(folder, form) for form in ("table", "csv", "tsv", "json", "jsonl", "markdown")}
        flags = [word for form, path in targets.items() for word in ("-o", f"{form}:{path}")]
        done = run(binary, "ops", SAMPLE, *flags)
        assert done.returncode == 0 and done.stdout == read(targets["table"])
        for form, path in targets.items():
            assert read(path) == run(binary, "ops", SAMPLE, "-f", form).stdout, form


def test_nothing_is_written_beside_the_input(binary):
    with tempfile.TemporaryDirectory() as folder:
        logs = os.path.join(folder, "logs")
        shutil.copytree(SAMPLE, logs)
        profile = next(os.path.join(place, name) for place, _, names in os.walk(logs) for name in names
                       if name.endswith(".xplane.pb"))
        with gzip.open(profile + ".gz", "wb") as packed:
            packed.write(read(profile))
        os.makedirs(os.path.join(folder, "tmp"))
        before = snapshot(logs)
        for args in ([logs], ["ops", logs], ["info", logs], ["ops", logs, "--compat", "xprof"], ["ops", profile + ".gz"],
                     ["ops", logs, "-f", "json", "-o", "csv:" + os.path.join(folder, "x.csv")]):
            assert run(binary, *args, env=environment(TMPDIR=os.path.join(folder, "tmp"))).returncode == 0, args
        assert snapshot(logs) == before
        assert os.listdir(os.path.join(folder, "tmp")) == []


def test_an_input_is_never_overwritten(binary):
    with tempfile.TemporaryDirectory() as folder:
        profile = os.path.join(folder, "h.xplane.pb")
        shutil.copy(DEVICE, profile)
        os.symlink(profile, os.path.join(folder, "link"))
        before = snapshot(folder)
        for name in ("h.xplane.pb", "link", "../" + os.path.basename(folder) + "/h.xplane.pb"):
            done = run(binary, "ops", profile, "-o", "csv:" + os.path.join(folder, name))
            assert done.returncode == 2 and b"would destroy it" in done.stderr, done
        assert snapshot(folder) == before


def test_what_comes_through_a_pipe_is_read_once_however_often_it_is_looked_at(binary):
    timeline = os.path.join(ROOT, "samples", "maskrcnn_hook", "timeline-30.json")
    for path, args in ((timeline, ["--time", "1ms:2ms"]), (DEVICE, ["--compat", "xprof"]), (DEVICE, ["--time", ":1s"])):
        command = ["ops", "-f", "csv", *args]
        plain = run(binary, *command, path)
        assert plain.returncode == 0 and plain.stdout, plain.stderr
        for content in (read(path), gzip.compress(read(path))):
            piped = subprocess.run([binary, *command, "-"], input=content, capture_output=True, timeout=LIMIT_S,
                                   env=environment(), check=False)
            assert (piped.returncode, piped.stdout) == (0, plain.stdout), (path, args, piped.stderr)


def test_an_output_is_no_input_under_another_name(binary):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "in.pb")
        shutil.copy(DEVICE, path)
        before = read(path)
        with open(path, "rb") as stdin:
            done = subprocess.run([binary, "ops", "-", "-o", "csv:" + path], stdin=stdin, capture_output=True,
                                  timeout=LIMIT_S, env=environment(), check=False)
        assert done.returncode == 2 and read(path) == before, done.stderr
        out = os.path.join(folder, "x")
        done = run(binary, "ops", path, "-o", "csv:" + out, "-o", "json:" + os.path.join(folder, ".", "x"))
        assert done.returncode == 2 and not os.path.exists(out), done.stderr


def test_standard_input_only_when_asked_for(binary):
    with open(DEVICE, "rb") as file:
        from_file = run(binary, "ops", "-", "-f", "csv", stdin=file)
    assert from_file.stdout == run(binary, "ops", DEVICE, "-f", "csv").stdout
    from_pipe = subprocess.run([binary, "ops", "-", "-f", "csv"], input=read(DEVICE), capture_output=True,
                               timeout=LIMIT_S, check=False)
    assert from_pipe.stdout == from_file.stdout
    done = subprocess.run([binary, "ops"], input=read(DEVICE), capture_output=True, timeout=LIMIT_S, check=False)
    assert done.returncode == 2


def test_the_answer_does_not_depend_on_locale_threads_or_time_zone(binary):
    for form in ("table", "json", "csv"):
        answers = set()
        for env in ({"LC_ALL": "C"}, {"LC_ALL": "de_DE.UTF-8"}, {"TZ": "Asia/Kathmandu"}, {"COLUMNS": "40"}):
            for threads in ("1", "2", "7"):
                done = run(binary, "ops", SAMPLE, "-f", form, "-j", threads, env=environment(**env))
                assert done.returncode == 0
                answers.add(done.stdout)
        assert len(answers) == 1, form


def test_damage_is_told_with_file_and_byte(binary):
    done = run(binary, "ops", CUT, "-f", "json")
    errors = [d for d in json.loads(done.stdout)["diagnostics"] if d["severity"] == "error"]
    assert len(errors) == 1 and CUT in errors[0]["message"] and "byte" in errors[0]["message"], errors
    assert errors[0]["message"].encode() in done.stderr


def test_the_program_starts_without_heavy_libraries(binary):
    # Loading libprotobuf alone costs more than --version may take; its slow twin is for tests only.
    assert b"libprotobuf" not in read(binary)


def test_documents_begin_with_inputs_as_typed(binary):
    relative = os.path.relpath(SAMPLE, ROOT)
    done = run(binary, "ops", relative, "-f", "json", cwd=ROOT)
    (entry,) = json.loads(done.stdout)["inputs"]
    assert entry["path"].startswith(relative + "/") and entry["host"] == "host0" and entry["kind"] == "xplane", entry
    assert ROOT not in done.stdout.decode()


if __name__ == "__main__":
    sys.exit(support.main(dict(globals())))
