"""``walproof verify``: list every fault of a systemd journal, with its rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import click

from reference_impl.answer import End, Lost
from reference_impl.formats import named
from reference_impl.register import registers
from reference_impl.systemd_journal import layout
from reference_impl.systemd_journal.objects import Fault, View
from reference_impl.systemd_journal.sealing import BadKey, VerificationKey
from walproof.cli.context import format_option
from walproof.cli.opening import Opened, log_in, source_of
from walproof.cli.output import say
from walproof.formats.systemd_journal.query.journal_file import JournalFile
from walproof.quantity import counted
from walproof.summary.unpacked import Unpacked
from walproof.systems import System
from walproof.systems.contents import FoundLog, Item, contents_of

SYSTEMD = "systemd-journal"


@click.command()
@click.argument("log", metavar="PATH")
@format_option
@click.option("--key", metavar="KEY", help="Verification key of a sealed file.")
def verify(log: str, format_id: str | None, key: str | None) -> int:
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

    Exit status: 0 no findings, 3 findings, 4 not a log or not readable, 1 for a usage or I/O
    error.
    """
    if key:
        try:
            VerificationKey.parse(key)
        except BadKey as error:
            raise click.UsageError(f"--key: {error}") from None
    context = {"key": key} if key else {}
    with source_of(log, format_id) as source:
        if not source.path.is_dir():
            return _verify_file(source, format_id, context)
        contents = contents_of(source.path, "" if source.is_copy else source.typed, format_id)
        contents.require_logs(source.typed)
        return max(_verify_item(source, item, context) for item in contents.items)


CAVEAT = (
    "Its seals may have gaps (no SEALED_CONTINUOUS flag, as before systemd 255): the key does not"
    " show whether sealed entries were cut off and the file was continued (CVE-2023-31438)."
)


def _verify_file(source: Unpacked, format_id: str | None, context: Mapping[str, str]) -> int:
    log = log_in(source, format_id)
    if log.format.id == SYSTEMD:
        return _verify_journal(log.name, log.path, context)
    if context:
        raise click.UsageError("--key is only for sealed systemd journals")
    return _verify_log(log)


def _verify_item(source: Unpacked, item: Item, context: Mapping[str, str]) -> int:
    what = item.what
    if isinstance(what, System) and what.format == SYSTEMD:
        name = item.name or source.typed
        losses = [finding for finding in what.findings if finding.harm == "lost"]
        for finding in losses:
            say(f"{name}/{finding.file}: {finding.text}" if finding.file else finding.text)
        broken = {finding.file for finding in losses}
        statuses = [
            _verify_journal(str(Path(item.name, log.name)), what.path(log), context)
            for log in what.logs
            if log.name not in broken
        ]
        return max([3 if broken else 0, *statuses])
    if isinstance(what, System):
        place = replace(source, path=what.folder, typed=item.name or source.typed)
        return _verify_log(Opened(place, named(what.format), what))
    if isinstance(what, FoundLog):
        return _verify_file(Unpacked(what.path, item.name), what.format, context)
    say(f"{item.name}: not read: {what.why}", err=True)
    return int(what.is_fault)


def _verify_log(log: Opened) -> int:
    reasons = registers()[log.format.id].reasons
    count = 0
    for finding in [*(each for each in log.findings if each.harm == "look"), *log.losses()]:
        count += 1
        say(f"{finding.file}: {finding.text}" if finding.file else finding.text)
    for event in log.events("recover", {}, tells=False):
        if isinstance(event, Lost):
            count += 1
            reason = reasons[event.reason]
            rules = ", ".join(reason.requirements)
            file = f"{event.file}: " if event.file else ""
            say(f"{file}{event.start}–{event.end}: {event.reason} [{rules}]: {reason.words}")
        elif isinstance(event, End):
            end = event
    if end.verdict == "refused":
        say(f"{log.name}: {log.format.id}, refused ({end.reason})", err=True)
        return 4
    say(f"{log.name}: {log.format.id}, {counted(count, 'finding') if count else 'no findings'}")
    return 3 if count or end.verdict != "intact" else 0


def _verify_journal(name: str, path: Path, context: Mapping[str, str]) -> int:
    file = JournalFile(name, path, context=context)
    if not file.is_readable:
        words = registers()[SYSTEMD].reasons[str(file.end.reason)].words
        place = "".join(f"{gap.start}–{gap.end}: " for gap in file.lost)
        say(f"{name}: {place}{words} ({file.end.reason})", err=True)
        return 4
    checked = file.inspection
    header = checked.view.header
    is_unproved = bool(context) and not header.sealed
    if is_unproved:
        text = "not sealed: the key proves nothing about this file"
        start, length = layout.HEADER_FIELDS["compatible_flags"]
        fault = Fault(start, start + length, "not-sealed", "SDJ-006", text)
        _print_fault(name, fault, checked.view)
    faults = 0
    for fault in (*checked.faults, *file.contradictions()):
        faults += 1
        _print_fault(name, fault, checked.view)
    other = "other " if is_unproved else ""
    findings = counted(faults, "finding") if faults else f"no {other}findings"
    objects, entries = checked.walk.counts.total(), len(checked.entries)
    say(f"{name}: {findings}, {counted(objects, 'object')}, {counted(entries, 'entry')}")
    if header.sealed and context:
        _print_seals(header, checked.sealed_until)
    elif header.sealed:
        say("The file is sealed. Without --key the seals were not verified.")
    return 3 if faults or is_unproved else 0


def _print_fault(name: str, fault: Fault, view: View) -> None:
    what = ""
    if fault.start < view.header.header_size:
        what = " (header)"
    elif not isinstance(framed := view.frame(fault.start), str):
        what = f" ({layout.TYPE_NAMES[framed[0]]})"
    say(f"{name}: {fault.start}–{fault.end}{what}: {fault.reason} [{fault.rule}]: {fault.text}")


def _print_seals(header: layout.Header, until: int | None) -> None:
    if until is not None:
        shown = datetime.fromtimestamp(until / 1_000_000, UTC)
        say(f"The seals are valid for entries up to {shown.isoformat()}.")
        if header.tail_entry_realtime > until:
            say("Later entries are not sealed: the key proves nothing about them.")
    else:
        say("No valid seal covers an entry: the key proves nothing about the entries.")
    if not header.compatible_flags & layout.SEALED_CONTINUOUS:
        say(CAVEAT)
