"""Where fuzzing begins: the logs of the vectors, whole and damaged."""

from __future__ import annotations

import json
from collections.abc import Iterable

from conformance.contents import digest, size
from conformance.vectors import Vector
from lab.fuzz.packed import Input

LARGEST = 48 << 10
"""Bytes of the largest log to begin with: a block of a LevelDB log, and half of the next one."""


def seeds(vectors: Iterable[Vector], format: str) -> list[Input]:
    """The inputs of the vectors of a format that read, each once, the smallest first."""
    found: dict[str, Input] = {}
    for vector in vectors:
        body = vector.body
        reads = body["operation"] in ("read", "truncations", "append")
        if body["format"] != format or not reads or size(vector.contents) > LARGEST:
            continue
        context = dict(body.get("context", {})) if body["operation"] != "append" else {}
        one = Input(format, vector.input.name, vector.contents, context, vector.id)
        told = json.dumps([vector.input.suffix, context], sort_keys=True)
        found.setdefault(told + digest(one.contents), one)
    return sorted(found.values(), key=lambda one: (one.size, one.origin))
