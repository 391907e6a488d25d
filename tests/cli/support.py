"""What the tests of the real program share: starting it on a terminal or on pipes, and a small test runner."""

import fcntl
import os
import signal
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
import traceback

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SUITE = os.path.join(ROOT, "tests", "cases", "suite")
SAMPLE = os.path.join(ROOT, "samples", "unet_fit")                          # many ops with long names
DEVICE = os.path.join(SUITE, "026a-idle-on", "host0.xplane.pb")            # 30, 30 and 40 us idle on a device
CUT = os.path.join(SUITE, "077a-xplane-cut", "host0.xplane.pb")
EMPTY = os.path.join(SUITE, "052c-zero-bytes", "host0.xplane.pb")
NOT_A_PROFILE = os.path.join(SUITE, "077c-not-a-protobuf", "host0.xplane.pb")
NO_PROFILE = os.path.join(SUITE, "052d-logdir-without-profile", "log")

LIMIT_S = 60  # no start may take longer
SGR = re.compile(r"\x1b\[[0-9;]*m")


def environment(**changes):
    """Ours without what changes colours, plus `changes` (None: unset)."""
    env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS")}
    env["TERM"] = "xterm"
    env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "")
    for name, value in changes.items():
        env.pop(name, None)
        if value is not None:
            env[name] = value
    return env


def run(binary, *args, **options):
    """On pipes. Returns the CompletedProcess."""
    options.setdefault("stdin", subprocess.DEVNULL)
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("env", environment())
    return subprocess.run([binary, *args], stderr=subprocess.PIPE, timeout=LIMIT_S, check=False, **options)


class NoTerminals(Exception):
    """The machine can't make pseudo terminals."""


class Terminal:
    """A pseudo-terminal of a given width."""

    def __init__(self, columns=80):
        try:
            self.master, self.slave = pty.openpty()
        except OSError as error:  # a chroot without /dev/pts, for one
            raise NoTerminals(str(error)) from error
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        mode = termios.tcgetattr(self.slave)
        mode[1] &= ~termios.OPOST  # line ends as they are written
        termios.tcsetattr(self.slave, termios.TCSANOW, mode)

    def close_slave(self):
        os.close(self.slave)

    def read_all(self):
        """[(seconds since the call, bytes)] until the last writer has gone."""
        start, pieces = time.monotonic(), []
        while time.monotonic() - start < LIMIT_S:
            if not select.select([self.master], [], [], 0.05)[0]:
                continue
            try:
                data = os.read(self.master, 65536)
            except OSError:  # EIO: nobody holds the other end
                break
            if not data:
                break
            pieces.append((time.monotonic() - start, data))
        os.close(self.master)
        return pieces


def on_terminal(binary, *args, columns=80, **env):
    """Standard output is a terminal, standard error a pipe. Returns (exit code, output text)."""
    terminal = Terminal(columns)
    process = subprocess.Popen([binary, *args], stdin=subprocess.DEVNULL, stdout=terminal.slave,
                               stderr=subprocess.DEVNULL, env=environment(**env))
    terminal.close_slave()
    text = b"".join(data for _, data in terminal.read_all()).decode("utf-8")
    return process.wait(LIMIT_S), text


def wait_for(condition, what):
    deadline = time.monotonic() + LIMIT_S
    while not condition():
        assert time.monotonic() < deadline, f"never happened: {what}"
        time.sleep(0.01)


def main(tests):
    """Runs the functions test_*(binary) of a module; the program is its only argument. Returns the exit status."""
    if len(sys.argv) != 2:
        print(f"usage: {os.path.basename(sys.argv[0])} BINARY", file=sys.stderr)
        return 2
    binary = os.path.abspath(sys.argv[1])
    # A shell's background job ignores interrupts, nohup hangups, and both would hand that on to the program.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    passed = failed = skipped = 0
    for name, test in tests.items():
        if not name.startswith("test_"):
            continue
        try:
            test(binary)
            passed += 1
        except NoTerminals as error:
            skipped += 1
            print(f"skipped: {name}: this machine has no pseudo terminals ({error})")
        except Exception:  # whatever it is, the test has failed and the next one runs
            failed += 1
            print(f"FAIL {name}\n{traceback.format_exc()}")
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed + skipped else 0
