"""``walproof fields``: the fields of a systemd journal file, and the values of one."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

from reference_impl.register import registers
from reference_impl.systemd_journal import inspection, layout, loaded
from reference_impl.systemd_journal.export_format import is_text
from reference_impl.systemd_journal.query import names, values
from walproof.cli.opening import logs_of, source_of
from walproof.cli.output import say
from walproof.quantity import counted

SYSTEMD = "systemd-journal"


@click.command()
@click.argument("log", metavar="PATH")
@click.argument("name", metavar="[FIELD]", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print each as JSON, one per line.")
def fields(log: str, name: str | None, as_json: bool) -> int:
    """List the fields of systemd journals, or all values of one field, newest first.

    PATH is a journal file, packed or in a pipe, or a folder of them. It prints what journalctl
    --fields and journalctl --field=FIELD print for the same file; for a folder, each once. A value
    that is not one line of text is shown as {"hex": "…"}. From a damaged file it prints all that
    survives.

    \b
    walproof fields system.journal
    walproof fields system.journal _SYSTEMD_UNIT

    Exit status: 0 intact, 3 torn or damaged, 4 refused, 1 for a usage or I/O error.
    """
    status = 0
    listed: dict[bytes, None] = {}  # each once, in the order found
    with source_of(log) as source:
        if source.path.is_dir():
            with logs_of(source, SYSTEMD) as found:
                for shown, path in found:
                    status = max(status, _gather(shown, path, name, listed))
        else:
            status = _gather(f"{log}{source.came}", source.path, name, listed)
    for value in sorted(listed) if name is None else listed:
        say(_shown(value, as_json))
    return status


def _gather(log: str, path: Path, name: str | None, listed: dict[bytes, None]) -> int:
    """Add the names of the fields of a file, or the values of one: the exit status."""
    with loaded(path) as data:
        size = len(data)
        why = inspection.refusal(data) if size >= layout.HEADER_MIN else "torn-header"
        if why is not None:
            words = registers()["systemd-journal"].reasons[why].words
            say(f"{log}: {words} ({why})", err=True)
            return 3 if why == "torn-header" else 4
        found = inspection.inspect(data, {})
        listed.update(
            dict.fromkeys(names(found) if name is None else values(found, os.fsencode(name)))
        )
    if found.faults:
        say(f"{log}: {counted(len(found.faults), 'finding')}; walproof verify lists them", err=True)
    return 3 if found.faults else 0


def _shown(value: bytes, as_json: bool) -> str:
    try:
        text = value.decode()
    except UnicodeDecodeError:
        text = None
    if text is None or not (as_json or is_text(value)):
        return json.dumps({"hex": value.hex()})
    return json.dumps(text, ensure_ascii=False) if as_json else text
