#!/usr/bin/env python3
"""Measures `tfprof-analyze ops` beside bare passes over the same bytes and parses into trees, and the other commands
beside `ops`.

    bench.py BUILD [--bytes N] [--quick] [--rounds N] [--only xspace|timelines] [--timeline FILE] [--keep DIR]

BUILD is a Release build with the target `bench` made. The inputs are written to a temporary directory: mkbig.py's XSpace
and the U-Net sample repeated, both of N bytes, files of odd shapes; mkbig.py's timeline, a ProfilerHook timeline and a
trace.json repeated, of N bytes as well, each plain and gzipped. Programs take turns in each round, so that what
else the machine does hits all of them; times are medians of wall time of the whole process, with the file in the page
cache. Memory is that of one more run, asked of /proc every millisecond: VmHWM (the kernel's own peak, which holds the
pages of mapped files) and the highest RssAnon seen (what the program itself took). Asserts nothing.
"""

import argparse
import gzip
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
COMMANDS = ["ops", "steps", "overview", "input", "tree", "kernels", "memory"]
PROTOBUF_LIMIT = 2**31 - 1
PROTOBUF_MEMORY = 7  # times the file's size: what the message tree takes, and room
TIMELINES = {"ProfilerHook": ("maskrcnn_hook", "timeline-10.json"), "trace.json": ("jax_train", ".trace.json.gz")}  # samples


# --------------------------------------------------------------------------- measuring

class Run:
    """One run of a program: wall and CPU seconds, exit code, what it printed on stdout."""

    def __init__(self, command):
        started = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.started(process.pid)
        self.output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        self.wall = time.perf_counter() - started
        process.returncode = self.exit = os.waitstatus_to_exitcode(status)
        self.cpu = usage.ru_utime + usage.ru_stime

    def started(self, pid):
        pass

    def value(self, key):
        """The value of key=value that a program of tests/bench printed."""
        for word in self.output.decode().split():
            if word.startswith(key + "="):
                return float(word[len(key) + 1:])
        return 0.0


class WatchedRun(Run):
    """Its memory in bytes too: `peak` with file pages, `anonymous` without. (The kernel's ru_maxrss would be no less than
    what this very program takes, because a child begins as a copy of it.)"""

    def started(self, pid):
        self.peak = self.anonymous = 0
        threading.Thread(target=self.watch, args=(pid,), daemon=True).start()

    def watch(self, pid):
        try:
            while True:
                with open("/proc/%d/status" % pid) as status:
                    text = dict(line.split(":", 1) for line in status)
                self.peak = max(self.peak, int(text["VmHWM"].split()[0]) * 1024)
                self.anonymous = max(self.anonymous, int(text["RssAnon"].split()[0]) * 1024)
                time.sleep(0.001)
        except (OSError, KeyError):
            return


def interleaved(commands, rounds):
    """Runs every command once in each round, after a round that only warms up. {name: [Run]}"""
    runs = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, command in commands.items():
            run = Run(command)
            if number > 0:
                runs[name].append(run)
    return runs


def median(runs, what="wall"):
    return statistics.median(getattr(run, what) for run in runs)


def available_memory():
    with open("/proc/meminfo") as info:
        for line in info:
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return 0


# --------------------------------------------------------------------------- files of odd shapes

def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def message(field, content):
    return varint(field << 3 | 2) + varint(len(content)) + content


def event(name, offset_ps, duration_ps):
    return message(4, number(1, name) + number(2, offset_ps) + number(3, duration_ps))


def host_plane(lines, names):
    entries = b"".join(message(4, number(1, i) + message(2, number(1, i) + message(2, name))) for i, name in names)
    return message(1, message(2, b"/host:CPU") + lines + entries)


def line(ident, events):
    return message(3, number(1, ident) + message(2, b"thread") + events)


CALL_NAMES = [(i, b"model/layer_%d/op:MatMul" % i) for i in range(1, 301)]


def calls(count):
    """Calls of two levels, as executor threads show them."""
    out = []
    for n in range(count):
        start = n * 20000000
        out.append(event(1 + n % 100, start, 15000000))
        out.append(event(101 + n % 150, start + 1000000, 4000000))
        out.append(event(251 + n % 50, start + 6000000, 8000000))
    return b"".join(out)


