"""Count the items of an opened database that survived, were lost, or were invented.

A system reports damage with an error, or with a log line that it does not write for the undamaged
log.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.contents import write_contents
from lab.databases.damaged_logs import DatabaseCase, ExpectedItems, databases_of
from lab.databases.opening_result import OpeningResult, shape
from reference_impl.answer import collect
from reference_impl.formats import named

ENDS = {"refused": "refuses", "refused-again": "**opens only once**"}


@dataclass(frozen=True)
class OpeningJudgement:
    """The outcome of opening a log once, as numbers of items."""

    end: str
    written: int
    #: Number of written items that the system returned.
    returned: int = 0
    #: Number of readable items that the system did not return.
    lost: int = 0
    #: Number of items that are no longer readable.
    gone: int = 0
    #: Number of returned items that were written, but that no valid checksum covers.
    unproven: int = 0
    #: Number of returned items that are no longer current, such as those of an older log. The
    #: system cannot detect this, because the damaged log is valid.
    stale: int = 0
    #: Number of returned items that were never written.
    invented: int = 0
    #: Number of items that the system returned once, but not after a restart.
    forgotten: int = 0
    #: The system's first message about the damage.
    report: str | None = None
    #: State of the log, as in :class:`~lab.databases.opening_result.OpeningResult`.
    log: str | None = None

    @property
    def is_silent(self) -> bool:
        """True if items are missing or invented, and the system reports nothing."""
        return self.end == "opened" and self.report is None and bool(
            self.lost or self.gone or self.invented
        )  # fmt: skip

    @property
    def is_as_expected(self) -> bool:
        """True if the system returned all readable items, invented none, and reported any loss."""
        wrong = self.lost or self.invented or self.forgotten
        return self.end == "opened" and not wrong and not self.is_silent

    @property
    def effect(self) -> str:
        """A one-line summary that ends with the worst part."""
        if self.end != "opened":
            return ENDS.get(self.end, self.end)
        missing = self.lost + self.gone
        silently = "" if self.report else " silently"
        text = f"{self.returned}/{self.written}"
        if missing:
            text += f", {self.lost} readable lost" if self.lost else f", {missing} lost"
            text += "" if self.report else " **silently**"
        for number, what in (
            (self.stale, "{} stale"),
            (self.unproven, "{} unproven"),
            (self.invented, f"**{{}} invented{silently}**"),
            (self.forgotten, "**{} gone after a restart**"),
        ):
            text += f", {what.format(number)}" if number else ""
        return text

    def to_json(self) -> dict[str, Any]:
        """Return ``written``, ``returned``, and all other fields that are neither zero nor None."""
        return {
            name: value
            for name, value in vars(self).items()
            if value not in (0, None) or name in ("written", "returned")
        }


def expected_items(format_id: str, case: DatabaseCase) -> ExpectedItems:
    """Return the written items, and the items that the executable specification can still read."""
    databases = databases_of(format_id)
    assert databases is not None, format_id
    answers = []
    for log in (case.control, case.log):
        with tempfile.TemporaryDirectory(prefix="walproof-databases-") as scratch:
            path = Path(scratch, case.name)
            write_contents(log, path)
            answers.append(collect(named(format_id).read(path, "recover", case.context)))
    written, left = answers
    return ExpectedItems(databases.items(written), databases.items(left), str(left.verdict))


def judge_opening(
    opened: OpeningResult, expected: ExpectedItems, usual: Iterable[str]
) -> OpeningJudgement:
    """Compare the returned items with the expected ones.

    ``usual`` has the log lines that the system also writes for the undamaged log.
    """
    if opened.end != "opened":
        return OpeningJudgement(
            opened.end, len(expected.written), report=opened.why, log=opened.log
        )
    returned = frozenset(opened.items)
    known = {shape(line) for line in usual}
    report = next((line for line in opened.messages if shape(line) not in known), None)
    later = frozenset(opened.later)
    # An item that was returned with a wrong value counts only as invented, not as missing.
    changed = {name for name, _ in returned - expected.written}
    missing = {(name, value) for name, value in expected.written - returned if name not in changed}
    return OpeningJudgement(
        opened.end,
        len(expected.written),
        returned=len(returned & expected.written),
        lost=len(expected.left & missing),
        gone=len(expected.gone & missing),
        unproven=len(returned & expected.written - expected.left),
        stale=len(returned & expected.left - expected.written),
        invented=len(returned - expected.written - expected.left),
        forgotten=len(returned - later) if opened.is_reopened else 0,
        report=report,
        log=opened.log,
    )
