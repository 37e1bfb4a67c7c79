"""The scenarios of ``conformance/scenarios``, each with the vectors that show it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from conformance.describe import payload_key
from conformance.vectors import Vector
from reference_impl.paths import PACKAGES
from reference_impl.register import registers

BOOK = PACKAGES / "conformance" / "scenarios" / "scenarios.toml"


class BrokenScenario(ValueError):
    """A scenario that does not hold together, or a vector of one that there is not."""


@dataclass(frozen=True)
class Scenario:
    """One thing that happens to logs."""

    id: str
    title: str
    story: str

    @property
    def promise(self) -> Mapping[str, str]:
        """By format, what can be promised then, whoever reads. Registers say it.

        A format to which it cannot happen is left out.
        """
        return {
            format: register.promises[self.id]
            for format, register in registers().items()
            if self.id in register.promises
        }

    @property
    def anchor(self) -> str:
        """How a page in Markdown is linked to at the heading of this title."""
        return re.sub(r"[^\w -]", "", self.title.lower()).replace(" ", "-")


@cache
def scenarios() -> Mapping[str, Scenario]:
    """All scenarios by id, in the order of the file. Raises :class:`BrokenScenario`."""
    found = {}
    for table in tomllib.loads(BOOK.read_text("utf-8"))["scenario"]:
        each = Scenario(**table)
        if each.id in found:
            raise BrokenScenario(f"{BOOK.name}: {each.id} is there twice")
        found[each.id] = each
    for format, register in registers().items():
        if unknown := register.promises.keys() - found.keys():
            raise BrokenScenario(f"{format}: promises for no scenario of {BOOK.name}: {unknown}")
    return found


@dataclass(frozen=True)
class Shown:
    """One vector of a scenario, and what a reader owes in it."""

    vector: Vector
    of: int
    """How many records the control has; for an append, with those that are appended."""
    whole: int
    """How many of them are owed as they were."""
    in_part: int
    """How many are owed without what is lost of them."""
    twice: int
    """How many are owed once more."""
    changed: int
    """How many are owed that were never written: nobody can tell them from sound ones."""
    is_in_order: bool

    @property
    def expected_text(self) -> str:
        """What a reader or writer owes, in words."""
        if self.vector.body.get("must_refuse"):
            return "a writer refuses, and every byte stays"
        words = f"{self.whole} of {self.of} come back"
        for number, what in (
            (self.in_part, "in part"),
            (self.twice, "twice"),
            (self.changed, "that was not written"),
        ):
            words += f", {number} {what}" if number else ""
        if not self.is_in_order:
            words += ", in another order"
        expect = self.vector.body["expect"]
        if expect["verdict"] == "intact":
            is_as_written = words == f"{self.of} of {self.of} come back"
            return words if is_as_written else f"{words}: nothing tells"
        reasons = dict.fromkeys(each["reason"] for each in expect.get("lost", ()))
        because = f" ({', '.join(reasons)})" if reasons else ""
        return f"{words}: {expect['verdict']}{because}"


def shown(vectors: Mapping[str, Vector]) -> Mapping[str, Sequence[Shown]]:
    """The vectors of each scenario by its id, in the order of the formats.

    Raises :class:`BrokenScenario` for a scenario or a format that :func:`scenarios` does not have,
    and for a promise that no vector shows.
    """
    found: dict[str, list[Shown]] = {id: [] for id in scenarios()}
    for vector in sorted(vectors.values(), key=_place):
        scenario = vector.body.get("scenario")
        if scenario is None:
            continue
        if scenario not in found:
            raise BrokenScenario(f"{vector.id}: no scenario {scenario!r} in {BOOK.name}")
        found[scenario].append(_shown(vector, vectors))
    for id, examples in found.items():
        promised = set(scenarios()[id].promise)
        given = {format_of(example.vector) for example in examples}
        if promised != given:
            raise BrokenScenario(
                f"{id}: promised of {sorted(promised)}, shown by vectors of {sorted(given)}"
            )
    return found


def format_of(vector: Vector) -> str:
    """The id of a vector's format."""
    return str(vector.body["format"])


def _place(vector: Vector) -> tuple[int, bool, str]:
    # What was not acknowledged comes before what was.
    return registers()[format_of(vector)].order, vector.id.endswith("-acknowledged"), vector.id


def _shown(vector: Vector, vectors: Mapping[str, Vector]) -> Shown:
    control = vectors[vector.control or ""]
    owed, sound = (each.body["expect"]["records"] for each in (vector, control))
    if vector.operation == "append":
        sound = owed  # the control appends to another log: here the recipe says what must be there
    written = [payload_key(record) for record in sound]
    left, whole = list(written), []
    in_part = twice = changed = 0
    for record in owed:
        payload = payload_key(record)
        if payload in left:
            left.remove(payload)
            whole.append(payload)
        elif "missing" in record:
            in_part += 1
        elif payload in written:
            twice += 1
        else:
            changed += 1
    place = iter(written)
    is_in_order = all(payload in place for payload in whole)
    return Shown(vector, len(written), len(whole), in_part, twice, changed, is_in_order)
