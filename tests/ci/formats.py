#!/usr/bin/env python3
"""Validates what `check` writes for CI systems, and the file of rules among the samples.

    formats.py BINARY [SCHEMAS]

Each report is made of verdicts of every kind and held against the schemas beside this file (written after the
documentation of those who read them), GitHub's limits, and, where SCHEMAS is a folder that holds them, the published
ones: junit-10.xsd (Jenkins) and sarif-schema-2.1.0.json (OASIS). The last line is `N passed, N failed`.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

import jsonschema  # Debian: python3-jsonschema

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
MOST_ANNOTATIONS = 10  # GitHub shows so many of a kind for a step
MOST_SUMMARY_BYTES = 1024 * 1024
ANNOTATION = re.compile(r"^::(error|warning|notice) title=[^:,]+(?:,file=[^:,]+,line=[1-9][0-9]*)?::.+$")

# (exit status, arguments)
VERDICTS = [
    (0, ["samples/unet_fit", "--rules", "samples/rules.json"]),
    (1, ["samples/unet_fit", "--rules", "samples/rules.json", "--fail-if", 'ops["*"].self_us > 1']),
    (1, ["samples/custom_loop/host2", "--baseline", "samples/custom_loop/tf221", "--fail-if", 'ops["*"].self_us > 5%']),
    (4, ["samples/custom_loop/tf221", "--baseline", "samples/custom_loop/host2"]),
    (4, ["samples/custom_loop/host2", "--fail-if", 'ops["*Softmax*"].self_us > 1', "--fail-if", "steps.median > 1s"]),
    (3, ["tests/cases/suite/077a-xplane-cut/host0.xplane.pb", "--fail-if", "quality.damaged"]),
    (4, ["tests/cases/suite/052c-zero-bytes/host0.xplane.pb", "--fail-if", "quality.damaged"]),
]


# What a file of rules may hold beside its schema, and whether it may: the program and schemas/rules-1.schema.json must agree.
RULES = [
    (True, {"rules": ["steps.median > 1us"]}),
    (True, {"$schema": "x", "rules": [{"fail_if": "steps.median > 1us", "id": "a.b_c-1", "description": ""}]}),
    (True, {"compare": {"alpha": 0.01, "confidence": 0.9, "max_increase": 0, "min_delta": 1, "min_share": 0.5,
                        "single_run_decides": True}, "rules": ["steps.median > 1us"]}),
    (False, {"rulse": []}),
    (False, {"rules": "steps.median > 1us"}),
    (False, {"rules": [1]}),
    (False, {"rules": [""]}),
    (False, {"rules": ["x" * 5000]}),
    (False, {"rules": [{}]}),
    (False, {"rules": [{"fail_if": "steps.median > 1us", "id": "a b"}]}),
    (False, {"rules": [{"fail_if": "steps.median > 1us", "id": ""}]}),
    (False, {"rules": [{"fail_if": "steps.median > 1us", "id": "a" * 101}]}),
    (False, {"rules": [{"fail_if": "steps.median > 1us", "description": 1}]}),
    (False, {"rules": [{"fail_if": "steps.median > 1us", "note": ""}]}),
    (False, {"compare": []}),
    (False, {"compare": {"alpha": 0}}),
    (False, {"compare": {"alpha": 1}}),
    (False, {"compare": {"confidence": "0.9"}}),
    (False, {"compare": {"max_increase": 5}}),
    (False, {"compare": {"min_delta": -0.1}}),
    (False, {"compare": {"min_share": None}}),
    (False, {"compare": {"single_run_decides": 1}}),
    (False, {"compare": {"max_incraese": 0.1}}),
    (False, {"schema": "tfprof-analyze/rules/v2"}),
]


def load(path):
    with open(path, encoding="utf-8") as handle:
        return json.load(handle)


def against_xsd(xsd, path):
    done = subprocess.run(["xmllint", "--noout", "--nonet", "--schema", xsd, path], capture_output=True, text=True)
    return [] if done.returncode == 0 else done.stderr.splitlines()[:3]


def against_schema(schema, document):
    kind = jsonschema.validators.validator_for(schema)
    return [f"{list(e.absolute_path)}: {e.message[:200]}" for e in kind(schema).iter_errors(document)][:3]


def annotations(text):
    said = [f"no annotation: {line[:200]}" for line in text.splitlines() if not ANNOTATION.match(line)]
    for kind in ("error", "warning", "notice"):
        count = sum(line.startswith(f"::{kind} ") for line in text.splitlines())
        if count > MOST_ANNOTATIONS:
            said.append(f"{count} annotations of the kind {kind}")
    return said


def summary(path):
    size = os.path.getsize(path)
    return [] if 0 < size < MOST_SUMMARY_BYTES else [f"a summary of {size} bytes"]


def unique_fingerprints(issues):
    prints = [issue["fingerprint"] for issue in issues]
    return [] if len(set(prints)) == len(prints) else ["two issues share a fingerprint"]


def check(binary, code, arguments, published):
    with tempfile.TemporaryDirectory() as folder:
        path = {name: os.path.join(folder, name) for name in ("junit", "sarif", "gitlab", "markdown", "json")}
        outputs = [word for name in path for word in ("-o", f"{name}:{path[name]}")]
        done = subprocess.run([binary, "check", "-q", *arguments, "-f", "github", *outputs], cwd=ROOT, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, env={"PATH": os.environ["PATH"], "LC_ALL": "C"}, timeout=60)
        said = [] if done.returncode == code else [f"exit {done.returncode}, not {code}: {done.stderr}"]
        for name, target in path.items():
            if not os.path.exists(target):
                return said + [f"no {name} was written"]
        said += annotations(done.stdout) + summary(path["markdown"])
        said += against_xsd(os.path.join(HERE, "junit.xsd"), path["junit"])
        said += against_schema(load(os.path.join(HERE, "sarif.schema.json")), load(path["sarif"]))
        said += against_schema(load(os.path.join(HERE, "gitlab.schema.json")), load(path["gitlab"]))
        said += unique_fingerprints(load(path["gitlab"]))
        said += against_schema(load(os.path.join(ROOT, "schemas", "check-1.schema.json")), load(path["json"]))
        if "junit-10.xsd" in published:
            said += against_xsd(published["junit-10.xsd"], path["junit"])
        if "sarif-schema-2.1.0.json" in published:
            said += against_schema(load(published["sarif-schema-2.1.0.json"]), load(path["sarif"]))
        return said


def check_rules(binary, valid, members):
    document = {"schema": "tfprof-analyze/rules/v1", **members}
    said = against_schema(load(os.path.join(ROOT, "schemas", "rules-1.schema.json")), document)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(document, file)
        file.flush()
        done = subprocess.run([binary, "check", "-q", "samples/unet_fit", "--rules", file.name], cwd=ROOT, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=60)
    problems = []
    if bool(said) == valid:
        problems.append(f"the schema says {said}")
    if (done.returncode != 2) != valid:
        problems.append(f"the program exits with {done.returncode}: {done.stderr}")
    return problems


def main():
    binary = os.path.abspath(sys.argv[1])
    folder = sys.argv[2] if len(sys.argv) > 2 else ""
    published = {name: os.path.join(folder, name) for name in ("junit-10.xsd", "sarif-schema-2.1.0.json")
                 if folder and os.path.exists(os.path.join(folder, name))}
    passed = failed = 0
    for code, arguments in VERDICTS:
        said = check(binary, code, arguments, published)
        failed, passed = failed + bool(said), passed + (not said)
        for line in said:
            print(f"FAIL check {' '.join(arguments)}: {line}")
    for valid, members in RULES:
        said = check_rules(binary, valid, members)
        failed, passed = failed + bool(said), passed + (not said)
        for line in said:
            print(f"FAIL rules {json.dumps(members)[:100]}: {line}")
    said = against_schema(load(os.path.join(ROOT, "schemas", "rules-1.schema.json")), load(os.path.join(ROOT, "samples", "rules.json")))
    failed, passed = failed + bool(said), passed + (not said)
    for line in said:
        print(f"FAIL samples/rules.json: {line}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
