"""The scenarios of ``conformance/scenarios``, each with its vectors."""

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
    """A scenario is inconsistent, or a vector names an unknown one."""


@dataclass(frozen=True)
class Scenario:
    """One kind of damage, whatever the format."""

    id: str
    title: str
    story: str

    @property
    def promise(self) -> Mapping[str, str]:
        """The guarantee of each format, from its register, by format id.

        A format in which the scenario cannot happen has no guarantee.
        """
        return {
            format: register.promises[self.id]
            for format, register in registers().items()
            if self.id in register.promises
        }

    @property
    def anchor(self) -> str:
        """The anchor of the heading with this title on a Markdown page."""
        return re.sub(r"[^\w -]", "", self.title.lower()).replace(" ", "-")


@cache
def scenarios() -> Mapping[str, Scenario]:
    """Return all scenarios by id, in the order of the file. Raises :class:`BrokenScenario`."""
    results = {}
    for table in tomllib.loads(BOOK.read_text("utf-8"))["scenario"]:
        each = Scenario(**table)
        if each.id in results:
            raise BrokenScenario(f"{BOOK.name}: {each.id} occurs twice")
        results[each.id] = each
    for format, register in registers().items():
        if unknown := register.promises.keys() - results.keys():
            raise BrokenScenario(f"{format}: promises for no scenario of {BOOK.name}: {unknown}")
    return results


@dataclass(frozen=True)
class Shown:
    """A vector of a scenario, and the records that a reader must return."""

    vector: Vector
    #: Number of records in the control. For an append, number of records in the expected log.
    of: int
    #: Records to return unchanged.
    whole: int
    #: Records to return with a part missing.
    in_part: int
    #: Records to return a second time.
    twice: int
    #: Returned records that were never written. A reader cannot detect them.
    changed: int
    is_in_order: bool

    @property
    def is_as_written(self) -> bool:
        """True if a reader returns the records of the control, and no others."""
        is_whole = (self.whole, self.in_part, self.twice, self.changed) == (self.of, 0, 0, 0)
        return is_whole and self.is_in_order

    @property
    def outcome(self) -> str:
        """The verdict, or ``undetectable`` if the verdict is ``intact`` although records differ."""
        if self.vector.body.get("must_refuse"):
            return "refuses"
        verdict = str(self.vector.body["expect"]["verdict"])
        return "undetectable" if verdict == "intact" and not self.is_as_written else verdict

    @property
    def expected_text(self) -> str:
        """The expected answer in one line."""
        if self.outcome == "refuses":
            return "the writer refuses, and changes no byte"
        words = f"{self.whole}/{self.of}"
        for number, what in (
            (self.in_part, "in part"),
            (self.twice, "twice"),
            (self.changed, "never written"),
        ):
            words += f", {number} {what}" if number else ""
        if not self.is_in_order:
            words += ", in another order"
        return words if self.outcome == "intact" else f"{words}: {self.outcome}"


def shown(vectors: Mapping[str, Vector]) -> Mapping[str, Sequence[Shown]]:
    """Return the vectors of each scenario by its id, in the order of the formats.

    Raises :class:`BrokenScenario`.
    """
    results: dict[str, list[Shown]] = {id: [] for id in scenarios()}
    for vector in sorted(vectors.values(), key=_place):
        scenario = vector.body.get("scenario")
        if scenario is None:
            continue
        if scenario not in results:
            raise BrokenScenario(f"{vector.id}: no scenario {scenario!r} in {BOOK.name}")
        results[scenario].append(_shown(vector, vectors))
    for id, examples in results.items():
        promised = set(scenarios()[id].promise)
        given = {format_of(example.vector) for example in examples}
        if promised != given:
            raise BrokenScenario(
                f"{id}: guaranteed by {sorted(promised)}, vectors of {sorted(given)}"
            )
    return results


def format_of(vector: Vector) -> str:
    """Return the id of a vector's format."""
    return str(vector.body["format"])


def _place(vector: Vector) -> tuple[int, bool, str]:
    # Vectors with unacknowledged records come before vectors with acknowledged records.
    return registers()[format_of(vector)].order, vector.id.endswith("-acknowledged"), vector.id


def _shown(vector: Vector, vectors: Mapping[str, Vector]) -> Shown:
    control = vectors[vector.control or ""]
    expected, sound = (each.body["expect"]["records"] for each in (vector, control))
    if vector.operation == "append":
        sound = expected  # the control appends to another log
    written = [payload_key(record) for record in sound]
    left, whole = list(written), []
    in_part = twice = changed = 0
    for record in expected:
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
