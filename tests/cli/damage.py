#!/usr/bin/env python3
"""Hostile and damaged profiles on the real program: what is lost is said, with the right exit code, and what is odd but
legal is read as protobuf and the design mean it.

    damage.py BINARY
"""

import gzip
import json
import os
import shlex
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import support  # noqa: E402
from support import LIMIT_S, environment, run

sys.path.insert(0, os.path.join(support.ROOT, "tests", "property"))
from wire import number, text  # noqa: E402

TF_OP, HLO_OP, PROGRAM, PROTO = 9, 10, 11, 12


def event(metadata, offset_ps, duration_ps, more=b""):
    return text(4, number(1, metadata) + number(2, offset_ps) + number(3, duration_ps) + more)


def aggregate(metadata, duration_ps, occurrences):
    return text(4, number(1, metadata) + number(3, duration_ps) + number(5, occurrences))


def line(line_id, name, events, more=b""):
    return text(3, number(1, line_id) + text(2, name) + more + events)


def entry(field, key, name, more=b""):
    return text(field, number(1, key) + text(2, number(1, key) + text(2, name) + more))


def plane(name, *content):
    return text(1, text(2, name) + b"".join(content))


def host(*content):
    return plane("/host:CPU", *content, entry(4, 1, "a:A"), entry(4, 2, "b:B"))


GOOD = host(line(1, "t", event(1, 0, 3_000_000)))
BROKEN_STAT = text(4, number(1, TF_OP) + b"\x2a\x7fab")  # a text that says it is longer than its stat


class Profiles:
    """Files in a folder of their own, and what the program says about them."""

    def __init__(self, binary, **files):
        self.binary, self.folder = binary, tempfile.TemporaryDirectory()
        for name, data in files.items():
            with open(self.path(name), "wb") as file:
                file.write(data)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def path(self, name="x"):
        return os.path.join(self.folder.name, name + ".xplane.pb")

    def ask(self, *args, command="ops", name="x"):
        """(exit code, document)"""
        done = run(self.binary, command, self.path(name), "-f", "json", *args)
        return done.returncode, json.loads(done.stdout)


def codes(document):
    return {d["code"]: d["count"] for d in document["diagnostics"]}


def rows(document, key="op_name"):
    return {row[key]: row for row in document["rows"]}


def test_broken_stats_are_counted_and_said(binary):
    data = plane("/device:GPU:0", line(1, "s", event(1, 0, 1000, BROKEN_STAT) + event(1, 2000, 1000, BROKEN_STAT) +
                                       event(1, 4000, 1000)), entry(4, 1, "k"), entry(5, TF_OP, "tf_op"))
    with Profiles(binary, x=data) as profiles:
        for command in ("ops", "kernels", "events"):
            code, document = profiles.ask(command=command)
            assert code == 0 and codes(document)["broken-event"] == 2, (command, code, document["diagnostics"])
            assert profiles.ask("--strict", command=command)[0] == 3, command
        assert rows(profiles.ask()[1])["k"]["occurrences"] == 3
        assert codes(profiles.ask("--compat", "xprof")[1])["broken-event"] == 2


def test_damaged_hlo_modules_are_said(binary):
    instruction = text(1, "add.1") + text(2, "add") + text(7, text(1, "Add") + text(2, "net/add"))
    module = text(1, text(3, text(2, instruction)))

    def profile(proto):
        stats = text(4, number(1, HLO_OP) + text(5, "add.1")) + text(4, number(1, PROGRAM) + number(3, 5))
        return plane("/device:GPU:0", line(1, "s", event(1, 0, 1000, stats)), entry(4, 1, "k"),
                     entry(5, HLO_OP, "hlo_op"), entry(5, PROGRAM, "program_id")) + \
            plane("/host:metadata", entry(4, 5, "f(5)", text(5, number(1, PROTO) + text(6, proto))),
                  entry(5, PROTO, "Hlo Proto"))

    with Profiles(binary, x=profile(module[:-3]), good=profile(module)) as profiles:
        code, document = profiles.ask()
        assert code == 3 and codes(document)["truncated-input"] == 1, (code, document["diagnostics"])
        assert profiles.ask("--allow-partial")[0] == 0
        code, document = profiles.ask(name="good")
        assert code == 0 and "net/add" in rows(document), document


