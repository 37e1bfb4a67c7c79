"""Compare the items that real systems read from a damaged folder and from its recovered copy.

One file of a folder is damaged, and ``walproof recover`` runs. The real system opens scratch copies
of both folders. :class:`Combination` checks these rules:

* If the source returns an item of the intact folder in some mode, the result returns the item in
  the same mode, and in the mode in which the result returns most of these items.
* The result contains every file of the source. If the output names a file as replaced,
  ``NAME.before-recovery`` has the old bytes. No other file is new, and the source does not change.
* The status is 3 if the real system refuses the source or returns fewer items than before the
  damage. The status is 4 only if nothing was written. The summary has status 0 if and only if
  ``recover`` has status 0.
* Each sentence of the output with "opens" or "starts" is true of the real system.
* A repair that loses items of the intact folder is not recommended without a warning.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
from click.testing import CliRunner

from walproof.cli import walproof

ASIDE = ".before-recovery"
APPENDED_ZEROS_BYTES = 4096
MAX_SHOWN_KEYS = 3

Pairs = frozenset[tuple[str, str]]
NOTHING: Pairs = frozenset()


def _flip_a_bit(data: bytes) -> bytes:
    at = len(data) // 3
    return data[:at] + bytes([data[at] ^ 8]) + data[at + 1 :] if data else data


def _text(data: bytes) -> bytes:
    line = b"not a database\n"
    return (line * (len(data) // len(line) + 1))[: len(data)]


DAMAGES: Mapping[str, Callable[[bytes], bytes | None]] = {
    "missing": lambda data: None,
    "empty": lambda data: b"",
    "zeros": lambda data: bytes(len(data)),
    "torn at half": lambda data: data[: len(data) // 2],
    "torn before the last byte": lambda data: data[:-1],
    "zeros appended": lambda data: data + bytes(APPENDED_ZEROS_BYTES),
    "last third zeros": lambda data: data[: len(data) - len(data) // 3] + bytes(len(data) // 3),
    "one bit": _flip_a_bit,
    "CRLF": lambda data: data.replace(b"\n", b"\r\n"),
    "text": _text,
}
"""Functions from the content of a file to its damaged content; None deletes the file."""


@dataclass(frozen=True)
class Store:
    """A real database, broker store, node or partition, and the functions to open copies of it."""

    name: str
    folder: Path
    #: The names of the files to damage, by their roles.
    files: Mapping[str, str]
    #: The ways to open the folder. The first mode is the default.
    modes: Sequence[str]
    #: A function that opens a folder in a mode and returns ``items`` or ``refused``.
    open_with: Callable[[str, Path], Mapping[str, Any]]
    #: Patterns of output sentences, each with the mode in which the real system must then succeed.
    promises: Mapping[str, str] = field(default_factory=dict)

    def pairs(self, mode: str, folder: Path, scratch: Path) -> Pairs | None:
        """Open a copy of a folder; return all keys and values, or None if the system refuses it."""
        copy = scratch / "opened"
        shutil.copytree(folder, copy)
        answer = self.open_with(mode, copy)
        shutil.rmtree(copy, ignore_errors=True)
        return frozenset(answer["items"].items()) if "items" in answer else None


@dataclass(frozen=True)
class Tolerated:
    """A loss that ``walproof`` cannot detect or prevent."""

    store: str
    role: str
    damages: Sequence[str]
    reason: str
    #: The mode in which the result may have fewer items, because the real system also returns
    #: records with an invalid checksum. The output must then report the loss, and the result must
    #: contain the old file. If the mode is None, the damage is undetectable, and status 0 is
    #: tolerated.
    mode: str | None = None


@dataclass(frozen=True)
class Outcome:
    """The status and the output of a command."""

    status: int
    output: str


def run(*arguments: str | Path) -> Outcome:
    """Run the command in this process; raise the exception if the command crashes."""
    runner = CliRunner(env={"COLUMNS": "160"})
    done = runner.invoke(walproof, [*map(str, arguments)], standalone_mode=False)
    if isinstance(done.exception, click.ClickException):
        return Outcome(done.exception.exit_code, done.output + done.exception.format_message())
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return Outcome(int(done.return_value or 0), done.output)


def contents(folder: Path) -> dict[str, bytes]:
    """Return all files below a folder by their names."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


