#!/usr/bin/env python3
"""The program on a terminal: colour, width, progress.

    terminal.py BINARY
"""

import subprocess
import sys
import threading
import time
import unicodedata

sys.dont_write_bytecode = True
import support  # noqa: E402
from support import CUT, DEVICE, LIMIT_S, SAMPLE, SGR, Terminal, environment, on_terminal, run


def width_of(line):
    """Columns that a line takes."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
               for c in SGR.sub("", line))


def test_colour_by_terminal_environment_and_flag(binary):
    table = [
        # environment, --color, on a terminal: coloured?
        ({}, None, True, True),
        ({}, None, False, False),
        ({"NO_COLOR": "1"}, None, True, False),
        ({"NO_COLOR": ""}, None, True, True),
        ({"TERM": "dumb"}, None, True, False),
        ({"TERM": None}, None, True, True),
        ({"CLICOLOR": "0"}, None, True, False),
        ({"CLICOLOR_FORCE": "1"}, None, False, True),
        ({"CLICOLOR_FORCE": "0"}, None, False, False),
        ({"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, None, True, False),
        ({}, "never", True, False),
        ({"CLICOLOR_FORCE": "1"}, "never", False, False),
        ({}, "always", False, True),
        ({"NO_COLOR": "1", "TERM": "dumb"}, "always", False, True),
        ({"NO_COLOR": "1"}, "auto", True, False),
    ]
    for env, flag, terminal, coloured in table:
        args = ["ops", DEVICE] + (["--color", flag] if flag else [])
        if terminal:
            code, text = on_terminal(binary, *args, **env)
        else:
            done = run(binary, *args, env=environment(**env))
            code, text = done.returncode, done.stdout.decode()
        assert code == 0, (env, flag, code)
        assert ("\x1b[" in text) == coloured, (env, flag, terminal, text)


def test_machine_formats_are_the_same_bytes_on_a_terminal(binary):
    for form in ("csv", "tsv", "json", "jsonl"):
        args = ["ops", SAMPLE, "-f", form]
        code, text = on_terminal(binary, *args, columns=40, CLICOLOR_FORCE="1")
        assert code == 0
        assert text == run(binary, *args).stdout.decode(), form


def test_colour_says_nothing_that_is_not_there_without_it(binary):
    _, coloured = on_terminal(binary, "ops", SAMPLE, columns=120)
    _, plain = on_terminal(binary, "ops", SAMPLE, columns=120, NO_COLOR="1")
    assert coloured != plain and SGR.sub("", coloured) == plain


def test_tables_fit_the_terminal(binary):
    for command in (["ops", SAMPLE, "-n", "30"], [SAMPLE], ["info", SAMPLE], ["ops", DEVICE]):
        for columns in (80, 120, 200):
            code, text = on_terminal(binary, *command, columns=columns)
            assert code == 0
            # Commands and paths are there to be copied: never broken.
            wide = [line for line in text.splitlines()
                    if width_of(line) > columns and "tfprof-analyze " not in line and ".xplane.pb" not in line]
            assert not wide, (command, columns, wide[0])


def test_names_are_shortened_in_the_middle_on_a_terminal_only(binary):
    _, text = on_terminal(binary, "ops", SAMPLE, columns=80)
    assert "…" in text
    for args in (["ops", SAMPLE], ["ops", SAMPLE, "-f", "markdown"]):
        assert "…" not in run(binary, *args).stdout.decode()
    _, wide = on_terminal(binary, "ops", SAMPLE, "--wide", columns=80)
    assert "…" not in wide
    _, narrow = on_terminal(binary, "ops", SAMPLE, "--width", "60", columns=200)
    assert max(map(width_of, narrow.splitlines())) <= 60


def slow_read(binary, *flags, seconds=1.2, env=None, terminal=True):
    """Reads a profile from a pipe that pauses. Returns (exit code, stdout, [(seconds, bytes)] on standard error)."""
    error_side = Terminal() if terminal else None
    process = subprocess.Popen([binary, "ops", "-", "-f", "csv", *flags], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=error_side.slave if terminal else subprocess.PIPE, env=environment(**(env or {})))
    if terminal:
        error_side.close_slave()

    def feed():
        with open(DEVICE, "rb") as file:
            data = file.read()
        process.stdin.write(data[:50])
        process.stdin.flush()
        time.sleep(seconds)
        process.stdin.write(data[50:])
        process.stdin.close()

    feeder = threading.Thread(target=feed)
    feeder.start()
    pieces = error_side.read_all() if terminal else [(0, process.stderr.read())]
    out = process.stdout.read()
    feeder.join()
    return process.wait(LIMIT_S), out, pieces


def test_progress_appears_late_is_redrawn_seldom_and_goes(binary):
    code, out, pieces = slow_read(binary)
    assert code == 0 and out.startswith(b"rank,") and b"reading" not in out
    shown = [(at, data) for at, data in pieces if b"reading" in data]
    assert shown, pieces
    assert shown[0][0] >= 0.4, shown[0]
    text = b"".join(data for _, data in pieces)
    assert 2 <= text.count(b"\rreading") <= 9, text
    before, after = text[:text.rindex(b"\rreading")], text[text.rindex(b"\rreading"):]
    assert before.count(b"\n") == 0 and after.split(b"\x1b[K", 1)[1].startswith(b"\r\x1b[K"), text


def test_no_progress_where_it_is_not_wanted(binary):
    for flags, env, terminal in (([], {}, False), (["--progress", "never"], {}, True), (["-q"], {}, True),
                                 ([], {"TERM": "dumb"}, True)):
        code, _, pieces = slow_read(binary, *flags, env=env, terminal=terminal, seconds=0.8)
        text = b"".join(data for _, data in pieces)
        assert code == 0 and b"reading" not in text and b"\r" not in text, (flags, env, terminal, text)


def test_progress_on_request_without_a_terminal(binary):
    code, _, pieces = slow_read(binary, "--progress", "always", terminal=False, seconds=0.8)
    assert code == 0 and b"\rreading" in pieces[0][1]


def test_a_short_run_shows_no_progress(binary):
    terminal = Terminal()
    process = subprocess.Popen([binary, "ops", DEVICE], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=terminal.slave, env=environment())
    terminal.close_slave()
    text = b"".join(data for _, data in terminal.read_all())
    assert process.wait(LIMIT_S) == 0 and b"reading" not in text, text


def test_messages_are_coloured_on_a_terminal_only(binary):
    for env, coloured in (({}, True), ({"NO_COLOR": "1"}, False)):
        terminal = Terminal()
        process = subprocess.Popen([binary, "ops", CUT], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=terminal.slave, env=environment(**env))
        terminal.close_slave()
        text = b"".join(data for _, data in terminal.read_all())
        assert process.wait(LIMIT_S) == 3
        assert (b"\x1b[" in text) == coloured and b"error:" in text, text
    assert b"\x1b" not in run(binary, "ops", CUT).stderr


def test_names_of_files_cannot_send_control_sequences(binary):
    done = run(binary, "ops", "no\x1b[31m\nsuch")
    assert done.returncode == 3 and b"\x1b" not in done.stderr and done.stderr.count(b"\n") == 1, done.stderr


if __name__ == "__main__":
    sys.exit(support.main(dict(globals())))