def test_a_host_without_events_beside_others_is_a_loss(binary):
    without = plane("/host:CPU", line(1, "t", b""))
    for nothing in (b"", without):
        with Profiles(binary, h1=GOOD, h2=nothing) as profiles:
            for command in ("ops", "info", "events", "tree"):
                done = run(binary, command, profiles.folder.name, "-f", "json")
                found = codes(json.loads(done.stdout))
                assert done.returncode == 3 and "empty-profile" in found, (command, nothing, done)
                assert b"h2.xplane.pb" in done.stderr, done.stderr
                assert run(binary, command, profiles.folder.name, "--allow-partial").returncode == 0, command
            assert profiles.ask(name="h2")[0] == 4  # alone it is nothing to decide on


def test_an_input_that_is_cut_while_it_is_read(binary):
    big = host(line(1, "t", b"".join(event(1, i * 1000, 500) for i in range(200_000))))
    with Profiles(binary, x=big) as profiles:
        target = os.path.join(profiles.folder.name, "out.csv")
        # It can't go on before its output is read, when the file is shorter already.
        process = subprocess.Popen([binary, "events", profiles.path(), "-f", "jsonl", "-o", "csv:" + target],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=environment())
        process.stdout.read(100)
        os.truncate(profiles.path(), 100)
        _, error = process.communicate(timeout=LIMIT_S)
        assert process.returncode == 3 and b"x.xplane.pb: byte " in error and b"became shorter" in error, error
        assert error.count(b"\n") == 1, error


def test_threads_of_one_name_are_two_lanes(binary):
    lanes = b"".join(line(i, name, event(1, 0, 1000)) for i, name in ((1, "t"), (2, "t"), (3, "u"), (4, "")))
    with Profiles(binary, x=host(lanes)) as profiles:
        _, document = profiles.ask("--by", "lane", "--no-idle")
        assert sorted(rows(document, "lane")) == ["x/host:CPU/4", "x/host:CPU/t (1)", "x/host:CPU/t (2)",
                                                  "x/host:CPU/u"], document["rows"]


def test_by_device_the_host_side_goes_by_its_host(binary):
    with Profiles(binary, x=GOOD) as profiles:
        assert list(rows(profiles.ask("--by", "device", "--no-idle")[1], "device")) == ["x"]


def test_what_a_line_is_its_names_tell(binary):
    op = event(1, 0, 1000)
    tpu = (entry(4, 1, "k", text(5, number(1, TF_OP) + text(5, "net/a:A"))), entry(5, TF_OP, "tf_op"))
    lines = {"display": line(1, "", op, text(11, "XLA Ops")), "last": line(1, "first", op, text(2, "XLA Ops")),
             "piece": line(1, "", b"") + line(1, "XLA Ops", op), "none": line(1, "else", op, text(11, "XLA Ops"))}
    with Profiles(binary, **{name: plane("/device:TPU:0", body, *tpu) for name, body in lines.items()}) as profiles:
        for name in lines:
            assert ("net/a" in rows(profiles.ask(name=name)[1])) == (name != "none"), name


def test_metadata_in_parts_is_one_message(binary):
    parts = text(4, number(1, 1) + text(2, number(1, 1) + text(2, "other:Other")) + text(2, text(2, "k")) +
                 text(2, text(5, number(1, TF_OP) + text(5, "net/a:A"))))
    data = plane("/device:TPU:0", line(1, "XLA Ops", event(1, 0, 1000)), parts, entry(5, TF_OP, "tf_op"))
    with Profiles(binary, x=data) as profiles:
        assert "net/a" in rows(profiles.ask()[1])


def test_aggregates_have_no_place_in_time(binary):
    events = event(1, 0, 1_000_000) + aggregate(2, 7_000_000, 5) + aggregate(2, 1_000_000, 0) + aggregate(2, 1_000_000, -3)
    with Profiles(binary, x=host(line(1, "t", events))) as profiles:
        code, document = profiles.ask()
        assert code == 0 and codes(document).keys() == {"no-device-activity"}, document["diagnostics"]
        row = rows(document)["b"]
        assert (row["occurrences"], row["self_us"]) == (7, 9), row  # none and fewer are one, as XProf counts
        assert document["totals"]["host"]["busy_us"] == 1 and document["totals"]["host"]["span_us"] == 1
        code, document = profiles.ask("--time", "0s:1s")
        assert code == 0 and codes(document)["untimed-event"] == 7 and "b" not in rows(document), document
        assert profiles.ask("--time", "0s:1s", "--strict")[0] == 3


