"""Collect the logs for the readers of both versions: vectors, and freshly damaged copies."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.contents import Contents, digest, read_contents, size
from conformance.declaration import parse_json
from conformance.vectors import BrokenVector
from reference_impl.register import registers

#: Maximum size in bytes of logs that are damaged. Larger logs are only read.
MAX_DAMAGED_BYTES = 128 * 1024
#: Maximum number of undamaged logs to damage.
MAX_CONTROLS = 12


@dataclass(eq=False)
class ReviewedLog:
    """A log from either or both versions of the repository, read by both versions' readers."""

    name: str
    format: str
    contents: Contents
    context: Mapping[str, Any]
    damaged: bool
    file_name: str = "log"
    #: ``old``, ``new`` or both, depending on which version of the repository contains the log.
    sides: set[str] = field(default_factory=set)
    #: The undamaged original.
    control: ReviewedLog | None = None
    #: For each side, the answers in the profile ``recover``, followed by those in ``strict``.
    answers: dict[str, Any] = field(default_factory=dict)
    strict: dict[str, Any] = field(default_factory=dict)

    def rules(self, damaged_rule: str) -> list[str]:
        """Return the rules that the log violates if both versions read it differently."""
        if self.damaged:
            return [damaged_rule]
        rules = {"old": "READS_OLD_FILE", "new": "READS_NEW_FILE"}
        return [rule for side, rule in rules.items() if side in self.sides]


def logs_of(roots: Mapping[str, Path], format: str) -> list[ReviewedLog]:
    """Return the logs of all vectors on both sides, once each. Raises ``BrokenVector``."""
    logs: dict[str, ReviewedLog] = {}
    controls: list[tuple[ReviewedLog, dict[str, ReviewedLog], str | None]] = []
    for side, root in roots.items():
        by_id: dict[str, ReviewedLog] = {}
        for log, control in _vectors(root / "vectors" / format, format):
            key = digest(log.contents) + json.dumps(log.context, sort_keys=True)
            by_id[log.name] = log = logs.setdefault(key, log)
            log.sides.add(side)
            controls.append((log, by_id, control))
    for log, by_id, control in controls:
        log.control = log.control or by_id.get(control or "")
    return list(logs.values())


def _vectors(folder: Path, format: str) -> Iterator[tuple[ReviewedLog, str | None]]:
    """Yield the logs in a directory, with the ids of their controls.

    In a directory without JSON files, every entry is an undamaged log.
    """
    paths = sorted(folder.glob("*.json"))
    for path in [] if paths or not folder.is_dir() else sorted(folder.iterdir()):
        yield ReviewedLog(path.stem, format, read_contents(path), {}, False, path.name), None
    for path in paths:
        body = parse_json(path.read_bytes(), path, BrokenVector)
        # Use only the last part of the file name, because vectors from another revision are not
        # validated.
        input, control = path.parent / Path(body["input"]).name, body.get("control")
        if input.exists():
            damaged = control is not None or bool(body["made_by"].get("damage"))
            damaged = damaged or body.get("kind") in ("corrupt", "eof")
            yield ReviewedLog(
                str(body["id"]), format, read_contents(input), body.get("context", {}), damaged,
                input.name,
            ), control  # fmt: skip


def damaged_copies(logs: Iterable[ReviewedLog], count: int, seed: int) -> Iterator[ReviewedLog]:
    """Yield about ``count`` damaged copies of some undamaged logs.

    The same seed always produces the same copies. A format that Walproof does not know has none.
    """
    usable = [log for log in logs if 0 < size(log.contents) <= MAX_DAMAGED_BYTES]
    chance = random.Random(seed)
    chosen = chance.sample(usable, min(len(usable), MAX_CONTROLS))
    for log in chosen:
        for operation, contents in _damaged(log, -(-count // len(chosen)), chance):
            yield ReviewedLog(
                f"{log.name} · {operation}", log.format, contents, log.context, True,
                log.file_name, set(log.sides), log,
            )  # fmt: skip


def _damaged(log: ReviewedLog, count: int, chance: random.Random) -> Iterator[tuple[str, Contents]]:
    """Yield descriptions and contents of copies damaged by the sweep's operations."""
    from walproof.sweep.controls import Control, with_fields
    from walproof.sweep.enumeration import DAMAGES, ControlFile, DamagedControl

    if log.format not in registers():
        return
    control = with_fields(Control(log.name, log.format, log.contents, log.file_name))
    names = sorted(control.files)
    for _ in range(count):
        name, family = chance.choice(names), chance.choice(list(DAMAGES))
        file = ControlFile(name, control.files[name], control.fields[name], log.name)
        damages = DAMAGES[family](file, ())
        # There are many truncations and flips, so each one is computed only when it is chosen.
        damages = damages if isinstance(damages, Sequence) else list(damages)
        if not damages:
            continue
        number = chance.randrange(len(damages))
        damaged = DamagedControl(control)
        for operation in damages[number].operations:
            damaged.apply(operation)
        if damaged.contents != log.contents:
            yield f"{family} {damages[number].field}, {number}", damaged.contents