def write(path, content):
    with open(path, "wb") as out:
        out.write(content)


def write_many_lanes(path, lanes):
    events = b"".join(event(1 + n, n * 3000000, 2000000) for n in range(10))
    write(path, host_plane(b"".join(line(n, events) for n in range(1, lanes + 1)), CALL_NAMES))


def write_many_names(path, count):
    events = b"".join(event(n, n * 3000000, 2000000) for n in range(1, count + 1))
    write(path, host_plane(line(1, events), ((n, b"model/layer_%d/op:MatMul" % n) for n in range(1, count + 1))))


# --------------------------------------------------------------------------- the tables

def table(header, rows):
    widths = [max(len(str(row[i])) for row in [header] + rows) for i in range(len(header))]
    for row in [header] + rows:
        cells = [str(cell).ljust(w) if i == 0 else str(cell).rjust(w) for i, (cell, w) in enumerate(zip(row, widths))]
        print("  ".join(cells).rstrip())
    print()


def megabytes(size):
    return "%.1f MB" % (size / 1e6)


class Bench:
    def __init__(self, build, folder, options):
        self.ops = os.path.join(build, "tfprof-analyze")
        self.tools = os.path.join(build, "tests", "bench")
        self.folder, self.options = folder, options

    def path(self, name):
        return os.path.join(self.folder, name)

    def tool(self, name, *args):
        return [os.path.join(self.tools, name)] + [str(arg) for arg in args]

    def ops_command(self, path, threads=None):
        return [self.ops, "ops", path] + (["--threads", str(threads)] if threads else [])

    def sample(self, name, ending=".xplane.pb"):
        for folder, _, files in os.walk(os.path.join(ROOT, "samples", name)):
            for file in sorted(files):
                if file.endswith(ending):
                    return os.path.join(folder, file)
        raise SystemExit("bench: no sample " + name)

    def make_big_files(self, size):
        made = self.path("mkbig.xplane.pb")
        subprocess.run([sys.executable, os.path.join(ROOT, "tests", "cases", "mkbig.py"), "xplane", str(size), made],
                       check=True, stdout=subprocess.DEVNULL)
        real = self.path("unet.xplane.pb")
        subprocess.run(self.tool("repeat_xspace", self.sample("unet_fit"), real, size), check=True,
                       stdout=subprocess.DEVNULL)
        return [made, real]

    def parse_with_protobuf(self, path):
        """The run of the full parse, or None where there is no room for it."""
        size = os.path.getsize(path)
        if size > PROTOBUF_LIMIT or PROTOBUF_MEMORY * size > available_memory():
            return None
        run = WatchedRun(self.tool("protobuf_parse", path))
        return run if run.exit == 0 else None

    def big_files(self, paths):
        header = ["file", "bytes", "events", "program", "threads", "seconds", "CPU s", "GB/s", "times the walk",
                  "libprotobuf takes", "peak RSS", "anonymous"]
        rows = []
        for path in paths:
            size = os.path.getsize(path)
            commands = {}
            for threads in (1, 2):
                commands["wire_walk", threads] = self.tool("wire_walk", path, threads)
                commands["ops", threads] = self.ops_command(path, threads)
            runs = interleaved(commands, self.options.rounds)
            events = int(runs["wire_walk", 1][0].value("events"))
            parse = self.parse_with_protobuf(path)
            for (program, threads), command in commands.items():
                wall = median(runs[program, threads])
                memory = WatchedRun(command)
                rows.append([os.path.basename(path), size, events, program, threads, "%.3f" % wall,
                             "%.3f" % median(runs[program, threads], "cpu"), "%.2f" % (size / wall / 1e9),
                             "%.2f" % (wall / median(runs["wire_walk", threads])),
                             "%.0f times as long" % (parse.wall / wall) if parse else "-",
                             megabytes(memory.peak), megabytes(memory.anonymous)])
            if parse:
                rows.append([os.path.basename(path), size, events, "protobuf_parse", 1, "%.3f" % parse.wall,
                             "%.3f" % parse.cpu, "%.2f" % (size / parse.wall / 1e9),
                             "%.2f" % (parse.wall / median(runs["wire_walk", 1])), "", megabytes(parse.peak),
                             megabytes(parse.anonymous)])
        table(header, rows)

    def other_commands(self, paths):
        """What looks beyond ops, beside `ops`: each command is a process of its own and reads the file anew."""
        rows = []
        for path in paths:
            commands = {name: [self.ops, name, path, "--format", "json"] for name in COMMANDS}
            runs = interleaved(commands, self.options.rounds)
            ops = median(runs["ops"])
            for name, command in commands.items():
                wall, memory = median(runs[name]), WatchedRun(command)
                rows.append([os.path.basename(path), os.path.getsize(path), name, "%.3f" % wall,
                             "%.3f" % median(runs[name], "cpu"), "%.2f" % (wall / ops), megabytes(memory.peak),
                             megabytes(memory.anonymous)])
            whole = sum(median(runs[name]) for name in COMMANDS[1:])
            rows.append([os.path.basename(path), os.path.getsize(path), "all but ops", "%.3f" % whole, "",
                         "%.2f" % (whole / ops), "", ""])
        table(["file", "bytes", "command", "seconds", "CPU s", "times ops", "peak RSS", "anonymous"], rows)

    def make_timeline(self, name, size):
        """A timeline of about this size and the same gzipped: mkbig.py's, or a sample repeated."""
        path = self.path("%s-%d.json" % (name, size))
        if name == "mkbig":
            maker = [os.path.join(ROOT, "tests", "cases", "mkbig.py"), "json", str(size), path]
        else:
            real = self.sample(*TIMELINES[name]) if name in TIMELINES else self.options.timeline
            maker = [os.path.join(HERE, "repeat_timeline.py"), real, path, str(size)]
        subprocess.run([sys.executable] + maker, check=True, stdout=subprocess.DEVNULL)
        with open(path, "rb") as text, gzip.open(path + ".gz", "wb", compresslevel=1) as packed:
            shutil.copyfileobj(text, packed, 1 << 20)
        return path

    def dom_speed(self, name):
        """Bytes of a small timeline, and how many of them nlohmann's parse takes in a second."""
        path = self.make_timeline(name, max(1_000_000, self.options.bytes // 20))
        run = Run(self.tool("dom_parse", path))
        size = os.path.getsize(path)
        return size, size / run.wall if run.exit == 0 else 0.0

    def timelines(self, size):
        header = ["timeline", "bytes", "bytes of text", "events", "program", "threads", "seconds", "CPU s", "GB/s of text",
                  "times the floor", "nlohmann takes", "peak RSS", "anonymous"]
        rows = []
        for name in ["mkbig", *TIMELINES] + (["own"] if self.options.timeline else []):
            path = self.make_timeline(name, size)
            text, (dom_bytes, dom_speed) = os.path.getsize(path), self.dom_speed(name)
            commands = {}
            for threads in (1, 2):
                commands["json_floor", path, threads] = self.tool("json_floor", path, threads)
                for file in (path, path + ".gz"):
                    commands["ops", file, threads] = self.ops_command(file, threads)
            runs = interleaved(commands, self.options.rounds)
            floor = {threads: median(runs["json_floor", path, threads]) for threads in (1, 2)}
            events = int(runs["json_floor", path, 1][0].value("events"))
            for (program, file, threads), command in commands.items():
                wall, memory = median(runs[program, file, threads]), WatchedRun(command)
                rows.append([name + (" gz" if file != path else ""), os.path.getsize(file), text, events, program, threads,
                             "%.3f" % wall, "%.3f" % median(runs[program, file, threads], "cpu"), "%.2f" % (text / wall / 1e9),
                             "%.2f" % (wall / floor[threads]),
                             "%.0f times as long" % (text / dom_speed / wall) if dom_speed else "-",
                             megabytes(memory.peak), megabytes(memory.anonymous)])
            rows.append([name, dom_bytes, dom_bytes, "", "dom_parse", 1, "%.3f" % (dom_bytes / dom_speed if dom_speed else 0), "",
                         "%.3f" % (dom_speed / 1e9), "%.0f" % (text / dom_speed / floor[1] if dom_speed else 0), "", "", ""])
            for file in (path, path + ".gz") if not self.options.keep else ():
                os.remove(file)
        table(header, rows)

    def odd_shapes(self, size):
        seed, giant = self.path("call.xplane.pb"), self.path("one-lane.xplane.pb")
        lanes, names = self.path("many-lanes.xplane.pb"), self.path("many-names.xplane.pb")
        count = 10000 if self.options.quick else 100000
        write(seed, host_plane(line(1, calls(2000)), CALL_NAMES))
        subprocess.run(self.tool("repeat_xspace", seed, giant, size // 4), check=True, stdout=subprocess.DEVNULL)
        write_many_lanes(lanes, count)
        write_many_names(names, 10 * count)
        rows = []
        for path, what in ((giant, "one giant lane"), (lanes, "%d lanes of 10 events" % count),
                           (names, "%d distinct op names" % (10 * count))):
            commands = {threads: self.ops_command(path, threads) for threads in (1, 2)}
            commands["walk"] = self.tool("wire_walk", path, 1)
            runs = interleaved(commands, self.options.rounds)
            one, two = median(runs[1]), median(runs[2])
            memory = WatchedRun(commands[2])
            rows.append([what, os.path.getsize(path), int(runs["walk"][0].value("events")), "%.3f" % median(runs["walk"]),
                         "%.3f" % one, "%.3f" % two, "%.2f" % (one / two), megabytes(memory.peak),
                         megabytes(memory.anonymous)])
        table(["shape", "bytes", "events", "walk, s", "ops, 1 thread, s", "2 threads, s", "speed-up", "peak RSS",
               "anonymous"], rows)

    def short_runs(self):
        small = self.sample("maskrcnn_profile")
        commands = {"--version": [self.ops, "--version"], "--help": [self.ops, "--help"],
                    "ops --help": [self.ops, "ops", "--help"],
                    "ops, a file of %d bytes" % os.path.getsize(small): self.ops_command(small)}
        runs = interleaved(commands, 4 * self.options.rounds)
        table(["command", "ms", "CPU ms"],
              [[name, "%.1f" % (1e3 * median(r)), "%.1f" % (1e3 * median(r, "cpu"))] for name, r in runs.items()])


def describe_machine():
    model, flags = "unknown CPU", ""
    with open("/proc/cpuinfo") as info:
        for text in info:
            key, _, value = text.partition(":")
            if key.strip() == "model name":
                model = value.strip()
            if key.strip() == "flags":
                flags = value
    with open("/proc/meminfo") as info:
        memory = int(info.readline().split()[1]) * 1024
    print("%s, %d cores%s, %.0f GB, Linux %s; load %.2f" % (
        model, os.cpu_count(), " (BMI2)" if " bmi2 " in flags + " " else "", memory / 1e9, platform.release(),
        os.getloadavg()[0]))
    if os.getloadavg()[0] > 0.5:
        print("the machine is busy with other things: only ratios mean something, and they are disturbed as well")
    print()


def main():
    parser = argparse.ArgumentParser(prog="bench", description="Measure `tfprof-analyze`. See docs/performance.md.")
    parser.add_argument("build", nargs="?", default=os.path.join(ROOT, "build", "release"), help=argparse.SUPPRESS)
    parser.add_argument("--bytes", type=int, help="size of the big files (default 1000000000)")
    parser.add_argument("--rounds", type=int, help="how often each program runs (default 5)")
    parser.add_argument("--only", dest="what", choices=("xspace", "timelines"), help="files of one kind")
    parser.add_argument("--timeline", metavar="FILE", help="a timeline of your own that is repeated as well")
    parser.add_argument("--quick", action="store_true", help="files of a tenth of the size, three rounds")
    parser.add_argument("--keep", metavar="DIR", help="write the inputs to DIR and leave them there")
    options = parser.parse_args()
    options.bytes = options.bytes or (100_000_000 if options.quick else 1_000_000_000)
    options.rounds = options.rounds or (3 if options.quick else 5)
    describe_machine()
    with tempfile.TemporaryDirectory(prefix="bench-") as temporary:
        folder = options.keep or temporary
        os.makedirs(folder, exist_ok=True)
        bench = Bench(options.build, folder, options)
        if options.what != "timelines":
            big = bench.make_big_files(options.bytes)
            bench.big_files(big)
            bench.other_commands(big)
            bench.odd_shapes(options.bytes)
        if options.what != "xspace":
            bench.timelines(options.bytes)
        bench.short_runs()


if __name__ == "__main__":
    main()
