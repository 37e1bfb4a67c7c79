"""List the vectors of a set by hash in ``vectors/index.json``, and compare two sets.

The first heading of ``vectors/CHANGES.md`` is the version of the set. To classify a change, run
``python -m conformance.packages.index OLD/index.json [NEW/index.json]``.
"""

from __future__ import annotations

import collections
import hashlib
import json
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from conformance import VECTORS

NAME = "index.json"
INDEX_VERSION = 1
# These keys of a vector's description do not affect results. All other keys are inputs or
# expectations.
WORDS = frozenset(
    {
        "title", "group", "requirements", "decided_by", "notes", "bugs", "made_by", "kind",
        "control", "size",
    }
)  # fmt: skip

KINDS = ("none", "patch", "minor", "major")
Index = Mapping[str, Any]


class BadChanges(Exception):
    """``CHANGES.md`` does not begin with a version."""


def version_of(vectors: Path = VECTORS) -> str:
    """Return the version of the set. Raises :class:`BadChanges`."""
    path = vectors / "CHANGES.md"
    if match := re.search(r"^## (\d+\.\d+\.\d+)\b", path.read_text("utf-8"), re.MULTILINE):
        return match[1]
    raise BadChanges(f"{path}: expected a heading such as ## 1.0.0")


def files_of(vectors: Path = VECTORS) -> list[Path]:
    """Return every file in a package of the set, in order, except the index."""
    return sorted(path for path in vectors.rglob("*") if path.is_file() and path.name != NAME)


def index_of(vectors: Path = VECTORS) -> bytes:
    """Return the index of a directory of vectors as JSON, with one vector per line.

    Raises :class:`BadChanges`.
    """
    loaded = [(path, json.loads(path.read_bytes())) for path in vectors.glob("*/*.json")]
    bodies = sorted(loaded, key=lambda item: str(item[1]["id"]))
    rows = [
        {
            "id": body["id"],
            "operation": body["operation"],
            "input": body["sha256"],
            "asks": _digest({name: body[name] for name in body if name not in WORDS}),
            "description": hashlib.sha256(path.read_bytes()).hexdigest(),
        }
        for path, body in bodies
    ]
    head = {
        "index_version": INDEX_VERSION,
        "version": version_of(vectors),
        "schema": hashlib.sha256((vectors / "schema.json").read_bytes()).hexdigest(),
        "sha256": _digest(rows),
        "counts": {
            "vectors": len(rows),
            **{f"by_{name}": _count(body[name] for _, body in bodies)
               for name in ("format", "kind", "operation")},
        },
    }  # fmt: skip
    lines = ",\n".join(f"  {json.dumps(row)}" for row in rows)
    text = json.dumps(head, indent=1).removesuffix("\n}")
    return f'{text},\n "vectors": [\n{lines}\n ]\n}}\n'.encode()


def _count(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(collections.Counter(values).items()))


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def change(old: Index, new: Index) -> tuple[str, list[str]]:
    """Return the class of the change between two sets (:data:`KINDS`) and the reasons."""
    before = {row["id"]: row for row in old["vectors"]}
    after = {row["id"]: row for row in new["vectors"]}
    reasons: dict[str, list[str]] = {kind: [] for kind in KINDS}
    if old["index_version"] != new["index_version"]:
        reasons["major"].append("the index has another structure")
    for id, row in before.items():
        if id not in after:
            reasons["major"].append(f"{id} was removed")
        elif row["asks"] != after[id]["asks"] or row["input"] != after[id]["input"]:
            reasons["major"].append(f"{id} has another request or another expected answer")
        elif row["description"] != after[id]["description"]:
            reasons["patch"].append(f"{id} has another description")
    reasons["minor"] += [f"{id} was added" for id in after if id not in before]
    if old["schema"] != new["schema"]:
        reasons["minor"].append("schema.json has changed")
    kind = next((kind for kind in reversed(KINDS) if reasons[kind]), "none")
    return kind, [reason for kind in reversed(KINDS) for reason in reasons[kind]]


def fits(old: str, new: str, kind: str) -> bool:
    """Return whether the new version number is high enough for a change."""
    then, now = ([int(part) for part in version.split(".")] for version in (old, new))
    steps = {
        "major": [then[0] + 1, 0, 0],
        "minor": [then[0], then[1] + 1, 0],
        "patch": [then[0], then[1], then[2] + 1],
        "none": then,
    }
    return now >= steps[kind]


def main(arguments: list[str]) -> int:
    """Print the difference between two indexes. Return 3 if the new version is too low."""
    old = json.loads(Path(arguments[0]).read_bytes())
    new = json.loads((Path(arguments[1]) if arguments[1:] else VECTORS / NAME).read_bytes())
    kind, reasons = change(old, new)
    print(f"{old['version']} → {new['version']}: {kind}", *reasons, sep="\n  ")
    return 0 if fits(old["version"], new["version"], kind) else 3


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
