"""``walproof fields``: the fields of a systemd journal file, and the values of one."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

from reference_impl.systemd_journal import inspection, layout, loaded
from reference_impl.systemd_journal.export_format import is_text
from reference_impl.systemd_journal.query import names, values
from walproof.cli.output import say


@click.command()
@click.argument("log", metavar="FILE", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.argument("name", metavar="[FIELD]", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print each as JSON, one per line.")
def fields(log: Path, name: str | None, as_json: bool) -> int:
    """List the fields of a systemd journal file, or all values of one field, newest first.

    It prints what journalctl --fields and journalctl --field=FIELD print for the same file. A value
    that is not one line of text is shown as {"hex": "…"}. From a damaged file it prints all that
    survives.

    \b
    walproof fields system.journal
    walproof fields system.journal _SYSTEMD_UNIT

    Exit status: 0 intact, 3 torn or damaged, 4 refused, 1 for a usage or I/O error.
    """
    try:
        with loaded(log) as data:
            size = len(data)
            why = inspection.refusal(data) if size >= layout.HEADER_MIN else "torn-header"
            if why is not None:
                say(f"{log}: {why}", err=True)
                return 3 if why == "torn-header" else 4
            found = inspection.inspect(data, {})
            listed = sorted(names(found)) if name is None else values(found, os.fsencode(name))
            for value in listed:
                say(_shown(value, as_json))
    except OSError as error:
        raise click.ClickException(f"{log}: {error.strerror or error}") from None
    if found.faults:
        say(f"{log}: {len(found.faults)} findings; walproof verify lists them", err=True)
    return 3 if found.faults else 0


def _shown(value: bytes, as_json: bool) -> str:
    try:
        text = value.decode()
    except UnicodeDecodeError:
        text = None
    if text is None or not (as_json or is_text(value)):
        return json.dumps({"hex": value.hex()})
    return json.dumps(text, ensure_ascii=False) if as_json else text
