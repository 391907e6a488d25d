#!/usr/bin/env python3
"""Makes the trace.json.gz files of this folder: what XProf's trace viewer converts XSpaces of the project to.

    make.py

Needs the official tool (`pip install xprof==2.24.2`, Python 3.11). PAIRS.tsv says which file is made of which XSpace, relative to
the project's root. The files hold the tool's text as it is; only the ids of its flows are others each time.
tests/property/pairs.py reads both and compares the tables.
"""

import gzip
import os
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..", "..")


def viewer_text(xspace):
    from xprof.convert import raw_to_tool_data

    with tempfile.TemporaryDirectory() as folder:  # the tool leaves files beside its input
        copy = shutil.copy(xspace, folder)
        data, _ = raw_to_tool_data.xspace_to_tool_data([copy], "trace_viewer", {"use_saved_result": False})
    return data if isinstance(data, bytes) else data.encode("utf-8")


def main():
    if len(sys.argv) != 1:
        sys.exit(__doc__)
    with open(os.path.join(HERE, "PAIRS.tsv"), encoding="utf-8") as file:
        pairs = [line.rstrip("\n").split("\t") for line in file]
    for name, xspace in pairs:
        with open(os.path.join(HERE, name), "wb") as out:
            out.write(gzip.compress(viewer_text(os.path.join(ROOT, xspace)), 9, mtime=0))


if __name__ == "__main__":
    main()
