"""``walproof verify``: list every fault of a systemd journal, with its rule."""

from __future__ import annotations

import mmap
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from reference_impl.answer import End, Lost
from reference_impl.formats import UnknownFormat, named
from reference_impl.register import registers
from reference_impl.systemd_journal import inspection, layout, loaded
from reference_impl.systemd_journal.objects import Fault, View
from reference_impl.systemd_journal.sealing import BadKey, VerificationKey
from walproof.cli.opening import Opened, log_in, source_of
from walproof.cli.output import say, say_json
from walproof.cli.summary import progress
from walproof.formats import plugin_for
from walproof.formats.systemd_journal.boot_ids import find_contradictions
from walproof.quantity import counted
from walproof.summary.logs import FoundOne
from walproof.summary.model import WORTH_A_KERNEL
from walproof.summary.unpacked import Unpacked, unpacked
from walproof.systems import System
from walproof.systems.contents import Item, NotRead, contents_of

SYSTEMD = "systemd-journal"


@click.command()
@click.argument("log", metavar="PATH")
@click.option("--key", metavar="KEY", help="Verification key of a sealed file.")
@click.option("--json", "as_json", is_flag=True, help="Print each finding as one object per line.")
def verify(log: str, key: str | None, as_json: bool) -> int:
    """Verify a log; for systemd journals, every hash and link.

    PATH is a log, a compressed log, a pipe, or a folder. For journals, the command checks
    structure, hashes, order, links, counts and seals. For other logs and folders, the command lists
    lost ranges and missing files.

    A finding consists of an offset, the object there, the violated rule, and a description. Unlike
    journalctl --verify, the command also checks the FIELD table and the lists of values.

    \b
    walproof verify system.journal
    walproof verify /var/log/journal
    walproof verify system.journal --key c262bd-85187f-0b1b04-877cc5/1c7af8-35a4e900

    With --key, an unsealed file is a finding, because the key cannot verify it.

    Exit status: 0 no findings, 3 findings, 4 not a journal or not readable, 1 for a usage or I/O
    error.
    """
    context = {"key": key} if key else {}
    if key:
        try:
            VerificationKey.parse(key)
        except BadKey as error:
            raise click.UsageError(f"--key: {error}") from None
    with source_of(log) as source:
        if not source.path.is_dir():
            return _verify_file(source, context, as_json)
        items = contents_of(source.path, "" if source.is_copy else source.typed).items
        if all(isinstance(item.what, NotRead) for item in items):
            raise UnknownFormat(f"{source.path}: expected a log, or a folder with logs")
        return max(_verify_item(source, item, context, as_json) for item in items)


def _verify_file(source: Unpacked, context: dict[str, str], as_json: bool) -> int:
    if (other := _of_another_format(source)) is not None:
        if context:
            raise click.UsageError("--key is only for sealed systemd journals")
        return _verify_lost(other, as_json)
    return _verified(f"{source.typed}{source.origin}", source.path, context, as_json)


def _verify_item(source: Unpacked, item: Item, context: dict[str, str], as_json: bool) -> int:
    """Verify a system or a log of a folder; return the exit status."""
    what = item.what
    if isinstance(what, System) and what.format == SYSTEMD:
        broken = _print_losses(item.name or source.typed, what, as_json)
        logs = [log for log in what.logs if log.name not in broken]
        names = [str(Path(item.name, log.name)) for log in logs]
        statuses = [
            _verified(name, what.path(log), context, as_json)
            for name, log in zip(names, logs, strict=True)
        ]
        return max([3 if broken else 0, *statuses])
    if isinstance(what, System):
        place = replace(source, path=what.folder, typed=item.name or source.typed)
        return _verify_lost(Opened(place, named(what.format), what), as_json)
    if isinstance(what, FoundOne) and what.fault is None:
        with unpacked(str(what.path)) as inner:
            return _verify_file(replace(inner, typed=item.name), context, as_json)
    why = what.why if isinstance(what, NotRead) else what.fault
    say(f"{item.name}: not read: {why}", err=True)
    return 1 if isinstance(what, FoundOne) or what.is_fault else 0


def _print_losses(name: str, system: System, as_json: bool) -> set[str]:
    """Print the losses of a folder of journals; return the files that are no longer journals."""
    losses = [finding for finding in system.findings if finding.harm == "lost"]
    for finding in losses:
        if as_json:
            say_json({"log": name, **finding.to_json()})
        else:
            say(f"{name}/{finding.file}: {finding.text}" if finding.file else finding.text)
    return {finding.file for finding in losses if finding.file is not None}


CAVEAT = (
    "Its seals may have gaps (no SEALED_CONTINUOUS flag, as before systemd 255): the key does not"
    " show whether sealed entries were cut off and the file was continued (CVE-2023-31438)."
)


def _of_another_format(source: Unpacked) -> Opened | None:
    """Return the log if it has another format than systemd's; None also for an unknown file."""
    try:
        result = log_in(source, None)
    except UnknownFormat:
        if source.path.is_dir():
            raise
        return None
    return result if result.format.id != "systemd-journal" else None


