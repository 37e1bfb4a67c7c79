"""``walproof verify``: every fault of a systemd journal file, with its rule."""

from __future__ import annotations

import mmap
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reference_impl.answer import End, Lost
from reference_impl.formats import UnknownFormat
from reference_impl.register import registers
from reference_impl.systemd_journal import inspection, layout, loaded
from reference_impl.systemd_journal.objects import Fault, View
from reference_impl.systemd_journal.sealing import BadKey, VerificationKey
from walproof.cli.opening import Opened, journals, log_in, source_of
from walproof.cli.output import say, say_json
from walproof.cli.summary import progress
from walproof.quantity import counted
from walproof.summary.model import WORTH_A_KERNEL
from walproof.summary.unpacked import Unpacked

if TYPE_CHECKING:
    from walproof.scan.systemd_journal.soundness import Sound


@click.command()
@click.argument("log", metavar="PATH")
@click.option("--key", metavar="KEY", help="Verification key of a sealed file.")
@click.option("--json", "as_json", is_flag=True, help="Print each finding as one object per line.")
def verify(log: str, key: str | None, as_json: bool) -> int:
    """Verify systemd journals: structure, hashes, order, links, counts and seals.

    PATH is a journal file, packed or in a pipe, or a folder of them such as /var/log/journal. Of
    any other log, or the folder of a system, it lists what is lost, each with its rule, and what
    the folder is missing.

    Each finding has its offset, the object there, the rule that it breaks, and what is wrong.
    Unlike journalctl --verify, this also checks the FIELD table, the lists of values, and whether
    an entry that a value lists has that value. No file makes it run for ever.

    \b
    walproof verify system.journal
    walproof verify /var/log/journal
    walproof verify system.journal --key c262bd-85187f-0b1b04-877cc5/1c7af8-35a4e900

    Exit status: 0 no finding, 3 findings, 4 not a journal file or not one to be read, 1 for a
    usage or I/O error.
    """
    context = {"key": key} if key else {}
    if key:
        try:
            VerificationKey.parse(key)
        except BadKey as error:
            raise click.UsageError(f"--key: {error}") from None
    with source_of(log) as source:
        if (other := _of_another_format(source)) is not None:
            if key:
                raise click.UsageError("--key is that of a sealed journal of systemd")
            return _verify_lost(other, as_json)
        found = [(f"{log}{source.came}", source.path)]
        if source.path.is_dir():
            found = list(journals(source))
        return max(_verified(name, path, context, as_json) for name, path in found)


PASSES = 3
"""Through a file that is verified, each with its offsets from the beginning on."""


def _of_another_format(source: Unpacked) -> Opened | None:
    """The log if it is none of systemd's; None also for a file that is nothing at all."""
    try:
        found = log_in(source, None)
    except UnknownFormat:
        if source.path.is_dir():
            raise
        return None
    return found if found.format.id != "systemd-journal" else None


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
        said = counted(findings, "finding") if findings else "no findings"
        say(f"{log.name}: {log.format.id}, {said}")
    return 3 if findings or end.verdict != "intact" else 0


def _verified(name: str, path: Path, context: dict[str, str], as_json: bool) -> int:
    with loaded(path) as data:
        size = len(data)
        why = inspection.refusal(data) if size >= layout.HEADER_MIN else "torn-header"
        if why is not None:
            words = registers()["systemd-journal"].reasons[why].words
            say(f"{name}: {words} ({why})", err=True)
            return 4
        if size >= WORTH_A_KERNEL and (found := _if_sound(data, context)) is not None:
            if not as_json:
                header = layout.parse_header(data[: layout.HEADER_FULL])
                _say_whole(name, found.objects, found.entries)
                _say_seals(header, found.sealed_until, context)
            return 0
        with progress(size, "verifying") as told:
            checked = inspection.inspect(data, context, _summed(told, size))
        if not as_json and not checked.faults:
            _say_whole(name, checked.walk.counts.total(), len(checked.entries))
            _say_seals(checked.view.header, checked.sealed_until, context)
            return 0
        _say_faults(name, checked, context, as_json)
        return 3 if checked.faults else 0


def _if_sound(data: mmap.mmap | bytes, context: dict[str, str]) -> Sound | None:
    """What the kernels say of a large file; None where they find a fault, or are not installed.

    A fault is put into words by the executable specification, which looks at all of it again.
    """
    try:
        from walproof.scan import has_kernel

        if not has_kernel("systemd-journal"):
            return None
        from walproof.scan.systemd_journal.soundness import if_sound
    except ModuleNotFoundError:
        return None
    return if_sound(data, context)


def _summed(told: Callable[[int], None], size: int) -> Callable[[int], None]:
    """Tells how much of all passes is done, in bytes of the file, now and then."""
    before, last = 0, 0

    def tell(at: int) -> None:
        nonlocal before, last
        if at < last:  # the next pass
            before, last = before + size, at
        if at - last > size // 200:
            last = at
            told((before + at) // PASSES)

    return tell


def _say_faults(
    log: str, found: inspection.Inspection, context: dict[str, str], as_json: bool
) -> None:
    for fault in found.faults:
        if as_json:
            say_json({"log": log, **_json(fault, found.view)})
        else:
            say(f"{log}: {_line(fault, found.view)}")
    if not as_json:
        counts = _counts(found.walk.counts.total(), len(found.entries))
        say(f"{log}: {counted(len(found.faults), 'finding')}, {counts}")
        _say_seals(found.view.header, found.sealed_until, context)


def _say_whole(log: str, objects: int, entries: int) -> None:
    say(f"{log}: no findings, {_counts(objects, entries)}")


def _counts(objects: int, entries: int) -> str:
    return f"{counted(objects, 'object')}, {counted(entries, 'entry')}"


def _say_seals(header: layout.Header, until: int | None, context: dict[str, str]) -> None:
    if header.sealed and not context:
        say("The file is sealed. Without --key the seals were not verified.")
    elif header.sealed and until is not None:
        shown = datetime.fromtimestamp(until / 1_000_000, UTC)
        say(f"The seals hold for entries up to {shown.isoformat()}.")
    elif header.sealed:
        say("No entry is vouched for by a seal.")


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
