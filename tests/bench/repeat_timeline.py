#!/usr/bin/env python3
"""Makes a big timeline from a real one, for measurements.

    repeat_timeline.py IN OUT BYTES

The events come again and again, each time later by one period: the span of the whole file and a gap of a tenth. Their texts
stay as they are but for the digits of `ts`, so that white space, order of keys and length of names are the writer's. Elements
without a `ts` (metadata; the closing `{}`) are written once. IN may be gzipped; OUT, which is not, has at least BYTES bytes. Prints
one line of key=value pairs.
"""

import gzip
import json
import re
import sys
from decimal import Decimal

TIME = re.compile(r'"ts"\s*:\s*(-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)')
START = re.compile(r'\s*(?:\[|\{.*?"traceEvents"\s*:\s*\[)', re.DOTALL)
SPACE = re.compile(r"[\s,]*")


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    return (gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data).decode("utf-8", "surrogateescape")


def elements(text):
    """Where the array begins, its elements as (text with what stands before it, value), and where it ends."""
    start = START.match(text)
    if not start:
        sys.exit("repeat_timeline: no event array")
    decode, at, found = json.JSONDecoder(strict=False).raw_decode, start.end(), []
    while True:
        begin = SPACE.match(text, at).end()
        if text[begin : begin + 1] in ("]", ""):
            return start.end(), found, begin
        value, end = decode(text, begin)
        found.append((text[at:begin].replace(",", ""), text[begin:end], value))
        at = end


def places_of(number):
    """Digits behind the point; the exporter's doubles have more than the picoseconds that they stand for."""
    return min(6, max(0, -Decimal(number).as_tuple().exponent))


def scaled(number, places):
    """A decimal text as an integer of 10^-places."""
    return int(Decimal(number).scaleb(places).to_integral_value())


def written(value, places):
    if places == 0:
        return str(value)
    sign, value = ("-", -value) if value < 0 else ("", value)
    whole, part = divmod(value, 10**places)
    return f"{sign}{whole}.{part:0{places}d}"


class Repeated:
    def __init__(self, text):
        self.begin, found, self.end = elements(text)
        self.text, self.once, self.timed, self.last = text, [], [], []
        times = []
        for space, body, value in found:
            at = TIME.search(body) if isinstance(value, dict) and "ts" in value and value.get("ph") != "M" else None
            if at:
                times.append((at.group(1), value))
                self.timed.append((space + body[: at.start(1)], body[at.end(1) :]))
            else:
                (self.last if value == {} else self.once).append(space + body)
        if not times:
            sys.exit("repeat_timeline: no event with a time")
        self.places = max(places_of(number) for number, _ in times)
        self.starts = [scaled(number, self.places) for number, _ in times]
        ends = [
            start + max(0, round(float(value.get("dur", 0)) * 10**self.places))
            for start, (_, value) in zip(self.starts, times)
        ]
        self.period = (max(ends) - min(self.starts)) * 11 // 10 + 1

    def write(self, out, size):
        done = out.write(self.text[: self.begin].encode("utf-8", "surrogateescape"))
        done += out.write(",".join(self.once).encode("utf-8", "surrogateescape"))
        tail = (("," if self.last else "") + ",".join(self.last) + self.text[self.end :]).encode(
            "utf-8", "surrogateescape"
        )
        repetitions, comma = 0, "," if self.once else ""
        while repetitions == 0 or done + len(tail) < size:
            shift = repetitions * self.period
            events = [
                before + written(start + shift, self.places) + after
                for (before, after), start in zip(self.timed, self.starts)
            ]
            done += out.write((comma + ",".join(events)).encode("utf-8", "surrogateescape"))
            repetitions, comma = repetitions + 1, ","
        return done + out.write(tail), repetitions


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    repeated = Repeated(read(sys.argv[1]))
    with open(sys.argv[2], "wb", buffering=1 << 20) as out:
        size, repetitions = repeated.write(out, int(sys.argv[3]))
    print(f"bytes={size} events={len(repeated.timed) * repetitions} repetitions={repetitions}")


if __name__ == "__main__":
    main()
