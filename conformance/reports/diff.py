"""The difference between two runs: ``walproof check --baseline REPORT``.

A *regression* is a result that became worse, or an implementation that no longer runs. A removed
vector, profile or implementation is listed but is not a regression. A null baseline with more
correct pairs is a regression of the vectors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from .classes import BY_NAME, SEVERITY
from .json_report import Report

Effect = Literal["regression", "changed", "improvement"]
EFFECTS: tuple[Effect, ...] = ("regression", "changed", "improvement")
Entry = Mapping[str, Any]


@dataclass(frozen=True)
class Change:
    """One result that changed. `difference` and `repeat` are those of the new run."""

    effect: Effect
    implementation: str
    vector: str
    profile: str
    old: str
    new: str
    difference: str | None
    repeat: str


@dataclass(frozen=True)
class ScoreChange:
    """A changed score in pairs, as (passed, total); None if there was none."""

    effect: Effect
    implementation: str
    baseline: bool
    old: tuple[int, int] | None
    new: tuple[int, int] | None


@dataclass(frozen=True)
class StatusChange:
    """An implementation that stopped or started to run."""

    effect: Effect
    implementation: str
    old: str
    new: str
    because: str | None


@dataclass
class Diff:
    """All changes between two runs."""

    results: list[Change] = field(default_factory=list)
    statuses: list[StatusChange] = field(default_factory=list)
    scores: list[ScoreChange] = field(default_factory=list)
    vectors_added: list[str] = field(default_factory=list)
    vectors_removed: list[str] = field(default_factory=list)
    implementations_added: list[str] = field(default_factory=list)
    implementations_removed: list[str] = field(default_factory=list)
    # Implementation → class → number of results without a counterpart in the old run.
    new_results: dict[str, dict[str, int]] = field(default_factory=dict)
    # Implementation → number of old results of shared vectors that the new run lacks.
    gone_results: dict[str, int] = field(default_factory=dict)

    @property
    def regressions(self) -> list[Change | StatusChange | ScoreChange]:
        """Return everything that became worse."""
        every: list[Change | StatusChange | ScoreChange] = [*self.results, *self.statuses]
        every += self.scores
        return [each for each in every if each.effect == "regression"]

    def to_json(self) -> dict[str, Any]:
        """Return the difference as a JSON object; `regressions` is their number."""
        return {"regressions": len(self.regressions), **asdict(self)}


def compare(old: Report, new: Report) -> Diff:
    """Return the changes from the run `old` to the run `new`."""
    after = {each["name"]: each for each in new["implementations"]}
    before = _named_as_now(old["implementations"], after)
    diff = Diff(
        vectors_added=sorted(set(new["vectors"]) - set(old["vectors"])),
        vectors_removed=sorted(set(old["vectors"]) - set(new["vectors"])),
        implementations_added=[name for name in after if name not in before],
        implementations_removed=[name for name in before if name not in after],
    )
    for name, entry in after.items():
        if name not in before:
            continue
        diff.statuses += _status_change(before[name], entry)
        diff.scores += _score_change(before[name], entry)
        if before[name]["status"] == entry["status"] == "ran":
            _compare_results(diff, before[name], entry, set(new["vectors"]))
    diff.results.sort(
        key=lambda each: (
            EFFECTS.index(each.effect), SEVERITY[each.new], each.implementation, each.vector,
            each.profile,
        )
    )  # fmt: skip
    return diff


def _named_as_now(old: Sequence[Entry], after: Mapping[str, Entry]) -> dict[str, Entry]:
    """Return the old implementations under their current names, identified by title."""
    before = {each["name"]: each for each in old}
    gone = {each["title"]: name for name, each in before.items() if name not in after}
    for name, each in after.items():
        if name not in before and each["title"] in gone:
            before[name] = before.pop(gone.pop(each["title"]))
    return before


def _compare_results(diff: Diff, old: Entry, new: Entry, vectors: set[str]) -> None:
    name = new["name"]
    before = {(each["vector"], each["profile"]): each for each in old["results"]}
    after = {(each["vector"], each["profile"]): each for each in new["results"]}
    if not new["baseline"]:
        for key in after.keys() & before.keys():
            diff.results += _change(name, before[key], after[key])
    if added := Counter(after[key]["class"] for key in after if key not in before):
        diff.new_results[name] = dict(added)
    if gone := [key for key in before if key not in after and key[0] in vectors]:
        diff.gone_results[name] = len(gone)


def _change(name: str, old: Entry, new: Entry) -> Iterator[Change]:
    if old["class"] == new["class"] and old.get("difference") == new.get("difference"):
        return
    before, after = BY_NAME[old["class"]].wrongness, BY_NAME[new["class"]].wrongness
    effect: Effect = "changed"
    if after > before:
        effect = "regression"
    # Listing a failure as known, or skipping it, explains it but improves nothing.
    elif after < before and after != 1:
        effect = "improvement"
    yield Change(
        effect, name, new["vector"], new["profile"], old["class"], new["class"],
        new.get("difference"), new["repeat"],
    )  # fmt: skip


def _status_change(old: Entry, new: Entry) -> Iterator[StatusChange]:
    if old["status"] == new["status"]:
        return
    effect: Effect = "changed"
    if old["status"] == "ran":
        effect = "regression"
    elif new["status"] == "ran":
        effect = "improvement"
    yield StatusChange(effect, new["name"], old["status"], new["status"], new["because"])


def _score_change(old: Entry, new: Entry) -> Iterator[ScoreChange]:
    before, after = _pairs(old), _pairs(new)
    if before == after:
        return
    effect: Effect = "changed"
    # A program's score changes with its results, which are judged singly. For a baseline only the
    # score matters.
    if new["baseline"] and before and after and after[0] != before[0]:
        effect = "regression" if after[0] > before[0] else "improvement"
    yield ScoreChange(effect, new["name"], new["baseline"], before, after)


def _pairs(implementation: Entry) -> tuple[int, int] | None:
    score = implementation["score"]
    return (score["pairs_passed"], score["pairs_total"]) if score else None
