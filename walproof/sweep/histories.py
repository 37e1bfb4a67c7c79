"""Generate logs as real writers produce them, with all earlier states of the files on disk.

The ``sweep`` module of each format drives a :class:`HistoryWriter`, which uses the executable
specification's writers. The logs contain several files and blocks, recycled and restarted logs,
preallocated space, padding, rollbacks, restarts after a crash, and payloads that contain logs of
the same format.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from conformance.contents import Contents
from conformance.scratch import Scratch
from walproof.formats import plugin_for
from walproof.sweep.controls import Control, NoControl, with_fields
from walproof.sweep.history_writer import HistoryWriter, remove
from walproof.sweep.settings import settings_of


class BadHistory(NoControl):
    """Raised if the executable specification does not return every record of an undamaged log."""


def generate(format: str, seed: int, number: int, folder: Path) -> Control:
    """Return a generated log as a control, with its earlier states as older generations.

    The same arguments always produce the same log. ``folder`` is an exclusive scratch folder.
    Raises :class:`BadHistory` if the log has damage.
    """
    writer = HistoryWriter(format, Random(f"{format} {seed} {number}"), folder)
    plugin_for(format).sweep.write_history(writer)
    id = f"{format}/generated-{seed}-{number}"
    writer.keep()
    *earlier, control = states_of(writer, id)
    remove(writer.path)
    return replace(with_fields(control), id=id, earlier=tuple(reversed(earlier)))


def generate_controls(format: str, count: int, seed: int) -> list[Control]:
    """Return generated logs that are not empty, smallest first."""
    scratch = Scratch()
    try:
        controls = [generate(format, seed, number, scratch.folder) for number in range(count)]
    finally:
        scratch.close()
    return sorted(
        (control for control in controls if control.size),
        key=lambda control: (control.size, control.id),
    )


def states_of(writer: HistoryWriter, id: str) -> list[Control]:
    """Return the states of a log as controls, oldest first. Raises :class:`BadHistory`."""
    return [
        _control(writer, f"{id}@{step}", contents, *kept)
        for step, (contents, kept) in enumerate(zip(writer.states, writer.kept, strict=True))
    ]


def _control(
    writer: HistoryWriter, id: str, contents: Contents, context: Mapping[str, Any],
    payloads: Sequence[bytes] | None,
) -> Control:  # fmt: skip
    answer = writer.read(contents, context)
    if answer.verdict not in ("intact", "torn"):
        raise BadHistory(f"{id}: {answer.verdict} ({answer.reason})")
    found = [record.payload for record in answer.records]
    if payloads is not None and found != payloads:
        raise BadHistory(f"{id}: expected {len(payloads)} records, found others")
    format = writer.format.id
    settings = settings_of((), format, context, answer.records)
    return Control(id, format, contents, writer.name, context, answer.records, settings=settings)