def test_counts_that_do_not_fit_are_said(binary):
    most = (1 << 63) - 1
    events = b"".join(aggregate(1, 1000, most) for _ in range(3))
    with Profiles(binary, x=host(line(1, "t", events))) as profiles:
        for args in ((), ("--by", "lane"), ("--columns", "+p50")):
            _, document = profiles.ask(*args)
            assert document["rows"][0]["occurrences"] == most and codes(document)["bad-number"] == 1, (args, document)


def test_run_and_host_of_standard_input(binary):
    for flag in ("--run", "--host"):
        for command in ("ops", "info", "events"):
            done = run(binary, command, "-", flag, "x", input=GOOD, stdin=None)
            assert done.returncode == 2 and flag.encode() in done.stderr and done.stdout == b"", done


def test_offsets_of_gzip_files_are_of_unpacked_data(binary):
    cut = gzip.compress(GOOD[:-4])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.xplane.pb.gz")
        with open(path, "wb") as file:
            file.write(cut)
        done = run(binary, "ops", path)
        assert done.returncode == 3 and (path + " (unpacked): byte ").encode() in done.stderr, done.stderr


def test_commands_to_run_next_can_be_run(binary):
    names = ["a b", "it's", "-dash", "new\nline", "$x`y`", "~", "wo\\rd"]
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            for run_name in ("r1", "r2"):
                os.makedirs(os.path.join(folder, name, "plugins", "profile", run_name))
                with open(os.path.join(folder, name, "plugins", "profile", run_name, "h.xplane.pb"), "wb") as file:
                    file.write(GOOD)
            args = [binary, "--run", "r1", "--host", "^h$", "--time", ":1s", "-f", "json", "--", name]
            done = subprocess.run(args, cwd=folder, capture_output=True, env=environment(), timeout=LIMIT_S, check=False)
            assert done.returncode == 0, done
            for command in json.loads(done.stdout)["next"]:
                assert command.startswith("tfprof-analyze "), command
                words = shlex.quote(binary) + command.removeprefix("tfprof-analyze") + " -f json"
                again = subprocess.run(["bash", "-c", words], cwd=folder, capture_output=True, env=environment(),
                                       timeout=LIMIT_S, check=False)
                assert again.returncode == 0, (command, again)
                (read,) = json.loads(again.stdout).get("inputs", [None]) or [None]
                assert read["run"] == "r1" and read["host"] == "h", (command, read)


def test_tables_fit_narrow_screens(binary):
    for width in (40, 47, 60):
        for command in ("ops", "info", "overview", "steps", "memory", "input", "events", "tree", "kernels"):
            done = run(binary, command, os.path.relpath(support.SAMPLE, support.ROOT), "--width", str(width), cwd=support.ROOT)
            for shown in done.stdout.decode().splitlines():
                assert len(shown) <= width, (width, command, shown)
    assert run(binary, "ops", support.SAMPLE, "--width", "39").returncode == 2


def test_too_little_memory_is_said(binary):
    if "asan" in binary or os.environ.get("ASAN_OPTIONS"):
        return  # its shadow needs more than any limit that means something
    names = b"".join(entry(4, i, "op%d/%s:A" % (i, "x" * 500)) for i in range(3, 60_003))
    data = plane("/host:CPU", line(1, "t", b"".join(event(i, i * 1000, 500) for i in range(3, 60_003))), names)
    with Profiles(binary, x=data) as profiles:
        for threads in ("1", "2"):
            target = os.path.join(profiles.folder.name, "out.csv")
            limited = subprocess.run(["bash", "-c", 'ulimit -v 150000; exec "$@"', "-", binary, "ops", profiles.path(),
                                      "-j", threads, "-o", "csv:" + target], capture_output=True, env=environment(),
                                     timeout=LIMIT_S, check=False)
            assert limited.returncode == 2 and b"out of memory" in limited.stderr, limited.stderr[-300:]
            assert os.listdir(profiles.folder.name) == ["x.xplane.pb"], os.listdir(profiles.folder.name)


if __name__ == "__main__":
    sys.exit(support.main(dict(globals())))