_REPLACED = re.compile(r"^  replaced  ([^:]+):", re.MULTILINE)
_LOST_OF_LOG = re.compile(r"^  lost  ([^:]+):", re.MULTILINE)
_SENTENCE_END = re.compile(r"\n|(?<=\.) ")
_PROMISE = re.compile(r"\b(opens|starts)\b")
_DENIAL = re.compile(r"\b(not|no|none|only|nothing|cannot|before)\b", re.IGNORECASE)
_REPAIR_ADVICE = re.compile(r"(?<!not run )(`ldb repair|RepairDB).* makes a new MANIFEST")
_REPAIR_WARNING = "would lose data"


@dataclass
class Combination:
    """One damage to one file of a store, or the intact store if ``role`` is None."""

    store: Store
    role: str | None
    damage: str | None
    #: The items of the intact folder in each mode.
    truth: Mapping[str, Pairs]
    scratch: Path
    tolerated: Sequence[Tolerated]
    #: Sentences that each describe a violated rule.
    failures: list[str] = field(default_factory=list)
    #: The tolerated losses that occurred.
    used: list[Tolerated] = field(default_factory=list)

    def check(self) -> None:
        """Damage the file, recover the folder, and check all rules."""
        source, result = self.scratch / "source", self.scratch / "result"
        for folder in (source, result):
            shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.store.folder, source)
        if not self._damage(source):
            return
        before = contents(source)
        summary = run(source)
        recovery = run("recover", source, "--out", result)
        reading, verification = run("read", source), run("verify", source)
        if (summary.status == 0) != (reading.status == 0):
            self._fail(f"the summary has status {summary.status}, read has {reading.status}")
        if summary.status != 0 and verification.status == 0:
            self._fail(f"the summary has status {summary.status}, verify has 0")
        if contents(source) != before:
            self._fail("the source was changed")
        given = {mode: self.store.pairs(mode, source, self.scratch) for mode in self.store.modes}
        is_undetectable = self._check_status(summary, recovery, given)
        if not result.exists():
            self._check_refusal(recovery, given)
            return
        after = contents(result)
        self._check_files(before, after, {*_REPLACED.findall(recovery.output)})
        recovered = given
        if after != before:
            recovered = {
                mode: self.store.pairs(mode, result, self.scratch) for mode in self.store.modes
            }
        changed = self.store.files[self.role] if self.role else ""
        is_aside = after.get(f"{changed}{ASIDE}") == before.get(changed)
        is_named = is_aside and changed in _LOST_OF_LOG.findall(recovery.output)
        self._check_items(given, recovered, is_named)
        self._check_promises(recovery.output, recovered, is_undetectable)

    def _fail(self, text: str) -> None:
        self.failures.append(text)

    def _damage(self, source: Path) -> bool:
        """Damage the file; return False if the damage does not change it."""
        if self.role is None or self.damage is None:
            return True
        path = source / self.store.files[self.role]
        old = path.read_bytes()
        new = DAMAGES[self.damage](old)
        if new is None:
            path.unlink()
        else:
            path.write_bytes(new)
        return new != old

    def concerns(self, entry: Tolerated) -> bool:
        """Return whether a tolerated loss may occur in this combination."""
        return (
            re.fullmatch(entry.store, self.store.name) is not None
            and re.fullmatch(entry.role, self.role or "") is not None
            and self.damage in entry.damages
        )

    def _is_tolerated(self, mode: str | None) -> bool:
        entries = [entry for entry in self.tolerated if self.concerns(entry) and entry.mode == mode]
        self.used += entries
        return bool(entries)

    def _check_status(
        self, summary: Outcome, recovery: Outcome, given: Mapping[str, Pairs | None]
    ) -> bool:
        """Compare the statuses with the harm; return whether a missing report is tolerated."""
        expected, opened = self.truth[self.store.modes[0]], given[self.store.modes[0]]
        is_harmed = opened is None or not expected <= opened
        if (summary.status == 0) != (recovery.status == 0):
            self._fail(f"the summary has status {summary.status}, recover has {recovery.status}")
        if self.role is None and (summary.status, recovery.status) != (0, 0):
            self._fail(f"the intact folder has status {summary.status} and {recovery.status}")
        if is_harmed and recovery.status not in (3, 4):
            if self._is_tolerated(None):
                return True
            left = "refused" if opened is None else f"{len(opened & expected)} of {len(expected)}"
            self._fail(f"silence: status {recovery.status}, the real system: {left}")
        return False

    def _check_refusal(self, recovery: Outcome, given: Mapping[str, Pairs | None]) -> None:
        if recovery.status in (0, 3):
            self._fail(f"status {recovery.status} without a result")
        counts = {mode: len(pairs) for mode, pairs in given.items() if pairs}
        if counts:
            self._fail(f"nothing was written, status {recovery.status}; the source gives {counts}")

    def _check_files(
        self, before: Mapping[str, bytes], after: Mapping[str, bytes], replaced: set[str]
    ) -> None:
        for name, data in before.items():
            if name in replaced:
                if after.get(f"{name}{ASIDE}") != data:
                    self._fail(f"{name} was replaced, {name}{ASIDE} is not the old file")
            elif name not in after:
                self._fail(f"{name} is not in the result")
            elif after[name] != data:
                self._fail(f"{name} changed and is not named as replaced")
        for name in after.keys() - before.keys():
            if name.removesuffix(ASIDE) not in replaced:
                self._fail(f"{name} is new and is not named")

    def _check_items(
        self,
        given: Mapping[str, Pairs | None],
        recovered: Mapping[str, Pairs | None],
        is_named: bool,
    ) -> None:
        true = NOTHING.union(*self.truth.values())
        for mode in self.store.modes:
            items = (given[mode] or NOTHING) & true
            best = max(
                (pairs or NOTHING for pairs in recovered.values()),
                key=lambda pairs, items=items: len(pairs & items),  # type: ignore[misc]
            )
            for pairs, name in ((recovered[mode], mode), (best, "the best mode")):
                missing = items - (pairs or NOTHING)
                if not missing or (is_named and self._is_tolerated(mode)):
                    continue
                count = "refused" if pairs is None else str(len(pairs & items))
                shown = ", ".join(sorted(key for key, _ in missing)[:MAX_SHOWN_KEYS])
                text = f"{mode} of the source gives {len(items)} true items"
                self._fail(f"{text}, {name} of the result: {count} (without {shown} …)")

    def _check_promises(
        self, output: str, recovered: Mapping[str, Pairs | None], is_undetectable: bool
    ) -> None:
        expected, opened = self.truth[self.store.modes[0]], recovered[self.store.modes[0]]
        is_loss_named = is_undetectable or _LOST_OF_LOG.search(output) is not None
        for sentence in _SENTENCE_END.split(output):
            if not _PROMISE.search(sentence) or _DENIAL.search(sentence):
                continue
            if opened is None:
                self._fail(f"promise: {sentence.strip()!r}, the real system refuses")
            elif expected - opened and not is_loss_named:
                lacking = len(expected - opened)
                self._fail(f"promise: {sentence.strip()!r}, the real system lacks {lacking} items")
        for pattern, mode in self.store.promises.items():
            if (match := re.search(pattern, output)) and recovered[mode] is None:
                self._fail(f"promise: {match[0]!r}, {mode} of the result is refused")
        for mode in self.store.modes[1:]:
            count = len(self.truth[mode])
            is_advised = _REPAIR_ADVICE.search(output) and _REPAIR_WARNING not in output
            if count < len(expected) and is_advised:
                self._fail(f"advice: {mode} of the intact folder gives {count} of {len(expected)}")


