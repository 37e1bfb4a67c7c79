"""Implementations as contenders: what the ``bench.toml`` beside an adapter declares.

It is a file of its own, not a part of ``implementation.toml``, because no build depends on it.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from conformance import declaration
from conformance.declaration import BrokenDeclaration
from conformance.registry import BENCH_FILE, Implementation, check_command, check_formats
from lab.bench.availability import why_not
from lab.bench.contender import Command, Contender
from lab.bench.our_readers import in_process

_SCHEMA = Path(__file__).with_name("bench.schema.json")


def contenders_of(implementation: Implementation) -> Iterator[Contender]:
    """The contenders that an implementation declares; none without a ``bench.toml``.

    Each table ``[[contender]]`` stands for one contender in each of ``formats``;
    ``bench.schema.json`` says what its keys mean. Raises :class:`BrokenDeclaration`, also for an
    argument to be left out that the command does not have.
    """
    path = implementation.folder / BENCH_FILE
    if not path.exists():
        return
    for table in declaration.read(path, _SCHEMA)["contender"]:
        check_formats(path, table.get("formats", ()))
        check_command(path, table.get("command", ()))
        for format_id in table.pop("formats", implementation.formats):
            yield _contender(implementation, format_id, **table)


def _contender(
    implementation: Implementation,
    format_id: str,
    command: Sequence[str] | None = None,
    leave_out: Sequence[str] = (),
    without: str | None = None,
    in_process: bool = False,
    **rest: Any,
) -> Contender:
    template = list(command or implementation.command_template)
    for argument in leave_out:
        if argument not in template:
            given = shlex.join(template)
            said = f"leave_out: {argument!r} is not in the command {given}"
            raise BrokenDeclaration(f"{implementation.folder / BENCH_FILE}: {said}")
        template.remove(argument)
    implementation = replace(implementation, command_template=tuple(template))

    def unavailable() -> str | None:
        if (why := why_not(implementation)) is not None:
            return why
        is_left_out = without is not None and not Path(implementation.command[0]).exists()
        return without if is_left_out else None

    timed = _in_process if in_process else _bench_mode
    defaults = {"name": implementation.name, "title": implementation.title}
    return Contender(
        format=format_id,
        command=timed(implementation, format_id),
        unavailable=unavailable,
        writes=(implementation.output, *implementation.writes),
        **defaults | rest,
    )


def _bench_mode(implementation: Implementation, format_id: str) -> Command:
    return lambda log, repeat: [*implementation.command, "bench", str(log), str(repeat)]


def _in_process(implementation: Implementation, format_id: str) -> Command:
    return in_process("adapter", format_id, implementation.name)
