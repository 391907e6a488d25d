"""XSpaces as plain Python values, and their encoding: by hand, so that nothing of the program under test is used.

A space is {"planes", "errors", "warnings", "hostnames"}; a plane {"id", "name", "lines", "event_metadata": {key: name},
"stat_metadata": {key: name}, "stats"}; a line {"id", "name", "timestamp_ns", "events"}; an event {"metadata_id",
"offset_ps" or "num_occurrences", "duration_ps", "stats"}; stats are [(metadata id, slot, value)] with the slots of SLOTS.
Field numbers: schemas/xplane.proto.
"""

import random
import struct

SLOTS = {"double": 2, "uint64": 3, "int64": 4, "str": 5, "bytes": 6, "ref": 7}


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def text(field, value):
    data = value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(data)) + data


def unknown_field(rng):
    """A field that no XSpace message has, of any wire type."""
    field = rng.randrange(100, 1 << 20)
    kind = rng.randrange(5)
    if kind == 0:
        return number(field, rng.getrandbits(64))
    if kind == 1:
        return varint(field << 3 | 1) + rng.randbytes(8)
    if kind == 2:
        return varint(field << 3 | 5) + rng.randbytes(4)
    if kind == 3:
        return text(field, rng.randbytes(rng.randrange(200)))
    inside = number(1, 7) + varint(2 << 3 | 3) + text(3, b"\x0a\x0a") + varint(2 << 3 | 4)
    return varint(field << 3 | 3) + inside + varint(field << 3 | 4)  # a group, and one inside


class Encoder:
    """How a space is written. `order` of a plane's parts: "names first", "names last" (as real files have it) or "mixed";
    `unknown`: sprinkle fields and groups that readers must skip; `reverse`: fields of lines, events and stats in falling
    order, so that a line's head stands behind its events; events and stats keep their order."""

    def __init__(self, order="names last", unknown=False, reverse=False, seed=0):
        self.order, self.unknown, self.reverse = order, unknown, reverse
        self.rng = random.Random(seed)

    def join(self, fields):
        if self.reverse:
            fields = fields[::-1]
        if self.unknown:
            fields = [f for field in fields for f in (field, unknown_field(self.rng)) if f is field or self.rng.random() < 0.2]
        return b"".join(fields)

    def stat(self, stat):
        metadata_id, slot, value = stat
        if slot == "double":
            encoded = varint(2 << 3 | 1) + struct.pack("<d", value)
        elif slot in ("str", "bytes"):
            encoded = text(SLOTS[slot], value)
        else:
            encoded = number(SLOTS[slot], value)
        return self.join([number(1, metadata_id), encoded])

    def event(self, event):
        fields = [number(1, event["metadata_id"])]
        if "num_occurrences" in event:
            fields.append(number(5, event["num_occurrences"]))
        else:
            fields.append(number(2, event["offset_ps"]))
        fields.append(number(3, event["duration_ps"]))
        stats = [text(4, self.stat(s)) for s in event["stats"]]
        return self.join(fields + (stats[::-1] if self.reverse else stats))

    def line(self, line):
        head = [number(1, line["id"]), text(2, line["name"]), number(3, line["timestamp_ns"])]
        events = [text(4, self.event(e)) for e in line["events"]]
        return self.join(head + (events[::-1] if self.reverse else events))

    def names(self, field, names):
        return [text(field, number(1, key) + text(2, number(1, key) + text(2, name))) for key, name in names.items()]

    def plane(self, plane):
        head = [number(1, plane["id"]), text(2, plane["name"])]
        lines = [text(3, self.line(line)) for line in plane["lines"]]
        names = self.names(4, plane["event_metadata"]) + self.names(5, plane["stat_metadata"])
        stats = [text(6, self.stat(s)) for s in plane["stats"]]
        if self.order == "names first":
            fields = head + names + stats + lines
        elif self.order == "names last":
            fields = head + lines + names + stats
        else:
            fields = mixed(self.rng, head + names + stats, lines)
        reverse, self.reverse = self.reverse, False  # the order of the lines is the caller's
        encoded = self.join(fields)
        self.reverse = reverse
        return encoded

    def space(self, space):
        fields = [text(1, self.plane(p)) for p in space["planes"]]
        for field, key in ((2, "errors"), (3, "warnings"), (4, "hostnames")):
            fields += [text(field, value) for value in space[key]]
        reverse, self.reverse = self.reverse, False
        encoded = self.join(fields)
        self.reverse = reverse
        return encoded


def mixed(rng, some, others):
    """Both lists in their own order, interleaved."""
    some, others, out = list(some), list(others), []
    while some or others:
        out.append((some if rng.random() * (len(some) + len(others)) < len(some) else others).pop(0))
    return out


def top_level_ends(data):
    """Where a cut leaves a whole XSpace: the ends of its top-level fields."""
    ends, at = [0], 0
    while at < len(data):
        at += 1  # every top-level field here is length-delimited with a tag of one byte
        size = shift = 0
        while True:
            byte = data[at]
            at += 1
            size |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        at += size
        ends.append(at)
    return ends