def check_all(
    store: Store, scratch: Path, tolerated: Sequence[Tolerated], half: int | None = None
) -> list[str]:
    """Check the combinations of a store, and describe each violated rule in a sentence.

    Set ``half`` to 0 or 1 to check every second combination. A tolerated loss that does not occur
    counts as a violation.
    """
    truth = {mode: store.pairs(mode, store.folder, scratch) or NOTHING for mode in store.modes}
    assert truth[store.modes[0]], f"{store.name}: the intact folder gives nothing"
    roles: list[tuple[str | None, str | None]] = [(None, None)]
    roles += [
        (role, damage)
        for row, role in enumerate(store.files)
        for column, damage in enumerate(DAMAGES)
        if half is None or (row + column) % 2 == half
    ]
    failures: list[str] = []
    done = [Combination(store, *pair, truth, scratch, tolerated) for pair in roles]
    for each in done:
        each.check()
        place = f"{store.name}, {each.role} ({store.files.get(each.role or '')}), {each.damage}"
        failures += [f"{place}: {text}" for text in each.failures]
    used = [entry for each in done for entry in each.used]
    failures += [
        f"{store.name}: nothing needs {entry}"
        for entry in tolerated
        if entry not in used and any(each.concerns(entry) for each in done)
    ]
    return failures