def _verify_lost(log: Opened, as_json: bool) -> int:
    """Print the findings about a system's folder, and each lost range with its rule."""
    reasons = registers()[log.format.id].reasons
    findings = 0
    for finding in log.system.findings if log.system is not None else ():
        if finding.harm == "none":
            continue
        findings += 1
        about = f"{finding.file}: " if finding.file else ""
        if as_json:
            say_json({"log": log.name, **finding.to_json()})
        else:
            say(f"{about}{finding.text}")
    for event in log.events("recover", {}, tells=False):
        if isinstance(event, Lost):
            findings += 1
            reason = reasons[event.reason]
            rules = ", ".join(reason.requirements)
            place = f"{event.file}: " if event.file else ""
            if as_json:
                say_json({"log": log.name, **event.to_json(), "rule": rules, "text": reason.words})
            else:
                text = f"{event.reason} [{rules}]: {reason.words}"
                say(f"{place}{event.start}–{event.end}: {text}")
        elif isinstance(event, End):
            end = event
    if end.verdict == "refused":
        say(f"{log.name}: {log.format.id}, refused ({end.reason})", err=True)
        return 4
    if not as_json:
        message = counted(findings, "finding") if findings else "no findings"
        say(f"{log.name}: {log.format.id}, {message}")
    return 3 if findings or end.verdict != "intact" else 0


def _verified(name: str, path: Path, context: dict[str, str], as_json: bool) -> int:
    with loaded(path) as data:
        size = len(data)
        why = inspection.refusal(data) if size >= layout.HEADER_MIN else "torn-header"
        if why is not None:
            words = registers()["systemd-journal"].reasons[why].words
            say(f"{name}: {words} ({why})", err=True)
            return 4
        header = layout.parse_header(data[: layout.HEADER_FULL])
        is_unproved = bool(context) and not header.sealed
        if is_unproved:
            _print_unsealed(name, as_json)
        checked = _inspect_if_intact(data, context) if size >= WORTH_A_KERNEL else None
        if checked is None:
            with progress(size, "verifying") as show:

                def show_some(at: int) -> None:
                    if at % 4096 == 0:
                        show(at)

                checked = inspection.inspect(data, context, show_some)
            checked.faults.extend(find_contradictions(checked.view, checked.entries, checked.items))
        if not as_json and not checked.faults:
            _print_intact(name, checked.walk.counts.total(), len(checked.entries), is_unproved)
            _print_seals(header, checked.sealed_until, context)
            return 3 if is_unproved else 0
        _print_faults(name, checked, context, as_json)
        return 3 if checked.faults or is_unproved else 0


def _inspect_if_intact(
    data: mmap.mmap | bytes, context: dict[str, str]
) -> inspection.Inspection | None:
    """Inspect a file with the scanner; return None if it has a finding or numba is missing."""
    if not plugin_for(SYSTEMD).has_scanner:
        return None
    from walproof.formats.systemd_journal.scanner.intact import check_file

    file = check_file(data, context)
    return None if file is None or file.has_contradictions() else file.inspection


def _print_faults(
    log: str, result: inspection.Inspection, context: dict[str, str], as_json: bool
) -> None:
    for fault in result.faults:
        if as_json:
            say_json({"log": log, **_json(fault, result.view)})
        else:
            say(f"{log}: {_line(fault, result.view)}")
    if not as_json:
        counts = _counts(result.walk.counts.total(), len(result.entries))
        say(f"{log}: {counted(len(result.faults), 'finding')}, {counts}")
        _print_seals(result.view.header, result.sealed_until, context)


def _print_intact(log: str, objects: int, entries: int, is_unproved: bool) -> None:
    say(f"{log}: no {'other ' if is_unproved else ''}findings, {_counts(objects, entries)}")


def _counts(objects: int, entries: int) -> str:
    return f"{counted(objects, 'object')}, {counted(entries, 'entry')}"


def _print_unsealed(log: str, as_json: bool) -> None:
    text = "not sealed: the key proves nothing about this file"
    if as_json:
        start, size = layout.HEADER_FIELDS["compatible_flags"]
        place = {"from": start, "to": start + size, "object": "header"}
        say_json({"log": log, **place, "reason": "not-sealed", "rule": "SDJ-006", "text": text})
    else:
        say(f"{log}: {text}")


def _print_seals(header: layout.Header, until: int | None, context: dict[str, str]) -> None:
    if not header.sealed:
        return
    if not context:
        say("The file is sealed. Without --key the seals were not verified.")
        return
    if until is not None:
        shown = datetime.fromtimestamp(until / 1_000_000, UTC)
        say(f"The seals are valid for entries up to {shown.isoformat()}.")
        if header.tail_entry_realtime > until:
            say("Later entries are not sealed: the key proves nothing about them.")
    else:
        say("No valid seal covers an entry: the key proves nothing about the entries.")
    if not header.compatible_flags & layout.SEALED_CONTINUOUS:
        say(CAVEAT)


def _object(fault: Fault, view: View) -> str:
    if fault.start < view.header.header_size:
        return "header"
    framed = view.frame(fault.start)
    return "" if isinstance(framed, str) else layout.TYPE_NAMES[framed[0]]


def _line(fault: Fault, view: View) -> str:
    what = _object(fault, view)
    place = f"{fault.start}–{fault.end}{f' ({what})' if what else ''}"
    return f"{place}: {fault.reason} [{fault.rule}]: {fault.text}"


def _json(fault: Fault, view: View) -> dict[str, Any]:
    return {
        "from": fault.start,
        "to": fault.end,
        "object": _object(fault, view) or None,
        "reason": fault.reason,
        "rule": fault.rule,
        "text": fault.text,
    }
