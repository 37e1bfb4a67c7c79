"""Compare two runs: ``walproof check --baseline REPORT``.

A *regression* is a result that became worse, or an implementation that no longer runs. A removed
vector, profile or implementation is listed but is not a regression. If a null baseline now has more
correct pairs, the vectors have regressed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from .classes import BY_NAME, SEVERITY
from .json_report import Report

Effect = Literal["regression", "changed", "improvement"]
EFFECTS: tuple[Effect, ...] = ("regression", "changed", "improvement")
Entry = Mapping[str, Any]


@dataclass(frozen=True)
class ResultChange:
    """A change of a result class or, without a vector, of an implementation.

    An implementation changes its status, its score, or the number of results in a profile.
    `difference` and `repeat` come from the new run.
    """

    effect: Effect
    implementation: str
    old: str
    new: str
    vector: str = ""
    profile: str = ""
    difference: str | None = None
    repeat: str = ""


@dataclass(frozen=True)
class RunComparison:
    """All changes between two runs, with the most serious effects first."""

    changes: Sequence[ResultChange]
    added: Mapping[str, Sequence[str]]
    removed: Mapping[str, Sequence[str]]

    @property
    def regressions(self) -> list[ResultChange]:
        """Return everything that became worse."""
        return [each for each in self.changes if each.effect == "regression"]


def compare_runs(old: Report, new: Report) -> RunComparison:
    """Return the changes from the run `old` to the run `new`."""
    after = {each["name"]: each for each in new["implementations"]}
    before = _named_as_now(old["implementations"], after)
    changes = [
        change
        for name in after.keys() & before.keys()
        for change in _changes(before[name], after[name], new["vectors"])
    ]
    changes.sort(
        key=lambda each: (
            EFFECTS.index(each.effect), SEVERITY.get(each.new, -1), each.implementation,
            each.vector, each.profile,
        )
    )  # fmt: skip
    then = {"vectors": old["vectors"], "implementations": before}
    now = {"vectors": new["vectors"], "implementations": after}
    return RunComparison(
        changes,
        {key: [name for name in now[key] if name not in then[key]] for key in now},
        {key: [name for name in then[key] if name not in now[key]] for key in now},
    )


def _named_as_now(old: Sequence[Entry], after: Mapping[str, Entry]) -> dict[str, Entry]:
    """Return the old implementations under their current names, matched by title."""
    before = {each["name"]: each for each in old}
    gone = {each["title"]: name for name, each in before.items() if name not in after}
    for name, each in after.items():
        if name not in before and each["title"] in gone:
            before[name] = before.pop(gone.pop(each["title"]))
    return before


def _changes(old: Entry, new: Entry, vectors: Container[str]) -> Iterator[ResultChange]:
    name = new["name"]
    if old["status"] != new["status"]:
        stopped = old["status"] == "ran"
        effect: Effect = "regression" if stopped else _improved(new["status"] == "ran")
        yield ResultChange(effect, name, old["status"], new["status"], difference=new["because"])
    before, after = _pairs(old), _pairs(new)
    if before != after:
        # Only a baseline is compared by its score. The results of other programs are compared one
        # by one below.
        effect = "changed"
        if new["baseline"] and before and after and after[0] != before[0]:
            effect = "regression" if after[0] > before[0] else "improvement"
        yield ResultChange(effect, name, _score_text(before), _score_text(after))
    if new["baseline"]:
        return
    results = {(each["vector"], each["profile"]): each for each in old["results"]}
    for result in new["results"]:
        earlier = results.pop((result["vector"], result["profile"]), None)
        if earlier is None or all(
            earlier.get(key) == result.get(key) for key in ("class", "difference")
        ):
            continue
        yield ResultChange(
            _effect(earlier["class"], result["class"]), name, earlier["class"], result["class"],
            result["vector"], result["profile"], result.get("difference"), result["repeat"],
        )  # fmt: skip
    if old["status"] == new["status"] == "ran":
        missing = Counter(profile for vector, profile in results if vector in vectors)
        for profile, count in missing.items():
            yield ResultChange("changed", name, f"{count} results", "not run", profile=profile)


def _improved(condition: bool) -> Effect:
    return "improvement" if condition else "changed"


def _effect(old: str, new: str) -> Effect:
    before, after = BY_NAME[old].wrongness, BY_NAME[new].wrongness
    # A failure that is now listed as known, or skipped, is not an improvement.
    return "regression" if after > before else _improved(after < before and after != 1)


def _pairs(implementation: Entry) -> tuple[int, int] | None:
    score = implementation["score"]
    return (score["pairs_passed"], score["pairs_total"]) if score else None


def _score_text(pairs: tuple[int, int] | None) -> str:
    return f"{pairs[0]}/{pairs[1]} pairs" if pairs else "no score"
